// Drives the endpoint actor by hand: sends it messages and keeps the effects that it asks for.

import { type AttemptReport, failure } from '../../../src/delivery/attempt.ts'
import { type EndpointActor, endpointActor } from '../../../src/delivery/endpoint.actor.ts'
import type { EndpointMessage, Pulled } from '../../../src/delivery/endpoint.messages.ts'
import type { EndpointConfig, QueuedItem } from '../../../src/delivery/endpoint.ts'
import { type EndpointState, newEndpointState } from '../../../src/delivery/endpoint-state.ts'
import { reportOf } from '../../../src/delivery/endpoint-work.ts'
import { ProcessBudget } from '../../../src/delivery/process-budget.ts'
import type { ReplyTo } from '../../../src/platform/actors/actor.ts'
import { newId } from '../../../src/shared/ids.ts'

type Out = ReturnType<EndpointActor['handle']>['effects'][number]
type Of<Type extends Out['type']> = Extract<Out, { type: Type }>

export const config = (patch: Partial<EndpointConfig> = {}): EndpointConfig => ({
  id: newId('endpoint'),
  workspaceId: newId('workspace'),
  url: 'wss://receiver.test/events',
  transport: 'socket',
  secret: 'whsec_AAAA',
  previousSecret: null,
  enabled: true,
  configVersion: 1,
  turnedOnVersion: 0,
  consecutiveFailures: 0,
  staysOpen: false,
  ...patch,
})

export const item = (patch: Partial<QueuedItem> = {}): QueuedItem => ({
  deliveryId: newId('delivery'),
  kind: 'message.status',
  key: newId('conversation'),
  eventId: newId('event'),
  after: null,
  body: '{"event":"message.status"}',
  attemptNumber: 1,
  replay: false,
  ...patch,
})

export const ok: AttemptReport = reportOf({ type: 'delivered', statusCode: 200 }, 5)
export const failed: AttemptReport = reportOf({ type: 'refused', statusCode: 500 }, 5)
export const unreachable: AttemptReport = reportOf(failure('CONNECT_REFUSED'), 5)

const none = { first: false, retries: false }

export class Driver {
  readonly actor: EndpointActor
  readonly state: EndpointState
  readonly #start = Date.UTC(2026, 0, 1)
  nowMs = 0
  effects: Out[] = []

  constructor(
    endpoint: EndpointConfig,
    pending: Pulled = { items: [], more: none },
    processBudget = new ProcessBudget({ bytes: 64 * 1024 * 1024 }),
  ) {
    this.actor = endpointActor({
      idleCloseMs: 180_000,
      pingMs: 20_000,
      timeoutMs: 10_000,
      directTimeoutMs: 5_000,
      failurePauseMs: 2_000,
      retryDelaysMs: [10_000, 60_000],
      random: () => 0,
    })
    const quota = processBudget.open(endpoint.id, 1, endpoint.workspaceId)
    this.state = newEndpointState(endpoint, pending, { quota, nowMs: this.#start })
  }

  at(): Date {
    return new Date(this.#start + this.nowMs)
  }

  /** Handles one message; returns the effects. */
  tell(message: EndpointMessage, replyTo?: string): Out[] {
    const at = this.at()
    const step = this.actor.handle(this.state, { message, at, replyTo: replyTo as ReplyTo | undefined })
    this.effects.push(...step.effects)
    return [...step.effects]
  }

  of<Type extends Out['type']>(type: Type, effects: readonly Out[] = this.effects): Of<Type>[] {
    return effects.filter((effect): effect is Of<Type> => effect.type === type)
  }

  last<Type extends Out['type']>(type: Type): Of<Type> {
    const found = this.of(type).at(-1)
    if (!found) throw new Error(`no ${type} was asked for`)
    return found
  }

  /** Opens the socket that the last effects asked for; returns its token. */
  open(): number {
    const { token } = this.last('dial')
    const opening = { startedAtMs: this.at().getTime(), timings: {}, remoteAddress: null }
    this.tell({ type: 'dialled', token, opening })
    return token
  }

  /** Answers the last pull. */
  pulled(items: readonly QueuedItem[], more: Partial<Pulled['more']> = {}): Out[] {
    return this.tell({ type: 'pulled', token: this.last('pull').token, items, more: { ...none, ...more } })
  }

  /** Answers the last reload, or tells a configuration that nobody asked for. */
  reloaded(endpoint: EndpointConfig | null): Out[] {
    return this.tell({ type: 'reloaded', token: this.state.reloading ?? 0, config: endpoint })
  }

  /** The socket accepts every frame that waits. */
  writeAll(): void {
    for (const effect of this.of('frame')) {
      this.tell({ type: 'frameDone', token: effect.token, frame: effect.frame, written: true })
    }
  }

  /** The pings so far, alone and behind frames. */
  pings(): { readonly token: number; readonly ping: number }[] {
    return this.effects.flatMap((effect) => {
      if (effect.type !== 'ping' && effect.type !== 'frame') return []
      const { token, ping } = effect
      return ping === undefined ? [] : [{ token, ping }]
    })
  }

  /** The receiver answers every ping so far: it has read what the socket took before them. */
  pongAll(): void {
    for (const ping of this.pings()) this.tell({ type: 'pong', ...ping })
  }

  /** The receiver reads every frame that waits, in as many round trips as that takes. */
  readAll(): void {
    for (let sent = -1; sent < this.of('frame').length; ) {
      sent = this.of('frame').length
      this.writeAll()
      this.pongAll()
      this.pongAll()
    }
  }

  records() {
    return this.of('record').map((effect) => effect.record)
  }

  /** Every request under way fails, and the pause after it is over. */
  failAll(): void {
    this.answerAll(failed)
    if (this.state.isResting) this.tell({ type: 'rested' })
  }

  /** Gives every request under way the same report; returns how many there were. */
  answerAll(report: AttemptReport): number {
    const tokens = [...this.state.posts.keys()]
    for (const token of tokens) this.tell({ type: 'posted', token, report })
    return tokens.length
  }
}

export const https = (patch: Partial<EndpointConfig> = {}): EndpointConfig =>
  config({ url: 'https://receiver.test/events', transport: 'https', ...patch })
