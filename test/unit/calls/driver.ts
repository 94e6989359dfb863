import { callActor } from '../../../src/calls/call.actor.ts'
import type {
  CallEffect,
  CallMessage,
  CallOut,
  CallReply,
  CallState,
  CallTiming,
  Change,
} from '../../../src/calls/call.messages.ts'
import type { CallRow } from '../../../src/calls/call.ts'
import type { CallStatusData } from '../../../src/contract/events.ts'
import type { ReplyTo } from '../../../src/platform/actors/actor.ts'
import { newId } from '../../../src/shared/ids.ts'

export const startMs = Date.UTC(2026, 10, 20, 14, 21, 3, 127)
export const timing: CallTiming = {
  ringTimeoutMs: 90_000,
  callTimeoutMs: 4 * 3_600_000,
  reforwardOnCrash: true,
}
export const endpointId = newId('endpoint')

const identity = {
  id: newId('call'),
  workspaceId: newId('workspace'),
  conversationId: newId('conversation'),
  numberId: newId('number'),
  contactId: newId('conversation'),
  fromName: 'Ines Prado',
  createdAt: new Date(startMs),
  number: '+15550001111',
  phoneNumberId: '106540352242922',
  contactAddress: '15551230000',
  userId: null,
  username: null,
}

const nothingYet = {
  version: 1,
  forwardState: null,
  forwardStartedAt: null,
  lastForwardError: null,
  pendingAction: null,
  actionId: null,
  actionAt: null,
  answerHash: null,
  doubtHash: null,
  endReason: null,
  error: null,
  ringingAt: null,
  acceptedAt: null,
  endedAt: null,
  durationSeconds: null,
  heardAt: null,
  wakeAt: null,
}

const at = (offsetMs: number): Date => new Date(startMs + offsetMs)

export const ringingRow = (patch: Partial<CallRow> = {}): CallRow => ({
  ...identity,
  ...nothingYet,
  direction: 'INBOUND',
  status: 'RINGING',
  wacid: 'wacid.IN01',
  ringingAt: at(0),
  ...patch,
})

export const forwardingRow = (patch: Partial<CallRow> = {}): CallRow =>
  ringingRow({ forwardState: 'ATTEMPTING', forwardStartedAt: at(0), ...patch })

export const placedRow = (patch: Partial<CallRow> = {}): CallRow => ({
  ...identity,
  ...nothingYet,
  direction: 'OUTBOUND',
  status: 'INITIATED',
  wacid: 'wacid.OUT01',
  ...patch,
})

export const placingRow = (): CallRow =>
  placedRow({ wacid: null, pendingAction: 'PLACE', actionId: 'place-1', actionAt: at(0) })

export const offer = { sdpType: 'offer', sdp: 'v=0 offer' } as const
export const sdpAnswer = { sdpType: 'answer', sdp: 'v=0 answer' } as const

type Asked = Extract<CallEffect, { type: 'askProvider' }>

/** One call and its actor, turn by turn, in simulated time. */
export class Drive {
  state: CallState
  readonly changes: Change[] = []
  readonly effects: CallOut[] = []
  #nowMs = startMs
  #asks = 0
  readonly #definition = callActor(timing)

  constructor(row: CallRow, patch: Partial<CallState> = {}) {
    const fresh = {
      route: [endpointId],
      session: null,
      command: null,
      isResumed: true,
      isCommandResumed: false,
      mayPlace: true,
      isDraining: false,
      isTerminated: false,
    }
    this.state = { row, ...fresh, ...patch }
  }

  get status(): string {
    return this.state.row.status
  }

  /** The statuses of the events so far. */
  get events(): string[] {
    return this.bodies.map(({ status }) => status)
  }

  get bodies(): CallStatusData[] {
    return this.changes.flatMap(({ body }) => (body === null ? [] : [JSON.parse(body).data]))
  }

  get asked(): Asked[] {
    return this.effects.filter((effect) => effect.type === 'askProvider')
  }

  get requests(): string[] {
    return this.asked.map(({ request }) => request)
  }

  get forwards() {
    return this.effects.filter((effect) => effect.type === 'forward')
  }

  get kinds(): string[] {
    return this.changes.flatMap(({ notes }) => notes.map(({ kind }) => kind))
  }

  count(type: CallOut['type']): number {
    return this.effects.filter((effect) => effect.type === type).length
  }

  /** The reply to an ask; undefined while it waits. */
  reply(to: ReplyTo): CallReply | undefined {
    const found = this.effects.find((effect) => effect.type === 'reply' && effect.to === to)
    return found?.type === 'reply' ? (found.value as CallReply) : undefined
  }

  tell(message: CallMessage): this {
    this.#turn(message, undefined)
    return this
  }

  ask(message: CallMessage): ReplyTo {
    this.#asks += 1
    const to = `ask-${this.#asks}` as ReplyTo
    this.#turn(message, to)
    return to
  }

  wait(ms: number): this {
    this.#nowMs += ms
    return this
  }

  /** Reports the outcome of the latest provider request. */
  provider(outcome: Extract<CallMessage, { type: 'providerAnswered' }>['outcome']): this {
    const last = this.asked.at(-1)
    if (!last) throw new Error('the provider was asked nothing')
    return this.tell({ type: 'providerAnswered', request: last.request, actionId: last.actionId, outcome })
  }

  #turn(message: CallMessage, replyTo: ReplyTo | undefined): void {
    const step = this.#definition.handle(this.state, { message, at: new Date(this.#nowMs), replyTo })
    this.state = step.state
    this.changes.push(...(step.tx ?? []))
    this.effects.push(...step.effects)
  }
}

export const ok = { type: 'ok' } as const
const error = { code: '100', title: 'Invalid parameter', details: null }
export const refused = { type: 'refused', error: { ...error, class: 'permanent' } } as const
export const callAnswered = { type: 'refused', error: { ...error, class: 'callAnswered' } } as const
export const callGone = { type: 'refused', error: { ...error, class: 'callGone' } } as const
export const unknown = { type: 'unknown', error: { ...error, code: 'TIMEOUT', class: 'retry' } } as const
export const notSent = { type: 'notSent', error: { ...error, code: 'UNREACHABLE', class: 'retry' } } as const

export const answer = (sdp: string, actionId = `answer-${sdp}`): CallMessage => ({
  type: 'answer',
  actionId,
  sdp,
  hash: `hash-${sdp}`,
})
export const preAccept = (sdp: string): CallMessage => ({
  type: 'preAccept',
  actionId: `pre-${sdp}`,
  sdp,
  hash: `hash-${sdp}`,
})
export const decline = { type: 'decline', actionId: 'decline-1' } as const
export const hangUp = { type: 'hangUp', actionId: 'hangup-1' } as const

export const connect = (row: CallRow, session: CallState['session']): CallMessage => ({
  type: 'providerConnect',
  wacid: row.wacid ?? 'wacid.OUT01',
  session,
})
export const status = (value: 'RINGING' | 'ACCEPTED' | 'REJECTED'): CallMessage => ({
  type: 'providerStatus',
  wacid: 'wacid.OUT01',
  status: value,
})
export const terminate = (
  facts: { durationSeconds?: number; error?: { code: string; title: string }; toldAt?: string } = {},
): CallMessage => ({
  type: 'providerTerminate',
  wacid: 'wacid.OUT01',
  ...(facts.toldAt !== undefined && { toldAt: facts.toldAt }),
  durationSeconds: facts.durationSeconds ?? null,
  error: facts.error ?? null,
})
