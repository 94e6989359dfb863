import assert from 'node:assert/strict'
import { type PlanNode, plansOf, scannedWhole, sortsToLimit } from '../../../bench/lists/plans.ts'
import { type BigWorkspace, seedLists } from '../../../bench/lists/seed-lists.ts'
import type { Named } from '../../../src/console/deliveries/subject.ts'
import { createOverview } from '../../../src/console/overview.ts'
import { createSubjectStore } from '../../../src/console/store/delivery-subjects.store.ts'
import { createOverviewStore } from '../../../src/console/store/overview.store.ts'
import { createAttemptRateStore } from '../../../src/delivery/store/attempt-rates.store.ts'
import { createDeliveryLogStore } from '../../../src/delivery/store/deliveries-log.store.ts'
import { createEndpointHealthStore } from '../../../src/delivery/store/endpoint-health.store.ts'
import { connectPool, type Pool } from '../../../src/platform/postgres/sql.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { type EndpointId, newId } from '../../../src/shared/ids.ts'
import { before, describe, test } from '../../support/harness.ts'
import { testDatabase } from '../../support/postgres.ts'

const ROWS = 60_000
const database = await testDatabase()
const endpoints: EndpointId[] = Array.from({ length: 20 }, () => newId('endpoint'))
const [endpointId] = endpoints
let workspace: BigWorkspace
let big: string[] = []

/**
 * A day of deliveries and attempts of twenty endpoints; a few failed, a few are held. Half of the attempts are in the
 * rows of their deliveries, as those that deliver at once are.
 */
async function seedDeliveries(sql: Pool): Promise<void> {
  const { workspaceId } = workspace
  const isKept = sql`(n % 500 > 2 and n / 20 % 2 = 0)`
  await sql`
    insert into endpoints (id, workspace_id, name, url, events, secret)
    select id, ${workspaceId}, 'orders', 'https://receiver.example/', '{}', 's' from unnest(${endpoints}::uuid[]) id`
  await sql`
    create temporary table made as
    select n, uuidv7(-(${ROWS}::integer - n) * interval '1 day' / ${ROWS}::integer) as id,
      (${endpoints}::uuid[])[1 + n % 20] as endpoint_id
    from generate_series(1, ${ROWS}::integer) n`
  await sql`
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, attempt_count, created_at, finished_at,
      first_attempt_at, first_status_code, first_duration_ms)
    select id, ${workspaceId}, uuidv7(), endpoint_id, 'message.status', uuidv7(),
      case when n % 500 = 0 then 'FAILED' when n % 500 = 1 then 'HELD' when n % 500 = 2 then 'RETRYING'
        else 'DELIVERED' end, 1, uuid_extract_timestamp(id), now(),
      case when ${isKept} then uuid_extract_timestamp(id) end, case when ${isKept} then 200 end,
      case when ${isKept} then n % 100 end
    from made`
  await sql`
    insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, duration_ms)
    select id, ${workspaceId}, id, endpoint_id, 1, now(), 200, n % 100
    from made
    where not ${isKept}`
  await sql`vacuum (analyze) deliveries, attempts, endpoints`
}

/** Each of a message, a call and a conversation that there are. */
async function namedEvents(count: number): Promise<Named[]> {
  const sql = connectPool({ url: database.url, max: 1, name: 'test', statementTimeoutMs: 60_000 })
  const rows = await sql<Pick<Named, 'messageId' | 'callId' | 'conversationId'>[]>`
    select m.id as message_id, k.id as call_id, v.id as conversation_id
    from (select id, row_number() over () as n from messages limit ${count}) m
    join (select id, row_number() over () as n from calls limit ${count}) k using (n)
    join (select id, row_number() over () as n from conversations limit ${count}) v using (n)`
  await sql.end()
  return rows.map((row) => ({ ...row, kind: 'message', status: null, template: null }))
}

describe('the plans of the overview', () => {
  before(async () => {
    const sql = connectPool({ url: database.url, max: 1, name: 'test', statementTimeoutMs: 60_000 })
    workspace = await seedLists(sql, { messages: ROWS, conversations: 5_000, calls: 20_000 })
    await seedDeliveries(sql)
    // Leaves out empty partitions: reading one whole costs nothing.
    const rows = await sql<{ name: string }[]>`
      select relname as name from pg_class
      where relkind = 'r' and reltuples > 1000 and relname ~ '^(messages|calls|deliveries_|attempts_)'`
    big = rows.map(({ name }) => name)
    await sql.end()
  })

  const scans = (plan: PlanNode): string[] => scannedWhole(plan, big)

  test('it reads no big table whole', async () => {
    assert.ok(big.length >= 4, big.join())
    const plans = await plansOf(database.url, async (sql) => {
      const shown = await createOverview({
        store: createOverviewStore(sql),
        rates: createAttemptRateStore(sql),
        clock: systemClock,
      })(workspace.workspaceId)
      assert.ok(shown.calls.live > 0 && shown.deliveries.retrying > 0 && shown.attention.length > 0)
    })
    assert.equal(plans.length, 8)
    assert.deepEqual(plans.flatMap(scans), [])
  })

  test('its last answers are its own attempts, newest first', async () => {
    const plans = await plansOf(database.url, async (sql) => {
      const health = createEndpointHealthStore(sql)
      const last = await health.last(workspace.workspaceId, endpointId ?? assert.fail(), new Date())
      assert.equal(last.length, 10)
    })
    assert.deepEqual(plans.flatMap(scans), [])
    assert.ok(!plans.some((plan) => sortsToLimit(plan)))
  })

  test('rows of the delivery log find their last attempt by its key', async () => {
    const plans = await plansOf(database.url, async (sql) => {
      const log = createDeliveryLogStore(sql)
      const { data } = await log.list(workspace.workspaceId, {}, { limit: 50, after: undefined })
      assert.equal(data.filter(({ lastAttempt }) => lastAttempt?.statusCode === 200).length, 50)
    })
    assert.deepEqual(plans.flatMap(scans), [])
  })

  test('whom fifty events are about is found by primary keys', async () => {
    const named = await namedEvents(50)
    const plans = await plansOf(database.url, async (sql) => {
      const found = await createSubjectStore(sql).find(workspace.workspaceId, named)
      assert.equal(found.size, 150)
      const elsewhere = await createSubjectStore(sql).find(newId('workspace'), named)
      assert.equal(elsewhere.size, 0)
    })
    const people = [...big, 'contacts', 'conversations']
    assert.deepEqual(
      plans.flatMap((plan) => scannedWhole(plan, people)),
      [],
    )
  })

  test('the health of an endpoint reads its own attempts', async () => {
    const plans = await plansOf(database.url, async (sql) => {
      const hours = await createEndpointHealthStore(sql).hours(
        workspace.workspaceId,
        endpointId ?? assert.fail(),
        new Date(),
      )
      assert.ok(hours.filter(({ attempts }) => attempts > 50).length >= 22)
    })
    assert.deepEqual(plans.flatMap(scans), [])
  })
})
