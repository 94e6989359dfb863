// Queued deliveries: those that wait, those that are overdue, and those of disabled endpoints.
import type { EventKind } from '../../contract/events.ts'
import { ofIds } from '../../platform/postgres/of-ids.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import { type DeliveryId, type EndpointId, idFloor } from '../../shared/ids.ts'
import { deliveryMachine } from '../delivery.machine.ts'
import type { Pulled, PullWish } from '../endpoint.messages.ts'
import type { QueuedItem } from '../endpoint.ts'

export type DeliveryStore = ReturnType<typeof createDeliveryStore>

interface PendingRow {
  id: DeliveryId
  eventId: string
  kind: EventKind
  key: string
  body: Buffer
  attemptCount: number
  replay: boolean
  nextAttemptAt: Date | null
}

export const createDeliveryStore = (sql: Sql) => ({
  /**
   * The waiting deliveries of an endpoint: first attempts in their order; and separately, because there may
   * be many, due retries and replays.
   */
  async pending(endpointId: EndpointId, { exclude, first, retries }: PullWish): Promise<Pulled> {
    // Looked up by a hash, also by a plan for any values. With <> all, which compares each, a pull beside a long queue is slow.
    const isUnknown = sql`id not in (select unnest(${exclude as string[]}::uuid[]))`
    const rows = await sql<(PendingRow & { turn: number; configVersion: number })[]>`
      with waiting as (
        (select id, event_id, kind, key, attempt_count, replay, next_attempt_at, 1 as turn
         from deliveries
         where endpoint_id = ${endpointId} and state = 'PENDING' and not replay and ${isUnknown}
         order by id
         limit ${pageOf(first)})
        union all
        (select id, event_id, kind, key, attempt_count, replay, next_attempt_at, 2
         from deliveries
         where endpoint_id = ${endpointId} and state = 'RETRYING' and next_attempt_at <= now()
           and ${isUnknown}
         order by next_attempt_at
         limit ${pageOf(retries)})
        union all
        (select id, event_id, kind, key, attempt_count, replay, next_attempt_at, 3
         from deliveries
         where endpoint_id = ${endpointId} and state = 'PENDING' and replay and ${isUnknown}
         order by id
         limit ${pageOf(retries)})
      )
      select w.id, w.event_id, w.kind, w.key, e.body, w.attempt_count, w.replay, w.next_attempt_at, w.turn,
        (select config_version from endpoints where id = ${endpointId}) as config_version
      from waiting w
      -- One by one: a join could read all events of a day, where statistics are old.
      cross join lateral (select body from events where id = w.event_id limit 1) e
      order by w.turn, w.id`
    const fresh = rows.filter(({ turn }) => turn === 1)
    const again = rows.filter(({ turn }) => turn > 1)
    return {
      items: [...fresh.slice(0, first), ...again.slice(0, retries)].map(toItem),
      more: { first: fresh.length > first, retries: again.length > retries },
      configVersion: rows[0]?.configVersion,
    }
  },

  /**
   * One retry whose timer fired, and how long it still has to wait. Undefined when it is obsolete: replayed, held, discarded, or
   * not due for long.
   */
  async dueRetry(
    id: DeliveryId,
    attemptNumber: number,
  ): Promise<{ item: QueuedItem; endpointId: EndpointId; leftMs: number } | undefined> {
    const [row] = await sql<(PendingRow & { endpointId: EndpointId; leftMs: number })[]>`
      select d.id, d.event_id, d.kind, d.key, e.body, d.attempt_count, d.replay, d.next_attempt_at, d.endpoint_id,
        greatest(0, extract(epoch from d.next_attempt_at - now()) * 1000)::float8 as left_ms
      from deliveries d
      cross join lateral (select body from events where id = d.event_id limit 1) e
      where d.id = ${id}
        and d.state = 'RETRYING'
        and d.attempt_count = ${attemptNumber - 1}
        and d.next_attempt_at <= now() + ${clocksDifferByMs} * interval '1 millisecond'`
    return row && { item: toItem(row), endpointId: row.endpointId, leftMs: row.leftMs }
  },

  /**
   * Enabled endpoints with rows that wait too long, because of a crash, a lost timer or a full queue: the next ones `after`
   * an id, in the order of their ids.
   */
  async overdueEndpoints(after: EndpointId | null, limit: number): Promise<EndpointId[]> {
    // Jumps along the index from endpoint to endpoint, so a long backlog costs no more than a single row.
    const rows = await sql<{ endpointId: EndpointId }[]>`
      with recursive open as (
        (select endpoint_id from deliveries
         where state in ('PENDING', 'RETRYING') and endpoint_id > ${after ?? idFloor(0)}
         order by endpoint_id limit 1)
        union all
        select (
          select d.endpoint_id
          from deliveries d
          where d.state in ('PENDING', 'RETRYING') and d.endpoint_id > open.endpoint_id
          order by d.endpoint_id
          limit 1)
        from open
        where open.endpoint_id is not null
      )
      select open.endpoint_id
      from open
      join endpoints e on e.id = open.endpoint_id and e.enabled and e.deleted_at is null
      where exists (
        select from deliveries d
        where d.endpoint_id = open.endpoint_id
          and d.state in ('PENDING', 'RETRYING')
          and d.next_attempt_at < now() - case when d.state = 'RETRYING' then interval '5 seconds' else interval '0' end)
      order by open.endpoint_id
      limit ${limit}`
    return rows.map((row) => row.endpointId)
  },

  /**
   * Moves waiting deliveries of disabled endpoints to HELD, and those of endpoints that were deleted while their event was
   * written to DISCARDED, at most `limit`. Returns how many were moved.
   */
  async holdForDisabled(limit: number): Promise<number> {
    const due = await sql<{ id: DeliveryId; endpointId: EndpointId }[]>`
      select d.id, d.endpoint_id
      from endpoints e
      join deliveries d on d.endpoint_id = e.id
      where not e.enabled and (e.deleted_at is null or e.deleted_at > now() - interval '1 day')
        and d.state in (${sources(sql, deliveryMachine, 'HELD')})
      limit ${limit}`
    if (due.length === 0) return 0
    const ids = due.map(({ id }) => id)
    const endpointIds = [...new Set(due.map(({ endpointId }) => endpointId))]
    // The lock of an endpoint comes first and keeps it off until its deliveries are held: whoever turns it on and replays
    // what is held finds all of it. One that somebody else has locked is left to the next round: attempts lock many endpoints
    // in an order of their own, so waiting could deadlock. Locked deliveries are skipped: their attempt settles them, and
    // finds the endpoint off.
    const rows = await sql`
      with off as (
        select id, deleted_at is not null as is_deleted
        from endpoints
        where id = any(${endpointIds}::uuid[]) and not enabled
        for share skip locked)
      update deliveries d
      set state = case when waiting.is_deleted then 'DISCARDED' else 'HELD' end, next_attempt_at = null,
        finished_at = case when waiting.is_deleted then now() end
      from (
        select d.id, off.is_deleted
        from deliveries d
        join off on off.id = d.endpoint_id
        where ${ofIds(sql, sql`d.id`, ids)} and d.state in (${sources(sql, deliveryMachine, 'HELD')})
        for update of d skip locked) waiting
      where d.id = waiting.id and ${ofIds(sql, sql`d.id`, ids)}`
    return rows.count
  },
})

/** A timer fires by the clock of the worker, which may be so far ahead of the database's. */
const clocksDifferByMs = 250

/** One row more than wanted shows whether there are more. A queue that wants nothing reads nothing. */
const pageOf = (wanted: number): number => (wanted === 0 ? 0 : wanted + 1)

const toItem = (row: PendingRow): QueuedItem => ({
  deliveryId: row.id,
  eventId: row.eventId,
  // The store returns deliveries in their order.
  after: null,
  kind: row.kind,
  key: row.key,
  body: row.body.toString('utf8'),
  attemptNumber: row.attemptCount + 1,
  replay: row.replay,
  // For a first attempt the column contains the sweeper's grace. Its own time is in its id.
  ...((row.replay || row.attemptCount > 0) && row.nextAttemptAt && { dueAtMs: row.nextAttemptAt.getTime() }),
})
