// Writes who wants no marketing messages, with the event and the audit entry of each change.
import type { WrittenDelivery } from '../../contract/dispatch.ts'
import { emit, writtenDeliveries } from '../../platform/postgres/emit.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { ConsentStore } from '../ports.ts'

export const createConsentStore = (sql: Sql): ConsentStore => ({
  async recipientOf(messageId) {
    const [found] = await sql<NonNullable<Awaited<ReturnType<ConsentStore['recipientOf']>>>[]>`
      select m.workspace_id, c.id as contact_id, coalesce(v.merged_into, v.id) as conversation_id, c.wa_id as address,
        c.user_id, c.username
      from messages m
      join contacts l on l.id = m.contact_id
      join contacts c on c.id = coalesce(l.merged_into, l.id)
      join conversations v on v.id = m.conversation_id
      where m.id = ${messageId} and c.erased_at is null`
    return found
  },

  async chooseMarketing({ workspaceId, contactId, conversationId, isOptedOut, source, at, eventId, body }) {
    const rows = await sql<((WrittenDelivery | { deliveryId: null }) & { isPresent: boolean })[]>`
      with present as (
        select id, marketing_opt_out_at, marketing_changed_at
        from contacts
        where id = ${contactId} and workspace_id = ${workspaceId} and erased_at is null
        for no key update
      ),
      changed as (
        -- A clock of the provider that is ahead must not make the next choice look old.
        update contacts c
        set marketing_opt_out_at = case
            when ${isOptedOut} then coalesce(present.marketing_opt_out_at, least(${at}::timestamptz, now()))
          end,
          marketing_changed_at = least(${at}::timestamptz, now()), updated_at = now()
        from present
        where c.id = present.id and coalesce(present.marketing_changed_at, '-infinity') <= ${at}::timestamptz
        returning (present.marketing_opt_out_at is not null) as was_opted_out
      ),
      turned as (select from changed where was_opted_out <> ${isOptedOut}),
      noted as (
        insert into audit (id, workspace_id, action, subject_kind, subject_id, before, after)
        select new_uuid(), ${workspaceId}::uuid, 'contact.marketing_changed', 'conversation', ${conversationId}::uuid,
          jsonb_build_object('marketingOptedOut', ${!isOptedOut}::boolean),
          jsonb_build_object('marketingOptedOut', ${isOptedOut}::boolean, 'source', ${source}::text,
            'occurredAt', ${at.toISOString()}::text)
        from turned
      ),
      -- Locked before the update, to read its last event, and after the contact, as a campaign's claim does.
      locked as (
        select id, last_event_id
        from conversations
        where id = ${conversationId} and (select count(*) from turned) > 0
        for no key update
      ),
      linked as (
        update conversations v
        set last_event_id = ${eventId}, updated_at = now()
        from locked
        where v.id = locked.id
      ),
      occurred as (
        select ${eventId}::uuid as event_id, ${workspaceId}::uuid as workspace_id, 'contact.updated' as kind,
          locked.id as key, ${Buffer.from(body)}::bytea as body, null::uuid as routed_to, locked.last_event_id as after
        from locked
      ), ${emit(sql)}
      select exists (select from present) as is_present, written.*
      from (select) one
      left join (${writtenDeliveries(sql)}) written on true`
    if (rows[0]?.isPresent !== true) return undefined
    return rows.flatMap((row) => (row.deliveryId === null ? [] : [row]))
  },
})
