// Reads endpoints for the console. A record never contains a secret.
import type { EventKind } from '../../contract/events.ts'
import type { EndpointRecord } from '../../contract/records/console.ts'
import { iso } from '../../platform/postgres/newest-first.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { type EndpointId, encodeId, type OperatorId, type WorkspaceId } from '../../shared/ids.ts'

export interface EndpointRow {
  readonly id: EndpointId
  readonly name: string
  readonly url: string
  readonly events: EventKind[]
  readonly enabled: boolean
  readonly consecutiveFailures: number
  readonly disabledAt: Date | null
  readonly disabledReason: 'OPERATOR' | 'FAILURES' | null
  readonly disabledBy: OperatorId | null
  readonly disabledByName: string | null
  readonly heldCount: number
  readonly createdAt: Date
  readonly urlChangedAt: Date | null
}

/** Counting stops here: beyond it an operator needs no exact number, and the list must stay fast. */
const HELD_COUNT_CAP = 100_000

const columns = (sql: Sql) => sql`
  e.id, e.name, e.url, e.events, e.enabled, e.consecutive_failures, e.disabled_at, e.disabled_reason, e.disabled_by,
  e.created_at, e.url_changed_at, (select name from operators where id = e.disabled_by) as disabled_by_name,
  (select count(*)::int
   from (select 1 from deliveries d where d.endpoint_id = e.id and d.state = 'HELD' limit ${HELD_COUNT_CAP}) held
  ) as held_count`

export const selectEndpoints = (sql: Sql, workspaceId: WorkspaceId) => sql<EndpointRow[]>`
  select ${columns(sql)}
  from endpoints e
  where e.workspace_id = ${workspaceId} and e.deleted_at is null
  order by e.id desc`

/** With `locked`, no other edit, deletion or assignment of it commits before this transaction ends. */
export async function selectEndpoint(
  sql: Sql,
  workspaceId: WorkspaceId,
  id: EndpointId,
  lock: 'unlocked' | 'locked' = 'unlocked',
): Promise<EndpointRow | undefined> {
  const [row] = await sql<EndpointRow[]>`
    select ${columns(sql)}
    from endpoints e
    where e.workspace_id = ${workspaceId} and e.id = ${id} and e.deleted_at is null
    ${lock === 'locked' ? sql`for no key update of e` : sql``}`
  return row
}

export const toEndpointRecord = (row: EndpointRow): EndpointRecord => ({
  id: encodeId('endpoint', row.id),
  name: row.name,
  url: row.url,
  events: row.events,
  enabled: row.enabled,
  consecutiveFailures: row.consecutiveFailures,
  disabledAt: iso(row.disabledAt),
  disabledReason: row.disabledReason,
  disabledBy:
    row.disabledBy === null
      ? null
      : { id: encodeId('operator', row.disabledBy), name: row.disabledByName ?? '' },
  heldCount: row.heldCount,
  createdAt: row.createdAt.toISOString(),
  addressChangedAt: iso(row.urlChangedAt),
})
