// What the endpoints of one process share: memory for bodies that wait, and requests under way. Each may hold as much
// as is still free, so those who hold little always find room, those who hold much give way to them, and no sum of
// them outgrows the process. Holds nothing itself: what finds no room waits in the store.
import type { WorkspaceId } from '../shared/ids.ts'

/** A part of something bounded. `limit` is what this part may hold in all at this moment. */
export interface Share {
  readonly held: number
  readonly limit: number
  take(amount: number): void
  give(amount: number): void
}

/** What one endpoint actor holds; one for each lane, so that retries never take the room of first attempts. */
export interface Stake {
  readonly first: Share
  readonly retries: Share
  readonly arrived: Share
  /** Requests of queued deliveries. A socket is one connection and needs none. */
  readonly posts: Share
}

export interface CommonsOptions {
  /** Bytes of bodies that wait in lanes. */
  readonly bytes: number
  /** Queued requests under way: of one workspace, and of all together. */
  readonly postsPerWorkspace?: number
  readonly posts?: number
}

/** Under way without regard to others: an endpoint is never held up by its neighbours. */
const postsOfRight = 4

class Pot {
  readonly size: number
  used = 0

  constructor(size: number) {
    this.size = size
  }
}

class PotShare implements Share {
  held = 0
  readonly #pots: readonly Pot[]
  readonly #least: number

  constructor(pots: readonly Pot[], least = 0) {
    this.#pots = pots
    this.#least = least
  }

  get limit(): number {
    let free = Number.POSITIVE_INFINITY
    for (const { size, used } of this.#pots) free = Math.min(free, size - used)
    return Math.max(this.#least, free)
  }

  take(amount: number): void {
    this.held += amount
    for (const pot of this.#pots) pot.used += amount
  }

  give(amount: number): void {
    this.take(-Math.min(amount, this.held))
  }
}

interface Seat {
  readonly epoch: number
  readonly workspaceId: WorkspaceId
  readonly shares: readonly PotShare[]
}

export class Commons {
  readonly #bytes: Pot
  readonly #posts: Pot
  readonly #postsPerWorkspace: number
  readonly #workspaces = new Map<WorkspaceId, { readonly pot: Pot; seats: number }>()
  readonly #seats = new Map<string, Seat>()

  constructor({ bytes, posts = 2_048, postsPerWorkspace = 64 }: CommonsOptions) {
    this.#bytes = new Pot(bytes)
    this.#posts = new Pot(posts)
    this.#postsPerWorkspace = postsPerWorkspace
  }

  get bytesHeld(): number {
    return this.#bytes.used
  }

  get postsHeld(): number {
    return this.#posts.used
  }

  /** For one incarnation of an endpoint; what an earlier one still held is given back. */
  open(id: string, epoch: number, workspaceId: WorkspaceId): Stake {
    const other = this.#seats.get(id)
    // A load that took so long that another was begun: nobody will use it.
    if (other && other.epoch > epoch) return new Commons({ bytes: 0 }).open(id, epoch, workspaceId)
    if (other) this.close(id, other.epoch)
    const workspace = this.#workspaces.get(workspaceId) ?? { pot: new Pot(this.#postsPerWorkspace), seats: 0 }
    this.#workspaces.set(workspaceId, workspace)
    workspace.seats += 1
    const [first, retries, arrived] = [this.#lane(), this.#lane(), this.#lane()]
    const posts = new PotShare([workspace.pot, this.#posts], postsOfRight)
    this.#seats.set(id, { epoch, workspaceId, shares: [first, retries, arrived, posts] })
    return { first, retries, arrived, posts }
  }

  /** The incarnation is gone, with all it held. */
  close(id: string, epoch: number): void {
    const seat = this.#seats.get(id)
    if (seat?.epoch !== epoch) return
    this.#seats.delete(id)
    for (const share of seat.shares) share.give(share.held)
    const workspace = this.#workspaces.get(seat.workspaceId)
    if (!workspace) return
    workspace.seats -= 1
    if (workspace.seats === 0) this.#workspaces.delete(seat.workspaceId)
  }

  #lane(): PotShare {
    return new PotShare([this.#bytes])
  }
}
