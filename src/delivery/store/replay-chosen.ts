// Replays deliveries that an operator has chosen one by one, and says why others are not replayed.
import { writeAudit } from '../../accounts/store/audit.store.ts'
import type { Author, ChosenReplays, RefusedReplay } from '../../contract/administration.ts'
import { ofIds } from '../../platform/postgres/of-ids.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import { type DeliveryId, type EndpointId, encodeId, type WorkspaceId } from '../../shared/ids.ts'
import { deliveryMachine } from '../delivery.machine.ts'
import { mayReplay, replaying } from './replaying.ts'

/** Whether one of them is older than the address of its endpoint. */
export async function predateAddress(
  sql: Sql,
  workspaceId: WorkspaceId,
  ids: readonly DeliveryId[],
): Promise<boolean> {
  const [row] = await sql<{ found: boolean }[]>`
    select exists (
      select from deliveries d
      join endpoints e on e.id = d.endpoint_id
      where ${ofIds(sql, sql`d.id`, ids)} and d.workspace_id = ${workspaceId} and d.created_at < e.url_changed_at
    ) as found`
  return row?.found === true
}

/** Locked in the order of their ids, as everybody does. One entry in the audit names all that are replayed. */
export async function replayChosen(
  sql: Sql,
  author: Author,
  ids: readonly DeliveryId[],
): Promise<ChosenReplays> {
  const { workspaceId } = author
  const chosen = ofIds(sql, sql`d.id`, ids)
  await sql`
    select from deliveries d
    where ${chosen} and d.workspace_id = ${workspaceId}
    order by d.id
    for no key update`
  const replayed = await sql<{ id: DeliveryId; endpointId: EndpointId }[]>`
    update deliveries d
    set ${replaying(sql)}
    from endpoints e
    where ${chosen} and d.workspace_id = ${workspaceId}
      and d.state in (${sources(sql, deliveryMachine, 'PENDING')}) and ${mayReplay(sql)}
    returning d.id, d.endpoint_id`
  const taken = new Set(replayed.map(({ id }) => id))
  const left = ids.filter((id) => !taken.has(id))
  const reasons = await reasonsOf(sql, workspaceId, left)
  if (replayed.length > 0)
    await writeAudit(sql, author, {
      action: 'delivery.selection_replayed',
      subjectKind: 'workspace',
      subjectId: workspaceId,
      after: { count: replayed.length, deliveries: [...taken].sort().map((id) => encodeId('delivery', id)) },
    })
  const refused = left.map((id) => ({ id, reason: reasons.get(id) ?? ('NOT_FOUND' as const) }))
  return { replayed, refused }
}

async function reasonsOf(
  sql: Sql,
  workspaceId: WorkspaceId,
  ids: readonly DeliveryId[],
): Promise<ReadonlyMap<DeliveryId, RefusedReplay>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<{ id: DeliveryId; reason: RefusedReplay }[]>`
    select d.id, case
      when e.id is null or e.deleted_at is not null then 'ENDPOINT_DELETED'
      when not e.enabled then 'ENDPOINT_OFF'
      when d.state not in (${sources(sql, deliveryMachine, 'PENDING')}) then 'STILL_WAITING'
      else 'PAST_RETENTION' end as reason
    from deliveries d
    left join endpoints e on e.id = d.endpoint_id
    where ${ofIds(sql, sql`d.id`, ids)} and d.workspace_id = ${workspaceId}`
  return new Map(rows.map(({ id, reason }) => [id, reason]))
}
