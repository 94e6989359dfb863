// The statements of the pool that plans each statement once: what they read must not grow with what is open, with the
// days that are kept or with the endpoints, however old the statistics are.
import assert from 'node:assert/strict'
import { indexesOf, type PlanNode, plansOf, scannedWhole } from '../../../bench/lists/plans.ts'
import { createAttemptStore } from '../../../src/delivery/store/attempts.store.ts'
import { createBacklogStore } from '../../../src/delivery/store/backlog.store.ts'
import { createDeliveryStore } from '../../../src/delivery/store/deliveries.store.ts'
import { connectPool, type Pool } from '../../../src/platform/postgres/sql.ts'
import { newId } from '../../../src/shared/ids.ts'
import { afterFile, before, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'
import { attemptRows, type Scene } from './attempt-rows.ts'

const HELD = 50_000
const DAYS = 12
const database = await testDatabase()
const sql = testPool(database)
const hot = connectPool({ url: database.url, max: 1, name: 'hot', isPlannedOnce: true })
afterFile(() => hot.end({ timeout: 1 }))
const { scene, newItem, success, retry } = attemptRows(sql)

/** Held deliveries of today and the days before. Nothing is analysed: the statistics know none of them. */
async function seed(): Promise<Scene> {
  const of = await scene()
  const off = await addEndpoint(sql, of.workspaceId, { enabled: false, events: [] })
  for (const table of ['events', 'deliveries', 'attempts'])
    for (let day = 1; day <= DAYS; day += 1)
      await sql`select ensure_day_partition(${table}, (now() at time zone 'UTC')::date - ${day}::integer)`
  await sql`
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state)
    select uuidv7(-(case when n % 10 = 0 then n % ${DAYS}::integer else 0 end) * interval '1 day'), ${of.workspaceId}, uuidv7(),
      ${off}, 'call.status', uuidv7(), 'HELD'
    from generate_series(1, ${HELD}::integer) n`
  return of
}

interface Read {
  /** Rows of deliveries, events and attempts. */
  readonly rows: number
  /** Index scans of partitions of earlier days. */
  readonly otherDays: number
}

async function readSoFar(): Promise<Read> {
  for (const pool of [sql, hot]) await pool`select pg_stat_force_next_flush()`
  const [row] = await sql<Read[]>`
    select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::int as rows,
      coalesce(sum(idx_scan + seq_scan) filter (where right(relname, 8) < to_char(now() at time zone 'UTC' - interval '1 day', 'YYYYMMDD')), 0)::int as other_days
    from pg_stat_user_tables where relname ~ '^(deliveries|events|attempts)_[0-9]{8}$'`
  return row ?? assert.fail()
}

async function readBy(work: (store: Pool) => Promise<unknown>): Promise<Read> {
  await work(hot)
  const before = await readSoFar()
  await work(hot)
  const after = await readSoFar()
  return { rows: after.rows - before.rows, otherDays: after.otherDays - before.otherDays }
}

const hotPlans = (work: (pool: Pool) => Promise<unknown>) =>
  plansOf(database.url, work, { isPlannedOnce: true })

const isDay = /^(deliveries|events|attempts)_[0-9]{8}/
const indexesOfDays = (plans: readonly PlanNode[]) => [
  ...new Set(
    plans
      .flatMap(indexesOf)
      .filter((name) => isDay.test(name))
      .map((name) => name.replace(/_[0-9]{8}_/, '_')),
  ),
]

const results = async (of: Scene) => {
  const [good, bad, other] = [await newItem(of), await newItem(of), await newItem(of)]
  return { successes: [success(of, good)], failures: [retry(of, bad), success(of, other)] }
}

describe('with 50,000 deliveries held and no statistics', () => {
  let of: Scene
  let days: string[] = []
  before(async () => {
    of = await seed()
    const rows = await sql<{ name: string }[]>`
      select relname as name from pg_class where relkind = 'r' and relname ~ '^(deliveries|events|attempts)_[0-9]{8}$'`
    days = rows.map(({ name }) => name)
  })

  test('results are written to rows that are found by their ids, in the days of those ids alone', async () => {
    for (const options of [{ isPlannedOnce: true }, {}]) {
      const { successes, failures } = await results(of)
      const record = async (one: Pool) => {
        const store = createAttemptStore(one)
        await store.record(successes)
        await store.record(failures)
      }
      const plans = await plansOf(database.url, record, options)
      assert.ok(plans.length >= 4)
      assert.deepEqual(indexesOfDays(plans), ['deliveries_pkey'])
      const whole = plans.flatMap((plan) => scannedWhole(plan, days))
      assert.deepEqual(whole, [])
    }
    const read = await readBy(async (pool) => {
      const { successes, failures } = await results(of)
      await createAttemptStore(pool).record(successes)
      await createAttemptStore(pool).record(failures)
    })
    assert.ok(read.rows < 50, `${read.rows} rows`)
    assert.equal(read.otherDays, 0)
  })

  test('what an endpoint has in memory already is looked up by a hash', async () => {
    const exclude = Array.from({ length: 1_000 }, () => newId('delivery'))
    const plans = await hotPlans((pool) =>
      createDeliveryStore(pool).pending(of.endpointId, { exclude, first: 200, retries: 5 }),
    )
    assert.match(JSON.stringify(plans), /hashed SubPlan/)
  })

  test('what waits is read by its endpoint, and its events by their ids', async () => {
    const item = await newItem(of)
    const wish = { exclude: [], first: 5, retries: 5 }
    const work = async (pool: Pool) => {
      const store = createDeliveryStore(pool)
      await store.pending(of.endpointId, wish)
      await store.dueRetry(item.deliveryId, 2)
      await store.overdueEndpoints(null, 100)
      await store.holdForDisabled(100)
    }
    const plans = await hotPlans(work)
    assert.deepEqual(
      plans.flatMap((plan) => scannedWhole(plan, days)),
      [],
    )
    const read = await readBy(work)
    assert.ok(read.rows < 200, `${read.rows} rows`)
  })

  test('an event that a number routes to one endpoint reads none of the others', async () => {
    const { workspaceId } = await addTenant(sql)
    const endpointId = await addEndpoint(sql, workspaceId)
    await sql`
      insert into endpoints (id, workspace_id, name, url, events, secret)
      select new_uuid(), ${workspaceId}, 'one of many', 'https://receiver.example', '{message.status}', 'x'
      from generate_series(1, 3000)`
    const emitted = async (pool: Pool) => {
      const [written, ...others] = await emitEvent(pool, workspaceId, { routedTo: endpointId })
      assert.equal(written?.endpointId, endpointId)
      assert.equal(others.length, 0)
    }
    const readOf = async () => {
      for (const pool of [sql, hot]) await pool`select pg_stat_force_next_flush()`
      const [row] = await sql<{ rows: number }[]>`
        select (coalesce(idx_tup_fetch, 0) + seq_tup_read)::int as rows from pg_stat_user_tables where relname = 'endpoints'`
      return row?.rows ?? 0
    }
    await emitted(hot)
    const before = await readOf()
    await emitted(hot)
    assert.ok((await readOf()) - before < 5, `${(await readOf()) - before} endpoints read`)
    assert.equal((await emitEvent(hot, workspaceId, { key: newId('call') })).length, 3_001)
  })

  test('the backlog is measured by index', async () => {
    const plans = await hotPlans((one) => createBacklogStore(one).sample())
    assert.deepEqual(
      plans.flatMap((plan) => scannedWhole(plan, days)),
      [],
    )
  })
})
