import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DeliveryState } from '../../../src/contract/records/delivery.ts'
import { keepPartitions } from '../../../src/delivery/host/keep-partitions.ts'
import { createPartitionStore } from '../../../src/delivery/store/partitions.store.ts'
import { migrate } from '../../../src/platform/postgres/migrate.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { type EndpointId, idFloor, newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { call, thread } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'
import { rowsRead } from '../../support/rows-read.ts'
import { eventually } from '../platform/cluster/gateway.ts'

const DAY = 86_400_000
const RETENTION = 30
const tables = ['attempts', 'call_timeline', 'deliveries', 'events', 'inbound_elements']

const dayOf = (daysAgo: number) => Math.floor(Date.now() / DAY) * DAY - daysAgo * DAY
const nameOf = (table: string, daysAgo: number) =>
  `${table}_${new Date(dayOf(daysAgo)).toISOString().slice(0, 10).replaceAll('-', '')}`

/** A unique id of this time. */
const idAt = (ms: number) => `${idFloor(ms).slice(0, 13)}${newId('event').slice(13)}`

interface Place {
  readonly sql: Pool
  readonly workspaceId: WorkspaceId
  readonly endpointId: EndpointId
}

async function place(): Promise<Place> {
  const sql = testPool(await testDatabase())
  const { workspaceId } = await addTenant(sql)
  return { sql, workspaceId, endpointId: await addEndpoint(sql, workspaceId) }
}

const addDay = (sql: Pool, daysAgo: number) =>
  Promise.all(
    tables.map((table) => sql`select ensure_day_partition(${table}, ${new Date(dayOf(daysAgo))}::date)`),
  )

const exists = async (sql: Pool, name: string) =>
  (await sql`select from pg_class where relname = ${name}`).count === 1

async function addDelivery(
  { sql, workspaceId, endpointId }: Place,
  at: { readonly event: number; readonly delivery: number },
  state: DeliveryState,
): Promise<string> {
  const [eventId, id, key] = [idAt(at.event), idAt(at.delivery), newId('call')]
  await sql`
    insert into events (id, workspace_id, kind, key, body)
    values (${eventId}, ${workspaceId}, 'call.status', ${key}, ${Buffer.from('{}')})`
  await sql`
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state)
    values (${id}, ${workspaceId}, ${eventId}, ${endpointId}, 'call.status', ${key}, ${state})`
  return id
}

const noon = (daysAgo: number) => ({ event: dayOf(daysAgo) + DAY / 2, delivery: dayOf(daysAgo) + DAY / 2 })
const drop = (sql: Pool) => createPartitionStore(sql).dropPartitions(RETENTION)

describe('a day past its retention', () => {
  test('goes whole, from every table, and no day before it', async () => {
    const { sql } = await place()
    for (const day of [RETENTION + 2, RETENTION]) await addDay(sql, day)
    const { dropped } = await drop(sql)
    assert.deepEqual(dropped.toSorted(), tables.map((table) => nameOf(table, RETENTION + 2)).toSorted())
    for (const table of tables) assert.ok(await exists(sql, nameOf(table, RETENTION)), table)
  })

  test('takes the timelines of its calls along, and none of another day', async () => {
    const { sql, workspaceId } = await place()
    for (const day of [RETENTION + 1, RETENTION]) await addDay(sql, day)
    const own = await thread(sql, workspaceId)
    const first = dayOf(RETENTION + 1)
    const timeline = [[first, 'provider.connect']]
    const at = (ms: number) => call(sql, own, { id: idAt(ms), status: 'COMPLETED', timeline })
    const old = [first, first + DAY - 1]
    const others = [first - 1, first + DAY]
    for (const ms of [...old, ...others]) await at(ms)
    const left = async () => (await sql`select from calls where timeline is not null`).count
    const { dropped } = await drop(sql)
    assert.ok(dropped.includes(nameOf('call_timeline', RETENTION + 1)))
    assert.deepEqual([await left(), (await sql`select from calls`).count], [others.length, 4])
  })

  test('reads so many calls at once, whether or not they have a timeline', async () => {
    const { sql, workspaceId } = await place()
    await addDay(sql, RETENTION + 1)
    const own = await thread(sql, workspaceId)
    const first = dayOf(RETENTION + 1)
    await call(sql, own, { id: idAt(first), status: 'COMPLETED' })
    // Those of the release before have none.
    const ids = Array.from({ length: 2_500 }, (_, index) => idAt(first + 1_000 + index))
    await sql`
      insert into calls (id, workspace_id, conversation_id, number_id, contact_id, wacid, direction, status, from_name, version)
      select one.id, workspace_id, conversation_id, number_id, contact_id, one.id::text, direction, status, from_name, version
      from calls
      cross join unnest(${ids}::uuid[]) as one (id)
      where workspace_id = ${workspaceId}`
    await call(sql, own, { id: idAt(first + DAY - 1), status: 'COMPLETED', timeline: [[first, 'last']] })
    const reads = await rowsRead(sql, () => drop(sql), { table: 'calls', text: 'set timeline = null' })
    assert.ok(reads.length >= 3 && Math.max(...reads) <= 1_001, reads.join(' '))
    assert.equal((await sql`select from calls where timeline is not null`).count, 0)
  })

  test('what was held then is given up, and the audit says how much of which endpoint', async () => {
    const at = await place()
    const other = { ...at, endpointId: await addEndpoint(at.sql, at.workspaceId) }
    await addDay(at.sql, RETENTION + 1)
    for (let index = 0; index < 3; index += 1) await addDelivery(at, noon(RETENTION + 1), 'HELD')
    await addDelivery(other, noon(RETENTION + 1), 'HELD')
    await addDelivery(other, noon(RETENTION + 1), 'DELIVERED')
    const { discarded, dropped } = await drop(at.sql)
    assert.equal(discarded, 4)
    assert.ok(dropped.includes(nameOf('deliveries', RETENTION + 1)))
    const audit = await at.sql<{ subjectId: string; after: { count: number; states: string[] } }[]>`
      select subject_id, after from audit where action = 'endpoint.deliveries_expired'`
    const counts = new Map(audit.map(({ subjectId, after }) => [subjectId, after.count]))
    assert.deepEqual(
      counts,
      new Map<string, number>([
        [at.endpointId, 3],
        [other.endpointId, 1],
      ]),
    )
  })

  test('waits for deliveries that are on their way, bodies included', async () => {
    const at = await place()
    await addDay(at.sql, RETENTION + 1)
    const id = await addDelivery(at, noon(RETENTION + 1), 'PENDING')
    assert.equal((await drop(at.sql)).discarded, 0)
    const found = await at.sql`
      select d.state from deliveries d join events e on e.id = d.event_id where d.id = ${id}`
    assert.equal(found[0]?.['state'], 'PENDING')
    await at.sql`update deliveries set state = 'DELIVERED' where id = ${id}`
    const { dropped } = await drop(at.sql)
    assert.ok(dropped.includes(nameOf('deliveries', RETENTION + 1)))
  })

  test('does not wait for them for ever, and says so', async () => {
    const at = await place()
    await addDay(at.sql, RETENTION + 4)
    await addDelivery(at, noon(RETENTION + 4), 'RETRYING')
    const { discarded, dropped } = await drop(at.sql)
    assert.equal(discarded, 1)
    assert.ok(dropped.includes(nameOf('events', RETENTION + 4)))
    const [audit] = await at.sql`select after from audit where action = 'endpoint.deliveries_expired'`
    assert.deepEqual(audit?.['after'].states, ['HELD', 'PENDING', 'RETRYING'])
  })

  test('keeps the bodies of deliveries that were written just after midnight', async () => {
    const at = await place()
    for (const day of [RETENTION + 1, RETENTION]) await addDay(at.sql, day)
    const midnight = dayOf(RETENTION)
    const id = await addDelivery(at, { event: midnight - 1, delivery: midnight }, 'FAILED')
    const { dropped } = await drop(at.sql)
    assert.ok(dropped.includes(nameOf('deliveries', RETENTION + 1)))
    const found = await at.sql`
      select e.body from deliveries d join events e on e.id = d.event_id where d.id = ${id}`
    assert.equal(found.count, 1)
  })
})

describe('partitions under a running system', () => {
  test('go while deliveries are written, and no write fails', async () => {
    const at = await place()
    for (let day = RETENTION + 1; day < RETENTION + 9; day += 1) await addDay(at.sql, day)
    let isDone = false
    let written = 0
    const writers = [1, 2].map(async () => {
      while (!isDone) written += (await emitEvent(at.sql, at.workspaceId)).length
    })
    const dropped = new Set<string>()
    // A day whose lock does not come soon is left to the next time.
    await eventually(async () => {
      for (const name of (await drop(at.sql)).dropped) if (name.startsWith('deliveries')) dropped.add(name)
      return dropped.size === 8
    }, 60_000).finally(() => {
      isDone = true
    })
    await Promise.all(writers)
    assert.ok(written > 0)
  })

  test('stay where somebody reads for long, and go the next time', async () => {
    const at = await place()
    await addDay(at.sql, RETENTION + 2)
    await at.sql.begin(async (sql) => {
      await sql`select count(*) from deliveries`
      assert.equal((await drop(at.sql)).dropped.includes(nameOf('deliveries', RETENTION + 2)), false)
      // A drop that waits for its exclusive lock must not make writers wait behind it.
      assert.equal((await emitEvent(at.sql, at.workspaceId)).length, 1)
    })
    assert.ok((await drop(at.sql)).dropped.includes(nameOf('deliveries', RETENTION + 2)))
  })

  test('of coming days are made while a writer has not committed, and take rows with every index', async () => {
    const at = await place()
    await at.sql.unsafe(tables.map((table) => `drop table if exists ${nameOf(table, -14)}`).join(';'))
    await at.sql.begin(async (sql) => {
      await sql`insert into events (id, workspace_id, kind, key, body)
        values (${newId('event')}, ${at.workspaceId}, 'call.status', ${newId('call')}, '')`
      await createPartitionStore(at.sql).ensurePartitions()
    })
    await addDelivery(at, noon(-14), 'PENDING')
    const [indexes] = await at.sql<{ whole: number; part: number }[]>`
      select
        (select count(*)::int from pg_index where indrelid = 'deliveries'::regclass) as whole,
        (select count(*)::int
         from pg_index i
         join pg_inherits h on h.inhrelid = i.indexrelid
         where i.indrelid = ${nameOf('deliveries', -14)}::regclass) as part`
    assert.ok(indexes && indexes.whole >= 8)
    assert.equal(indexes.part, indexes.whole)
  })

  test('of coming days are made by a start, and by a gateway that goes on without a worker', async () => {
    const { sql } = await place()
    const future = nameOf('events', -3)
    await sql.unsafe(`drop table if exists ${future}`)
    await migrate(sql)
    assert.ok(await exists(sql, future))
    await sql.unsafe(`drop table ${future}`)
    const stop = keepPartitions(sql, { warn: (fields) => assert.fail(JSON.stringify(fields)) }, 20)
    const deadline = Date.now() + 10_000
    while (!(await exists(sql, future)) && Date.now() < deadline) await sleep(10)
    stop()
    assert.ok(await exists(sql, future))
  })

  test('are made once by two processes at the same time', async () => {
    const { sql } = await place()
    const future = nameOf('events', -3)
    await sql.unsafe(`drop table if exists ${future}`)
    const second = await sql.begin(async (first) => {
      await first`select ensure_partitions(14)`
      const made = createPartitionStore(sql).ensurePartitions()
      const waiting = () =>
        sql`
          select from pg_locks l
          join pg_database d on d.oid = l.database
          where d.datname = current_database() and locktype = 'advisory' and not granted`
      await eventually(async () => (await waiting()).count === 1)
      return { made }
    })
    await second.made
    assert.ok(await exists(sql, future))
  })

  test('begin and end at midnight UTC, whatever the time zone of the connection', async () => {
    const at = await place()
    await at.sql.unsafe(tables.map((table) => `drop table if exists ${nameOf(table, -2)}`).join(';'))
    await at.sql.begin(async (sql) => {
      await sql`set local timezone = 'Pacific/Auckland'`
      await sql`select ensure_partitions(14)`
    })
    const midnight = dayOf(-2)
    const moments = [midnight - 1, midnight, midnight + DAY - 1, midnight + DAY]
    for (const ms of moments) await addDelivery(at, { event: ms, delivery: ms }, 'DELIVERED')
    const rows = await at.sql<{ name: string }[]>`
      select tableoid::regclass::text as name from deliveries where workspace_id = ${at.workspaceId} order by id`
    assert.deepEqual(
      rows.map(({ name }) => name),
      [-1, -2, -2, -3].map((day) => nameOf('deliveries', day)),
    )
  })
})
