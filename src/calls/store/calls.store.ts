// The rows of calls: ownership and lookups. call-begin.store.ts writes their first rows, call-changes.store.ts changes them.

import type { Owned } from '../../platform/actors/actor.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import type { CallId, EndpointId, WorkspaceId } from '../../shared/ids.ts'
import { Lru } from '../../shared/lru.ts'
import type { TerminateFacts } from '../call.messages.ts'
import type { CallRow } from '../call.ts'
import type { EarlyTerminate, NewEarlyTerminate } from '../ports.ts'
import { createCallChanges } from './call-changes.store.ts'

export type CallsStore = ReturnType<typeof createCallsStore>

export interface TakenCall {
  readonly row: CallRow
  readonly route: readonly EndpointId[]
  readonly epoch: number
  readonly silentMs: number
  /** The end of the call, where its terminate came before the call was known. */
  readonly earlyTerminate: TerminateFacts | null
}

export interface TakeOptions {
  readonly sid: string
  /** The ownership directory is unreachable: take only a row that no other session owns. */
  readonly exclusive: boolean
  /** A session that is known to be dead: a row that it owned needs no silence. */
  readonly deadSid?: string | undefined
  readonly silenceMs: number
}

/** The columns of a CallRow; `c`, `n` and `p` are its call, number and contact (person). */
const callColumns = (sql: Sql) => sql`
  c.id, c.workspace_id, c.conversation_id, c.number_id, c.contact_id, c.wacid, c.direction, c.status, c.version,
  c.from_name, c.forward_state, c.forward_started_at, c.last_forward_error, c.pending_action, c.action_id,
  c.action_at, encode(c.answer_hash, 'hex') as answer_hash, encode(c.doubt_hash, 'hex') as doubt_hash, c.end_reason,
  c.error, c.ringing_at, c.accepted_at, c.ended_at, c.duration_seconds, c.heard_at, c.wake_at, c.created_at, n.number, n.phone_number_id, p.wa_id as contact_address, p.user_id, p.username`

/**
 * The endpoints that get the direct events of call `c` on number `n`: the endpoint of a number set to
 * Forward. On any other number, the answer to a placed call goes to all endpoints that list call.accepted,
 * because nothing else carries it.
 */
export const callRoute = (sql: Sql) => sql`
  case
    when n.forward_calls then array[n.endpoint_id]
    when c.direction = 'OUTBOUND' then array(
      select e.id
      from endpoints e
      where e.workspace_id = c.workspace_id and e.deleted_at is null and 'call.accepted' = any(e.events)
      order by e.id)
    else '{}'::uuid[]
  end`

const rememberedCalls = 20_000

export const createCallsStore = (sql: Pool, byWacid = new Lru<CallId>(rememberedCalls)) => ({
  /**
   * Takes ownership by writing a new epoch: only the owner with the current epoch can change the row. Looks for an early
   * terminate, too: whoever began the call may have died before it did. One that is written later finds the call.
   */
  async take(id: string, options: TakeOptions): Promise<TakenCall | undefined> {
    const { sid, deadSid = null } = options
    type Taken = CallRow & { ownerEpoch: number } & Pick<TakenCall, 'silentMs' | 'earlyTerminate'> & {
        route: EndpointId[]
      }
    const [taken] = await sql<Taken[]>`
      update calls c
      set owner_epoch = nextval('actor_epoch'),
        owner_sid = ${sid},
        act_after = case
          when c.owner_sid is null or c.owner_sid in (${sid}, ${deadSid}) then c.act_after
          else clock_timestamp() + ${options.silenceMs} * interval '1 millisecond'
        end
      from numbers n, contacts p
      where c.id = ${id}
        and n.id = c.number_id
        and p.id = c.contact_id
        and (not ${options.exclusive} or c.owner_sid is null or c.owner_sid = ${sid})
      returning ${callColumns(sql)}, ${callRoute(sql)} as route, c.owner_epoch,
        greatest(0, extract(epoch from c.act_after - clock_timestamp()) * 1000)::float8 as silent_ms,
        (select jsonb_build_object('durationSeconds', t.duration_seconds, 'error', t.error)
          from call_tombstones t where t.wacid = c.wacid) as early_terminate`
    if (!taken) return undefined
    const { route, ownerEpoch, silentMs, earlyTerminate, ...row } = taken
    return { row, route, epoch: ownerEpoch, silentMs, earlyTerminate }
  },

  change: createCallChanges(sql),

  ...owners(sql),

  /** Gives up ownership, so that the next owner need not stay silent. */
  async release(
    owned: readonly { readonly id: string; readonly epoch: number }[],
    sid: string,
  ): Promise<void> {
    await sql`
      update calls
      set owner_sid = null
      from unnest(${owned.map((one) => one.id)}::uuid[], ${owned.map((one) => one.epoch)}::bigint[]) as owned (id, epoch)
      where calls.id = owned.id and owner_sid = ${sid} and owner_epoch = owned.epoch`
  },

  /** Calls whose `wake_at` is overdue because the timer of their owner did not run: the reaper wakes them. */
  async wakeDue(overdueMs: number, limit: number): Promise<CallId[]> {
    const rows = await sql<{ id: CallId }[]>`
      select id
      from calls
      where wake_at < now() - ${overdueMs} * interval '1 millisecond'
      order by wake_at
      limit ${limit}`
    return rows.map((row) => row.id)
  },

  async find(workspaceId: WorkspaceId, id: CallId): Promise<CallRow | undefined> {
    const [row] = await sql<CallRow[]>`
      select ${callColumns(sql)}
      from calls c
      join numbers n on n.id = c.number_id
      join contacts p on p.id = c.contact_id
      where c.id = ${id} and c.workspace_id = ${workspaceId}`
    return row
  },

  async findByWacid(wacid: string): Promise<CallId | undefined> {
    const known = byWacid.get(wacid)
    if (known) return known
    const [row] = await sql<{ id: CallId }[]>`select id from calls where wacid = ${wacid}`
    if (row) byWacid.set(wacid, row.id)
    return row?.id
  },

  /** Remembers a call that this process has just begun. A wacid never changes, so the entry stays valid. */
  remember(wacid: string, id: CallId): void {
    byWacid.set(wacid, id)
  },

  isRemembered: (wacid: string): boolean => byWacid.get(wacid) !== undefined,

  /** Finds a placed call by our id, which the update carries, unless the call has another wacid. */
  async findPlaced(id: CallId, update: { readonly wacid: string; readonly phoneNumberId: string }) {
    const [row] = await sql<{ id: CallId }[]>`
      select c.id
      from calls c
      join numbers n on n.id = c.number_id
      where c.id = ${id}
        and c.direction = 'OUTBOUND'
        and n.phone_number_id = ${update.phoneNumberId}
        and (c.wacid is null or c.wacid = ${update.wacid})`
    return row?.id
  },

  async forgetEarlyTerminates(): Promise<void> {
    await sql`delete from call_tombstones where created_at < now() - interval '1 hour'`
  },

  /** Keeps the first terminate: of a known call, too, only the first one counts. */
  async addEarlyTerminate({ wacid, workspaceId, at, durationSeconds, error }: NewEarlyTerminate) {
    await sql`
      insert into call_tombstones (wacid, workspace_id, ended_at, duration_seconds, error)
      values (${wacid}, ${workspaceId}, ${at}, ${durationSeconds}, ${error as never}::jsonb)
      on conflict do nothing`
  },

  async earlyTerminatesOf(wacids: readonly string[]): Promise<ReadonlyMap<string, EarlyTerminate>> {
    const rows = await sql<(EarlyTerminate & { wacid: string })[]>`
      select wacid, duration_seconds, error, created_at as told_at, ended_at
      from call_tombstones
      where wacid = any(${wacids as string[]})`
    return new Map(rows.map(({ wacid, ...end }) => [wacid, end]))
  },
})

const owners = (sql: Pool) => ({
  async ownerOf(id: string): Promise<string | null | undefined> {
    const [row] = await sql<{ ownerSid: string | null }[]>`select owner_sid from calls where id = ${id}`
    return row?.ownerSid
  },

  /** Of the calls that this process believes it owns, those with another epoch; undefined: there is no such call. */
  async confirm(owned: readonly Owned[]): Promise<ReadonlyMap<string, number | undefined>> {
    const rows = await sql<{ id: string; ownerEpoch: number | null }[]>`
      select known.id, c.owner_epoch
      from unnest(${owned.map(({ id }) => id)}::uuid[], ${owned.map(({ epoch }) => epoch)}::bigint[])
          as known (id, epoch)
        left join calls c on c.id = known.id
      where c.owner_epoch is distinct from known.epoch`
    return new Map(rows.map((row) => [row.id, row.ownerEpoch ?? undefined]))
  },
})
