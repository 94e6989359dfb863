// The statement for several inbound messages. message-updates.store.ts has the one for a single message, whose every
// effect this must have: test/integration/messaging/inbound-batch.test.ts compares the two.
import type { WrittenDelivery } from '../../contract/dispatch.ts'
import { emit } from '../../platform/postgres/emit.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { InboundTry, InboundWrite } from '../ports.ts'
import { owesNoAnswer } from './owes-no-answer.ts'
import { revise, revisedId } from './revisions.store.ts'

type Row = {
  readonly messageId: string
  readonly isHeld: boolean
  readonly isRevised: boolean
} & (Omit<WrittenDelivery, 'body'> | { readonly deliveryId: null })

/**
 * One JSON text, because the driver escapes arrays slowly. Bodies stay here: only ids come back. It waits for no row, so
 * that a conversation that somebody has locked holds up no other one. That also keeps it out of deadlocks.
 */
export async function insertMany(sql: Sql, writes: readonly InboundWrite[]): Promise<InboundTry[]> {
  const rows = await sql<Row[]>`
    with input as materialized (
      select * from json_to_recordset(${JSON.stringify(rowsOf(writes))}::text::json) as i (
        party integer, id uuid, workspace_id uuid, conversation_id uuid, number_id uuid, contact_id uuid, address text, provider_message_id text,
        type text, text text, from_name text, details jsonb, at timestamptz(3), is_group boolean, is_unread boolean,
        opens_window boolean, media json, event_id uuid, body text)
    ),
    -- Together, so that of the messages of one conversation all are written or none. A reply to a campaign also locks
    -- the recipient, which others lock in another order: it is written alone.
    held as materialized (
      select p.party, p.conversation_id, v.last_event_id, v.version
      from (select distinct party, workspace_id, conversation_id, contact_id, address from input) p
      cross join lateral (
        select c.id from contacts c
        where c.id = p.contact_id and c.workspace_id = p.workspace_id and c.erased_at is null
          and c.wa_id = p.address
        for key share skip locked
      ) c
      cross join lateral (
        select v.last_event_id, v.xmin::text as version from conversations v
        where v.id = p.conversation_id and v.workspace_id = p.workspace_id
          and ${owesNoAnswer(sql, sql`v`)}
        for no key update of v skip locked
      ) v
    ),
    inserted as (
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction,
        type, status, text, from_name, details, created_at, read_at)
      select i.id, i.workspace_id, i.conversation_id, i.number_id, i.contact_id, i.provider_message_id, 'INBOUND',
        i.type, case when i.is_unread then 'RECEIVED' else 'READ' end, i.text, i.from_name, i.details, i.at,
        case when not i.is_unread then i.at end
      from input i
      join held on held.party = i.party
      order by i.event_id
      on conflict (provider_message_id) do nothing
      returning id
    ),
    said as materialized (
      select i.*,
        coalesce(lag(i.event_id) over in_turn, held.last_event_id) as after,
        lead(i.event_id) over in_turn is null as is_last,
        count(*) filter (where i.is_unread) over whole as unread,
        max(i.at) filter (where i.opens_window) over whole as inbound_at
      from inserted
      join input i on i.id = inserted.id
      join held on held.party = i.party
      window whole as (partition by i.conversation_id), in_turn as (partition by i.conversation_id order by i.event_id)
    ),
    attached as (
      insert into media (message_id, workspace_id, provider_media_id, mime_type, file_name, sha256)
      select id, workspace_id, media ->> 'providerMediaId', media ->> 'mimeType', media ->> 'fileName', media ->> 'sha256'
      from said
      where media is not null
    ),
    touched as (
      update conversations c
      set last_message_id = said.id, last_message_at = said.at, updated_at = now(),
        unread_count = c.unread_count + said.unread,
        last_inbound_at = greatest(c.last_inbound_at, said.inbound_at),
        last_event_id = case when said.is_group then c.last_event_id else said.event_id end
      from said
      where c.id = said.conversation_id and said.is_last
    ),
    -- The events of a group have the key of who wrote, so that they can be erased with that person.
    occurred as (
      select said.event_id, said.workspace_id, 'message.received' as kind,
        case when said.is_group then said.contact_id else said.conversation_id end as key,
        convert_to(said.body, 'UTF8') as body,
        -- Not a join: its estimate would be one row, and what follows would compare each row with each.
        (select endpoint_id from numbers where id = said.number_id) as routed_to,
        case when not said.is_group then said.after end as after
      from said
    ), ${emit(sql)}
    select i.id as message_id, held.conversation_id is not null as is_held,
      exists (
        select from messages e
        where e.type in ('EDIT', 'REVOKE') and e.workspace_id = i.workspace_id
          and ${revisedId(sql, 'e')} = i.provider_message_id
      ) or exists (
        select from conversations seen
        where seen.id = held.conversation_id and seen.xmin::text <> held.version
      ) as is_revised,
      delivery.id as delivery_id, delivery.event_id, delivery.endpoint_id, delivery.workspace_id, delivery.kind,
      delivery.key, case when not i.is_group then said.after end as after
    from input i
    left join held on held.party = i.party
    left join said on said.id = i.id
    left join delivery on delivery.event_id = said.event_id and delivery.state = 'PENDING'`
  return triesOf(sql, writes, rows)
}

const rowsOf = (writes: readonly InboundWrite[]) => {
  const parties = new Map<string, number>()
  return writes.map((write) => {
    const names = `${write.conversationId} ${write.contactId} ${write.address}`
    const party = parties.get(names) ?? parties.size
    parties.set(names, party)
    return { party, ...rowOf(write) }
  })
}

const rowOf = (write: InboundWrite) => {
  const { update, effects, details } = write
  return {
    id: write.id,
    workspace_id: write.workspaceId,
    conversation_id: write.conversationId,
    number_id: write.numberId,
    contact_id: write.contactId,
    address: write.address,
    provider_message_id: update.providerMessageId,
    type: update.messageType,
    text: update.text,
    from_name: update.from.name,
    details,
    at: update.at,
    is_group: details?.group !== undefined,
    is_unread: effects.isUnread,
    opens_window: effects.opensWindow,
    media: update.media,
    event_id: write.eventId,
    body: bodyText(write.body),
  }
}

const bodyText = (body: Uint8Array): string =>
  Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString()

async function triesOf(
  sql: Sql,
  writes: readonly InboundWrite[],
  rows: readonly Row[],
): Promise<InboundTry[]> {
  const tries = new Map<string, WrittenDelivery[]>()
  const byId = new Map<string, InboundWrite>(writes.map((write) => [write.id, write]))
  const revised = new Set<InboundWrite>()
  for (const row of rows) {
    const write = byId.get(row.messageId)
    if (!write || !row.isHeld) continue
    const written = tries.get(row.messageId) ?? []
    tries.set(row.messageId, written)
    if (row.isRevised) revised.add(write)
    // A name first: in Node 20 a literal that begins with a spread costs microseconds.
    if (row.deliveryId !== null) written.push({ body: write.body, ...row })
  }
  for (const { workspaceId, update } of revised)
    await revise(sql, { workspaceId, providerMessageId: update.providerMessageId })
  return writes.map(({ id }) => tries.get(id) ?? 'again')
}
