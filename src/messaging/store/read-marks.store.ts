// Which inbound messages were read, and how many of a conversation are unread.

import { type AccountColumns, type AccountOptions, toAccount } from '../../accounts/store/provider-account.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import type { ReadMarkStore, ReadTarget } from '../mark-read.ts'
import { inboundMachine } from '../message.machine.ts'

/**
 * No index has `created_at`. Ids rise in the order of arrival, so the newest message is among those that came last,
 * unless more than these came late and after it: then typing is shown below one of them.
 */
const latest = 50

interface TargetRow extends AccountColumns, Omit<ReadTarget, 'account'> {}

export const createReadMarkStore = (sql: Sql, options: AccountOptions): ReadMarkStore => ({
  async message(workspaceId, id) {
    const [row] = await sql<TargetRow[]>`
      ${selectTargets(sql)}
      where m.workspace_id = ${workspaceId} and m.id = ${id}`
    return row && toTarget(row, options)
  },

  async newestInbound(workspaceId, id, which) {
    const [row] = await sql<(TargetRow | { id: null })[]>`
      select t.*
      from conversations c
      left join lateral (
        ${selectTargets(sql)}
        where m.workspace_id = ${workspaceId} and m.conversation_id = c.id and m.direction = 'INBOUND'
          and ${which === 'unread' ? sql`m.status = 'RECEIVED'` : isAmongLatest(sql, workspaceId)}
        order by m.created_at desc, m.id desc
        limit 1
      ) t on true
      where c.workspace_id = ${workspaceId}
        and c.id = (select coalesce(merged_into, id) from conversations where id = ${id})`
    if (!row) return undefined
    return { target: row.id === null ? undefined : toTarget(row, options) }
  },

  markUpTo: (target) => markUpTo(sql, target),
})

/** Message `m`, of the conversation `c`. */
const isAmongLatest = (sql: Sql, workspaceId: WorkspaceId) => sql`m.id = any(array(
  select id
  from messages
  where workspace_id = ${workspaceId} and conversation_id = c.id and direction = 'INBOUND'
    -- Nothing is shown of these on the phone, so nothing can be shown below them.
    and type not in ('EDIT', 'REVOKE', 'SYSTEM')
  order by id desc
  limit ${latest}
))`

const selectTargets = (sql: Sql) => sql`
  select m.id, m.conversation_id, m.direction, m.provider_message_id, m.created_at,
    m.status = 'RECEIVED' or exists (
      -- A reaction is read from the beginning, and a message may come late.
      select from messages e
      where e.workspace_id = m.workspace_id and e.conversation_id = m.conversation_id and e.direction = 'INBOUND'
        and e.status = 'RECEIVED' and (e.created_at, e.id) <= (m.created_at, m.id)
    ) as is_unread,
    m.workspace_id, n.phone_number_id, w.waba_id, w.provider_token
  from messages m
  join numbers n on n.id = m.number_id
  join workspaces w on w.id = m.workspace_id`

const toTarget = (row: TargetRow, options: AccountOptions): ReadTarget => {
  const { id, conversationId, direction, isUnread, providerMessageId, createdAt } = row
  return {
    id,
    conversationId,
    direction,
    isUnread,
    providerMessageId,
    createdAt,
    account: toAccount(row, options),
  }
}

/**
 * The unread count decreases by the rows that this statement changed, so a message that arrives meanwhile
 * stays counted. The conversation is locked first, so that two requests for the same messages do not overlap.
 */
async function markUpTo(sql: Sql, { id, conversationId, createdAt }: ReadTarget): Promise<number> {
  const [row] = await sql<{ markedRead: number }[]>`
    with locked as (
      select id from conversations where id = ${conversationId} for no key update
    ),
    marked as (
      update messages m
      set status = 'READ', read_at = now()
      from locked
      where m.conversation_id = locked.id and m.status in (${sources(sql, inboundMachine, 'READ')})
        and (m.created_at, m.id) <= (${createdAt}, ${id}::uuid)
      returning m.id
    ),
    counted as (
      select count(*)::integer as marked_read from marked
    ),
    -- updated_at stays: reading is no activity, and would move the conversation to the front.
    lowered as (
      update conversations c
      set unread_count = greatest(0, c.unread_count - counted.marked_read)
      from counted, locked
      where c.id = locked.id and counted.marked_read > 0
    )
    select marked_read from counted`
  return row?.markedRead ?? 0
}
