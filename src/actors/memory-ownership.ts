// The ownership directory inside one process: for a gateway that runs alone in a test, and for simulations, which can
// lose, restore and cut it off. Answers like the Lua scripts; one conformance suite runs over both.
import type { ActorKind } from './actor.ts'
import type { Claim, NodeRef, Ownership } from './ownership.ts'

interface Entry {
  owner: NodeRef
  epoch: number
}

export class MemoryDirectory {
  #entries = new Map<string, Entry>()
  readonly #alive = new Set<string>()
  readonly #dead = new Set<string>()

  /** Starts a session; again after `expire`, it is alive again. */
  join(node: NodeRef): Ownership {
    this.#alive.add(node.sid)
    this.#dead.delete(node.sid)
    return {
      sid: node.sid,
      claim: async (kind, id) => this.#claim(node, kind, id),
      recordEpoch: (kind, id, epoch) => this.#record(node.sid, key(kind, id), epoch),
      release: async (kind, ids) => {
        for (const id of ids) this.#release(node.sid, key(kind, id))
      },
    }
  }

  /** The session ran out: its owner may be dead or merely slow. */
  expire(sid: string): void {
    this.#alive.delete(sid)
  }

  /** The session is known to have ended. */
  declareDead(sid: string): void {
    this.#alive.delete(sid)
    this.#dead.add(sid)
  }

  isAlive(sid: string): boolean {
    return this.#alive.has(sid)
  }

  epochOf(kind: ActorKind, id: string): number | undefined {
    return this.#entries.get(key(kind, id))?.epoch
  }

  /** What a failover to a lagging copy leaves: call the result later to have these entries back. */
  snapshot(): () => void {
    const entries = structuredClone(this.#entries)
    return () => {
      this.#entries = structuredClone(entries)
    }
  }

  wipe(): void {
    this.#entries.clear()
  }

  #claim(node: NodeRef, kind: ActorKind, id: string): Claim {
    if (!this.#alive.has(node.sid)) return { type: 'unavailable' }
    const current = this.#entries.get(key(kind, id))
    if (current?.owner.sid === node.sid) return { type: 'mine' }
    if (current && this.#alive.has(current.owner.sid)) return { type: 'theirs', owner: current.owner }
    this.#entries.set(key(kind, id), { owner: node, epoch: 0 })
    return current && this.#dead.has(current.owner.sid)
      ? { type: 'mine', deadSid: current.owner.sid }
      : { type: 'mine' }
  }

  #record(sid: string, at: string, epoch: number): void {
    const entry = this.#entries.get(at)
    if (entry?.owner.sid === sid && epoch > entry.epoch) entry.epoch = epoch
  }

  #release(sid: string, at: string): void {
    if (this.#entries.get(at)?.owner.sid === sid) this.#entries.delete(at)
  }
}

const key = (kind: ActorKind, id: string) => `${kind}:${id}`
