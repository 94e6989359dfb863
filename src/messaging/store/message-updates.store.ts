// Writes what the provider reports about messages: statuses, forward only, and inbound messages, once each.

import type { WrittenDelivery } from '../../contract/dispatch.ts'
import type { InboundMessageUpdate } from '../../contract/provider-updates.ts'
import { emit, messagesLocked, statusesOccurred, writtenDeliveries } from '../../platform/postgres/emit.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import { sourcesOf } from '../../shared/machine.ts'
import { outboundMachine, sendMachine } from '../message.machine.ts'
import type {
  FoundMessage,
  InboundTry,
  InboundWrite,
  MessageStore,
  StatusChange,
  StatusTarget,
} from '../ports.ts'
import { insertMany } from './inbound-batch.ts'
import { insertPlain, isPlain } from './inbound-plain.ts'
import { revise, revisedId } from './revisions.store.ts'

type UpdatesStore = Pick<MessageStore, 'statusTargets' | 'changeStatuses' | 'insertInbound' | 'tryInbounds'>

/**
 * The CTE `followed`, which moves the recipients of campaigns together with their messages. `moved` names a
 * CTE with the current rows of the messages. Campaigns provide it, because the table of recipients is theirs.
 */
export type RecipientsFollow = (sql: Sql, moved: string) => Fragment

export const createMessageUpdateStore = (sql: Sql, follow: RecipientsFollow): UpdatesStore => ({
  statusTargets: (targets) => statusTargets(sql, targets),
  changeStatuses: (changes) => changeStatuses(sql, changes, follow),
  insertInbound: async (write) => {
    const written = await insertOne(sql, write, 'wait')
    return written === 'again' ? undefined : written
  },
  tryInbounds: async ([first, ...rest]) => {
    if (!first) return []
    if (rest.length > 0) return insertMany(sql, [first, ...rest])
    return [isPlain(first) ? await insertPlain(sql, first) : await insertOne(sql, first, 'try')]
  },
})

/**
 * Finds messages by the provider's id, or by our id where the status arrived before the answer to the send.
 * The update must name the number of the message, so that a status cannot change another workspace's message.
 */
async function statusTargets(sql: Sql, targets: readonly StatusTarget[]): Promise<FoundMessage[]> {
  const asked = targets.map((target, index) => ({
    index,
    provider_message_id: target.providerMessageId,
    message_id: target.messageId,
    phone_number_id: target.phoneNumberId,
  }))
  const found = await sql<(FoundMessage & { index: number })[]>`
    select t.index, m.id, m.workspace_id, m.conversation_id, m.provider_message_id, m.recipient_id, c.wa_id as address,
      c.user_id
    from json_to_recordset(${JSON.stringify(asked)}::text::json) as t (
      index integer, provider_message_id text, message_id uuid, phone_number_id text)
    cross join lateral (
      select id, workspace_id, conversation_id, provider_message_id, number_id, contact_id, recipient_id
      from messages
      where provider_message_id = t.provider_message_id and direction = 'OUTBOUND'
      union all
      select id, workspace_id, conversation_id, provider_message_id, number_id, contact_id, recipient_id
      from messages
      where id = t.message_id and direction = 'OUTBOUND' and provider_message_id is null
      limit 1
    ) m
    join numbers n on n.id = m.number_id and n.phone_number_id = t.phone_number_id
    join contacts c on c.id = m.contact_id`
  const byIndex = new Map(found.map((row) => [row.index, row]))
  return targets.map((_, index) => byIndex.get(index) as FoundMessage)
}

/**
 * Takes at most one change per message. Each change that applies writes its event. The provider tells seconds
 * and we know milliseconds, so a status could seem to come before the one that it follows: its time is then
 * that of the other. Only here, under the lock, is the other certainly known; its text in the event is
 * replaced.
 */
export async function changeStatuses(
  sql: Sql,
  changes: readonly StatusChange[],
  follow: RecipientsFollow,
): Promise<WrittenDelivery[]> {
  const rows = changes.map((change) => ({
    id: change.messageId,
    provider_message_id: change.providerMessageId,
    status: change.status,
    sources: sourcesOf(outboundMachine, change.status),
    at: change.at.toISOString(),
    error: change.error,
    event_id: change.eventId,
    body: Buffer.from(change.body).toString('base64'),
  }))
  const ofCampaigns = changes.some(({ recipientId }) => recipientId !== null)
  return sql<WrittenDelivery[]>`
    with input as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as i (
        id uuid, provider_message_id text, status text, sources text[], at timestamptz, error jsonb, event_id uuid,
        body text)
    ),
    ${messagesLocked(sql)},
    timed as (
      select i.id, i.provider_message_id, i.status, i.sources, i.error, i.event_id,
        greatest(i.at, was.latest_at) as at,
        case
          when was.latest_at > i.at then encode(convert_to(replace(
            convert_from(decode(i.body, 'base64'), 'UTF8'), ${occurredAt(sql, 'i.at')}, ${occurredAt(sql, 'was.latest_at')}), 'UTF8'),
            'base64')
          else i.body
        end as body
      from input i
      join message_lock was on was.id = i.id
    ),
    changed as (
      update messages m
      set status = i.status,
        provider_message_id = coalesce(m.provider_message_id, i.provider_message_id),
        -- A status proves that the provider has the message, even when its answer to the send was lost.
        send_state = case
          when i.status <> 'FAILED' and m.send_state in (${sources(sql, sendMachine, 'ACCEPTED')}) then 'ACCEPTED'
          else m.send_state
        end,
        -- A failure may be that of an earlier attempt: the one that runs still ends, or its process counts as dead.
        send_due_at = case when i.status = 'FAILED' and m.send_state = 'SENDING' then m.send_due_at end,
        -- As the answer to the send writes it, which may be lost.
        handed_at = case when i.status = 'FAILED' then m.handed_at else coalesce(m.handed_at, i.at) end,
        content = case when i.status = 'FAILED' then m.content end,
        error = coalesce(i.error, m.error),
        sent_at = case when i.status = 'SENT' then i.at else m.sent_at end,
        delivered_at = case when i.status = 'DELIVERED' then i.at else m.delivered_at end,
        read_at = case when i.status = 'READ' then i.at else m.read_at end,
        failed_at = case when i.status = 'FAILED' then i.at else m.failed_at end
      from timed i
      where m.id = i.id and m.direction = 'OUTBOUND' and m.status = any(i.sources)
      returning m.id, m.workspace_id, m.conversation_id, m.recipient_id, m.status, m.send_state, m.send_due_at, m.error,
        null::timestamptz as due_at, 0 as tries, i.event_id, i.body
    ),
    ${ofCampaigns ? sql`${follow(sql, 'changed')},` : sql``}
    ${statusesOccurred(sql)}, ${emit(sql)} ${writtenDeliveries(sql)}`
}

/** The field as it stands in the body of an event. */
const occurredAt = (sql: Sql, column: string) => sql`
  to_char(${sql(column)} at time zone 'UTC', '"\\"occurredAt\\":\\""YYYY-MM-DD"T"HH24:MI:SS.MS"Z\\""')`

/**
 * Once per provider id: a repeat writes nothing and emits nothing. What changes another message, or was changed by one
 * that came before it, leaves that to a second statement, which may be repeated. `again`, and nothing is written, where
 * the contact was erased, or, with `try`, where somebody has locked a row that this needs.
 */
async function insertOne(sql: Sql, write: InboundWrite, locking: 'wait' | 'try'): Promise<InboundTry> {
  const { update, optChange, effects } = write
  const { workspaceId } = write
  const skipped = locking === 'try' ? sql`skip locked` : sql``
  const rows = await sql<((WrittenDelivery | { deliveryId: null }) & Written)[]>`
    with present as (
      select id from contacts
      where id = ${write.contactId} and erased_at is null and wa_id = ${write.address}
      for ${optChange === undefined ? sql`key share` : sql`no key update`} ${skipped}
    ),
    -- Before anything is written: whoever waits for the conversation holds nothing that the others need. After the
    -- contact: a campaign's claim locks in the same order.
    locked as (
      select id, last_event_id, xmin::text as version
      from conversations
      where id = ${write.conversationId} and exists (select from present)
      for no key update ${skipped}
    ),
    ${named(sql, write)},
    inserted as (
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction,
        type, status, text, from_name, details, created_at, read_at)
      select ${write.id}::uuid, ${workspaceId}::uuid, ${write.conversationId}::uuid, ${write.numberId}::uuid,
        present.id, ${update.providerMessageId}, 'INBOUND', ${update.messageType},
        ${effects.isUnread ? 'RECEIVED' : 'READ'}, ${update.text}, ${update.from.name}, named.details,
        ${update.at}::timestamptz, ${effects.isUnread ? null : update.at}::timestamptz
      from present
      cross join locked
      cross join named
      on conflict (provider_message_id) do nothing
      returning id, workspace_id, conversation_id, number_id, contact_id, created_at,
        details -> 'callPermission' as permission,
        case when details ? 'callPermission' then created_at end as permission_at
    ),
    ${attached(sql, update)}
    opted as (
      -- A STOP that comes late must not take the place of a START that was written after it. A clock of the provider
      -- that is ahead must not make the next STOP look old.
      update contacts
      set opt_state = ${optChange ?? null}::text, opt_changed_at = least(${update.at}::timestamptz, now()),
        updated_at = now()
      where id = ${write.contactId} and ${optChange !== undefined} and exists (select from inserted)
        and coalesce(opt_changed_at, '-infinity') <= ${update.at}::timestamptz
      returning 1
    ),
    touched as (
      update conversations c
      set ${conversationAfter(sql, write)}
      from inserted
      join locked on locked.id = inserted.conversation_id
      where c.id = inserted.conversation_id
      returning locked.last_event_id as after, c.campaign_recipient_id, c.campaign_sent_at
    ),
    -- An answer to a campaign is the first message within a week of it. One that comes late may have been written before
    -- it; the provider tells whole seconds.
    replied as (
      update recipients r
      set replied_at = inserted.created_at, updated_at = now()
      from inserted
      cross join touched
      where ${effects.isReply} and r.id = touched.campaign_recipient_id and r.replied_at is null
        and touched.campaign_sent_at > now() - interval '7 days'
        and inserted.created_at >= touched.campaign_sent_at - interval '1 second'
    ),
    occurred as (
      select ${write.eventId}::uuid as event_id, inserted.workspace_id, 'message.received' as kind,
        ${keyAndPrevious(sql, write)}, named.body, n.endpoint_id as routed_to
      from inserted
      cross join named
      join numbers n on n.id = inserted.number_id
      cross join touched
    ), ${emit(sql)}
    select exists (select from locked) as is_ready, revised.*, written.*
    from (
      select exists (
        select from messages e
        where e.type in ('EDIT', 'REVOKE') and e.workspace_id = ${workspaceId}
          and ${revisedId(sql, 'e')} = ${update.providerMessageId}
      ) or exists (
        -- What changes it was written while this statement waited for the conversation, perhaps: it cannot see that.
        select from locked
        join conversations seen on seen.id = locked.id
        where seen.xmin::text <> locked.version
      ) as is_revised
    ) revised
    left join (${writtenDeliveries(sql)}) written on true`
  if (rows[0]?.isReady !== true) return 'again'
  await reviseAround(sql, write, rows[0])
  return rows.flatMap((row) => (row.deliveryId === null ? [] : [row]))
}

async function reviseAround(
  sql: Sql,
  { workspaceId, update, details }: InboundWrite,
  { isRevised }: Pick<Written, 'isRevised'>,
): Promise<void> {
  const changed = (details?.edit ?? details?.revoke)?.providerMessageId
  if (changed !== undefined) await revise(sql, { workspaceId, providerMessageId: changed })
  if (isRevised) await revise(sql, { workspaceId, providerMessageId: update.providerMessageId })
}

/** The CTE `attached`, where the message has a file: it is fetched later. */
const attached = (sql: Sql, { media }: InboundMessageUpdate): Fragment =>
  media === null
    ? sql``
    : sql`
    attached as (
      insert into media (message_id, workspace_id, provider_media_id, mime_type, file_name, sha256)
      select id, workspace_id, ${media.providerMediaId}::text, ${media.mimeType}::text, ${media.fileName}::text,
        ${media.sha256}::text
      from inserted
    ),`

const conversationAfter = (sql: Sql, { effects, eventId, details }: InboundWrite): Fragment => sql`
  ${effects.isShown ? sql`last_message_id = inserted.id, last_message_at = inserted.created_at, updated_at = now(),` : sql``}
  ${effects.isUnread ? sql`unread_count = c.unread_count + 1,` : sql``}
  ${effects.opensWindow ? sql`last_inbound_at = greatest(c.last_inbound_at, inserted.created_at),` : sql``}
  -- A reply that comes late must not take the place of one that was given after it.
  call_permission = case
    when inserted.permission_at >= coalesce(c.call_permission_at, '-infinity') then inserted.permission
    else c.call_permission
  end,
  call_permission_at = greatest(c.call_permission_at, inserted.permission_at),
  last_event_id = ${details?.group ? sql`c.last_event_id` : eventId}`

/** The events of a group have the key of who wrote, so that they can be erased with that person. */
const keyAndPrevious = (sql: Sql, { details }: InboundWrite): Fragment =>
  details?.group
    ? sql`inserted.contact_id as key, null::uuid as after`
    : sql`inserted.conversation_id as key, touched.after`

interface Written {
  /** The contact is there, and what is needed is locked. */
  readonly isReady: boolean
  readonly isRevised: boolean
}

/** The CTE `named (details, body)`, with our ids in the places of their marks. */
function named(sql: Sql, { details, references, body, workspaceId }: InboundWrite): Fragment {
  const bytes = sql`${Buffer.from(body)}::bytea`
  const json = details && sql.json(details as never)
  if (references.length === 0) return sql`named as (select ${json}::jsonb as details, ${bytes} as body)`
  const found = references.map(
    ({ mark, providerMessageId }) => sql`
      (${`"${mark}"`}::text, (
        select shown_id('msg', id) from messages
        where provider_message_id = ${providerMessageId} and workspace_id = ${workspaceId}))`,
  )
  const put = (text: Fragment) =>
    references.reduce(
      (filled, _, index) => sql`replace(${filled}, found.marks[${index + 1}], found.ids[${index + 1}])`,
      text,
    )
  return sql`
    found as (
      select array_agg(mark) as marks, array_agg(coalesce('"' || id || '"', 'null')) as ids
      from (values ${joined(sql, found)}) one (mark, id)
    ),
    named as (
      select ${put(sql`${json}::jsonb::text`)}::jsonb as details,
        convert_to(${put(sql`convert_from(${bytes}, 'UTF8')`)}, 'UTF8') as body
      from found
    )`
}

const joined = (sql: Sql, parts: readonly Fragment[]): Fragment =>
  parts.reduce((all, part) => sql`${all}, ${part}`)
