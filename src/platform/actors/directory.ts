// The actors of one kind that live in this process: id → cell. Activates an actor on its first message and passivates
// it when idle. Never sends to another node: it returns the owner of the actor.
import { type Activated, activate } from './activate.ts'
import type { Loaded, Owned } from './actor.ts'
import { Cell, type DropReason } from './cell.ts'
import { type Claims, keepClaimed } from './claims.ts'
import { type Confirmer, createConfirmer } from './confirmer.ts'
import type { Born, DirectoryOptions } from './directory-options.ts'
import { drainActors } from './drain.ts'
import { Guard } from './guard.ts'
import {
  Ask,
  type AskResult,
  askEntry,
  type MailboxEntry,
  type Refusal,
  refuseAll,
  type TellResult,
  tellEntry,
} from './mailbox-entry.ts'
import { createReleaser } from './releaser.ts'
import { longestIdle, startUpkeep } from './upkeep.ts'

type Slot<State, Message extends { readonly type: string }, Tx, Effect> =
  | { readonly type: 'live'; readonly cell: Cell<State, Message, Tx, Effect> }
  /** Being loaded or released. Entries wait for the next incarnation. */
  | { readonly type: 'activating' | 'leaving'; readonly waiting: MailboxEntry<Message>[] }

const maxReturns = 3
const youngMs = 1_000

export class ActorDirectory<State, Message extends { readonly type: string }, Tx, Effect> {
  readonly #options: DirectoryOptions<State, Message, Tx, Effect>
  readonly #slots = new Map<string, Slot<State, Message, Tx, Effect>>()
  readonly #confirmer: Confirmer
  readonly #release: (owned: Owned) => Promise<void>
  readonly #endUpkeep: () => void
  readonly #claims: Claims<Cell<State, Message, Tx, Effect>>
  #leaving = 0
  #isDraining = false
  #cutOffs = 0

  constructor(options: DirectoryOptions<State, Message, Tx, Effect>) {
    const { definition, host, ownership, clock } = options
    this.#options = options
    this.#confirmer = createConfirmer((owned) => host.confirm(owned), clock)
    this.#release = createReleaser({
      kind: definition.kind,
      ownership,
      clock,
      lingerMs: options.releaseLingerMs,
      releaseRows: (owned, sid) => host.release(owned, sid),
    })
    this.#endUpkeep = startUpkeep({
      ...{ clock, everyMs: options.confirmEveryMs },
      ...{ cells: () => this.#live(), count: () => this.#slots.size },
      leave: (cell) => this.#leave(cell),
      confirm: this.#confirmer.confirmAll,
    })
    this.#claims = keepClaimed({
      clock,
      cells: () => this.#live(),
      claim: (id) => ownership.claim(definition.kind, id),
      recordEpoch: (id, epoch) => ownership.recordEpoch(definition.kind, id, epoch),
    })
  }

  /** True while messages for `id` belong here: the actor is live, being loaded or being released. */
  has(id: string): boolean {
    return this.#slots.has(id)
  }

  get size(): number {
    return this.#slots.size
  }

  /** The current state of every live actor: for counting only, never change it. */
  *states(): Iterable<State> {
    for (const cell of this.#live()) yield cell.state
  }

  /** Of an actor that is live here. Another process may own it by now: for what never changes only. */
  stateOf(id: string): State | undefined {
    const slot = this.#slots.get(id)
    return slot?.type === 'live' ? slot.cell.state : undefined
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** True for the messages that may come from another process. */
  takes(type: string): boolean {
    return this.#options.definition.fromOthers.has(type)
  }

  /** True for asks that may be handled twice. */
  repeats(type: string): boolean {
    return this.#options.definition.repeatable.has(type)
  }

  tell(id: string, message: Message): Promise<TellResult> {
    return new Promise((resolve) => this.#deliver(id, tellEntry(message, resolve)))
  }

  ask(id: string, message: Message, deadlineMs: number): Promise<AskResult> {
    const ask = new Ask(this.#options.clock, deadlineMs, this.repeats(message.type))
    this.#deliver(id, askEntry(message, ask))
    return ask.answer
  }

  /**
   * Adds an actor whose row this process has just inserted with its epoch. `asked` is the clock before that statement;
   * without it, the first guarded effect confirms the epoch first. `claimed`: a claim that is already under way.
   */
  adopt(id: string, loaded: Loaded<State>, born: Born<Message> = {}): Promise<TellResult> {
    const { first, asked, claimed } = born
    if (!this.#slots.has(id)) {
      const refusal = this.#refusal()
      if (refusal) return Promise.resolve(refusal)
      const { clock, definition, guardMs: validMs, ownership } = this.#options
      const guard = new Guard({ clock, validMs, resumedAt: ownership.resumedAt })
      if (asked) guard.confirmed(asked)
      guard.stayQuiet(loaded.silentMs)
      const claim = claimed ?? ownership.claim(definition.kind, id)
      this.#enliven(id, { type: 'activated', loaded, guard, claim }, [], first !== undefined)
    }
    return first ? this.tell(id, first) : Promise.resolve({ type: 'accepted' })
  }

  /** After a lost session: claims every actor again, over time, and drops those with another live owner. */
  reassert(): void {
    this.#claims.claimAgain()
  }

  /** Releases every actor after its unfinished work. Resolves when none is left, or after `deadlineMs`. */
  async drain(deadlineMs: number): Promise<void> {
    this.#isDraining = true
    await drainActors({
      clock: this.#options.clock,
      deadlineMs,
      cells: () => [...this.#live()],
      remaining: () => this.#slots.size,
      isCancelled: () => !this.#isDraining,
      evict: (cell) => this.#evict(cell),
    })
  }

  /** Ends every actor at once and takes none until `resume`: this process cannot reach Postgres. */
  cutOff(): void {
    this.#isDraining = true
    this.#cutOffs += 1
    for (const cell of [...this.#live()]) cell.drop('cutOff')
  }

  /** Cancels a drain. */
  resume(): void {
    this.#isDraining = false
  }

  /** Stops the upkeep. Call it after a drain. */
  close(): void {
    this.#endUpkeep()
    this.#claims.stop()
  }

  *#live(): Generator<Cell<State, Message, Tx, Effect>, undefined> {
    for (const slot of this.#slots.values()) if (slot.type === 'live') yield slot.cell
  }

  #deliver(id: string, entry: MailboxEntry<Message>): void {
    const slot = this.#slots.get(id)
    if (!slot) return this.#open(id, [entry])
    const isTaken = slot.type === 'live' ? slot.cell.offer(entry) : this.#keep(slot.waiting, entry)
    if (!isTaken) entry.refused({ type: 'full' })
    else if (slot.type === 'live') entry.accepted()
  }

  #keep(waiting: MailboxEntry<Message>[], entry: MailboxEntry<Message>): boolean {
    if (waiting.length >= this.#options.definition.mailboxLimit) return false
    waiting.push(entry)
    return true
  }

  #open(id: string, entries: MailboxEntry<Message>[]): void {
    const refusal = this.#refusal()
    if (refusal) return refuseAll(entries, refusal)
    this.#slots.set(id, { type: 'activating', waiting: entries })
    void this.#activate(id, entries)
  }

  async #activate(id: string, waiting: MailboxEntry<Message>[]): Promise<void> {
    const { definition, host, ownership, clock, guardMs } = this.#options
    const cutOffs = this.#cutOffs
    const result = await activate<State>(id, { kind: definition.kind, ownership, host, clock, guardMs })
    const isActivated = result.type === 'activated'
    if (isActivated && cutOffs === this.#cutOffs) return this.#enliven(id, result, waiting)
    // Since a cut-off, others take it over without a silence.
    if (isActivated) host.dropped(id, result.loaded.epoch)
    this.#slots.delete(id)
    refuseAll(waiting, isActivated ? { type: 'leaving' } : result)
  }

  #enliven(
    id: string,
    { loaded, guard, claim }: Activated<State>,
    waiting: MailboxEntry<Message>[],
    hasFirst = false,
  ): void {
    const { definition, host, clock, turnLimitMs = 3_000 } = this.#options
    const cell: Cell<State, Message, Tx, Effect> = new Cell({
      id,
      loaded,
      guard,
      definition,
      host,
      clock,
      confirm: this.#confirmer.confirm,
      turnLimitMs,
      onRest: () => this.#leave(cell),
      onDrop: (reason, unread) => this.#dropped(cell, reason, unread),
      onThrow: ({ type: messageType }, error) =>
        this.#options.observe?.({ type: 'parked', id, messageType, error }),
      onFault: (error) => this.#options.observe?.({ type: 'faulted', id, error }),
    })
    this.#slots.set(id, { type: 'live', cell })
    host.activated?.(cell.context, hasFirst)
    for (const entry of waiting) this.#deliver(id, entry)
    this.#claims.announce(cell, claim)
  }

  // Ends the cell before the row is released: a successor that needs no silence must be the only one to act.
  #leave(cell: Cell<State, Message, Tx, Effect>): void {
    const unread = cell.end()
    const waiting: MailboxEntry<Message>[] = []
    this.#slots.set(cell.id, { type: 'leaving', waiting })
    this.#leaving += 1
    void this.#release({ id: cell.id, epoch: cell.epoch }).then(() => {
      this.#leaving -= 1
      this.#slots.delete(cell.id)
      this.#return(cell.id, unread)
      // What came meanwhile was not accepted yet, so that its sender hears of both.
      for (const entry of waiting) this.#deliver(cell.id, entry)
    })
  }

  #evict(cell: Cell<State, Message, Tx, Effect>): void {
    this.#leave(cell)
    this.#options.host.dropped(cell.id, cell.epoch)
  }

  #dropped(
    cell: Cell<State, Message, Tx, Effect>,
    reason: DropReason,
    unread: MailboxEntry<Message>[],
  ): void {
    const { host, observe, clock } = this.#options
    this.#slots.delete(cell.id)
    host.dropped(cell.id, cell.epoch)
    observe?.({ type: 'dropped', id: cell.id, epoch: cell.epoch, reason })
    this.#return(cell.id, unread)
    // After a failed turn this process still owns the actor and loads it again at once, because its timers
    // are gone. An actor that failed right after it was loaded is left out: it would fail again.
    const isOurs = reason === 'timedOut' || reason === 'failed' || reason === 'threw'
    const isYoung = clock.mono() - cell.bornAt <= youngMs
    if (isOurs && !isYoung && !this.has(cell.id)) this.#open(cell.id, [])
  }

  // Entries of an ended incarnation go to the next one, on whichever node it is. The sender of a `tell` was
  // told `accepted` already, so only an ask is told of a refusal.
  #return(id: string, entries: MailboxEntry<Message>[]): void {
    for (const entry of entries) {
      const again = entry.ask ? entry : this.#unaware(id, entry)
      again.returns += 1
      if (again.returns > maxReturns) again.refused({ type: 'unavailable' })
      else this.#deliver(id, again)
    }
  }

  #unaware(id: string, entry: MailboxEntry<Message>): MailboxEntry<Message> {
    const { forward, observe } = this.#options
    const refused = (refusal: Refusal) => {
      // Another node takes no message that is internal to the incarnation that ended here.
      const mayTravel = refusal.type !== 'notFound' && this.takes(entry.message.type)
      if (!mayTravel || !forward?.(id, entry.message)) observe?.({ type: 'lost', id, refusal })
    }
    return { ...entry, accepted: () => {}, refused }
  }

  #refusal(): Extract<Refusal, { type: 'leaving' | 'full' }> | undefined {
    if (this.#isDraining) return { type: 'leaving' }
    return this.#makeRoom() ? undefined : { type: 'full' }
  }

  /** False: the process is full, and no actor may leave. */
  #makeRoom(): boolean {
    const { maxActors = 20_000 } = this.#options
    if (this.#slots.size - this.#leaving < maxActors) return true
    const idlest = longestIdle(this.#live(), Math.ceil(maxActors / 100))
    for (const cell of idlest) this.#leave(cell)
    return idlest.length > 0
  }
}
