// The statement for one plain message that comes alone, as nearly all do: its fixed cost is what a text costs. The one in
// message-updates.store.ts writes every kind of message; test/integration/messaging/inbound-batch.test.ts compares them.
import { emitOne } from '../../platform/postgres/emit.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { DeliveryId, EndpointId } from '../../shared/ids.ts'
import type { InboundTry, InboundWrite } from '../ports.ts'
import { owesNoAnswer } from './owes-no-answer.ts'
import { revise, revisedId } from './revisions.store.ts'

interface Row {
  readonly isHeld: boolean
  readonly isRevised: boolean
  readonly after: string | null
  readonly deliveryId: DeliveryId | null
  readonly endpointId: EndpointId
}

/** What needs no other row than its own, its conversation's and its event's. */
export const isPlain = ({ references, optChange, details, effects, update }: InboundWrite): boolean =>
  references.length === 0 &&
  optChange === undefined &&
  update.media === null &&
  effects.isUnread &&
  effects.opensWindow &&
  (details === null || (!details.group && !details.callPermission && !details.edit && !details.revoke))

/**
 * It waits for no row. Recipients are not looked at here, because their table has triggers that each statement pays for:
 * what may be an answer to a campaign is written by the other statement.
 */
export async function insertPlain(sql: Sql, write: InboundWrite): Promise<InboundTry> {
  const { update, workspaceId, conversationId, contactId, numberId, eventId } = write
  const { providerMessageId, at } = update
  const details = write.details && sql.json(write.details as never)
  const event = { eventId, workspaceId, kind: 'message.received', key: conversationId } as const
  const rows = await sql<Row[]>`
    with present as (
      select from contacts
      where id = ${contactId} and workspace_id = ${workspaceId} and erased_at is null and wa_id = ${write.address}
      for key share skip locked
    ),
    locked as (
      select last_event_id, xmin::text as version
      from conversations
      where id = ${conversationId} and workspace_id = ${workspaceId} and exists (select from present)
        and ${owesNoAnswer(sql, sql`conversations`)}
      for no key update skip locked
    ),
    inserted as (
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction,
        type, status, text, from_name, details, created_at)
      select ${write.id}::uuid, ${workspaceId}::uuid, ${conversationId}::uuid, ${numberId}::uuid, ${contactId}::uuid,
        ${providerMessageId}, 'INBOUND', ${update.messageType}, 'RECEIVED', ${update.text}, ${update.from.name},
        ${details}::jsonb, ${at}::timestamptz
      from locked
      on conflict (provider_message_id) do nothing
      returning 1
    ),
    touched as (
      update conversations
      set last_message_id = ${write.id}, last_message_at = ${at}, updated_at = now(), unread_count = unread_count + 1,
        last_inbound_at = greatest(last_inbound_at, ${at}::timestamptz), last_event_id = ${eventId}
      where id = ${conversationId} and workspace_id = ${workspaceId} and exists (select from inserted)
    ),
    ${emitOne(sql, { body: write.body, ...event, after: 'inserted', routedBy: numberId })}
    select locked.version is not null as is_held, locked.last_event_id as after,
      locked.version <> (select xmin::text from conversations where id = ${conversationId}) or exists (
        select from messages e
        where e.type in ('EDIT', 'REVOKE') and e.workspace_id = ${workspaceId}
          and ${revisedId(sql, 'e')} = ${providerMessageId}
      ) as is_revised,
      delivery.id as delivery_id, delivery.endpoint_id
    from (select) one
    left join locked on true
    left join delivery on delivery.state = 'PENDING'`
  if (rows[0]?.isHeld !== true) return 'again'
  if (rows[0].isRevised) await revise(sql, { workspaceId, providerMessageId })
  return rows.flatMap(({ deliveryId, endpointId, after }) =>
    deliveryId === null ? [] : [{ deliveryId, ...event, endpointId, after, body: write.body }],
  )
}
