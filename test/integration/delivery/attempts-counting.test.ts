import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { RecordedAttempts } from '../../../src/delivery/recorder.ts'
import type { AttemptRecord } from '../../../src/delivery/settle-attempt.ts'
import { createAttemptStore } from '../../../src/delivery/store/attempts.store.ts'
import { createDeliveryStore } from '../../../src/delivery/store/deliveries.store.ts'
import { createEndpointAdminStore } from '../../../src/delivery/store/endpoints-admin.store.ts'
import { before, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addAuthor } from '../../support/rows.ts'
import { attemptRows, type Scene } from './attempt-rows.ts'

const database = await testDatabase()
const sql = testPool(database)
/** The stores of two processes. */
const stores = [createAttemptStore(sql), createAttemptStore(testPool(database))] as const
const { scene, newItem, success, retry } = attemptRows(sql)

const endpointOf = async ({ endpointId }: Scene) => {
  const [row] = await sql<{ enabled: boolean; consecutiveFailures: number }[]>`
    select enabled, consecutive_failures from endpoints where id = ${endpointId}`
  return row ?? assert.fail()
}
const auditsOf = async ({ endpointId }: Scene) =>
  (await sql`select from audit where subject_id = ${endpointId} and action = 'endpoint.switched_off'`).count
const failures = (of: Scene, count: number): Promise<AttemptRecord[]> =>
  Promise.all(Array.from({ length: count }, async () => retry(of, await newItem(of))))
const counts = (recorded: RecordedAttempts[]) =>
  recorded.flatMap(({ endpoints }) => endpoints).sort((a, b) => a.consecutiveFailures - b.consecutiveFailures)

describe('the counter of failures in a row', () => {
  // Records every step of the counter, in the order in which the database took them.
  before(async () => {
    await sql`
      create table counter_steps (
        place bigint generated always as identity, endpoint_id uuid, was integer, became integer)`
    await sql`
      create function note_step() returns trigger language plpgsql as $$ begin
        insert into counter_steps (endpoint_id, was, became)
        values (new.id, old.consecutive_failures, new.consecutive_failures);
        return new;
      end $$`
    await sql`create trigger noted after update on endpoints for each row execute function note_step()`
  })
  const stepsOf = ({ endpointId }: Scene) => sql<{ was: number; became: number }[]>`
    select was, became from counter_steps where endpoint_id = ${endpointId} order by place`

  test('counts an attempt once when its batch is told again, as after a commit of unknown outcome', async () => {
    const of = await scene()
    const batch = [...(await failures(of, 3)), success(of, await newItem(of)), ...(await failures(of, 4))]
    await stores[0].record(batch)
    for (const store of stores) await store.record(batch)
    await Promise.all(stores.map((store) => store.record(batch)))
    assert.equal((await endpointOf(of)).consecutiveFailures, 4)
  })

  test('counts an attempt once that a second owner made again after a crash, whatever came of it', async () => {
    const of = await scene(5)
    const item = await newItem(of)
    await stores[0].record([retry(of, item)])
    await stores[1].record([success(of, item)])
    assert.deepEqual(await endpointOf(of), { enabled: true, consecutiveFailures: 6 })
    const twice = retry(of, await newItem(of))
    await stores[0].record([twice, twice])
    assert.equal((await endpointOf(of)).consecutiveFailures, 7)
  })

  test('a batch that is told again does not switch off what an operator turned on meanwhile', async () => {
    const of = await scene(18)
    const batch = await failures(of, 2)
    await stores[0].record(batch)
    assert.equal((await endpointOf(of)).enabled, false)
    await enable(of)
    await stores[1].record(batch)
    assert.deepEqual(await endpointOf(of), { enabled: true, consecutiveFailures: 0 })
    assert.equal(await auditsOf(of), 1)
  })

  test('turned on at once, nothing that waited when it went off goes by itself', async () => {
    const of = await scene(19)
    const [waiting, failing] = [await newItem(of), await newItem(of)]
    await stores[0].record([retry(of, failing)])
    await enable(of)
    const wish = { exclude: [], first: 10, retries: 10 }
    assert.deepEqual((await createDeliveryStore(sql).pending(of.endpointId, wish)).items, [])
    const rows = await sql`select id from deliveries where endpoint_id = ${of.endpointId} and state = 'HELD'`
    assert.deepEqual(new Set(rows.map(({ id }) => id)), new Set([waiting.deliveryId, failing.deliveryId]))
  })

  test('an owner that missed the switch-off is told of it with its next result', async () => {
    const of = await scene(19)
    const [last] = await failures(of, 1)
    await stores[0].record([last ?? assert.fail()])
    const again = await stores[1].record([last ?? assert.fail()])
    assert.deepEqual(
      again.endpoints.map(({ enabled, switchedOff }) => [enabled, switchedOff]),
      [[false, false]],
    )
  })

  test('with two processes and reports told twice, it moves by each outcome once', async () => {
    const outcomes = fc.array(fc.record({ fails: fc.boolean(), by: fc.nat(1), twice: fc.boolean() }), {
      minLength: 1,
      maxLength: 30,
    })
    const property = fc.asyncProperty(outcomes, async (script) => {
      const of = await scene()
      const items = await Promise.all(script.map(() => newItem(of)))
      const tellings = items.flatMap((item, index) => {
        const { fails = false, by = 0, twice = false } = script[index] ?? {}
        const record = fails ? retry(of, item) : success(of, item)
        return twice ? [by, 1 - by].map((store) => ({ store, record })) : [{ store: by, record }]
      })
      await Promise.all(tellings.map(({ store, record }) => stores[store]?.record([record])))
      const steps = await stepsOf(of)
      const ups = steps.filter(({ was, became }) => became === Math.min(was + 1, 20))
      for (const [index, { was, became }] of steps.entries()) {
        assert.equal(was, steps[index - 1]?.became ?? 0)
        assert.ok(became === 0 || became === Math.min(was + 1, 20), `${was} to ${became}`)
      }
      assert.equal(ups.length, script.filter(({ fails }) => fails).length)
      const isOff = steps.some(({ became }) => became === 20)
      assert.deepEqual([(await endpointOf(of)).enabled, await auditsOf(of)], [!isOff, isOff ? 1 : 0])
    })
    await fc.assert(property, { numRuns: 25 })
  })

  test('a batch counts as its outcomes one by one would', async () => {
    const outcome = fc.constantFrom(
      'failure' as const,
      'failure' as const,
      'success' as const,
      'nothing' as const,
    )
    const batches = fc.array(fc.array(outcome, { minLength: 1, maxLength: 30 }), {
      minLength: 1,
      maxLength: 4,
    })
    const property = fc.asyncProperty(batches, async (script) => {
      const of = await scene()
      for (const batch of script) await stores[0].record(await Promise.all(batch.map((one) => told(of, one))))
      const whole = script.flat()
      const ended = whole.reduce(counted, { count: 0, isOff: false })
      assert.deepEqual(await endpointOf(of), { enabled: !ended.isOff, consecutiveFailures: ended.count })
      assert.equal(await auditsOf(of), ended.isOff ? 1 : 0)
    })
    await fc.assert(property, {
      numRuns: 40,
      examples: [
        [[Array(19).fill('failure'), ['nothing', 'failure']]],
        [[['success', ...Array(20).fill('failure'), 'success']]],
      ],
    })
  })

  test('whole batches from two processes at once are folded one after the other', async () => {
    const of = await scene()
    const batches = await Promise.all([
      ...Array.from({ length: 5 }, () => failures(of, 3)),
      failures(of, 2).then(async (two) => [success(of, await newItem(of)), ...two]),
    ])
    const recorded = await Promise.all(batches.map((batch, n) => stores[n % 2 === 0 ? 0 : 1].record(batch)))
    const reset = recorded[5]?.endpoints[0]?.consecutiveFailures
    assert.ok(reset === 2 || reset === undefined)
    const steps = await stepsOf(of)
    for (const { was, became } of steps) assert.ok(became === was + 3 || became === 2)
    assert.equal(steps.length, 6)
  })

  test('19 to 20 at once from two processes, and turned on in between: every count is taken exactly once', async () => {
    const of = await scene(10)
    const records = await failures(of, 30)
    const switched = Promise.all(
      records.slice(0, 15).map((one, n) => stores[n % 2 === 0 ? 0 : 1].record([one])),
    )
    await switched
    const [late] = await Promise.all([
      Promise.all(records.slice(15).map((one, n) => stores[n % 2 === 0 ? 0 : 1].record([one]))),
      enable(of),
    ])
    const all = counts([...(await switched), ...late])
    const before = all.filter(({ enabled, switchedOff }) => switchedOff || !enabled)
    assert.equal(all.filter(({ switchedOff }) => switchedOff).length, 1)
    assert.ok(before.every(({ consecutiveFailures }) => consecutiveFailures === 20))
    const on = all.filter(({ enabled }) => enabled).map(({ consecutiveFailures }) => consecutiveFailures)
    const after = (await endpointOf(of)).consecutiveFailures
    assert.deepEqual(
      on.sort((a, b) => a - b),
      [...Array.from({ length: after }, (_, n) => n + 1), 11, 12, 13, 14, 15, 16, 17, 18, 19].sort(
        (a, b) => a - b,
      ),
    )
    assert.equal(before.length + on.length, 30)
    assert.deepEqual([(await endpointOf(of)).enabled, await auditsOf(of)], [true, 1])
  })
})

type Outcome = AttemptRecord['counts']

const told = async (of: Scene, counts: Outcome): Promise<AttemptRecord> => {
  const item = await newItem(of)
  return { ...(counts === 'success' ? success(of, item) : retry(of, item)), counts }
}

const counted = ({ count, isOff }: { count: number; isOff: boolean }, outcome: Outcome) => {
  if (outcome === 'nothing') return { count, isOff }
  const next = outcome === 'success' ? 0 : Math.min(count + 1, 20)
  return { count: next, isOff: isOff || next === 20 }
}

async function enable({ workspaceId, endpointId }: Scene): Promise<void> {
  const changed = await createEndpointAdminStore(sql).enable(await addAuthor(sql, workspaceId), endpointId)
  assert.equal(changed.type, 'changed')
}
