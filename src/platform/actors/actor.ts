// The types of an actor: its state, one pure function that handles messages, and effects as data. Knows no
// feature and runs nothing.

export type ActorKind = 'call' | 'endpoint'

/** Identifies an ask. The actor returns it in a `reply` effect, in the same turn or in a later one. */
export type ReplyTo = string & { readonly replyTo: unique symbol }

/** Effects that the runtime itself runs. The effects of a feature must not use these four types. */
export type RuntimeEffect<Message> =
  | { readonly type: 'reply'; readonly to: ReplyTo; readonly value: unknown }
  | { readonly type: 'setTimer'; readonly name: string; readonly delayMs: number; readonly message: Message }
  | { readonly type: 'clearTimer'; readonly name: string }
  /** Leave memory once the mailbox is empty. The next message loads the actor again. */
  | { readonly type: 'passivate' }

const runtimeEffects: ReadonlySet<unknown> = new Set(['reply', 'setTimer', 'clearTimer', 'passivate'])

export const isRuntimeEffect = <Message>(effect: unknown): effect is RuntimeEffect<Message> =>
  typeof effect === 'object' && effect !== null && 'type' in effect && runtimeEffects.has(effect.type)

/** The result of a turn: the next state, what to commit first, and the effects to run after the commit. */
export interface Step<State, Tx, Effect> {
  readonly state: State
  readonly tx?: Tx
  readonly effects: readonly Effect[]
}

export interface Incoming<Message> {
  readonly message: Message
  /** Wall clock of this turn. A definition must not read a clock itself. */
  readonly at: Date
  /** Set when the sender waits for an answer. */
  readonly replyTo: ReplyTo | undefined
}

export interface ActorDefinition<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly kind: ActorKind
  /** The most messages that may wait. Beyond it, `tell` and `ask` return `full`. */
  readonly mailboxLimit: number
  /**
   * The types of messages that may come from another process. All others are internal: only the actor's own
   * host, its timers and its process post them, and from elsewhere they are refused.
   */
  readonly fromOthers: ReadonlySet<Message['type']>
  /** Asks that may be handled twice: where an owner ends before it answers, they go to the next one. */
  readonly repeatable: ReadonlySet<Message['type']>
  /** Milliseconds without a message after which the actor passivates; undefined while it must stay. */
  idleAfterMs(state: State): number | undefined
  /** True for effects outside Postgres (a socket frame, a dial, a provider call): they wait for the guard. */
  isGuarded(effect: Effect | RuntimeEffect<Message>): boolean
  /**
   * Asked just before a guarded effect runs, which may have been held while later messages changed the state. A message:
   * the effect is not due any more, and this is handled in its place.
   */
  insteadOf?(effect: Effect | RuntimeEffect<Message>, state: State): Message | undefined
  /**
   * Handles one message. It may mutate `state` and return it. If it throws, the runtime parks the message,
   * drops the actor with its half-changed state, and loads it again from what is committed.
   */
  handle(state: State, incoming: Incoming<Message>): Step<State, Tx, Effect | RuntimeEffect<Message>>
  /**
   * Posted to every actor when the process drains: finish the work in progress, then `passivate`. A kind
   * without it leaves at the end of its turn. At the deadline of the drain, the remaining actors are evicted.
   */
  readonly drain?: Message
}

/** An actor and the epoch under which this process has it. */
export interface Owned {
  readonly id: string
  readonly epoch: number
}

/** A loaded actor. Only its epoch, which Postgres assigns, makes it authoritative. */
export interface Loaded<State> {
  readonly state: State
  readonly epoch: number
  /** How long this owner must hold its guarded effects: the former owner may still act as the owner. */
  readonly silentMs: number
}

export type CommitResult = { readonly type: 'committed' } | { readonly type: 'fenced' }

export interface EffectContext<Message> {
  readonly id: string
  readonly epoch: number
  /** Puts a message at the end of the mailbox; ignored once this incarnation has ended. */
  post(message: Message): void
  /** Aborted when this incarnation ends. */
  readonly signal: AbortSignal
}

export interface LoadOptions {
  readonly sid: string
  readonly exclusive: boolean
  /** A session that has certainly ended. A row that it owned can be taken over without a silence. */
  readonly deadSid?: string | undefined
}

/** How a kind of actor loads and commits rows and runs effects. The module of its feature provides it. */
export interface ActorHost<State, Message, Tx, Effect> {
  /**
   * Loads the actor and raises its epoch in one statement. `exclusive`: the directory is unreachable, so take
   * only a row that has no owner or belongs to this session. Undefined: there is no such row, or it may not
   * be taken.
   */
  load(id: string, options: LoadOptions): Promise<Loaded<State> | undefined>
  /** The session in the row; null: it has no owner. Undefined: there is no such row. */
  ownerOf(id: string): Promise<string | null | undefined>
  /** One conditional statement `where owner_epoch = epoch`. If it throws, the outcome is unknown. */
  commit(id: string, epoch: number, tx: Tx): Promise<CommitResult>
  /** Starts an effect. A network effect posts its result later with `context.post`. Must not throw. */
  run(effect: Effect, context: EffectContext<Message>): void
  /** The actors that have another epoch now, in one query: id → epoch, undefined where the row is gone. */
  confirm(owned: readonly Owned[]): Promise<ReadonlyMap<string, number | undefined>>
  /** Clears the owner of rows that this session and epoch still own, so that a successor needs no silence. */
  release(owned: readonly Owned[], sid: string): Promise<void>
  /**
   * Called when an incarnation goes live, before its first message: what it posts is handled first. `hasFirst`: the
   * process that made the actor has a first message for it, which follows at once.
   */
  activated?(context: EffectContext<Message>, hasFirst: boolean): void
  /**
   * Called on a drop or an eviction (fenced, timed out, failed): close sockets, drop secrets. Also for an actor that never
   * went live, because its load ended too late.
   */
  dropped(id: string, epoch: number): void
}
