// The pieces a turn is made of: keep, save, move, and one after the other.
import type { ReplyTo, Step } from '../actors/actor.ts'
import type { CallStatus } from '../contract/records/call.ts'
import { hasEnded, mayBecome } from './call.machine.ts'
import type {
  CallOut,
  CallReply,
  CallState,
  CallTx,
  Change,
  Command,
  Note,
  ProviderRefusal,
  Turn,
} from './call.messages.ts'
import { type CallProgress, type CallRow, statusBody } from './call.ts'

export type CallStep = Step<CallState, CallTx, CallOut>

export const keep = (state: CallState, ...effects: CallOut[]): CallStep => ({ state, effects })

export const replyTo = (to: ReplyTo | undefined, value: CallReply): CallOut[] =>
  to === undefined ? [] : [{ type: 'reply', to, value }]

export const answerWith = (turn: Turn, state: CallState, value: CallReply): CallStep =>
  keep(state, ...replyTo(turn.replyTo, value))

/** Both steps as one: committed together, effects in order. */
export function andThen(first: CallStep, next: (state: CallState) => CallStep): CallStep {
  const second = next(first.state)
  const tx = [...(first.tx ?? []), ...(second.tx ?? [])].reduce(merged, [])
  return {
    state: second.state,
    ...(tx.length > 0 && { tx }),
    effects: [...first.effects, ...second.effects],
  }
}

/** Only two transitions need two statements: each statement carries one event. */
function merged(changes: readonly Change[], next: Change): readonly Change[] {
  const last = changes.at(-1)
  if (last === undefined || (last.body !== null && next.body !== null)) return [...changes, next]
  const both = { row: next.row, body: last.body ?? next.body, notes: [...last.notes, ...next.notes] }
  return [...changes.slice(0, -1), both]
}

/** Writes the row without a transition: nobody is told. */
export function save(state: CallState, patch: Partial<CallProgress>, ...notes: Note[]): CallStep {
  const row = { ...state.row, ...patch }
  return { state: { ...state, row }, tx: [{ row, body: null, notes }], effects: [] }
}

/** An allowed transition: version + 1 and exactly one `call.status`. Anything else changes nothing. */
export function move(
  turn: Turn,
  state: CallState,
  to: CallStatus,
  options: { readonly patch?: Partial<CallProgress>; readonly note?: Note; readonly reply?: CallReply } = {},
): CallStep {
  if (!mayBecome(state.row, to)) return keep(state)
  const row: CallRow = { ...state.row, ...options.patch, status: to, version: state.row.version + 1 }
  const detail = { status: to, ...(row.endReason !== null && { endReason: row.endReason }) }
  const kept = hasEnded(row) ? (state.command?.notes ?? []) : []
  const notes = [...kept, ...(options.note ? [options.note] : []), { at: turn.at, kind: 'status', detail }]
  const tx = [{ row, body: statusBody(row, turn.at), notes }]
  const moved: CallStep = { state: { ...state, row }, tx, effects: [] }
  return hasEnded(row) ? andThen(moved, (last) => leave(last, options.reply ?? { type: 'ended' })) : moved
}

/** Ends the call: whoever waits hears of it, and the SDP is gone. */
export function end(
  turn: Turn,
  state: CallState,
  to: CallStatus,
  options: { readonly patch: Partial<CallProgress>; readonly note?: Note; readonly reply?: CallReply },
): CallStep {
  const patch = { endedAt: turn.at, pendingAction: null, actionId: null, actionAt: null, ...options.patch }
  return move(turn, state, to, { ...options, patch })
}

function leave(state: CallState, reply: CallReply): CallStep {
  const waiting = state.command?.waiting ?? []
  return {
    state: { ...state, session: null, command: null },
    effects: [...waiting.flatMap((to) => replyTo(to, reply)), { type: 'dropSession' }],
  }
}

/** Answers everybody who waits for the pending action and forgets it. */
export function settle(
  state: CallState,
  patch: Partial<CallProgress>,
  reply: CallReply,
  ...notes: Note[]
): CallStep {
  const { waiting = [], notes: kept = [] } = state.command ?? {}
  const cleared = { pendingAction: null, actionId: null, actionAt: null, ...patch }
  return andThen(save({ ...state, command: null }, cleared, ...kept, ...notes), (last) =>
    keep(last, ...waiting.flatMap((to) => replyTo(to, reply))),
  )
}

/** One more who waits for the pending action. */
export function join(turn: Turn, state: CallState): CallStep {
  const command = state.command
  if (command === null || turn.replyTo === undefined) return keep(state)
  return keep({ ...state, command: { ...command, waiting: [...command.waiting, turn.replyTo] } })
}

export const newCommand = (turn: Turn, ownSdp: string | null): Command => ({
  ownSdp,
  waiting: turn.replyTo === undefined ? [] : [turn.replyTo],
  notes: [],
  isRepeat: false,
})

export const refusalNote = (turn: Turn, kind: string, error: ProviderRefusal): Note => ({
  at: turn.at,
  kind,
  detail: { code: error.code, title: error.title },
})

export const secondsBetween = (from: Date | null, to: Date): number =>
  from === null ? 0 : Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000))
