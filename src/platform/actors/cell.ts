// One live actor. It runs one turn at a time: handle, commit, publish the state, run the effects. Knows no
// feature and no other actor.
import type { Clock } from '../../shared/clock.ts'
import { sharedAbort } from '../../shared/shared-abort.ts'
import {
  type ActorDefinition,
  type ActorHost,
  type EffectContext,
  isRuntimeEffect,
  type Loaded,
  type ReplyTo,
  type RuntimeEffect,
  type Step,
} from './actor.ts'
import type { Confirm, Standing } from './confirmer.ts'
import { Context } from './effect-context.ts'
import { Gate } from './gate.ts'
import { type Guard, readClock } from './guard.ts'
import type { Ask, MailboxEntry } from './mailbox-entry.ts'
import { within } from './timed.ts'
import { Timers } from './timers.ts'

/**
 * Why the runtime dropped an incarnation. After `timedOut` and `failed`, the outcome of its turn is unknown.
 * After `threw`, the turn had no effect. `cutOff`: this process lost Postgres, and gives all its actors up.
 */
export type DropReason = 'fenced' | 'foreign' | 'gone' | 'timedOut' | 'failed' | 'threw' | 'cutOff'

export interface CellOptions<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly id: string
  readonly loaded: Loaded<State>
  readonly guard: Guard
  readonly definition: ActorDefinition<State, Message, Tx, Effect>
  readonly host: ActorHost<State, Message, Tx, Effect>
  readonly clock: Clock
  readonly confirm: Confirm
  readonly turnLimitMs: number
  /** The actor is to leave memory, and no message or effect waits in it. */
  readonly onRest: () => void
  /** The cell has ended. The entries in `unread` had no effect. */
  readonly onDrop: (reason: DropReason, unread: MailboxEntry<Message>[]) => void
  /** The definition threw on this message, which is a bug of ours. The cell then drops itself. */
  readonly onThrow: (message: Message, error: unknown) => void
  /** An effect threw, which is a bug of the host. The actor continues. */
  readonly onFault: (error: unknown) => void
}

// A constant abort reason: without one, `abort` creates an error with its stack for every actor that ends.
const ended = 'ended'

type AnyStep<State, Message, Tx, Effect> = Step<State, Tx, Effect | RuntimeEffect<Message>>

export class Cell<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly id: string
  readonly epoch: number
  /** By the monotonic clock. */
  readonly bornAt: number
  readonly context: EffectContext<Message>
  #state: State
  readonly #options: CellOptions<State, Message, Tx, Effect>
  readonly #mailbox: MailboxEntry<Message>[] = []
  readonly #guard: Guard
  readonly #gate: Gate<Effect | RuntimeEffect<Message>>
  readonly #owed = new Map<ReplyTo, Ask>()
  readonly #timers: Timers
  #hasEnded = false
  /** Postgres has said so while a commit was under way. */
  #lost: 'foreign' | 'gone' | undefined
  /** Created on the first read of the signal: most call actors never use it. */
  #end: AbortController | undefined
  #isTurning = false
  #wantsRest = false
  #isLeaving = false
  #lastMessageAt: number
  /** As the definition says of the state after the last turn. Thousands of quiet actors are asked each second. */
  #patienceMs: number | undefined | 'unasked' = 'unasked'

  get state(): State {
    return this.#state
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  constructor(options: CellOptions<State, Message, Tx, Effect>) {
    this.id = options.id
    this.epoch = options.loaded.epoch
    this.#state = options.loaded.state
    this.#options = options
    this.#guard = options.guard
    this.#timers = new Timers(options.clock)
    this.bornAt = options.clock.mono()
    this.#lastMessageAt = this.bornAt
    const signal = () => this.#signal()
    this.#gate = new Gate({
      id: options.id,
      epoch: options.loaded.epoch,
      clock: options.clock,
      guard: options.guard,
      confirm: options.confirm,
      signal,
      run: (effect) => this.#runDue(effect),
      onClear: () => this.#pump(),
      onForeign: (reason) => this.#lose(reason),
    })
    this.context = new Context(this, { signal, post: (message) => this.#post(message) })
  }

  /** False: the mailbox is full. If nothing has to be committed or confirmed, the turn is over on return. */
  offer(entry: MailboxEntry<Message>): boolean {
    if (this.#mailbox.length >= this.#options.definition.mailboxLimit) return false
    this.#lastMessageAt = this.#options.clock.mono()
    this.#mailbox.push(entry)
    this.#pump()
    return true
  }

  /** Ends this incarnation at once, with its turns, timers and effects. Returns the unread entries. */
  end(): MailboxEntry<Message>[] {
    if (this.#hasEnded) return []
    this.#hasEnded = true
    this.#end?.abort(ended)
    this.#timers.clearAll()
    // The next owner may answer what can be asked twice. Of anything else the outcome is unknown.
    for (const ask of [...this.#owed.values()])
      ask.settle({ type: ask.isRepeatable ? 'leaving' : 'unavailable' })
    return this.#mailbox.splice(0)
  }

  /** Milliseconds since the last message from outside. */
  idleMs(): number {
    return this.#options.clock.mono() - this.#lastMessageAt
  }

  /** How long it may idle before it leaves memory; undefined while it must stay. */
  patienceMs(): number | undefined {
    if (this.#isTurning) return undefined
    if (this.#patienceMs === 'unasked') {
      if (this.#mailbox.length > 0 || this.#gate.held > 0) return undefined
      this.#patienceMs = this.#options.definition.idleAfterMs(this.#state)
    }
    return this.#patienceMs
  }

  /** The process drains: an actor with a `drain` message gets it, any other leaves at the end of its turn. */
  leave(): void {
    const { drain } = this.#options.definition
    if (drain) return this.#post(drain)
    this.#isLeaving = true
    this.#pump()
  }

  /** What Postgres says of the epoch. The actor is dropped if that has changed. */
  heed(standing: Standing): void {
    // As a rule nothing else of the actor is touched: of thousands, what is touched each second is no longer in a cache.
    if (standing.type === 'confirmed') this.#guard.confirmed(standing.asked)
    else this.#gate.heed(standing)
  }

  drop(reason: DropReason, turned?: MailboxEntry<Message>): void {
    if (this.#hasEnded) return
    const unread = this.end()
    this.#options.onDrop(reason, turned ? [turned, ...unread] : unread)
  }

  // A commit that is under way is fenced too, and its message then goes to the new owner. Without that answer nobody
  // would know whether the message had an effect.
  #lose(reason: 'foreign' | 'gone'): void {
    if (this.#isTurning) this.#lost = reason
    else this.drop(reason)
  }

  #signal(): AbortSignal {
    this.#end ??= sharedAbort()
    if (this.#hasEnded) this.#end.abort(ended)
    return this.#end.signal
  }

  // The mailbox limit does not apply to timers and results of effects: the actor itself limits its work in
  // progress, and without a result it would wait for ever.
  #post(message: Message): void {
    if (this.#hasEnded) return
    this.#mailbox.push({ message, ask: undefined, returns: 0, accepted() {}, refused() {} })
    this.#pump()
  }

  // An effect may post to its own actor while it runs. #isTurning keeps that message for the next round.
  #pump(): void {
    if (this.#isTurning) return
    this.#isTurning = true
    while (!this.#hasEnded && this.#gate.held < this.#options.definition.mailboxLimit) {
      const entry = this.#mailbox.shift()
      if (!entry) break
      this.#patienceMs = 'unasked'
      if (this.#turn(entry) === 'committing') return
    }
    this.#isTurning = false
    this.#rest()
  }

  #rest(): void {
    const isDone = this.#mailbox.length === 0 && this.#gate.held === 0
    if ((this.#wantsRest || this.#isLeaving) && isDone && !this.#hasEnded) this.#options.onRest()
  }

  #turn(entry: MailboxEntry<Message>): 'over' | 'committing' {
    // The asker has timed out already: skip the message.
    if (entry.ask?.isSettled) return 'over'
    this.#wantsRest = false
    this.#owe(entry.ask)
    const step = this.#reduce(entry)
    if (!step) return 'over'
    if (step.tx !== undefined) {
      void this.#commit(step, step.tx, entry)
      return 'committing'
    }
    this.#publish(step)
    return 'over'
  }

  #owe(ask: Ask | undefined): void {
    if (!ask) return
    this.#owed.set(ask.replyTo, ask)
    ask.owedIn = this.#owed
  }

  #reduce(entry: MailboxEntry<Message>): AnyStep<State, Message, Tx, Effect> | undefined {
    const { definition, clock, onThrow } = this.#options
    const incoming = { message: entry.message, at: new Date(clock.now()), replyTo: entry.ask?.replyTo }
    try {
      return definition.handle(this.#state, incoming)
    } catch (error) {
      // The same message would throw again, and the state may be half changed: park the message, and load the
      // actor again from what is committed.
      onThrow(entry.message, error)
      entry.ask?.settle({ type: 'unavailable' })
      this.drop('threw')
      return undefined
    }
  }

  async #commit(
    step: AnyStep<State, Message, Tx, Effect>,
    tx: Tx,
    entry: MailboxEntry<Message>,
  ): Promise<void> {
    const { clock, host, turnLimitMs } = this.#options
    const asked = readClock(clock)
    const outcome = await within(clock, turnLimitMs, () => host.commit(this.id, this.epoch, tx))
    if (this.#hasEnded) return
    if (outcome.type !== 'done') return this.drop(outcome.type)
    if (outcome.value.type === 'fenced') {
      // Nothing was written, so this entry is unread too: the new owner gets it and the entries behind it.
      if (entry.ask) this.#owed.delete(entry.ask.replyTo)
      return this.drop('fenced', entry)
    }
    if (this.#lost) return this.drop(this.#lost)
    this.#guard.confirmed(asked)
    this.#publish(step)
    this.#isTurning = false
    this.#pump()
  }

  #publish(step: AnyStep<State, Message, Tx, Effect>): void {
    this.#state = step.state
    for (const effect of step.effects) {
      if (this.#options.definition.isGuarded(effect)) this.#gate.pass(effect)
      else this.#run(effect)
    }
  }

  #runDue(effect: Effect | RuntimeEffect<Message>): void {
    const instead = this.#options.definition.insteadOf?.(effect, this.#state)
    if (instead) this.#post(instead)
    else this.#run(effect)
  }

  #run(effect: Effect | RuntimeEffect<Message>): void {
    if (this.#hasEnded) return
    if (isRuntimeEffect<Message>(effect)) return this.#runOwn(effect)
    try {
      this.#options.host.run(effect, this.context)
    } catch (error) {
      this.#options.onFault(error)
    }
  }

  #runOwn(effect: RuntimeEffect<Message>): void {
    switch (effect.type) {
      case 'reply':
        return this.#owed.get(effect.to)?.settle({ type: 'answered', value: effect.value })
      case 'setTimer':
        return this.#timers.set(effect.name, effect.delayMs, () => this.#post(effect.message))
      case 'clearTimer':
        return this.#timers.clear(effect.name)
      case 'passivate':
        this.#wantsRest = true
    }
  }
}
