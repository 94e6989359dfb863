// The actors of one kind that live in this process: id → cell. Activates on the first message, passivates when idle.
// Never sends anything to another node: it says whose the actor is.
import type { Clock } from '../shared/clock.ts'
import { type Activated, activate } from './activate.ts'
import type { ActorDefinition, ActorHost, Loaded } from './actor.ts'
import { Cell, type DropReason } from './cell.ts'
import { type Confirm, createConfirmer } from './confirmer.ts'
import { drainActors } from './drain.ts'
import { Guard, type Instant } from './guard.ts'
import {
  Ask,
  type AskResult,
  askLetter,
  type Letter,
  type Refusal,
  type TellResult,
  tellLetter,
} from './letter.ts'
import type { Claim, Ownership } from './ownership.ts'
import { createReleaser, type Owned } from './releaser.ts'
import { startUpkeep } from './upkeep.ts'

export type DirectoryEvent =
  | { readonly type: 'dropped'; readonly id: string; readonly epoch: number; readonly reason: DropReason }
  | { readonly type: 'faulted'; readonly id: string; readonly error: unknown }
  /** A message that had been accepted found no actor any more: a hint or a row elsewhere makes up for it. */
  | { readonly type: 'lost'; readonly id: string; readonly refusal: Refusal }

export interface DirectoryOptions<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly definition: ActorDefinition<State, Message, Tx, Effect>
  readonly host: ActorHost<State, Message, Tx, Effect>
  readonly ownership: Ownership
  readonly clock: Clock
  /** GUARD, SESSION_RENEW. */
  readonly guardMs: number
  readonly confirmEveryMs: number
  /** Actors in memory at most; past it the longest idle leave. */
  readonly maxActors?: number
  readonly turnLimitMs?: number
  /** Takes accepted messages whose actor moved away meanwhile; true when it will see to them. */
  readonly forward?: (id: string, message: Message) => boolean
  readonly observe?: (event: DirectoryEvent) => void
}

export interface Born<Message> {
  readonly first?: Message | undefined
  readonly asked?: Instant | undefined
  readonly claimed?: Promise<Claim> | undefined
}

type Slot<State, Message extends { readonly type: string }, Tx, Effect> =
  | { readonly type: 'live'; readonly cell: Cell<State, Message, Tx, Effect> }
  /** Being loaded or being given back; letters wait for the next incarnation. */
  | { readonly type: 'activating' | 'leaving'; readonly waiting: Letter<Message>[] }

const maxReturns = 3
const youngMs = 1_000

const refuseAll = <Message>(letters: readonly Letter<Message>[], refusal: Refusal) => {
  for (const letter of letters) letter.refused(refusal)
}

export class ActorDirectory<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly #options: DirectoryOptions<State, Message, Tx, Effect>
  readonly #slots = new Map<string, Slot<State, Message, Tx, Effect>>()
  readonly #confirm: Confirm
  readonly #release: (owned: Owned) => Promise<void>
  readonly #upkeep: { stop(): void; claimAgain(): void }
  #leaving = 0
  #isDraining = false

  constructor(options: DirectoryOptions<State, Message, Tx, Effect>) {
    const { definition, host, ownership, clock } = options
    this.#options = options
    this.#confirm = createConfirmer((ids) => host.confirm(ids), clock)
    this.#release = createReleaser({
      kind: definition.kind,
      ownership,
      clock,
      releaseRows: (owned, sid) => host.release(owned, sid),
    })
    this.#upkeep = startUpkeep({
      clock,
      everyMs: options.confirmEveryMs,
      cells: () => this.#cells(),
      claim: (id) => ownership.claim(definition.kind, id),
      leave: (cell) => this.#leave(cell),
    })
  }

  /** True while messages for `id` belong here: it is live, being loaded or being given back. */
  has(id: string): boolean {
    return this.#slots.has(id)
  }

  get size(): number {
    return this.#slots.size
  }

  /** Of every live actor, as it stands: for counting, never for changing. */
  *states(): Iterable<State> {
    for (const slot of this.#slots.values()) if (slot.type === 'live') yield slot.cell.state
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  tell(id: string, message: Message): Promise<TellResult> {
    return new Promise((resolve) => this.#deliver(id, tellLetter(message, resolve)))
  }

  ask(id: string, message: Message, deadlineMs: number): Promise<AskResult> {
    const ask = new Ask(this.#options.clock, deadlineMs)
    this.#deliver(id, askLetter(message, ask))
    return ask.answer
  }

  /**
   * Takes in an actor whose row this process has just inserted with its epoch. `asked` is the clock before that
   * statement; without it the first guarded effect confirms first. `claimed`: the directory was asked meanwhile.
   */
  adopt(id: string, loaded: Loaded<State>, born: Born<Message> = {}): Promise<TellResult> {
    const { first, asked, claimed } = born
    if (!this.#slots.has(id) && !this.#isDraining && this.#makeRoom()) {
      const guard = new Guard(this.#options.clock, this.#options.guardMs)
      if (asked) guard.confirmed(asked)
      guard.stayQuiet(loaded.silentMs)
      this.#enliven(id, { type: 'activated', loaded, guard }, [])
      void this.#announce(id, loaded.epoch, claimed)
    }
    return first ? this.tell(id, first) : Promise.resolve({ type: 'accepted' })
  }

  /** The session was lost: every actor is claimed anew, evenly over time; one with another live owner is dropped. */
  reassert(): void {
    this.#upkeep.claimAgain()
  }

  /** Gives every actor back, those that finish something last; resolves when none is left, or after `deadlineMs`. */
  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true
    await drainActors({
      clock: this.#options.clock,
      deadlineMs,
      cells: () => this.#cells(),
      remaining: () => this.#slots.size,
      isCancelled: () => !this.#isDraining,
      evict: (cell) => this.#evict(cell),
    })
  }

  /** Takes a drain back. */
  resume(): void {
    this.#isDraining = false
  }

  /** Stops the upkeep; for a directory that was drained. */
  close(): void {
    this.#upkeep.stop()
  }

  #cells(): Cell<State, Message, Tx, Effect>[] {
    return [...this.#slots.values()].flatMap((slot) => (slot.type === 'live' ? [slot.cell] : []))
  }

  #deliver(id: string, letter: Letter<Message>): void {
    const slot = this.#slots.get(id)
    if (!slot) return this.#open(id, [letter])
    const isTaken = slot.type === 'live' ? slot.cell.offer(letter) : this.#keep(slot.waiting, letter)
    if (!isTaken) letter.refused({ type: 'full' })
    else if (slot.type === 'live') letter.accepted()
  }

  #keep(waiting: Letter<Message>[], letter: Letter<Message>): boolean {
    if (waiting.length >= this.#options.definition.mailboxLimit) return false
    waiting.push(letter)
    return true
  }

  #open(id: string, letters: Letter<Message>[]): void {
    if (this.#isDraining) return refuseAll(letters, { type: 'leaving' })
    if (!this.#makeRoom()) return refuseAll(letters, { type: 'full' })
    const slot = { type: 'activating' as const, waiting: letters }
    this.#slots.set(id, slot)
    void this.#activate(id, slot.waiting)
  }

  async #activate(id: string, waiting: Letter<Message>[]): Promise<void> {
    const { definition, host, ownership, clock, guardMs } = this.#options
    const load = host.load.bind(host)
    const result = await activate<State>(id, { kind: definition.kind, ownership, load, clock, guardMs })
    if (result.type === 'activated') return this.#enliven(id, result, waiting)
    this.#slots.delete(id)
    refuseAll(waiting, result)
  }

  #enliven(id: string, { loaded, guard }: Activated<State>, waiting: Letter<Message>[]): void {
    const { definition, host, clock, turnLimitMs = 3_000 } = this.#options
    const cell: Cell<State, Message, Tx, Effect> = new Cell({
      id,
      loaded,
      guard,
      definition,
      host,
      clock,
      confirm: this.#confirm,
      turnLimitMs,
      onRest: () => this.#leave(cell),
      onDrop: (reason, unread) => this.#dropped(cell, reason, unread),
      onFault: (error) => this.#options.observe?.({ type: 'faulted', id, error }),
    })
    this.#slots.set(id, { type: 'live', cell })
    host.activated?.(cell.context)
    for (const letter of waiting) this.#deliver(id, letter)
  }

  async #announce(id: string, epoch: number, claimed?: Promise<Claim>): Promise<void> {
    const { definition, ownership } = this.#options
    const claim = await (claimed ?? ownership.claim(definition.kind, id))
    const slot = this.#slots.get(id)
    if (slot?.type !== 'live' || slot.cell.epoch !== epoch) return
    if (claim.type === 'theirs') slot.cell.drop('foreign')
    else ownership.recordEpoch(definition.kind, id, epoch)
  }

  // The cell is ended before the row is given back: a successor that need not stay silent must find nobody acting.
  #leave(cell: Cell<State, Message, Tx, Effect>): void {
    const waiting = cell.end()
    this.#slots.set(cell.id, { type: 'leaving', waiting })
    this.#leaving += 1
    void this.#release({ id: cell.id, epoch: cell.epoch }).then(() => {
      this.#leaving -= 1
      this.#slots.delete(cell.id)
      this.#return(cell.id, waiting)
    })
  }

  #evict(cell: Cell<State, Message, Tx, Effect>): void {
    this.#leave(cell)
    this.#options.host.dropped(cell.id, cell.epoch)
  }

  #dropped(cell: Cell<State, Message, Tx, Effect>, reason: DropReason, unread: Letter<Message>[]): void {
    const { host, observe } = this.#options
    this.#slots.delete(cell.id)
    host.dropped(cell.id, cell.epoch)
    observe?.({ type: 'dropped', id: cell.id, epoch: cell.epoch, reason })
    this.#return(cell.id, unread)
    // After a turn of unknown outcome the actor is still ours and is read again at once, since its timers are gone;
    // one that failed as soon as it was read would fail again.
    const isOurs = reason === 'timedOut' || reason === 'failed'
    if (isOurs && cell.ageMs() > youngMs && !this.has(cell.id)) this.#open(cell.id, [])
  }

  // Letters of an ended incarnation go to the next one, wherever that is. Their senders were told `accepted`, unless
  // they ask: then the refusal reaches them.
  #return(id: string, letters: Letter<Message>[]): void {
    for (const letter of letters) {
      const again = letter.ask ? letter : this.#unaware(id, letter)
      again.returns += 1
      if (again.returns > maxReturns) again.refused({ type: 'unavailable' })
      else this.#deliver(id, again)
    }
  }

  #unaware(id: string, letter: Letter<Message>): Letter<Message> {
    const { forward, observe } = this.#options
    const refused = (refusal: Refusal) => {
      if (refusal.type === 'notFound' || !forward?.(id, letter.message))
        observe?.({ type: 'lost', id, refusal })
    }
    return { ...letter, accepted: () => {}, refused }
  }

  /** False: the process is full, and every actor in it must stay. */
  #makeRoom(): boolean {
    const { maxActors = 20_000 } = this.#options
    if (this.#slots.size - this.#leaving < maxActors) return true
    const patient = this.#cells().filter((cell) => cell.patienceMs() !== undefined)
    // A hundredth at once: finding the longest idle looks at every actor.
    const idlest = patient.sort((a, b) => b.idleMs() - a.idleMs()).slice(0, Math.ceil(maxActors / 100))
    for (const cell of idlest) this.#leave(cell)
    return idlest.length > 0
  }
}
