// The statements of the durable floor: one for all of a kind, even for one alone.
import { queuedText } from '../../src/contract/events.ts'
import { ofIds } from '../../src/platform/postgres/of-ids.ts'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { newId } from '../../src/shared/ids.ts'
import { type Change, given, type Row, rowsOf } from './floor-rows.ts'

/** With the event of the end, which the least floor leaves out. */
export function hungUp(change: Change, ringing: Map<string, Row>): Change {
  const rang = ringing.get(change.theirs)
  if (!rang) throw new Error('the floor knows only calls that rang')
  ringing.delete(change.theirs)
  const at = new Date()
  const { data } = JSON.parse(rang.body) as { data: Parameters<typeof queuedText<'call.status'>>[2] }
  const body = queuedText('call.status', at, { ...data, status: 'MISSED', occurredAt: at.toISOString() })
  return { ...change, row: { ...rang, body, at, eventId: newId('event'), deliveryId: newId('delivery') } }
}

/** Those that hang up come after those that ring: their requests do, too. */
export async function commitDurable(sql: Pool, changes: readonly Change[]): Promise<void> {
  const [texts, rings, ended] = [rowsOf(changes, 'text'), rowsOf(changes, 'ring'), rowsOf(changes, 'hangUp')]
  await Promise.all([
    texts.length > 0 && write(sql, texts, 'message.received', received(sql)),
    rings.length > 0 && write(sql, rings, 'call.status', rang(sql)),
    ended.length > 0 && write(sql, ended, 'call.status', missed(sql)),
  ])
}

/** `subject` is the CTE `said`: the rows that are new. */
const write = (sql: Pool, rows: readonly Row[], kind: string, subject: ReturnType<typeof received>) => sql`
  with ${given(sql, rows)},
  ${subject},
  event as (
    insert into events (id, workspace_id, kind, key, body)
    select event_id, workspace_id, ${kind}, key, convert_to(body, 'UTF8') from said
  )
  insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, next_attempt_at)
  select delivery_id, workspace_id, event_id, endpoint_id, ${kind}, key, 'PENDING', now() from said`

/** Conversations are locked in the order of their ids: two statements of this floor may have the same ones. */
const received = (sql: Pool) => sql`
  held as materialized (
    select from conversations
    where id in (select conversation_id from row)
    order by id
    for no key update
  ),
  written as (
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction,
      type, status, text, from_name, created_at)
    select id, workspace_id, conversation_id, number_id, contact_id, theirs, 'INBOUND', 'TEXT', 'RECEIVED', text, name, at
    from row
    where (select count(*) from held) > 0
    on conflict (provider_message_id) do nothing
    returning id
  ),
  said as materialized (select row.* from row join written using (id)),
  touched as (
    update conversations c
    set last_message_id = last.id, last_message_at = last.at, last_inbound_at = last.at, updated_at = now(),
      unread_count = c.unread_count + last.unread, last_event_id = last.event_id
    from (
      select distinct on (conversation_id) *, count(*) over (partition by conversation_id) as unread
      from said
      order by conversation_id, event_id desc
    ) last
    where c.id = last.conversation_id
  )`

const rang = (sql: Pool) => sql`
  written as (
    insert into calls (id, workspace_id, conversation_id, number_id, contact_id, wacid, direction, status, from_name,
      ringing_at)
    select id, workspace_id, conversation_id, number_id, contact_id, theirs, 'INBOUND', 'RINGING', name, at
    from row
    on conflict (wacid) do nothing
    returning id
  ),
  said as materialized (select row.* from row join written using (id))`

const missed = (sql: Pool) => sql`
  written as (
    update calls c
    set status = 'MISSED', end_reason = 'CALLER_GAVE_UP', ended_at = row.at, updated_at = now(), version = c.version + 1
    from row
    where c.id = row.id and c.ended_at is null
    returning c.id
  ),
  said as materialized (select row.* from row join written using (id))`

export const settle = (sql: Pool, ids: readonly string[]) => sql`
  update deliveries
  set state = 'DELIVERED', attempt_count = 1, next_attempt_at = null, finished_at = now()
  where ${ofIds(sql, sql`id`, ids)}`
