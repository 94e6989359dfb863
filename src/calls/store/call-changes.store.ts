// The fenced changes of calls. Those that come while others are written share a statement.

import { emit, type WrittenDelivery, writtenDeliveries } from '../../platform/postgres/emit.ts'
import { none, shareStatement, skipLocked } from '../../platform/postgres/share-statement.ts'
import type { Fragment, Pool, Sql } from '../../platform/postgres/sql.ts'
import { permits, sources } from '../../platform/postgres/states.ts'
import { type CallId, type EventId, newId } from '../../shared/ids.ts'
import { callMachines } from '../call.machine.ts'
import type { Change } from '../call.messages.ts'
import type { CallRow } from '../call.ts'
import { appended, entriesOf } from './call-timeline.store.ts'

export type ChangeResult =
  | { readonly type: 'committed'; readonly deliveries: readonly WrittenDelivery[] }
  | { readonly type: 'fenced' }

interface Owned {
  readonly id: CallId
  readonly epoch: number
}

interface Single extends Owned {
  readonly change: Change
}

type MaybeDelivery = WrittenDelivery | { readonly deliveryId: null }

/** Two keep Postgres busy while one of them waits for the disk. More would share less. */
const width = 2
const maxItems = 64
const maxWaiting = 20_000

/** Commits all changes of a turn or none, each with its event, deliveries and timeline. */
export function createCallChanges(sql: Pool) {
  const changeOne = shareStatement<Single, ChangeResult>({
    one: async (single) => (await changeOnce(sql, single, none(sql))) ?? { type: 'fenced' },
    now: async (all) =>
      all.length > 1
        ? changeMany(sql, all)
        : Promise.all(all.map((single) => changeOnce(sql, single, skipLocked(sql)))),
    ...{ width, maxItems, maxWaiting },
  })
  return (id: CallId, epoch: number, changes: readonly Change[]): Promise<ChangeResult> => {
    const [only] = changes
    if (changes.length === 1 && only) return changeOne({ id, epoch, change: only })
    return changeTogether(sql, { id, epoch }, changes)
  }
}

async function changeTogether(sql: Pool, call: Owned, changes: readonly Change[]): Promise<ChangeResult> {
  return sql.begin(async (begun): Promise<ChangeResult> => {
    const tx = begun as unknown as Sql
    const deliveries: WrittenDelivery[] = []
    for (const change of changes) {
      const result = await changeOnce(tx, { ...call, change }, none(tx))
      // Only the first statement can be fenced: it locks the row.
      if (result?.type !== 'committed') return { type: 'fenced' }
      deliveries.push(...result.deliveries)
    }
    return { type: 'committed', deliveries }
  })
}

/** The actor has checked its own state. This checks the row, which another owner may have moved. */
const permitted = (sql: Sql, { direction, status }: CallRow) => sql`
  status = ${status} or status in (${sources(sql, callMachines[direction], status)})`

/** Undefined where there is no such row, or where others have locked it and `wait` says to skip it. */
async function changeOnce(
  sql: Sql,
  { id, epoch, change }: Single,
  wait: Fragment,
): Promise<ChangeResult | undefined> {
  const { row, body, notes } = change
  // Most intents tell nobody: they name no table of events.
  const told = body === null ? undefined : { eventId: newId('event'), body }
  const rows = await sql<({ found: boolean; moved: boolean } & MaybeDelivery)[]>`
    with locked as (
      select id, last_event_id from calls where id = ${id} for no key update ${wait}
    ),
    moved as (
      update calls c
      set wacid = ${row.wacid},
        status = ${row.status},
        version = ${row.version},
        forward_state = ${row.forwardState},
        forward_started_at = ${row.forwardStartedAt},
        last_forward_error = ${row.lastForwardError as never}::jsonb,
        pending_action = ${row.pendingAction},
        action_id = ${row.actionId},
        action_at = ${row.actionAt},
        answer_hash = decode(${row.answerHash}, 'hex'),
        doubt_hash = decode(${row.doubtHash}, 'hex'),
        end_reason = ${row.endReason},
        error = ${row.error as never}::jsonb,
        ringing_at = ${row.ringingAt},
        accepted_at = ${row.acceptedAt},
        ended_at = ${row.endedAt},
        duration_seconds = ${row.durationSeconds},
        heard_at = ${row.heardAt},
        wake_at = ${row.wakeAt},
        owner_sid = case when ${change.isLast === true} then null else c.owner_sid end,
        last_event_id = coalesce(${told?.eventId ?? null}::uuid, c.last_event_id),
        timeline = ${appended(sql, sql`${entriesOf(notes) as never}::jsonb`)},
        updated_at = now()
      from locked
      where c.id = locked.id and c.owner_epoch = ${epoch} and (${permitted(sql, row)})
      returning c.id, c.workspace_id, locked.last_event_id as after
    )
    -- The owner before may have died with the event before, which then waits for the sweeper.
    ${told ? sql`, ${occurred(sql, told, sql`moved`)}, ${emit(sql)}` : sql``}
    select exists (select from locked) as found, exists (select from moved) as moved, written.*
    from (values (true)) always
    left join (${told ? writtenDeliveries(sql) : sql`select null::uuid as delivery_id`}) written on true`
  if (!rows[0]?.found) return undefined
  return rows[0].moved ? { type: 'committed', deliveries: writtenOf(rows) } : { type: 'fenced' }
}

/** The CTE `occurred` of one call: `from` has its id, its workspace and the event before as `after`. */
export const occurred = (
  sql: Sql,
  { eventId, body }: { readonly eventId: EventId; readonly body: string },
  from: Fragment,
) => sql`
  occurred as (
    select ${eventId}::uuid as event_id, workspace_id, 'call.status' as kind, id as key,
      ${Buffer.from(body)}::bytea as body, null::uuid as routed_to, after
    from ${from}
  )`

/** A row as the statement for many reads it. Field by field: spreading would take five times the memory. */
const inputOf = ({ id, epoch, change: { row, body, notes, isLast } }: Single) => ({
  id,
  epoch,
  event_id: body === null ? null : newId('event'),
  body,
  is_last: isLast === true,
  wacid: row.wacid,
  status: row.status,
  version: row.version,
  forward_state: row.forwardState,
  forward_started_at: row.forwardStartedAt,
  last_forward_error: row.lastForwardError,
  pending_action: row.pendingAction,
  action_id: row.actionId,
  action_at: row.actionAt,
  answer_hash: row.answerHash,
  doubt_hash: row.doubtHash,
  end_reason: row.endReason,
  error: row.error,
  ringing_at: row.ringingAt,
  accepted_at: row.acceptedAt,
  ended_at: row.endedAt,
  duration_seconds: row.durationSeconds,
  heard_at: row.heardAt,
  wake_at: row.wakeAt,
  entries: entriesOf(notes),
})

type ManyRow = {
  readonly callId: CallId
  readonly callEpoch: number
  readonly moved: boolean
} & MaybeDelivery

/**
 * Rows that others have locked are left out: they would hold up all others, and could deadlock with them. A call may be
 * there twice, with two epochs: at most one of them is the epoch of the row.
 */
async function changeMany(sql: Sql, all: readonly Single[]): Promise<readonly (ChangeResult | undefined)[]> {
  const rows = await sql<ManyRow[]>`
    with input as (
      select *
      from jsonb_to_recordset(${all.map(inputOf) as never}::jsonb) as one (id uuid, epoch bigint, event_id uuid, body text,
        is_last boolean, wacid text, status text, version bigint, forward_state text, forward_started_at timestamptz,
        last_forward_error jsonb, pending_action text, action_id uuid, action_at timestamptz, answer_hash text,
        doubt_hash text, end_reason text, error jsonb, ringing_at timestamptz, accepted_at timestamptz,
        ended_at timestamptz, duration_seconds integer, heard_at timestamptz, wake_at timestamptz, entries jsonb)
    ),
    locked as (
      select id, last_event_id
      from calls
      where id = any(${all.map(({ id }) => id)}::uuid[])
      order by id
      for no key update skip locked
    ),
    moved as (
      update calls c
      set wacid = i.wacid, status = i.status, version = i.version, forward_state = i.forward_state,
        forward_started_at = i.forward_started_at, last_forward_error = nullif(i.last_forward_error, 'null'),
        pending_action = i.pending_action, action_id = i.action_id, action_at = i.action_at,
        answer_hash = decode(i.answer_hash, 'hex'), doubt_hash = decode(i.doubt_hash, 'hex'),
        end_reason = i.end_reason, error = nullif(i.error, 'null'), ringing_at = i.ringing_at,
        accepted_at = i.accepted_at, ended_at = i.ended_at, duration_seconds = i.duration_seconds,
        heard_at = i.heard_at, wake_at = i.wake_at,
        owner_sid = case when i.is_last then null else c.owner_sid end,
        last_event_id = coalesce(i.event_id, c.last_event_id),
        timeline = ${appended(sql, sql`i.entries`)},
        updated_at = now()
      from locked
      join input i on i.id = locked.id
      where c.id = locked.id and c.owner_epoch = i.epoch and case c.direction
        when 'INBOUND' then ${permits(sql, callMachines.INBOUND, { from: sql`c.status`, to: sql`i.status` })}
        else ${permits(sql, callMachines.OUTBOUND, { from: sql`c.status`, to: sql`i.status` })}
      end
      returning c.id, c.workspace_id, i.epoch, i.event_id, i.body, locked.last_event_id as after
    ),
    occurred as (
      select event_id, workspace_id, 'call.status' as kind, id as key, convert_to(body, 'utf8') as body,
        null::uuid as routed_to, after
      from moved
      where event_id is not null
    ),
    ${emit(sql)}
    select i.id as call_id, i.epoch as call_epoch, moved.id is not null as moved, written.*
    from input i
    join locked on locked.id = i.id
    left join moved on moved.id = i.id and moved.epoch = i.epoch
    left join (${writtenDeliveries(sql)}) written on written.event_id = moved.event_id`
  const byCall = groupedBy(rows, ({ callId, callEpoch }) => `${callId} ${callEpoch}`)
  return all.map(({ id, epoch }) => {
    const own = byCall.get(`${id} ${epoch}`)
    if (own === undefined) return undefined
    return own[0]?.moved ? { type: 'committed', deliveries: writtenOf(own) } : { type: 'fenced' }
  })
}

/** The rows of each item of a statement for many. */
export function groupedBy<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>()
  for (const row of rows) {
    const group = groups.get(keyOf(row))
    if (group) group.push(row)
    else groups.set(keyOf(row), [row])
  }
  return groups
}

/** The deliveries in the rows of a statement that always returns at least one row. */
export const writtenOf = (
  rows: readonly (WrittenDelivery | { readonly deliveryId: null })[],
): WrittenDelivery[] => rows.filter((row) => row.deliveryId !== null) as WrittenDelivery[]
