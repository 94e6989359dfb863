// A small actor that shows what the runtime does with it: every step writes a line to a log.
import type {
  ActorDefinition,
  ActorHost,
  CommitResult,
  EffectContext,
  Loaded,
  LoadOptions,
  Owned,
  ReplyTo,
} from '../../../../src/platform/actors/actor.ts'
import { ActorDirectory } from '../../../../src/platform/actors/directory.ts'
import type { DirectoryOptions } from '../../../../src/platform/actors/directory-options.ts'
import type { Ownership } from '../../../../src/platform/actors/ownership.ts'
import { MemoryDirectory } from '../../../support/memory-ownership.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

export interface LedgerState {
  readonly total: number
  readonly asked?: ReplyTo
}

export type LedgerMessage =
  | { readonly type: 'add'; readonly amount: number }
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'read' }
  | { readonly type: 'readLater'; readonly delayMs: number }
  | { readonly type: 'due' }
  | { readonly type: 'break' }
  | { readonly type: 'leave' }
  | { readonly type: 'stay' }
  | { readonly type: 'finish' }

export type LedgerTx = { readonly total: number }
export type LedgerEffect =
  | { readonly type: 'frame'; readonly text: string }
  | { readonly type: 'note'; readonly text: string }

export const ledgerActor: ActorDefinition<
  LedgerState & { readonly stays?: boolean; readonly isOver?: boolean },
  LedgerMessage,
  LedgerTx,
  LedgerEffect
> = {
  kind: 'call',
  mailboxLimit: 4,
  fromOthers: new Set(['add', 'say', 'read', 'readLater', 'break', 'leave', 'stay', 'finish']),
  repeatable: new Set(['read']),
  idleAfterMs(state) {
    if (state.isOver) return 5_000
    return state.stays ? undefined : 30_000
  },
  isGuarded: (effect) => effect.type === 'frame',
  handle(state, { message, replyTo }) {
    switch (message.type) {
      case 'add': {
        const total = state.total + message.amount
        const reply = replyTo ? [{ type: 'reply' as const, to: replyTo, value: total }] : []
        return {
          state: { ...state, total },
          tx: { total },
          effects: [{ type: 'note', text: `total ${total}` }, ...reply],
        }
      }
      case 'say':
        return { state, effects: [{ type: 'frame', text: message.text }] }
      case 'read':
        return { state, effects: replyTo ? [{ type: 'reply', to: replyTo, value: state.total }] : [] }
      case 'readLater': {
        const timer = {
          type: 'setTimer' as const,
          name: 'due',
          delayMs: message.delayMs,
          message: { type: 'due' as const },
        }
        return { state: { ...state, ...(replyTo && { asked: replyTo }) }, effects: [timer] }
      }
      case 'due': {
        const reply = state.asked ? [{ type: 'reply' as const, to: state.asked, value: state.total }] : []
        return { state, effects: [{ type: 'note', text: 'due' }, ...reply] }
      }
      case 'break':
        // Half done, as a definition that changes its state in place may be when it throws.
        ;(state as { total: number }).total += 1_000_000
        throw new Error('cannot handle this')
      case 'leave':
        return { state, effects: [{ type: 'passivate' }] }
      case 'stay':
        return { state: { ...state, stays: true }, effects: [] }
      case 'finish':
        return { state: { ...state, isOver: true }, effects: [] }
    }
  },
}

export interface Row {
  total: number
  epoch: number
  sid: string | undefined
}

/**
 * A model of Postgres with one table and one sequence. Tests can make `commit`, `confirm`, `load` and
 * `release` slow or fail.
 */
export class LedgerHost implements ActorHost<LedgerState, LedgerMessage, LedgerTx, LedgerEffect> {
  readonly rows = new Map<string, Row>()
  readonly log: string[] = []
  readonly contexts: EffectContext<LedgerMessage>[] = []
  readonly released: string[] = []
  readonly loads: (LoadOptions & { readonly id: string })[] = []
  lastEpoch = 0
  silentMs = 0
  confirms = 0
  beforeCommit: () => Promise<void> = async () => {}
  afterCommit: () => Promise<void> = async () => {}
  beforeLoad: () => Promise<void> = async () => {}
  beforeRelease: () => Promise<void> = async () => {}
  confirmFails = false

  seed(id: string, total = 0): void {
    this.rows.set(id, { total, epoch: 0, sid: undefined })
  }

  bump(id: string, sid: string): number {
    const row = this.rows.get(id)
    if (!row) throw new Error('no such row')
    this.lastEpoch += 1
    row.epoch = this.lastEpoch
    row.sid = sid
    return row.epoch
  }

  async load(id: string, { sid, exclusive, deadSid }: LoadOptions): Promise<Loaded<LedgerState> | undefined> {
    await this.beforeLoad()
    const row = this.rows.get(id)
    if (!row || (exclusive && row.sid !== undefined && row.sid !== sid)) return undefined
    this.log.push('load')
    this.loads.push({ id, sid, exclusive, deadSid })
    return { state: { total: row.total }, epoch: this.bump(id, sid), silentMs: this.silentMs }
  }

  async ownerOf(id: string): Promise<string | null | undefined> {
    const row = this.rows.get(id)
    return row && (row.sid ?? null)
  }

  async commit(id: string, epoch: number, tx: LedgerTx): Promise<CommitResult> {
    await this.beforeCommit()
    const row = this.rows.get(id)
    if (row?.epoch !== epoch) return { type: 'fenced' }
    row.total = tx.total
    this.log.push(`commit ${tx.total}`)
    await this.afterCommit()
    return { type: 'committed' }
  }

  run(effect: LedgerEffect, context: EffectContext<LedgerMessage>): void {
    this.contexts.push(context)
    this.log.push(`${effect.type} ${effect.text}`)
  }

  async confirm(owned: readonly Owned[]): Promise<ReadonlyMap<string, number | undefined>> {
    this.confirms += 1
    if (this.confirmFails) throw new Error('the database is away')
    this.log.push('confirm')
    const current = owned.map(({ id }) => [id, this.rows.get(id)?.epoch] as const)
    return new Map(current.filter(([, epoch], index) => epoch !== owned[index]?.epoch))
  }

  async release(owned: readonly { readonly id: string; readonly epoch: number }[]): Promise<void> {
    await this.beforeRelease()
    for (const { id, epoch } of owned) {
      const row = this.rows.get(id)
      if (row?.epoch === epoch) row.sid = undefined
      this.released.push(id)
    }
  }

  dropped(id: string, epoch: number): void {
    this.log.push(`dropped ${id} ${epoch}`)
  }
}

type Overrides = Partial<DirectoryOptions<LedgerState, LedgerMessage, LedgerTx, LedgerEffect>>

/**
 * A directory over a ledger host on a simulated clock; `guardMs` is 2,500, with a confirmation every second.
 */
export function ledger(overrides: Overrides = {}) {
  const clock = new SimulatedClock()
  const host = new LedgerHost()
  const world = new MemoryDirectory()
  const ownership: Ownership = world.join({ nodeId: 'a', sid: 'sid-a', address: 'http://a' })
  const events: string[] = []
  const parked: [string, string][] = []
  const actors = new ActorDirectory({
    definition: ledgerActor,
    host,
    ownership,
    clock,
    guardMs: 2_500,
    confirmEveryMs: 1_000,
    observe(event) {
      events.push(event.type === 'dropped' ? event.reason : event.type)
      if (event.type === 'parked') parked.push([event.messageType, String(event.error)])
    },
    ...overrides,
  })
  host.seed('x')
  return { clock, host, world, ownership, actors, events, parked }
}

/** Lets ready promises and batches run; no simulated time passes. */
export async function settled(clock: SimulatedClock): Promise<void> {
  for (let round = 0; round < 6; round += 1) await clock.advance(0)
}

/** A promise that the test resolves: what awaits it continues only then. */
export function latch() {
  let open: () => void = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
