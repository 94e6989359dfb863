// A batch of successes has a statement of its own. What it does to rows, counters and locks.
import assert from 'node:assert/strict'
import { createAttemptStore } from '../../../src/delivery/store/attempts.store.ts'
import { createDeliveryEraser } from '../../../src/delivery/store/erase-deliveries.ts'
import { everyAttempt } from '../../../src/platform/postgres/every-attempt.ts'
import type { Uuid } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import { attemptRows, type Scene } from './attempt-rows.ts'

const sql = testPool(await testDatabase())
const store = createAttemptStore(sql)
const { scene, newItem, success, retry } = attemptRows(sql)

const failuresOf = async ({ endpointId }: Scene) =>
  (await sql`select consecutive_failures from endpoints where id = ${endpointId}`)[0]?.['consecutiveFailures']

const statesOf = async ({ endpointId }: Scene) =>
  (
    await sql`select state, attempt_count, next_attempt_at from deliveries where endpoint_id = ${endpointId} order by id`
  ).map((row) => [row['state'], row['attemptCount'], row['nextAttemptAt']])

const attemptsOf = async ({ endpointId }: Scene) =>
  (await sql`select from ${everyAttempt(sql)} and endpoint_id = ${endpointId}`).count

const recordsWait = async () => {
  const waiting = await sql`
    select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%attempt_count%'`
  return waiting.count === 1
}

describe('a batch of successes', () => {
  test('of two endpoints settles each delivery, and resets the counter of the one with failures alone', async () => {
    const [failing, fine] = [await scene(7), await scene()]
    const items = [await newItem(failing), await newItem(fine), await newItem(fine)] as const
    const recorded = await store.record([
      success(fine, items[2]),
      success(failing, items[0]),
      success(fine, items[1]),
    ])
    assert.deepEqual(recorded, {
      retries: [],
      endpoints: [
        {
          id: failing.endpointId,
          enabled: true,
          consecutiveFailures: 0,
          failuresBefore: 0,
          switchedOff: false,
        },
      ],
    })
    assert.deepEqual(await statesOf(fine), [
      ['DELIVERED', 1, null],
      ['DELIVERED', 1, null],
    ])
    assert.deepEqual(
      [await failuresOf(failing), await attemptsOf(fine), await attemptsOf(failing)],
      [0, 2, 1],
    )
  })

  test('is counted once when it is given again, also beside a new one', async () => {
    const of = await scene()
    const [item, other] = [await newItem(of), await newItem(of)]
    await store.record([success(of, item)])
    await sql`update endpoints set consecutive_failures = 3 where id = ${of.endpointId}`
    await store.record([success(of, item)])
    assert.equal(await failuresOf(of), 3)
    await store.record([success(of, item), success(of, other)])
    assert.equal(await failuresOf(of), 0)
    assert.equal(await attemptsOf(of), 2)
  })

  test('keeps the attempt of what was discarded on the way, and tells the owner that missed it that the endpoint is off', async () => {
    const of = await scene()
    const item = await newItem(of)
    await sql`update deliveries set state = 'DISCARDED', next_attempt_at = null where id = ${item.deliveryId}`
    await sql`update endpoints set enabled = false where id = ${of.endpointId}`
    const { endpoints } = await store.record([success(of, item)])
    assert.deepEqual(endpoints, [
      { id: of.endpointId, enabled: false, consecutiveFailures: 0, failuresBefore: 0, switchedOff: false },
    ])
    assert.deepEqual(await statesOf(of), [['DISCARDED', 1, null]])
    assert.equal(await attemptsOf(of), 1)
  })

  test('keeps nothing of an answer where an erasure discards the delivery meanwhile, nor does a failure', async () => {
    const answer = { responseHeaders: { 'x-name': 'Ines' }, responseBody: Buffer.from('Ines') }
    const outcome = { type: 'failed', code: 'TLS_FAILED', detail: 'Ines' } as const
    for (const result of [success, retry]) {
      const of = await scene()
      const [item, later] = [await newItem(of), await newItem(of)]
      const answered = (one: typeof item, patch = {}) => {
        const record = result(of, one)
        return { ...record, report: { ...record.report, ...answer, ...patch } }
      }
      await store.record([{ ...answered(later, result === retry ? { outcome } : {}) }])
      await sql`update deliveries set state = 'RETRYING', finished_at = null where id = ${later.deliveryId}`
      const recording = await sql.begin(async (tx) => {
        const keys = [item.key, later.key] as Uuid[]
        await createDeliveryEraser(tx as never).ofKeys(of.workspaceId, keys)
        // Both statements have begun before the erasure ends, and do not see that the events are gone.
        const both = store.record([answered(item), answered({ ...later, attemptNumber: 2 })])
        await eventually(recordsWait)
        return () => both
      })
      await recording()
      assert.deepEqual(await statesOf(of), [
        ['DISCARDED', 1, null],
        ['DISCARDED', 2, null],
      ])
      const kept = await sql`
        select response_headers, response_body, error_detail from ${everyAttempt(sql)} and endpoint_id = ${of.endpointId}`
      assert.equal(kept.count, 3)
      for (const row of kept)
        assert.deepEqual({ ...row }, { responseHeaders: null, responseBody: null, errorDetail: null })
      const open = await sql`
        select from deliveries where endpoint_id = ${of.endpointId} and finished_at is null`
      assert.equal(open.count, 0, 'what was discarded stays finished')
    }
  })

  test('takes its rows in the order of their ids, so that two batches never wait for each other', async () => {
    for (const result of [success, retry]) {
      const of = await scene()
      const [first, second] = [await newItem(of), await newItem(of)]
      await sql
        .begin(async (tx) => {
          await tx`select from deliveries where id = ${first.deliveryId} for update`
          const recording = store.record([result(of, second), result(of, first)])
          await eventually(recordsWait)
          // Would fail if the batch held the second row while it waits for the first.
          await tx`select from deliveries where id = ${second.deliveryId} for update nowait`
          return () => recording
        })
        .then((recording) => recording())
      assert.deepEqual(
        (await statesOf(of)).map(([, count]) => count),
        [1, 1],
      )
    }
  })
})
