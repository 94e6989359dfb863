// Makes two contacts one: the survivor takes over the conversations, messages and calls of the other. What remains of
// the other are empty rows that lead to the survivor, so that old ids still find the conversation.
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import type { ConversationId, NumberId, Uuid, WorkspaceId } from '../../shared/ids.ts'

/**
 * Under locks on both contacts, in the order of their ids. A writer that has the old ids waits for that lock, finds
 * the contact gone, and asks again. What calls that have begun write meanwhile is moved a little later.
 */
export async function mergeContact(
  sql: Sql,
  workspaceId: WorkspaceId,
  { from, into }: { readonly from: Uuid; readonly into: Uuid },
): Promise<void> {
  // A status locks messages that were sent, and then their conversations. Of those that came, a mark as read locks the
  // conversation first.
  await lockSent(sql, workspaceId, from)
  await sql`
    update contacts s
    set opt_state = ${laterOf(sql, 'opt_state', 'opt_changed_at', 'greatest')},
      opt_changed_at = greatest(s.opt_changed_at, l.opt_changed_at),
      marketing_opt_out_at = ${laterOf(sql, 'marketing_opt_out_at', 'marketing_changed_at', 'least')},
      marketing_changed_at = greatest(s.marketing_changed_at, l.marketing_changed_at),
      name = coalesce(s.name, l.name), username = coalesce(s.username, l.username), updated_at = now()
    from contacts l
    where s.id = ${into} and l.id = ${from} and s.workspace_id = ${workspaceId} and l.workspace_id = ${workspaceId}`
  await sql`
    update contacts
    set wa_id = 'merged:' || id, name = null, name_at = null, username = null, user_id = null, parent_user_id = null,
      opt_state = null, opt_changed_at = null, marketing_opt_out_at = null, marketing_changed_at = null,
      erased_at = now(), merged_into = ${into}, merging_until = now() + interval '1 minute', updated_at = now()
    where id = ${from} and workspace_id = ${workspaceId}`
  await sql`
    update contacts set merged_into = ${into}
    where merged_into = ${from} and workspace_id = ${workspaceId}`
  await sql`
    update contact_aliases set contact_id = ${into}
    where contact_id = ${from} and workspace_id = ${workspaceId}`
  await mergeConversations(sql, workspaceId, { from, into })
  await moveRows(sql, workspaceId, from)
}

/**
 * What was chosen later counts, as for one contact; of two choices of one time, the one to get less: `opted-out` is
 * greater than `opted-in`, and any time of an opt-out is less than none.
 */
const laterOf = (sql: Sql, column: string, time: string, ofOneTime: 'greatest' | 'least'): Fragment => sql`
  case
    when coalesce(l.${sql(time)}, '-infinity') > coalesce(s.${sql(time)}, '-infinity') then l.${sql(column)}
    when coalesce(s.${sql(time)}, '-infinity') > coalesce(l.${sql(time)}, '-infinity') then s.${sql(column)}
    else ${sql.unsafe(ofOneTime)}(s.${sql(column)}, l.${sql(column)})
  end`

async function mergeConversations(
  sql: Sql,
  workspaceId: WorkspaceId,
  { from, into }: { readonly from: Uuid; readonly into: Uuid },
): Promise<void> {
  const both = await sql<{ id: ConversationId; numberId: NumberId }[]>`
    select id, number_id
    from conversations
    where workspace_id = ${workspaceId} and contact_id in (${from}, ${into})
    order by id
    for update`
  const own = await sql<{ id: ConversationId; other: ConversationId | null }[]>`
    select l.id, s.id as other
    from conversations l
    left join conversations s on s.number_id = l.number_id and s.contact_id = ${into} and s.workspace_id = l.workspace_id
    where l.workspace_id = ${workspaceId} and l.contact_id = ${from} and l.id = any(${both.map(({ id }) => id)}::uuid[])`
  for (const { id, other } of own) {
    if (other === null)
      await sql`
        update conversations set contact_id = ${into}, updated_at = now()
        where id = ${id} and workspace_id = ${workspaceId}`
    else await mergeConversation(sql, workspaceId, { from: id, into: other })
  }
}

async function mergeConversation(
  sql: Sql,
  workspaceId: WorkspaceId,
  { from, into }: { readonly from: ConversationId; readonly into: ConversationId },
): Promise<void> {
  const isLater = (column: string) =>
    sql`coalesce(${sql(`l.${column}`)}, '-infinity') > coalesce(${sql(`s.${column}`)}, '-infinity')`
  await sql`
    update conversations s
    set unread_count = s.unread_count + l.unread_count,
      last_inbound_at = greatest(s.last_inbound_at, l.last_inbound_at),
      last_call_at = greatest(s.last_call_at, l.last_call_at),
      last_message_id = case when ${isLater('last_message_at')} then l.last_message_id else s.last_message_id end,
      last_message_at = greatest(s.last_message_at, l.last_message_at),
      call_permission = case when ${isLater('call_permission_at')} then l.call_permission else s.call_permission end,
      call_permission_at = greatest(s.call_permission_at, l.call_permission_at),
      campaign_recipient_id = case when ${isLater('campaign_sent_at')} then l.campaign_recipient_id else s.campaign_recipient_id end,
      campaign_sent_at = greatest(s.campaign_sent_at, l.campaign_sent_at),
      updated_at = now()
    from conversations l
    where s.id = ${into} and l.id = ${from} and s.workspace_id = ${workspaceId} and l.workspace_id = ${workspaceId}`
  await sql`
    update conversations
    set last_message_id = null, last_message_at = null, unread_count = 0, last_inbound_at = null,
      last_call_at = null,
      call_permission = null, call_permission_at = null, last_event_id = null, campaign_recipient_id = null,
      campaign_sent_at = null, erased_at = now(), merged_into = ${into}, updated_at = now()
    where id = ${from} and workspace_id = ${workspaceId}`
  await sql`
    update conversations set merged_into = ${into}
    where merged_into = ${from} and workspace_id = ${workspaceId}`
}

/** At once: the history of somebody who has hidden the number until now is rarely longer. */
const rowsAtOnce = 1_000

const newestOf = (sql: Sql, table: 'messages' | 'calls', workspaceId: WorkspaceId, from: Uuid) => sql`
  select id from ${sql(table)}
  where workspace_id = ${workspaceId} and contact_id = ${from}
  order by id desc
  limit ${rowsAtOnce}`

// In the order of ids, as whoever else locks several.
const lockSent = (sql: Sql, workspaceId: WorkspaceId, from: Uuid) => sql`
  select from messages
  where id in (${newestOf(sql, 'messages', workspaceId, from)}) and direction = 'OUTBOUND'
  order by id
  for no key update`

/** Moves messages and calls to the contact that took over. Returns how many: none is left where it is 0. */
export async function moveRows(sql: Sql, workspaceId: WorkspaceId, from: Uuid): Promise<number> {
  const move = (table: 'messages' | 'calls') => sql`
    update ${sql(table)} m
    set contact_id = l.merged_into, conversation_id = coalesce(v.merged_into, v.id)
    from contacts l, conversations v
    where m.id in (
        select id from ${sql(table)}
        where id in (${newestOf(sql, table, workspaceId, from)})
        order by id
        for no key update)
      and l.id = ${from} and v.id = m.conversation_id`
  const messages = await move('messages')
  const calls = await move('calls')
  // Not those of campaigns that have sent to the survivor too. A recipient that is being claimed follows later.
  await sql`
    update recipients r
    set contact_id = l.merged_into
    from contacts l
    where l.id = ${from} and r.id in (
      select id from recipients
      where contact_id = ${from} and workspace_id = ${workspaceId}
        and not exists (
          select from recipients other
          where other.contact_id = l.merged_into and other.campaign_id = recipients.campaign_id
        )
      for no key update skip locked)`
  return messages.count + calls.count
}

/** Moves what was written about a merged contact since, and what was too much for one transaction. */
export async function moveMerged(sql: Sql): Promise<number> {
  const merging = await sql<{ id: Uuid; workspaceId: WorkspaceId; isOver: boolean }[]>`
    select id, workspace_id, merging_until < now() as is_over
    from contacts
    where merging_until is not null
    order by merging_until
    limit 100`
  let moved = 0
  for (const { id, workspaceId, isOver } of merging) {
    const rows = await moveRows(sql, workspaceId, id)
    moved += rows
    if (rows === 0 && isOver)
      await sql`update contacts set merging_until = null where id = ${id} and workspace_id = ${workspaceId}`
  }
  return moved
}
