// One endpoint in simulated time: the real actor in the real directory, an outbox in memory, a receiver that
// the test controls, the sweeper, and owners that crash. Keeps every attempt that started.

import type { AttemptReport } from '../../../src/delivery/attempt.ts'
import { type EndpointTx, endpointActor } from '../../../src/delivery/endpoint.actor.ts'
import type { EndpointEffect, EndpointMessage } from '../../../src/delivery/endpoint.messages.ts'
import type { DirectItem, EndpointConfig, QueuedItem } from '../../../src/delivery/endpoint.ts'
import { type EndpointState, newEndpointState } from '../../../src/delivery/endpoint-state.ts'
import type { EndpointOptions } from '../../../src/delivery/endpoint-work.ts'
import { ProcessBudget } from '../../../src/delivery/process-budget.ts'
import type { ActorHost, EffectContext } from '../../../src/platform/actors/actor.ts'
import { ActorDirectory } from '../../../src/platform/actors/directory.ts'
import { newId } from '../../../src/shared/ids.ts'
import { MemoryOutbox, type Row, toItem } from '../../support/memory-outbox.ts'
import { MemoryDirectory } from '../../support/memory-ownership.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { config, https, ok } from './endpoint-driver.ts'

type Context = EffectContext<EndpointMessage>
type Host = ActorHost<EndpointState, EndpointMessage, EndpointTx, EndpointEffect>

export interface Started {
  readonly at: number
  readonly item: QueuedItem | DirectItem
  /** The number of the owner that made it, from one. */
  readonly owner: number
  endedAt?: number
}

/** What the receiver makes of an attempt, and after how long. */
export type Reception = { readonly report: AttemptReport; readonly afterMs: number }

export interface WorldOptions {
  readonly transport: 'https' | 'socket'
  readonly failures?: number
  readonly backlogBytes?: number
  readonly settings?: Partial<EndpointOptions>
}

const commitMs = 25
const pullMs = 3

export class EndpointWorld {
  readonly clock = new SimulatedClock()
  readonly outbox: MemoryOutbox
  processBudget: ProcessBudget
  readonly started: Started[] = []
  receive: (item: QueuedItem | DirectItem) => Reception = () => ({ report: ok, afterMs: 5 })
  pullsFail = false
  pulls = 0
  readonly #options: WorldOptions
  readonly #config: EndpointConfig
  readonly #redis = new MemoryDirectory()
  #owner = 0
  #actors: ActorDirectory<EndpointState, EndpointMessage, EndpointTx, EndpointEffect>

  /** How long a row takes from its commit to the owner, by its place: nodes may write different rows. */
  handOverMs: (place: number) => number = () => 0

  constructor(options: WorldOptions) {
    this.#options = options
    this.outbox = new MemoryOutbox(this.clock, options.failures)
    this.processBudget = this.#memory()
    const identity = { id: this.outbox.endpointId, workspaceId: newId('workspace') }
    this.#config = options.transport === 'https' ? https(identity) : config(identity)
    this.#actors = this.#start()
    this.#sweep()
  }

  get attempts(): (Started & { readonly item: QueuedItem })[] {
    return this.started.filter((one): one is Started & { item: QueuedItem } => 'deliveryId' in one.item)
  }

  emit(key: string, padding?: string): Row {
    const row = this.outbox.emit(key, padding)
    if (row.state !== 'PENDING') return row
    const message = { type: 'deliver' as const, items: [{ ...toItem(row), after: row.after }] }
    const lateMs = this.handOverMs(row.place)
    if (lateMs === 0) this.tell(message)
    else this.clock.after(lateMs, () => this.tell(message))
    return row
  }

  tell(message: EndpointMessage): void {
    void this.#actors.tell(this.outbox.endpointId, message)
  }

  call(body: string): Promise<unknown> {
    const item = { kind: 'call.ringing' as const, body, headers: {} }
    return this.#actors.ask(this.outbox.endpointId, { type: 'direct', item }, 12_000)
  }

  /** The owner dies and loses its memory; the next message activates another one. */
  crash(): void {
    this.#redis.declareDead(`node-${this.#owner}`)
    this.#actors.close()
    this.processBudget = this.#memory()
    this.#actors = this.#start()
  }

  turn(on: boolean): void {
    if (on) this.outbox.enable()
    else this.outbox.disable()
    this.tell({ type: 'configChanged' })
  }

  #memory(): ProcessBudget {
    return new ProcessBudget({ bytes: this.#options.backlogBytes ?? 64 * 1024 * 1024 })
  }

  #start() {
    this.#owner += 1
    const sid = `node-${this.#owner}`
    return new ActorDirectory({
      definition: endpointActor({
        idleCloseMs: 180_000,
        pingMs: 20_000,
        timeoutMs: 10_000,
        directTimeoutMs: 5_000,
        failurePauseMs: 2_000,
        retryDelaysMs: [10_000, 60_000, 300_000, 1_800_000, 7_200_000],
        random: () => 0,
        ...this.#options.settings,
      }),
      host: this.#host(this.#owner),
      ownership: this.#redis.join({ nodeId: sid, sid, address: sid }),
      clock: this.clock,
      guardMs: 2_500,
      confirmEveryMs: 1_000,
    })
  }

  #sweep(): void {
    this.clock.after(1_000, () => this.#sweep())
    this.outbox.holdForDisabled()
    if (this.outbox.isOverdue()) this.tell({ type: 'wake' })
  }

  #configNow(): EndpointConfig {
    const { enabled, consecutiveFailures, configVersion, turnedOnVersion } = this.outbox
    return { ...this.#config, enabled, consecutiveFailures, configVersion, turnedOnVersion }
  }

  #host(owner: number): Host {
    const { outbox, processBudget } = this
    return {
      load: async (id) => {
        const pending = outbox.pending({ exclude: [], first: 200, retries: 200 })
        const quota = processBudget.open(id, owner, this.#config.workspaceId)
        return {
          state: newEndpointState(this.#configNow(), pending, { quota, nowMs: this.clock.now() }),
          epoch: owner,
          silentMs: 0,
        }
      },
      ownerOf: async () => String(owner),
      commit: async () => ({ type: 'committed' }),
      run: (effect, context) => {
        if (owner === this.#owner) this.#run(effect, context)
      },
      confirm: async (owned) =>
        new Map(owned.filter(({ epoch }) => epoch !== owner).map(({ id }) => [id, owner])),
      release: async (owned) => owned.forEach(({ id, epoch }) => void processBudget.close(id, epoch)),
      dropped: (id, epoch) => processBudget.close(id, epoch),
    }
  }

  #run(effect: EndpointEffect, context: Context): void {
    const later = (ms: number, message: EndpointMessage) => this.clock.after(ms, () => context.post(message))
    switch (effect.type) {
      case 'post': {
        const { report, afterMs } = this.#begin(effect.item, context)
        return void later(afterMs, { type: 'posted', token: effect.token, report })
      }
      case 'dial': {
        const opening = { startedAtMs: this.clock.now(), timings: {}, remoteAddress: null }
        return void later(5, { type: 'dialled', token: effect.token, opening })
      }
      case 'frame': {
        const { report, afterMs } = this.#begin(effect.item, context)
        const { token, frame, ping } = effect
        const written = report.outcome.type === 'delivered'
        later(afterMs, { type: 'frameDone', token, frame, written })
        if (written && ping !== undefined) later(afterMs + 2, { type: 'pong', token, ping })
        return
      }
      case 'ping':
        return void later(2, { type: 'pong', token: effect.token, ping: effect.ping })
      case 'record':
        return void this.clock.after(commitMs, () => this.#record(effect.record, context))
      case 'pull':
        this.pulls += 1
        return void this.clock.after(pullMs, () => this.#pull(effect, context))
      case 'reload':
        return void later(1, { type: 'reloaded', token: effect.token, config: this.#configNow() })
    }
  }

  #begin(item: QueuedItem | DirectItem, context: Context): Reception {
    const reception = this.receive(item)
    const started: Started = { at: this.clock.now(), item, owner: context.epoch }
    this.started.push(started)
    this.clock.after(reception.afterMs, () => {
      started.endedAt = this.clock.now()
    })
    return { ...reception, report: { ...reception.report, durationMs: reception.afterMs } }
  }

  #record(record: Extract<EndpointEffect, { type: 'record' }>['record'], context: Context): void {
    const { retries, endpoints } = this.outbox.record([record])
    for (const { deliveryId, attemptNumber, delayMs } of retries) {
      this.clock.after(delayMs, () => {
        const item = this.outbox.dueRetry(deliveryId, attemptNumber)
        if (item) this.tell({ type: 'deliver', items: [item] })
      })
    }
    const enabled = endpoints[0]?.enabled ?? true
    context.post({ type: 'recorded', deliveryIds: [record.item.deliveryId], enabled })
  }

  #pull({ token, ...wish }: Extract<EndpointEffect, { type: 'pull' }>, context: Context): void {
    if (this.pullsFail) return context.post({ type: 'pullFailed', token })
    context.post({ type: 'pulled', token, ...this.outbox.pending(wish) })
  }
}
