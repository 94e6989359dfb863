// The statements that begin inbound calls. Those that come while others are written share a statement. They also open
// the 24 hours, unless somebody has locked the conversation: no ring waits for that.

import { emit, writtenDeliveries } from '../../platform/postgres/emit.ts'
import { none, shareStatement, skipLocked } from '../../platform/postgres/share-statement.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { type CallId, newId } from '../../shared/ids.ts'
import { changedRow } from '../call-row.ts'
import type { BegunHere, InboundCall } from '../ports.ts'
import { type BegunRow, begunEvent, begunOf, present } from './call-begin-parts.ts'
import { groupedBy } from './call-changes.store.ts'
import { entriesOf } from './call-timeline.store.ts'

interface Begin {
  readonly call: InboundCall
  readonly sid: string
}

/** Two keep Postgres busy while one of them waits for the disk. More would share less. */
const width = 2
const maxItems = 64
const maxWaiting = 20_000

export function createInboundBegins(sql: Sql): (call: InboundCall, sid: string) => Promise<BegunHere> {
  const begin = shareStatement<Begin, BegunHere>({
    one: async (one) => (await beginOne(sql, one, none(sql))) ?? { type: 'gone' },
    now: async (all) =>
      all.length > 1
        ? beginMany(sql, all)
        : Promise.all(all.map((one) => beginOne(sql, one, skipLocked(sql)))),
    ...{ width, maxItems, maxWaiting },
  })
  return (call, sid) => begin({ call, sid })
}

/** Undefined where the contact is gone, or where others have locked it and `wait` says to skip it. */
async function beginOne(sql: Sql, { call, sid }: Begin, wait: Fragment): Promise<BegunHere | undefined> {
  const { row, body, notes } = call.ringing
  const at = sql`${call.calledAt}::timestamptz`
  const eventId = newId('event')
  const rows = await sql<BegunRow[]>`
    with ${present(sql, row, wait)}
    outlook as (
      select exists (select from call_tombstones where wacid = ${row.wacid}) as ended_before_start, n.forward_calls,
        n.endpoint_id
      from numbers n
      where n.id = ${row.numberId}
    ),
    begun as (
      insert into calls (id, workspace_id, conversation_id, number_id, contact_id, wacid, direction, status, version,
        from_name, forward_state, forward_started_at, ringing_at, wake_at, owner_epoch, owner_sid, created_at,
        last_event_id, timeline)
      select ${row.id}::uuid, ${row.workspaceId}::uuid, ${row.conversationId}::uuid, ${row.numberId}::uuid,
        ${row.contactId}::uuid, ${row.wacid}, 'INBOUND', ${row.status}, 1, ${row.fromName},
        case when forward_calls then 'ATTEMPTING' end,
        case when forward_calls then ${row.createdAt}::timestamptz end, ${row.ringingAt}::timestamptz,
        case when forward_calls then ${call.forwardCheckAt}::timestamptz else ${row.wakeAt}::timestamptz end,
        nextval('actor_epoch'), ${sid}, ${row.createdAt}::timestamptz, ${eventId}::uuid,
        ${entriesOf(notes) as never}::jsonb
      from outlook
      cross join present
      where not ended_before_start
      on conflict (wacid) do nothing
      returning id, workspace_id, status, forward_state, owner_epoch
    ),
    opening as (
      select id
      from conversations
      where id = ${row.conversationId} and workspace_id = ${row.workspaceId} and erased_at is null
        and exists (select from begun)
      for no key update skip locked
    ),
    opened as (
      update conversations v
      set last_call_at = ${at}, updated_at = now()
      from opening
      where v.id = opening.id and coalesce(v.last_call_at, '-infinity') < ${at}
    ),
    ${begunEvent(sql, eventId, body)},
    ${emit(sql)}
    select exists (select from present) as is_present, exists (select from opening) as is_open, outlook.ended_before_start, begun.owner_epoch, begun.status,
      begun.forward_state, ${route(sql)} as route, written.*
    from outlook
    left join begun on true
    left join (${writtenDeliveries(sql)}) written on true`
  return rows[0]?.isPresent ? begunOf(rows, rowOf(call)) : undefined
}

const route = (sql: Sql) => sql`
  case when outlook.forward_calls then array[outlook.endpoint_id] else '{}'::uuid[] end`

const rowOf =
  ({ ringing: { row } }: InboundCall) =>
  ({ forwardState }: BegunRow) =>
    changedRow(row, { forwardState, forwardStartedAt: forwardState === null ? null : row.createdAt })

/** A row as the statement for many reads it. Spreads of parts would take several times the memory. */
const inputOf = ({ call: { ringing, calledAt, forwardCheckAt }, sid }: Begin) => {
  const { row, body, notes } = ringing
  return {
    id: row.id,
    workspace_id: row.workspaceId,
    conversation_id: row.conversationId,
    number_id: row.numberId,
    contact_id: row.contactId,
    wacid: row.wacid,
    status: row.status,
    from_name: row.fromName,
    ringing_at: row.ringingAt,
    wake_at: row.wakeAt,
    called_at: calledAt,
    forward_check_at: forwardCheckAt,
    created_at: row.createdAt,
    sid,
    event_id: newId('event'),
    body,
    entries: entriesOf(notes),
  }
}

/**
 * Inserts in the order of the wacids: another gateway may insert the same calls, of which each has an id of its own
 * there. Contacts that others have locked are left out: they would hold up all calls.
 */
async function beginMany(sql: Sql, all: readonly Begin[]): Promise<readonly (BegunHere | undefined)[]> {
  const contacts = [...new Set(all.map(({ call }) => call.ringing.row.contactId))]
  const rows = await sql<(BegunRow & { callId: CallId })[]>`
    with input as (
      select *
      from jsonb_to_recordset(${all.map(inputOf) as never}::jsonb) as one (id uuid, workspace_id uuid, conversation_id uuid,
        number_id uuid, contact_id uuid, wacid text, status text, from_name text, ringing_at timestamptz,
        wake_at timestamptz, called_at timestamptz, forward_check_at timestamptz, created_at timestamptz, sid text,
        event_id uuid, body text, entries jsonb)
    ),
    present as (
      select id, workspace_id
      from contacts
      where id = any(${contacts}::uuid[]) and erased_at is null
      order by id
      for key share skip locked
    ),
    outlook as (
      select i.*, n.forward_calls, n.endpoint_id,
        exists (select from call_tombstones t where t.wacid = i.wacid) as ended_before_start
      from input i
      join present on present.id = i.contact_id and present.workspace_id = i.workspace_id
      join numbers n on n.id = i.number_id
    ),
    begun as (
      insert into calls (id, workspace_id, conversation_id, number_id, contact_id, wacid, direction, status, version,
        from_name, forward_state, forward_started_at, ringing_at, wake_at, owner_epoch, owner_sid, created_at,
        last_event_id, timeline)
      select id, workspace_id, conversation_id, number_id, contact_id, wacid, 'INBOUND', status, 1, from_name,
        case when forward_calls then 'ATTEMPTING' end, case when forward_calls then created_at end, ringing_at,
        case when forward_calls then forward_check_at else wake_at end, nextval('actor_epoch'), sid, created_at,
        event_id, entries
      from outlook
      where not ended_before_start
      order by wacid
      on conflict (wacid) do nothing
      returning id, workspace_id, status, forward_state, owner_epoch, last_event_id
    ),
    called as (
      select i.conversation_id as id, i.workspace_id, max(i.called_at) as at
      from begun
      join input i on i.id = begun.id
      group by 1, 2
    ),
    opening as (
      select id
      from conversations
      where id = any(array(select id from called)) and erased_at is null
      order by id
      for no key update skip locked
    ),
    opened as (
      update conversations v
      set last_call_at = called.at, updated_at = now()
      from called
      where v.id = called.id and v.workspace_id = called.workspace_id and v.id = any(array(select id from opening))
        and coalesce(v.last_call_at, '-infinity') < called.at
    ),
    occurred as (
      select begun.last_event_id as event_id, begun.workspace_id, 'call.status' as kind, begun.id as key,
        convert_to(i.body, 'utf8') as body, null::uuid as routed_to, null::uuid as after
      from begun
      join input i on i.id = begun.id
    ),
    ${emit(sql)}
    select outlook.id as call_id, outlook.ended_before_start, begun.owner_epoch, begun.status, begun.forward_state,
      ${route(sql)} as route, outlook.conversation_id in (select id from opening) as is_open, written.*
    from outlook
    left join begun on begun.id = outlook.id
    left join (${writtenDeliveries(sql)}) written on written.event_id = begun.last_event_id`
  const byCall = groupedBy(rows, ({ callId }) => callId)
  return all.map(({ call }) => {
    const own = byCall.get(call.ringing.row.id)
    return own && begunOf(own, rowOf(call))
  })
}
