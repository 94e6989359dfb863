// Publishes one topic of one workspace to all its viewers in this process: it polls the store and publishes
// what changed. Polling finds a change by any process, and a lost notification cannot hide one.
import type { ServerSocket } from '../../platform/http/sockets.ts'
import type { Clock, Timer } from '../../shared/clock.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import { deltaOf, type State } from './delta.ts'
import type { Topic } from './topics.ts'

export interface FeedOptions {
  readonly topic: Topic
  readonly workspaceId: WorkspaceId
  readonly clock: Clock
  /** Limits how many reads of all feeds run at once. */
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly publish: (channel: string, text: string) => void
  readonly onFault: (error: unknown, topic: string) => void
}

/** A viewer with this much unsent data gets no deltas: it gets the whole state once it has caught up. */
const behindBytes = 256 * 1024
/** A read that takes longer counts as failed for the viewers, whatever becomes of it. */
const lateMs = 6_000

export class Feed {
  readonly #options: FeedOptions
  /** The value is false while the viewer waits for a snapshot. */
  readonly #viewers = new Map<ServerSocket, boolean>()
  #state: State | undefined
  #seq = 0
  #timer: Timer | undefined
  #isClosed = false
  /** When the state was read; undefined before the first. */
  #readAt: number | undefined
  #isStale = false

  constructor(options: FeedOptions) {
    this.#options = options
    void this.#look()
  }

  get size(): number {
    return this.#viewers.size
  }

  /** A viewer that watches already gets a new snapshot. */
  join(socket: ServerSocket): void {
    this.#viewers.set(socket, false)
    socket.unsubscribe(this.#channel)
    this.#show(socket)
  }

  leave(socket: ServerSocket): void {
    if (this.#viewers.delete(socket)) socket.unsubscribe(this.#channel)
  }

  /** Call when the socket's buffer has drained: a viewer that was behind gets the current state. */
  drained(socket: ServerSocket): void {
    if (this.#viewers.get(socket) === false) this.#show(socket)
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  get #channel(): string {
    return `${this.#options.workspaceId}/${this.#options.topic.name}`
  }

  #show(socket: ServerSocket): void {
    if (this.#isStale) socket.send(this.#frame(this.#staleness()))
    if (this.#state === undefined || socket.bufferedBytes() > behindBytes) return
    this.#viewers.set(socket, true)
    // Nothing is published between these two calls, so the next delta follows this snapshot.
    socket.send(this.#frame({ snapshot: this.#state }))
    socket.subscribe(this.#channel)
  }

  async #look(): Promise<void> {
    const { topic, workspaceId, clock, inTurn, onFault } = this.#options
    const late = clock.after(lateMs, () => this.#mark(true))
    try {
      const state = await inTurn(async () => (this.#isClosed ? undefined : topic.read(workspaceId)))
      if (state && !this.#isClosed) {
        this.#readAt = clock.now()
        this.#take(state)
        this.#mark(false)
      }
    } catch (error) {
      // Report only the first of consecutive failures. Polling continues.
      if (!this.#isStale && !this.#isClosed) onFault(error, topic.name)
      this.#mark(true)
    }
    late.cancel()
    if (!this.#isClosed) this.#timer = clock.after(topic.everyMs, () => void this.#look())
  }

  /** Viewers learn that what they show is out of date, and since when. */
  #mark(isStale: boolean): void {
    if (isStale === this.#isStale || this.#isClosed) return
    this.#isStale = isStale
    for (const socket of this.#viewers.keys()) socket.send(this.#frame(this.#staleness()))
  }

  #staleness(): { readonly stale: { readonly asOf: string | null } | null } {
    if (!this.#isStale) return { stale: null }
    return { stale: { asOf: this.#readAt === undefined ? null : new Date(this.#readAt).toISOString() } }
  }

  #take(state: State): void {
    const before = this.#state
    this.#state = state
    if (before === undefined) {
      for (const socket of [...this.#viewers.keys()]) this.#show(socket)
      return
    }
    const delta = deltaOf(before, state)
    if (!delta) return
    this.#seq += 1
    for (const [socket, isUpToDate] of this.#viewers) {
      if (!isUpToDate || socket.bufferedBytes() <= behindBytes) continue
      this.#viewers.set(socket, false)
      socket.unsubscribe(this.#channel)
    }
    this.#options.publish(this.#channel, this.#frame({ delta }))
  }

  #frame(
    content: { readonly snapshot: State } | { readonly delta: object } | { readonly stale: object | null },
  ): string {
    return JSON.stringify({ topic: this.#options.topic.name, seq: this.#seq, ...content })
  }
}
