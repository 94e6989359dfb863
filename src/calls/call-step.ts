// Building blocks of a call's turn: replies, row changes, transitions, and how steps are combined.

import type { CallStatus } from '../contract/records/call.ts'
import type { ReplyTo, Step } from '../platform/actors/actor.ts'
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
  StepContext,
} from './call.messages.ts'
import { type CallProgress, statusBody } from './call.ts'
import { changedRow, movedRow } from './call-row.ts'

export type CallStep = Step<CallState, CallTx, CallOut>

export const step = (state: CallState, ...effects: CallOut[]): CallStep => ({ state, effects })

export const replyTo = (to: ReplyTo | undefined, value: CallReply): CallOut[] =>
  to === undefined ? [] : [{ type: 'reply', to, value }]

export const answerWith = (context: StepContext, state: CallState, value: CallReply): CallStep =>
  step(state, ...replyTo(context.replyTo, value))

/** Combines two steps into one: they are committed together, and their effects keep their order. */
export function andThen(first: CallStep, next: (state: CallState) => CallStep): CallStep {
  const second = next(first.state)
  if (first.tx === undefined && first.effects.length === 0) return second
  const { state } = second
  const effects = second.effects.length === 0 ? first.effects : [...first.effects, ...second.effects]
  if (first.tx === undefined && second.tx === undefined) return { state, effects }
  return { state, tx: [...(first.tx ?? []), ...(second.tx ?? [])].reduce(merged, []), effects }
}

/** Merges two changes unless both are transitions: each statement can carry only one event. */
function merged(changes: readonly Change[], next: Change): readonly Change[] {
  const last = changes.at(-1)
  if (last === undefined || (last.body !== null && next.body !== null)) return [...changes, next]
  const both = { row: next.row, body: last.body ?? next.body, notes: [...last.notes, ...next.notes] }
  return [...changes.slice(0, -1), both]
}

/** Writes the row without a transition and without an event. */
export function save(state: CallState, patch: Partial<CallProgress>, ...notes: Note[]): CallStep {
  const row = changedRow(state.row, patch)
  return { state: { ...state, row }, tx: [{ row, body: null, notes }], effects: [] }
}

/** A permitted transition: version + 1 and exactly one `call.status`. A forbidden one changes nothing. */
export function move(
  context: StepContext,
  state: CallState,
  to: CallStatus,
  options: { readonly patch?: Partial<CallProgress>; readonly note?: Note; readonly reply?: CallReply } = {},
): CallStep {
  if (!mayBecome(state.row, to)) return step(state)
  const row = movedRow(state.row, to, options.patch ?? {})
  const { endReason } = row
  const detail = endReason === null ? { status: to } : { status: to, endReason }
  const kept = hasEnded(row) ? (state.command?.notes ?? []) : []
  const notes = [...kept, ...(options.note ? [options.note] : []), { at: context.at, kind: 'status', detail }]
  const tx = [{ row, body: statusBody(row, context.at), notes }]
  const moved: CallStep = { state: { ...state, row }, tx, effects: [] }
  return hasEnded(row) ? andThen(moved, (last) => leave(last, options.reply ?? { type: 'ended' })) : moved
}

/** Ends the call, replies to all waiting requests and drops the SDP. */
export function end(
  context: StepContext,
  state: CallState,
  to: CallStatus,
  options: { readonly patch: Partial<CallProgress>; readonly note?: Note; readonly reply?: CallReply },
): CallStep {
  const patch = { endedAt: context.at, pendingAction: null, actionId: null, actionAt: null, ...options.patch }
  return move(context, state, to, { ...options, patch })
}

function leave(state: CallState, reply: CallReply): CallStep {
  const waiting = state.command?.waiting ?? []
  return {
    state: { ...state, session: null, command: null },
    effects: [...waiting.flatMap((to) => replyTo(to, reply)), { type: 'dropSdp' }],
  }
}

/** Replies to all requests that wait for the pending action, and clears the action. */
export function settle(
  state: CallState,
  patch: Partial<CallProgress>,
  reply: CallReply,
  ...notes: Note[]
): CallStep {
  const { waiting = [], notes: kept = [] } = state.command ?? {}
  const cleared = { pendingAction: null, actionId: null, actionAt: null, ...patch }
  return andThen(save({ ...state, command: null }, cleared, ...kept, ...notes), (last) =>
    step(last, ...waiting.flatMap((to) => replyTo(to, reply))),
  )
}

/** Adds the request to those that wait for the pending action. */
export function join(context: StepContext, state: CallState): CallStep {
  const command = state.command
  if (command === null || context.replyTo === undefined) return step(state)
  return step({ ...state, command: { ...command, waiting: [...command.waiting, context.replyTo] } })
}

export const newCommand = (context: StepContext, ownSdp: string | null): Command => ({
  ownSdp,
  waiting: context.replyTo === undefined ? [] : [context.replyTo],
  notes: [],
  isRepeat: false,
})

export const refusalNote = (context: StepContext, kind: string, error: ProviderRefusal): Note => ({
  at: context.at,
  kind,
  detail: { code: error.code, title: error.title },
})

export const secondsBetween = (from: Date | null, to: Date): number =>
  from === null ? 0 : Math.max(0, Math.round((to.getTime() - from.getTime()) / 1000))
