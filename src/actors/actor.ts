// What an actor is: state, one pure function, effects as data. Knows no domain, runs nothing.

export type ActorKind = 'call' | 'endpoint'

/** Asks carry this; the actor hands it back in a `reply` effect, now or in a later turn. */
export type ReplyTo = string & { readonly replyTo: unique symbol }

/** Effects every runtime understands, so no domain effect may use these four types. */
export type RuntimeEffect<Message> =
  | { readonly type: 'reply'; readonly to: ReplyTo; readonly value: unknown }
  | { readonly type: 'setTimer'; readonly name: string; readonly delayMs: number; readonly message: Message }
  | { readonly type: 'clearTimer'; readonly name: string }
  /** Leave memory once the mailbox is empty; the next message activates again. */
  | { readonly type: 'passivate' }

/** One turn: the next state, what must be committed before anything else happens, and what happens then. */
export interface Step<State, Tx, Effect> {
  readonly state: State
  readonly tx?: Tx
  readonly effects: readonly Effect[]
}

export interface Incoming<Message> {
  readonly message: Message
  /** Wall clock of this turn: a definition never reads a clock. */
  readonly at: Date
  /** Present when somebody waits for an answer. */
  readonly replyTo: ReplyTo | undefined
}

export interface ActorDefinition<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly kind: ActorKind
  /** Messages that may wait; past it `tell` answers `full`. */
  readonly mailboxLimit: number
  /** Milliseconds without a message after which the actor passivates; undefined while it must stay. */
  idleAfterMs(state: State): number | undefined
  /** True for effects outside Postgres' reach (a frame, a dial, a provider call): they wait for the guard. */
  isGuarded(effect: Effect | RuntimeEffect<Message>): boolean
  handle(state: State, incoming: Incoming<Message>): Step<State, Tx, Effect | RuntimeEffect<Message>>
  /**
   * Posted to every actor when the process is leaving: finish what is under way, then `passivate`. A kind without it
   * leaves at the end of its turn. When the drain's deadline passes, all go.
   */
  readonly drain?: Message
}

/** A loaded actor: its epoch is from Postgres and is the only thing that makes it authoritative. */
export interface Loaded<State> {
  readonly state: State
  readonly epoch: number
  /** How long this owner must stay silent: its predecessor may still believe in itself (architecture 3.4). */
  readonly silentMs: number
}

export type CommitResult = { readonly type: 'committed' } | { readonly type: 'fenced' }

export interface EffectContext<Message> {
  readonly id: string
  readonly epoch: number
  /** Puts a message at the end of the mailbox; ignored once this incarnation was replaced. */
  post(message: Message): void
  /** Aborted when this incarnation is dropped. */
  readonly signal: AbortSignal
}

export interface LoadOptions {
  readonly sid: string
  readonly exclusive: boolean
  /** A session known to be dead, not merely silent: a row it owned needs no silence. */
  readonly deadSid?: string | undefined
}

/** How a kind of actor touches the world; provided by the wiring. */
export interface ActorHost<State, Message, Tx, Effect> {
  /**
   * Loads and bumps the epoch in one statement. `exclusive`: the directory is unreachable, so only a row that nobody
   * or this session owns may be taken. Undefined: no such row, or not to be taken.
   */
  load(id: string, options: LoadOptions): Promise<Loaded<State> | undefined>
  /** One conditional statement `where owner_epoch = epoch`. Throwing means the outcome is unknown. */
  commit(id: string, epoch: number, tx: Tx): Promise<CommitResult>
  /** Starts an effect; what waits on the network answers later with `context.post`. Must not throw. */
  run(effect: Effect, context: EffectContext<Message>): void
  /** Which of these epochs still stand, in one query: id → current epoch; an absent id is gone. */
  confirm(ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  /** Marks rows as owned by nobody (where this session and epoch still own them), so a successor need not stay silent. */
  release(owned: readonly { readonly id: string; readonly epoch: number }[], sid: string): Promise<void>
  /** Told when an incarnation goes live, before its first message: what is posted here is handled first. */
  activated?(context: EffectContext<Message>): void
  /** Told when an incarnation ends other than by its own wish (fenced, timed out, failed): close sockets, drop secrets. */
  dropped(id: string, epoch: number): void
  /** Told of a message that `handle` threw on: keep it for an operator. Must not throw. */
  park?(id: string, message: Message, error: unknown): void
}
