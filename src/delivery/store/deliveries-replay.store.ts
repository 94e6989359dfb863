// What operators do with deliveries: replay, discard, hold, test. Changes only states: the endpoint's owner
// sends. A replay is one attempt of the same delivery, marked in its row, so it survives a crash. The row is
// claimed by its state, so two clicks at once make one replay.

import { writeAudit } from '../../accounts/store/audit.store.ts'
import type {
  Author,
  BulkOutcome,
  DeliveryAdministration,
  DeliverySelection,
  Replay,
  TestDelivery,
} from '../../contract/administration.ts'
import type { DeliveryState } from '../../contract/records/delivery.ts'
import { isIn } from '../../platform/postgres/settled-or-pending.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import { type DeliveryId, type EndpointId, encodeId, idFloor, type WorkspaceId } from '../../shared/ids.ts'
import { deliveryMachine } from '../delivery.machine.ts'
import { predateAddress, replayChosen } from './replay-chosen.ts'
import { hasEvent, mayReplay, replaying } from './replaying.ts'

const BATCH = 1_000
/** One request moves at most this many batches. Repeating it moves the next ones. */
const MAX_BATCHES = 100

export const createReplayStore = (pool: Pool): DeliveryAdministration => ({
  replay(author, id) {
    return pool.begin(async (sql) => {
      const [before] = await sql<{ state: DeliveryState }[]>`
        select state
        from deliveries
        where workspace_id = ${author.workspaceId} and id = ${id}
        for no key update`
      const [claimed] = await sql<{ endpointId: EndpointId; state: DeliveryState }[]>`
        update deliveries d
        set ${replaying(sql)}
        from endpoints e
        where d.workspace_id = ${author.workspaceId} and d.id = ${id} and d.state in (${sources(sql, deliveryMachine, 'PENDING')})
          and ${mayReplay(sql)}
        returning d.endpoint_id, d.state`
      if (claimed === undefined) return whyNot(sql, author.workspaceId, id)
      await writeAudit(sql, author, {
        action: 'delivery.replayed',
        subjectKind: 'delivery',
        subjectId: id,
        before: { state: before?.state ?? null },
        after: { state: claimed.state },
      })
      return { type: 'replayed', endpointId: claimed.endpointId }
    })
  },

  predateAddress: (workspaceId, ids) => predateAddress(pool, workspaceId, ids),

  replayChosen: (author, ids) => pool.begin((sql) => replayChosen(sql, author, ids)),

  // Claimed by the number of attempts before it: two clicks make one attempt early. A time would not tell them apart,
  // because a transaction that waited for the row has an older now() than the one that changed it. The timer that was
  // set for the retry finds the row moved on, and a failure of this attempt is followed by the next delay. The column
  // rounds to milliseconds, and rounded up it would not be due yet for the owner that is woken now.
  retry(author, id) {
    return pool.begin(async (sql) => {
      const [hurried] = await sql<{ endpointId: EndpointId }[]>`
        update deliveries d
        set next_attempt_at = date_trunc('milliseconds', now()), hurried_after = d.attempt_count
        from endpoints e
        where d.workspace_id = ${author.workspaceId} and d.id = ${id} and d.state = 'RETRYING'
          and d.next_attempt_at > now() and d.hurried_after is distinct from d.attempt_count and e.id = d.endpoint_id and e.enabled and e.deleted_at is null
        returning d.endpoint_id`
      if (hurried === undefined) return whyNoRetry(sql, author.workspaceId, id)
      await writeAudit(sql, author, { action: 'delivery.retried', subjectKind: 'delivery', subjectId: id })
      return { type: 'replayed', endpointId: hurried.endpointId }
    })
  },

  replayMany: (author, endpointId, selection) =>
    inBatches(pool, {
      author,
      endpointId,
      selection,
      action: 'endpoint.deliveries_replayed',
      set: replaying,
      where: hasEvent,
    }),

  discardHeld: (author, endpointId, since) =>
    inBatches(pool, {
      author,
      endpointId,
      selection: { states: ['HELD'], since },
      action: 'endpoint.deliveries_discarded',
      set: discarded,
      where: (sql) => sql`true`,
    }),

  count: (workspaceId, endpointId, selection) => count(pool, { workspaceId, endpointId, ...selection }),

  /**
   * The lock of the endpoint comes first and keeps it off meanwhile: what comes after it was turned on again is not held.
   * Skips locked rows: their attempt settles them, and finds the endpoint off. Waiting could deadlock.
   */
  async close(endpointId, to) {
    const set = to === 'HELD' ? held : discarded
    for (let moved = BATCH; moved === BATCH; ) {
      const rows = await pool`
        with off as (select id from endpoints where id = ${endpointId} and not enabled for share)
        update deliveries
        set ${set(pool)}
        where id in (
          select d.id
          from off
          join deliveries d on d.endpoint_id = off.id
          where d.state in (${sources(pool, deliveryMachine, to)})
          limit ${BATCH}
          for update of d skip locked
        )`
      moved = rows.count
    }
  },

  insertTest: (test) => insertTest(pool, test),
})

/** One count for each state: each follows its own index. It may count some whose event is gone, which no replay takes. */
async function count(pool: Pool, { states, ...span }: Span & DeliverySelection): Promise<number> {
  const counts = await Promise.all(
    [...new Set(states)].map(async (state) => {
      const [row] = await pool<{ count: number }[]>`
        select count(*)::int as count from deliveries where ${matching(pool, span, state)}`
      return row?.count ?? 0
    }),
  )
  return counts.reduce((sum, one) => sum + one, 0)
}

async function insertTest(pool: Pool, test: TestDelivery): Promise<DeliveryId | null> {
  const [row] = await pool<{ id: DeliveryId }[]>`
    with target as (
      select id, workspace_id
      from endpoints
      where workspace_id = ${test.workspaceId} and id = ${test.endpointId} and enabled and deleted_at is null
    ),
    event as (
      insert into events (id, workspace_id, kind, key, body)
      select ${test.eventId}, workspace_id, ${test.kind}, ${test.key}, ${Buffer.from(test.body)}
      from target
    )
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, next_attempt_at)
    select new_uuid(), workspace_id, ${test.eventId}, id, ${test.kind}, ${test.key}, 'PENDING', now()
    from target
    returning id`
  return row?.id ?? null
}

const discarded = (sql: Sql) => sql`state = 'DISCARDED', next_attempt_at = null, finished_at = now()`
const held = (sql: Sql) => sql`state = 'HELD', next_attempt_at = null`

const matching = (sql: Sql, { workspaceId, endpointId, since }: Span, state: DeliveryState) => sql`
  workspace_id = ${workspaceId} and endpoint_id = ${endpointId} and ${isIn(sql, state)}
  ${since ? sql`and id >= ${idFloor(since.getTime())}` : sql``}`

interface Span {
  readonly workspaceId: WorkspaceId
  readonly endpointId: EndpointId
  readonly since?: Date | undefined
}

interface Bulk {
  readonly author: Author
  readonly endpointId: EndpointId
  readonly selection: DeliverySelection
  readonly action: string
  readonly set: typeof replaying
  /** On a delivery `d` that is locked. */
  readonly where: typeof hasEvent
}

/** The progress of a bulk change. */
interface Progress {
  readonly after: string
  readonly count: number
  /** The last batch was full. */
  readonly hasMore: boolean
}

const beginning = '00000000-0000-0000-0000-000000000000'

/**
 * Goes through the ids in ascending order, state by state, so that a delivery that was replayed and failed at
 * once is not taken again. Each batch is its own transaction: locks are short, and a crash leaves whole
 * batches, each with an audit entry that counts it.
 */
async function inBatches(pool: Pool, bulk: Bulk): Promise<BulkOutcome> {
  let progress: Progress | undefined
  let left = MAX_BATCHES
  for (const state of new Set(bulk.selection.states)) {
    for (let hasMore = true; hasMore && left > 0; left -= 1) {
      const before: Progress | undefined = progress
      const next = await pool.begin((sql) => moveBatch(sql, bulk, { state, before }))
      if (next === undefined) return { type: 'busy' }
      ;({ hasMore } = next)
      progress = next
    }
    if (progress) progress = { ...progress, after: beginning }
  }
  return { type: 'done', count: progress?.count ?? 0 }
}

async function moveBatch(
  sql: Sql,
  bulk: Bulk,
  { state, before }: { readonly state: DeliveryState; readonly before: Progress | undefined },
): Promise<Progress | undefined> {
  const { author, endpointId, selection } = bulk
  if (!(await lockBulk(sql, endpointId, before === undefined))) return undefined
  const span = { workspaceId: author.workspaceId, endpointId, since: selection.since }
  const picked = await sql<{ id: DeliveryId }[]>`
    select id
    from deliveries
    where ${matching(sql, span, state)} and id > ${before?.after ?? beginning}
    order by id
    limit ${BATCH}
    for update skip locked`
  const ids = picked.map(({ id }) => id)
  // By list, not by join: only the partitions of these ids are opened.
  const moved =
    ids.length === 0
      ? 0
      : (await sql`update deliveries d set ${bulk.set(sql)} where id = any(${ids}) and ${bulk.where(sql)}`)
          .count
  if (moved > 0 || before === undefined) await auditBatch(sql, bulk, moved)
  return {
    after: ids.at(-1) ?? before?.after ?? beginning,
    count: (before?.count ?? 0) + moved,
    hasMore: ids.length === BATCH,
  }
}

/**
 * A second request is told that the endpoint is busy, not queued. One that gets in between two batches does
 * no harm: each row is claimed once, by its state, and the first request continues after it.
 */
async function lockBulk(sql: Sql, endpointId: EndpointId, isFirst: boolean): Promise<boolean> {
  const key = sql`hashtextextended(${`bulk:${endpointId}`}, 0)`
  if (!isFirst) {
    await sql`select pg_advisory_xact_lock(${key})`
    return true
  }
  const [lock] = await sql<{ held: boolean }[]>`select pg_try_advisory_xact_lock(${key}) as held`
  return lock?.held ?? false
}

const auditBatch = (
  sql: Sql,
  { author, endpointId, selection, action }: Bulk,
  count: number,
): Promise<void> =>
  writeAudit(sql, author, {
    action,
    subjectKind: 'endpoint',
    subjectId: endpointId,
    after: { states: selection.states, since: selection.since?.toISOString() ?? null, count },
  })

async function whyNoRetry(sql: Sql, workspaceId: WorkspaceId, id: DeliveryId): Promise<Replay> {
  const [row] = await sql<{ state: DeliveryState }[]>`
    select state from deliveries where workspace_id = ${workspaceId} and id = ${id}`
  if (row === undefined) return { type: 'notFound' }
  const shown = encodeId('delivery', id)
  const message =
    row.state === 'RETRYING'
      ? `the retry of ${shown} is due already, or its endpoint is off`
      : `${shown} is ${row.state}: only a delivery that waits for a retry can be hurried`
  return { type: 'refused', message }
}

async function whyNot(sql: Sql, workspaceId: WorkspaceId, id: DeliveryId): Promise<Replay> {
  const [row] = await sql<
    { state: DeliveryState; name: string | null; enabled: boolean; isDeleted: boolean }[]
  >`
    select d.state, e.name, e.enabled, e.deleted_at is not null as is_deleted
    from deliveries d
    left join endpoints e on e.id = d.endpoint_id
    where d.workspace_id = ${workspaceId} and d.id = ${id}`
  if (row === undefined) return { type: 'notFound' }
  const shown = encodeId('delivery', id)
  if (row.isDeleted || row.name === null)
    return { type: 'refused', message: `the endpoint of ${shown} was deleted` }
  if (!row.enabled)
    return { type: 'refused', message: `endpoint "${row.name}" is off: turn it on before replaying` }
  if (row.state === 'PENDING' || row.state === 'RETRYING')
    return { type: 'refused', message: `${shown} is ${row.state}: only finished or held deliveries replay` }
  return { type: 'refused', message: `the event of ${shown} is past its retention` }
}
