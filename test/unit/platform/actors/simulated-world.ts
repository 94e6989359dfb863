// Several nodes with the real directory over models of Postgres and Redis, in simulated time, with pauses,
// crashes and rollbacks drawn from a seed. Records every durable write and every effect with its epoch.
import type { ActorDefinition, ActorHost } from '../../../../src/platform/actors/actor.ts'
import { ActorDirectory } from '../../../../src/platform/actors/directory.ts'
import type { Ownership } from '../../../../src/platform/actors/ownership.ts'
import type { Clock, Timer } from '../../../../src/shared/clock.ts'
import type { MemoryDirectory } from '../../../support/memory-ownership.ts'
import type { SimulatedClock } from '../../../support/simulated-clock.ts'

type Message = { readonly type: 'write' } | { readonly type: 'act' }
type Tx = { readonly writes: number }
type Effect = { readonly type: 'act' }
interface State {
  readonly writes: number
}

const definition: ActorDefinition<State, Message, Tx, Effect> = {
  kind: 'endpoint',
  mailboxLimit: 50,
  fromOthers: new Set(['write', 'act']),
  repeatable: new Set(),
  idleAfterMs: () => 20_000,
  isGuarded: (effect) => effect.type === 'act',
  handle(state, { message }) {
    const effects = [{ type: 'act' as const }]
    if (message.type === 'act') return { state, effects }
    const writes = state.writes + 1
    return { state: { writes }, tx: { writes }, effects }
  },
}

export interface Deed {
  readonly type: 'write' | 'act'
  readonly at: number
  readonly epoch: number
  readonly sid: string
}

/** mulberry32: small, seeded, good enough to draw faults from. */
export function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let value = Math.imul(state ^ (state >>> 15), 1 | state)
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** One row with the ownership columns. A statement is one instant; a successful `commit` is a deed. */
export class ModelRow {
  readonly deeds: Deed[] = []
  readonly grants: { readonly epoch: number; readonly sid: string }[] = []
  writes = 0
  #epoch = 0
  #ownerSid: string | undefined
  #actAfter = 0
  readonly #clock: Clock
  readonly #silenceMs: number

  constructor(clock: Clock, silenceMs: number) {
    this.#clock = clock
    this.#silenceMs = silenceMs
  }

  get ownerSid(): string | undefined {
    return this.#ownerSid
  }

  get epoch(): number {
    return this.#epoch
  }

  take(sid: string, exclusive: boolean): { epoch: number; silentMs: number } | undefined {
    const isFree = this.#ownerSid === undefined || this.#ownerSid === sid
    if (exclusive && !isFree) return undefined
    const now = this.#clock.now()
    if (!isFree) this.#actAfter = now + this.#silenceMs
    this.#epoch += 1
    this.#ownerSid = sid
    this.grants.push({ epoch: this.#epoch, sid })
    return { epoch: this.#epoch, silentMs: Math.max(0, this.#actAfter - now) }
  }

  commit(sid: string, epoch: number, writes: number): boolean {
    if (epoch !== this.#epoch) return false
    this.writes = writes
    this.deeds.push({ type: 'write', at: this.#clock.now(), epoch, sid })
    return true
  }

  release(sid: string, epoch: number): void {
    if (this.#ownerSid === sid && this.#epoch === epoch) this.#ownerSid = undefined
  }
}

/** A process. While it is paused, its callbacks wait for the resume; after a crash none ever runs. */
class Process implements Clock {
  readonly #clock: SimulatedClock
  #waiting: (() => void)[] | undefined
  #isGone = false

  constructor(clock: SimulatedClock) {
    this.#clock = clock
  }

  now = () => this.#clock.now()
  mono = () => this.#clock.mono()

  after(delayMs: number, run: () => void): Timer {
    let isCancelled = false
    const timer = this.#clock.after(delayMs, () => this.#enter(() => isCancelled || run()))
    return {
      cancel() {
        isCancelled = true
        timer.cancel()
      },
    }
  }

  pause(): void {
    this.#waiting ??= []
  }

  resume(): void {
    const due = this.#waiting ?? []
    this.#waiting = undefined
    for (const run of due) this.#enter(run)
  }

  crash(): void {
    this.#isGone = true
  }

  get hasCrashed(): boolean {
    return this.#isGone
  }

  get isRunning(): boolean {
    return !this.#isGone && this.#waiting === undefined
  }

  /** A round trip: `serve` runs remotely after the first delay, its answer arrives here after the second. */
  call<T>(delays: readonly [number, number], serve: () => T): Promise<T> {
    return new Promise((resolve) => {
      if (this.#isGone) return
      this.#clock.after(delays[0], () => {
        const answer = serve()
        this.#clock.after(delays[1], () => this.#enter(() => resolve(answer)))
      })
    })
  }

  #enter(run: () => void): void {
    if (this.#isGone) return
    if (this.#waiting) this.#waiting.push(run)
    else run()
  }
}

export interface WorldOptions {
  readonly clock: SimulatedClock
  readonly random: () => number
  readonly row: ModelRow
  readonly redis: MemoryDirectory
  readonly guardMs: number
}

export interface SimulatedNode {
  readonly sid: string
  readonly process: Process
  readonly actors: ActorDirectory<State, Message, Tx, Effect>
}

export function startSimulatedNode(sid: string, options: WorldOptions): SimulatedNode {
  const { clock, random, row, redis } = options
  const process = new Process(clock)
  const delays = (): [number, number] => [random() * 20, random() * 20]
  const inner = redis.join({ nodeId: sid, sid, address: `http://${sid}` })
  const ownership: Ownership = {
    sid,
    claim: async (kind, id) => process.call(delays(), () => inner.claim(kind, id)).then((claim) => claim),
    recall: inner.recall,
    resumedAt: inner.resumedAt,
    recordEpoch: (kind, id, epoch) => inner.recordEpoch(kind, id, epoch),
    release: async (kind, ids) => process.call(delays(), () => void inner.release(kind, ids)),
  }
  const host: ActorHost<State, Message, Tx, Effect> = {
    async load(_id, { exclusive }) {
      const taken = await process.call(delays(), () => ({ ...row.take(sid, exclusive), writes: row.writes }))
      const { epoch, silentMs = 0, writes } = taken
      return epoch === undefined ? undefined : { state: { writes }, epoch, silentMs }
    },
    ownerOf: () => process.call(delays(), () => row.ownerSid ?? null),
    commit: (_id, epoch, { writes }) =>
      process.call(delays(), () => ({ type: row.commit(sid, epoch, writes) ? 'committed' : 'fenced' })),
    run: (_effect, { epoch }) => row.deeds.push({ type: 'act', at: clock.now(), epoch, sid }),
    confirm: (owned) =>
      process.call(delays(), () => {
        const others = owned.filter(({ epoch }) => epoch !== row.epoch)
        return new Map(others.map(({ id }) => [id, row.epoch]))
      }),
    release: (owned) =>
      process.call(delays(), () => owned.forEach(({ epoch }) => void row.release(sid, epoch))),
    dropped: () => undefined,
  }
  const actors = new ActorDirectory({
    definition,
    host,
    ownership,
    clock: process,
    guardMs: options.guardMs,
    confirmEveryMs: 1_000,
  })
  return { sid, process, actors }
}
