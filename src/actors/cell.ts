// One live actor. One turn at a time: handle, commit, publish the state, run the effects. Knows no domain and no other actor.
import type { Clock } from '../shared/clock.ts'
import type {
  ActorDefinition,
  ActorHost,
  EffectContext,
  Loaded,
  ReplyTo,
  RuntimeEffect,
  Step,
} from './actor.ts'
import type { Confirm } from './confirmer.ts'
import { Gate } from './gate.ts'
import { type Guard, readClock } from './guard.ts'
import type { Ask, Letter } from './letter.ts'
import { within } from './timed.ts'
import { Timers } from './timers.ts'

/** Why an incarnation ended against its will. After the last two, what became of its turn is unknown. */
export type DropReason = 'fenced' | 'foreign' | 'gone' | 'timedOut' | 'failed'

export interface CellOptions<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly id: string
  readonly loaded: Loaded<State>
  readonly guard: Guard
  readonly definition: ActorDefinition<State, Message, Tx, Effect>
  readonly host: ActorHost<State, Message, Tx, Effect>
  readonly clock: Clock
  readonly confirm: Confirm
  readonly turnLimitMs: number
  /** The actor asked to leave and nothing waits in it. */
  readonly onRest: () => void
  /** The cell has ended; `unread` was never acted on. */
  readonly onDrop: (reason: DropReason, unread: Letter<Message>[]) => void
  /** An effect threw: a fault of the host, the actor goes on. */
  readonly onFault: (error: unknown) => void
}

// Without a reason a new error is made, with its stack, for every actor that ends.
const ended = 'ended'

type AnyStep<State, Message, Tx, Effect> = Step<State, Tx, Effect | RuntimeEffect<Message>>

export class Cell<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly id: string
  readonly epoch: number
  readonly context: EffectContext<Message>
  #state: State
  readonly #options: CellOptions<State, Message, Tx, Effect>
  readonly #mailbox: Letter<Message>[] = []
  readonly #gate: Gate<Effect | RuntimeEffect<Message>>
  readonly #owed = new Map<ReplyTo, Ask>()
  readonly #timers: Timers
  #hasEnded = false
  /** Made when somebody asks for its signal: most actors of a call live and end without. */
  #end: AbortController | undefined
  #isTurning = false
  #wantsRest = false
  #isLeaving = false
  readonly #bornAt: number
  #lastMessageAt: number

  get state(): State {
    return this.#state
  }

  constructor(options: CellOptions<State, Message, Tx, Effect>) {
    this.id = options.id
    this.epoch = options.loaded.epoch
    this.#state = options.loaded.state
    this.#options = options
    this.#timers = new Timers(options.clock)
    this.#bornAt = options.clock.mono()
    this.#lastMessageAt = this.#bornAt
    this.#gate = new Gate({
      id: options.id,
      epoch: options.loaded.epoch,
      clock: options.clock,
      guard: options.guard,
      confirm: options.confirm,
      signal: () => this.#signal(),
      run: (effect) => this.#run(effect),
      onClear: () => this.#pump(),
      onForeign: (reason) => this.drop(reason),
    })
    const signal = () => this.#signal()
    this.context = {
      id: options.id,
      epoch: options.loaded.epoch,
      get signal() {
        return signal()
      },
      post: (message) => this.#post(message),
    }
  }

  /** False: the mailbox is full. When nothing has to be committed or confirmed, the turn is over on return. */
  offer(letter: Letter<Message>): boolean {
    if (this.#mailbox.length >= this.#options.definition.mailboxLimit) return false
    this.#lastMessageAt = this.#options.clock.mono()
    this.#mailbox.push(letter)
    this.#pump()
    return true
  }

  /** Ends this incarnation at once: no turn, timer or effect of it runs after this. Returns what it has not read. */
  end(): Letter<Message>[] {
    if (this.#hasEnded) return []
    this.#hasEnded = true
    this.#end?.abort(ended)
    this.#timers.clearAll()
    for (const ask of [...this.#owed.values()]) ask.settle({ type: 'unavailable' })
    return this.#mailbox.splice(0)
  }

  ageMs(): number {
    return this.#options.clock.mono() - this.#bornAt
  }

  /** Milliseconds since the last message from outside. */
  idleMs(): number {
    return this.#options.clock.mono() - this.#lastMessageAt
  }

  /** How long it may idle before it leaves memory; undefined while it must stay. */
  patienceMs(): number | undefined {
    const isBusy = this.#isTurning || this.#mailbox.length > 0 || this.#gate.held > 0
    return isBusy ? undefined : this.#options.definition.idleAfterMs(this.#state)
  }

  /** The process is leaving: an actor that has something to finish is told, any other goes at the end of its turn. */
  leave(): void {
    const { drain } = this.#options.definition
    if (drain) return this.#post(drain)
    this.#isLeaving = true
    this.#pump()
  }

  /** Asks whether the epoch still stands, and drops the actor when it does not. */
  async confirm(): Promise<void> {
    await this.#gate.confirm()
  }

  drop(reason: DropReason, turned?: Letter<Message>): void {
    if (this.#hasEnded) return
    const unread = this.end()
    this.#options.onDrop(reason, turned ? [turned, ...unread] : unread)
  }

  #signal(): AbortSignal {
    this.#end ??= new AbortController()
    if (this.#hasEnded) this.#end.abort(ended)
    return this.#end.signal
  }

  // Answers of effects and timers are not bounded by the mailbox: the actor itself bounds what it has under way, and a
  // lost answer would leave it waiting for ever.
  #post(message: Message): void {
    if (this.#hasEnded) return
    this.#mailbox.push({ message, ask: undefined, returns: 0, accepted() {}, refused() {} })
    this.#pump()
  }

  // An effect may post to its own actor while it runs: #isTurning lets that wait for the next round of this loop.
  #pump(): void {
    if (this.#isTurning) return
    this.#isTurning = true
    while (!this.#hasEnded && this.#gate.held < this.#options.definition.mailboxLimit) {
      const letter = this.#mailbox.shift()
      if (!letter) break
      if (this.#turn(letter) === 'committing') return
    }
    this.#isTurning = false
    this.#rest()
  }

  #rest(): void {
    const isDone = this.#mailbox.length === 0 && this.#gate.held === 0
    if ((this.#wantsRest || this.#isLeaving) && isDone && !this.#hasEnded) this.#options.onRest()
  }

  #turn(letter: Letter<Message>): 'over' | 'committing' {
    // Whoever asked has been told that the outcome is unknown; not to act is the cheaper truth.
    if (letter.ask?.isSettled) return 'over'
    this.#wantsRest = false
    this.#owe(letter.ask)
    const step = this.#reduce(letter)
    if (!step) return 'over'
    if (step.tx !== undefined) {
      void this.#commit(step, step.tx, letter)
      return 'committing'
    }
    this.#publish(step)
    return 'over'
  }

  #owe(ask: Ask | undefined): void {
    if (!ask) return
    this.#owed.set(ask.replyTo, ask)
    ask.onSettled = () => this.#owed.delete(ask.replyTo)
  }

  #reduce(letter: Letter<Message>): AnyStep<State, Message, Tx, Effect> | undefined {
    const { definition, host, clock } = this.#options
    const incoming = {
      message: letter.message,
      at: new Date(clock.now()),
      replyTo: letter.ask?.replyTo,
    }
    try {
      return definition.handle(this.#state, incoming)
    } catch (error) {
      // A pure function throws again on the same input: the message is put aside, the actor keeps its state.
      host.park?.(this.id, letter.message, error)
      letter.ask?.settle({ type: 'unavailable' })
      return undefined
    }
  }

  async #commit(step: AnyStep<State, Message, Tx, Effect>, tx: Tx, letter: Letter<Message>): Promise<void> {
    const { clock, host, guard, turnLimitMs } = this.#options
    const asked = readClock(clock)
    const outcome = await within(clock, turnLimitMs, () => host.commit(this.id, this.epoch, tx))
    if (this.#hasEnded) return
    if (outcome.type !== 'done') return this.drop(outcome.type)
    if (outcome.value.type === 'fenced') {
      // Nothing was written, so this letter is as unread as those behind it: the new owner shall have them all.
      if (letter.ask) this.#owed.delete(letter.ask.replyTo)
      return this.drop('fenced', letter)
    }
    guard.confirmed(asked)
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

const runtimeEffects: ReadonlySet<unknown> = new Set(['reply', 'setTimer', 'clearTimer', 'passivate'])

const isRuntimeEffect = <Message>(effect: unknown): effect is RuntimeEffect<Message> =>
  typeof effect === 'object' && effect !== null && 'type' in effect && runtimeEffects.has(effect.type)
