import assert from 'node:assert/strict'
import { type PlanNode, plansOf, scannedWhole } from '../../../bench/lists/plans.ts'
import type { DeliveryFilter } from '../../../src/contract/administration.ts'
import { createDeliveryLogStore } from '../../../src/delivery/store/deliveries-log.store.ts'
import { createReplayStore } from '../../../src/delivery/store/deliveries-replay.store.ts'
import { createDeliveryEraser } from '../../../src/delivery/store/erase-deliveries.ts'
import { connectPool, type Pool } from '../../../src/platform/postgres/sql.ts'
import { type EndpointId, encodeId, idFloor, newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { before, describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

type DeliveryPage = Parameters<ReturnType<typeof createDeliveryLogStore>['list']>[2]

const ROWS = 60_000
const DAYS = 6
const database = await testDatabase()
const workspaceId: WorkspaceId = newId('workspace')
const endpoints: EndpointId[] = Array.from({ length: 20 }, () => newId('endpoint'))
const [endpointId, rare] = [endpoints[1] ?? assert.fail(), endpoints[0] ?? assert.fail()]
const key = newId('conversation')

/**
 * Days of deliveries of twenty endpoints, most of them delivered; one conversation, kind and endpoint are
 * rare.
 */
async function seed(sql: Pool): Promise<void> {
  for (let day = 1; day <= DAYS; day += 1)
    await sql`select ensure_day_partition('deliveries', (now() at time zone 'UTC')::date - ${day}::integer)`
  await sql`
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, attempt_count, created_at)
    select id, ${workspaceId}, uuidv7(),
      case when n % 9973 = 0 then ${rare}::uuid else (${endpoints}::uuid[])[2 + n % 19] end,
      case when n % 9001 = 0 then 'call.status' when n % 4 = 0 then 'message.received' else 'message.status' end,
      case when n % 5003 = 0 then ${key}::uuid else uuidv7() end,
      case when n % 1000 = 0 then 'FAILED' when n % 1000 = 1 then 'HELD' when n % 1000 = 2 then 'PENDING'
        when n % 9007 = 0 then 'BLOCKED'
        else 'DELIVERED' end,
      1, uuid_extract_timestamp(id)
    from (
      select n, uuidv7(-(${ROWS}::integer - n) * interval '1 day' * ${DAYS - 1}::integer / ${ROWS}::integer) as id
      from generate_series(1, ${ROWS}::integer) n) made`
  await sql`vacuum (analyze) deliveries`
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const [since, until] = [daysAgo(3), daysAgo(2)]

const filters: Record<string, DeliveryFilter> = {
  everything: {},
  endpoint: { endpointId },
  'rare endpoint': { endpointId: rare },
  event: { event: 'message.received' },
  'rare event': { event: 'call.status' },
  'event that never was': { event: 'call.ringing' },
  delivered: { state: 'DELIVERED' },
  failed: { state: 'FAILED' },
  pending: { state: 'PENDING' },
  'several states': { state: ['FAILED', 'HELD', 'PENDING'] },
  'endpoint and several states': { endpointId, state: ['FAILED', 'HELD'] },
  'ids that never were': { ids: [newId('delivery'), newId('delivery')] },
  'state that never was': { state: 'DISCARDED' },
  key: { key },
  'unknown key': { key: newId('call') },
  since: { since },
  until: { until },
  'since and until': { since, until },
  'endpoint and state': { endpointId, state: 'FAILED' },
  'endpoint, state and time': { endpointId, state: 'FAILED', since: daysAgo(5), until: daysAgo(0) },
  'endpoint and event': { endpointId, event: 'message.received' },
  'event and state': { event: 'message.received', state: 'FAILED' },
  'key and state': { key, state: 'DELIVERED' },
  everyone: { endpointId, event: 'message.status', state: 'DELIVERED', since, until },
}

const scans = (plan: PlanNode): string[] => scannedWhole(plan, partitions)
let partitions: string[] = []

describe('the plans of the delivery log', () => {
  before(async () => {
    const sql = connectPool({ url: database.url, max: 1, name: 'test', statementTimeoutMs: 60_000 })
    await seed(sql)
    // Leaves out empty partitions: reading one whole costs nothing, and Postgres does so.
    const rows = await sql<{ name: string }[]>`
      select relname as name from pg_class where relname ~ '^deliveries_[0-9]{8}$' and reltuples > 1000`
    partitions = rows.map(({ name }) => name)
    await sql.end()
  })

  test('every filter, first page and next, reads no day whole', async () => {
    assert.ok(partitions.length >= DAYS - 1)
    for (const [name, filter] of Object.entries(filters)) {
      const plans = await plansOf(database.url, async (sql) => {
        const log = createDeliveryLogStore(sql)
        const { data, next } = await log.list(workspaceId, filter, { limit: 50, after: undefined })
        if (next) await log.list(workspaceId, filter, { limit: 50, after: next })
        assert.equal(data.length > 0, !/never|unknown/.test(name), name)
      })
      assert.deepEqual(plans.flatMap(scans), [], name)
    }
  })

  test('a rare one is found without reading past the others', async () => {
    const sql = testPool(database, 1)
    const read = async () => {
      const [row] = await sql<{ rows: number }[]>`
        select coalesce(sum(idx_tup_fetch + seq_tup_read), 0)::int as rows
        from pg_stat_user_tables where relname ~ '^deliveries_'`
      return row?.rows ?? 0
    }
    for (const name of [
      'rare endpoint',
      'rare event',
      'failed',
      'key',
      'unknown key',
      'endpoint and state',
    ]) {
      await sql`select pg_stat_force_next_flush()`
      const before = await read()
      await createDeliveryLogStore(sql).list(workspaceId, filters[name] ?? {}, {
        limit: 50,
        after: undefined,
      })
      await sql`select pg_stat_force_next_flush()`
      const rows = (await read()) - before
      assert.ok(rows < 1_000, `${name} read ${rows} rows`)
    }
  })

  test('what is pending stands among the others, on every page', async () => {
    const sql = testPool(database, 1)
    const log = createDeliveryLogStore(sql)
    const listed: string[] = []
    for (let after: DeliveryPage['after'], page = 0; page < 25; page += 1) {
      const { data, next } = await log.list(workspaceId, {}, { limit: 100, after })
      listed.push(...data.map(({ id }) => id))
      after = next ?? assert.fail()
    }
    const rows = await sql<{ id: string; state: string }[]>`
      select id, state from deliveries where workspace_id = ${workspaceId} order by id desc limit 2500`
    assert.deepEqual(
      listed,
      rows.map(({ id }) => encodeId('delivery', id)),
    )
    assert.ok(rows.some(({ state }) => state === 'PENDING'))
  })

  test('what an erasure looks for is found by its key or its ids', async () => {
    const plans = await plansOf(database.url, async (sql) => {
      const eraser = createDeliveryEraser(sql)
      assert.equal(await eraser.hasMore(workspaceId, [newId('call')], null), false)
      assert.equal(await eraser.hasMore(workspaceId, [key], null), true)
      for (const after of [null, undefined])
        assert.equal((await eraser.ofKeys(workspaceId, [newId('call')], after)).events, 0)
      const first = idFloor(daysAgo(DAYS + 20).getTime())
      assert.equal(
        (await eraser.between(workspaceId, first, idFloor(daysAgo(DAYS + 19).getTime()))).events,
        0,
      )
    })
    assert.ok(plans.length >= 10)
    assert.deepEqual(plans.flatMap(scans), [])
  })

  test('what a bulk replay counts and takes is found by its endpoint and state', async () => {
    const plans = await plansOf(database.url, async (sql) => {
      const replays = createReplayStore(sql)
      const states = ['FAILED', 'HELD'] as const
      assert.ok((await replays.count(workspaceId, endpointId, { states })) > 3)
      assert.ok((await replays.count(workspaceId, endpointId, { states, since })) > 1)
    })
    assert.ok(plans.length >= 4)
    assert.deepEqual(plans.flatMap(scans), [])
  })

  test('a filter that has no index is found out', async () => {
    const plans = await plansOf(database.url, (sql) => sql`select id from deliveries where attempt_count = 7`)
    assert.ok(plans.flatMap(scans).length >= DAYS - 1, encodeId('workspace', workspaceId))
  })
})
