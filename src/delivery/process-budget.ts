// What the endpoints of one process share: memory for bodies that wait or are unread, and requests under way. Each may
// hold as much as is still free: endpoints that hold little always find room, those that hold much make way for them, and
// together they exceed the process by no more than what each may have in any case. Stores no items: what finds no room
// waits in the store.
import type { WorkspaceId } from '../shared/ids.ts'

/** A part of a limited resource. `limit` is what this part may hold in total at this moment. */
export interface Share {
  readonly held: number
  readonly limit: number
  take(amount: number): void
  give(amount: number): void
}

/** What one endpoint actor holds: a share per queue, so that retries never take room of first attempts. */
export interface EndpointQuota {
  readonly first: Share
  readonly retries: Share
  readonly arrived: Share
  /** Frames that no pong covers yet. A few are there in any case. */
  readonly unread: Share
  /** Requests of queued deliveries. A socket is one connection and needs no share. */
  readonly posts: Share
}

export interface ProcessBudgetOptions {
  /** Bytes of bodies that wait in queues or are unread. */
  readonly bytes: number
  /** Queued requests under way: per workspace, and in total. */
  readonly postsPerWorkspace?: number
  readonly posts?: number
}

/** Requests that each endpoint may have under way in any case, so that other endpoints never block it. */
const reservedPosts = 4

class Budget {
  readonly size: number
  used = 0

  constructor(size: number) {
    this.size = size
  }
}

class BudgetShare implements Share {
  held = 0
  #budgets: readonly Budget[]
  readonly #least: number

  constructor(budgets: readonly Budget[], least = 0) {
    this.#budgets = budgets
    this.#least = least
  }

  get limit(): number {
    let free = Number.POSITIVE_INFINITY
    for (const { size, used } of this.#budgets) free = Math.min(free, size - used)
    return Math.max(this.#least, free)
  }

  take(amount: number): void {
    this.held += amount
    for (const budget of this.#budgets) budget.used += amount
  }

  give(amount: number): void {
    this.take(-Math.min(amount, this.held))
  }

  /** Gives back all it holds. What its incarnation, which was replaced, does until it learns of that, counts nowhere. */
  close(): void {
    this.give(this.held)
    this.#budgets = [new Budget(0)]
  }
}

interface Lease {
  readonly epoch: number
  readonly workspaceId: WorkspaceId
  readonly shares: readonly BudgetShare[]
}

export class ProcessBudget {
  readonly #bytes: Budget
  readonly #posts: Budget
  readonly #postsPerWorkspace: number
  readonly #workspaces = new Map<WorkspaceId, { readonly budget: Budget; leases: number }>()
  readonly #leases = new Map<string, Lease>()

  constructor({ bytes, posts = 2_048, postsPerWorkspace = 128 }: ProcessBudgetOptions) {
    this.#bytes = new Budget(bytes)
    this.#posts = new Budget(posts)
    this.#postsPerWorkspace = postsPerWorkspace
  }

  get bytesHeld(): number {
    return this.#bytes.used
  }

  get postsHeld(): number {
    return this.#posts.used
  }

  /** For one incarnation of an endpoint. Releases what an earlier incarnation still held. */
  open(id: string, epoch: number, workspaceId: WorkspaceId): EndpointQuota {
    const other = this.#leases.get(id)
    // This load was so slow that a later load has begun: its result will not be used.
    if (other && other.epoch > epoch) return new ProcessBudget({ bytes: 0 }).open(id, epoch, workspaceId)
    if (other) this.close(id, other.epoch)
    const workspace = this.#workspaces.get(workspaceId) ?? {
      budget: new Budget(this.#postsPerWorkspace),
      leases: 0,
    }
    this.#workspaces.set(workspaceId, workspace)
    workspace.leases += 1
    const [first, retries, arrived, unread] = [this.#bodies(), this.#bodies(), this.#bodies(), this.#bodies()]
    const posts = new BudgetShare([workspace.budget, this.#posts], reservedPosts)
    this.#leases.set(id, { epoch, workspaceId, shares: [first, retries, arrived, unread, posts] })
    return { first, retries, arrived, unread, posts }
  }

  /** The incarnation has ended: releases all it held. */
  close(id: string, epoch: number): void {
    const lease = this.#leases.get(id)
    if (lease?.epoch !== epoch) return
    this.#leases.delete(id)
    for (const share of lease.shares) share.close()
    const workspace = this.#workspaces.get(lease.workspaceId)
    if (!workspace) return
    workspace.leases -= 1
    if (workspace.leases === 0) this.#workspaces.delete(lease.workspaceId)
  }

  #bodies(): BudgetShare {
    return new BudgetShare([this.#bytes])
  }
}
