// The statements that begin calls. Each writes the row, its first event and its first owner.

import { stoppedBy } from '../../messaging/store/account-health.store.ts'
import { emit, writtenDeliveries } from '../../platform/postgres/emit.ts'
import { earlierRequest, takeKey } from '../../platform/postgres/request-keys.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { type ConversationId, newId, type WorkspaceId } from '../../shared/ids.ts'
import type { Beginning, BegunHere, CallBeginRows, Dialled, PlacedBy } from '../ports.ts'
import { createInboundBegins } from './call-begin-inbound.store.ts'
import { type BegunRow, begunEvent, begunOf, present } from './call-begin-parts.ts'
import { entriesOf } from './call-timeline.store.ts'
import { callRoute } from './calls.store.ts'

export const createCallBeginStore = (sql: Sql): CallBeginRows => ({
  /**
   * Idempotent on wacid. A visible early terminate prevents the insert. One that commits at the same time may
   * not be visible: the caller looks for it afterwards, and the terminate looks for the call after its own
   * insert.
   */
  inbound: createInboundBegins(sql),

  /** A call that rings no endpoint, because it ended before its connect was handled. Idempotent on wacid. */
  async ended({ row, body, notes }: Beginning): Promise<BegunHere> {
    const rows = await sql<BegunRow[]>`
      with ${present(sql, row)}
      begun as (
        insert into calls (id, workspace_id, conversation_id, number_id, contact_id, wacid, direction, status, version,
          from_name, end_reason, error, ringing_at, accepted_at, ended_at, duration_seconds, owner_epoch, created_at,
          timeline)
        select ${row.id}::uuid, ${row.workspaceId}::uuid, ${row.conversationId}::uuid, ${row.numberId}::uuid, present.id,
          ${row.wacid}, ${row.direction}, ${row.status}, ${row.version}::bigint, ${row.fromName}, ${row.endReason},
          ${row.error as never}::jsonb, ${row.ringingAt}::timestamptz, ${row.acceptedAt}::timestamptz,
          ${row.endedAt}::timestamptz, ${row.durationSeconds}::integer, nextval('actor_epoch'),
          ${row.createdAt}::timestamptz, ${entriesOf(notes) as never}::jsonb
        from present
        on conflict (wacid) do nothing
        returning id, workspace_id, status, forward_state, owner_epoch
      ),
      ${begunEvent(sql, newId('event'), body)},
      ${emit(sql)}
      select exists (select from present) as is_present, begun.owner_epoch, begun.status, begun.forward_state,
        '{}'::uuid[] as route, written.*
      from (values (true)) always
      left join begun on true
      left join (${writtenDeliveries(sql)}) written on true`
    return begunOf(rows, () => row)
  },

  /** A placed call: INITIATED, with PLACE pending. Its owner sends the request to the provider next. */
  async outbound({ row, body, notes }: Beginning, by: PlacedBy & { readonly sid: string }) {
    const eventId = newId('event')
    const made = { workspaceId: row.workspaceId, kind: 'call', id: row.id } as const
    const { cte, isFree } = takeKey(sql, made, by.key, sql`where exists (select from present)`)
    const rows = await sql<BegunRow[]>`
      with ${present(sql, row)}
      ${cte}
      begun as (
        insert into calls (id, workspace_id, conversation_id, number_id, contact_id, direction, status, version,
          from_name, pending_action, action_id, action_at, api_key_id, wake_at, owner_epoch, owner_sid, created_at,
          last_event_id, timeline)
        select ${row.id}::uuid, ${row.workspaceId}::uuid, ${row.conversationId}::uuid, ${row.numberId}::uuid,
          ${row.contactId}::uuid, 'OUTBOUND', ${row.status}, ${row.version}::bigint, ${row.fromName},
          ${row.pendingAction}, ${row.actionId}::uuid, ${row.actionAt}::timestamptz, ${by.apiKeyId}::uuid,
          ${row.wakeAt}::timestamptz, nextval('actor_epoch'), ${by.sid}, ${row.createdAt}::timestamptz, ${eventId}::uuid,
          ${entriesOf(notes) as never}::jsonb
        from present
        ${isFree}
        returning id, workspace_id, number_id, direction, status, forward_state, owner_epoch
      ),
      ${begunEvent(sql, eventId, body)},
      ${emit(sql)}
      select exists (select from present) as is_present, c.owner_epoch, c.status, c.forward_state,
        ${callRoute(sql)} as route, written.*
      from (values (true)) always
      left join begun c on true
      left join numbers n on n.id = c.number_id
      left join (${writtenDeliveries(sql)}) written on true`
    return begunOf(rows, () => row)
  },

  earlier: (workspaceId: WorkspaceId, key: string) => earlierRequest(sql, { workspaceId, kind: 'call' }, key),

  /** The contact and number for a call in this conversation, and the contact's permission to be called. */
  async dialled(workspaceId: WorkspaceId, id: ConversationId): Promise<Dialled | undefined> {
    const [found] = await sql<Dialled[]>`
      select v.workspace_id, v.number_id, n.number, n.phone_number_id, v.contact_id, v.id as conversation_id,
        p.wa_id as address, p.user_id, p.username, p.name as contact_name, v.call_permission,
        ${stoppedBy(sql, {
          workspaceId: sql`v.workspace_id`,
          stops: sql`array['PLACING_CALLS']`,
          of: sql`and (s.number is null or s.number in (n.number, n.phone_number_id))`,
        })} as stopped
      from conversations v
      join numbers n on n.id = v.number_id
      join contacts p on p.id = v.contact_id
      where v.id = (select coalesce(merged_into, id) from conversations where id = ${id}) and v.workspace_id = ${workspaceId} and v.erased_at is null`
    return found
  },
})
