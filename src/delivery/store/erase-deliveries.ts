// Takes what events say about somebody out of the delivery log: the rows of deliveries and attempts stay, without a body.
import { ofIds } from '../../platform/postgres/of-ids.ts'
import { ofEveryState, settledAndPending } from '../../platform/postgres/settled-or-pending.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import { idFloor, idTimeMs, type Uuid, type WorkspaceId } from '../../shared/ids.ts'
import { deliveryMachine } from '../delivery.machine.ts'

const atOnce = 200
const slackMs = 3_600_000

export interface Erased {
  readonly events: number
  /** The last delivery of a full batch, where the next one goes on; null: there was no more. */
  readonly last: Uuid | null
}

interface Found {
  readonly id: Uuid
  readonly eventId: Uuid
}

export const createDeliveryEraser = (sql: Sql) => ({
  /** `keys`: conversations or calls. With a cursor one batch after it; without, all there are. */
  async ofKeys(workspaceId: WorkspaceId, keys: readonly Uuid[], after?: Uuid | null): Promise<Erased> {
    const found = await sql<Found[]>`
      ${settledAndPending(
        sql,
        (state) => sql`
        select id, event_id
        from deliveries
        where workspace_id = ${workspaceId} and key = any(${keys as Uuid[]}::uuid[]) and ${state}
          ${after ? sql`and id > ${after}` : sql``}
        order by id
        ${after === undefined ? sql`` : sql`limit ${atOnce}`}`,
      )}
      order by id
      ${after === undefined ? sql`` : sql`limit ${atOnce}`}`
    return { events: await erase(sql, workspaceId, found), last: found.at(-1)?.id ?? null }
  },

  /** One batch of all deliveries of a workspace, between two ids. */
  async between(
    workspaceId: WorkspaceId,
    after: string,
    until: string,
  ): Promise<Erased & { readonly isFull: boolean }> {
    const found = await sql<Found[]>`
      ${settledAndPending(
        sql,
        (state) => sql`
        select id, event_id
        from deliveries
        where workspace_id = ${workspaceId} and id > ${after} and id < ${until} and ${state}
        order by id
        limit ${atOnce}`,
        ofEveryState(sql),
      )}
      order by id
      limit ${atOnce}`
    const events = await erase(sql, workspaceId, found)
    return { events, last: found.at(-1)?.id ?? null, isFull: found.length === atOnce }
  },

  async hasMore(workspaceId: WorkspaceId, keys: readonly Uuid[], after: Uuid | null): Promise<boolean> {
    const found = await sql`
      ${settledAndPending(
        sql,
        (state) => sql`
        select
        from deliveries
        where workspace_id = ${workspaceId} and key = any(${keys as Uuid[]}::uuid[]) and ${state}
          ${after === null ? sql`` : sql`and id > ${after}`}
        limit 1`,
      )}
      limit 1`
    return found.count > 0
  },
})

/** Bounded by ids, so that only the partitions of those days are read. An attempt is younger than its delivery. */
async function erase(sql: Sql, workspaceId: WorkspaceId, found: readonly Found[]): Promise<number> {
  const ids = found.map(({ id }) => id)
  const events = [...new Set(found.map(({ eventId }) => eventId))].sort()
  const [oldest, newest] = [events[0], events.at(-1)]
  if (oldest === undefined || newest === undefined) return 0
  // So that none is replayed meanwhile: its event would be gone, and it would wait for ever.
  await sql`
    select from deliveries
    where ${ofIds(sql, sql`id`, ids)} and workspace_id = ${workspaceId}
    order by id
    for no key update`
  // Ids of attempts come from another clock than those of deliveries.
  const earliest = idFloor(idTimeMs(ids[0] ?? oldest) - slackMs)
  await sql`
    update deliveries
    set state = 'DISCARDED', next_attempt_at = null, finished_at = now()
    where id = any(${ids}::uuid[]) and workspace_id = ${workspaceId}
      and state in (${sources(sql, deliveryMachine, 'DISCARDED')})`
  // Nothing is written of rows that have no answer: an update enters a row into all indexes again.
  await sql`
    update deliveries
    set first_response_body = null, first_response_headers = null
    where ${ofIds(sql, sql`id`, ids)} and workspace_id = ${workspaceId}
      and (first_response_body is not null or first_response_headers is not null)`
  await sql`
    update attempts
    set response_body = null, response_headers = null, error_detail = null
    where delivery_id = any(${ids}::uuid[]) and workspace_id = ${workspaceId} and id >= ${earliest}`
  const erased = await sql`
    delete from events
    where id = any(${events}::uuid[]) and id between ${oldest} and ${newest} and workspace_id = ${workspaceId}`
  return erased.count
}
