// The ownership directory inside one process: for a gateway that runs alone in a test, and for simulations,
// which can wipe it, restore it and expire sessions. It answers like the Lua scripts: one conformance suite
// covers both.
import type { ActorKind } from '../../src/platform/actors/actor.ts'
import type { Claim, NodeRef, Ownership, Recalled } from '../../src/platform/actors/ownership.ts'

interface Entry {
  owner: NodeRef
  epoch: number
}

export class MemoryDirectory {
  #entries = new Map<string, Entry>()
  readonly #alive = new Map<string, NodeRef>()
  readonly #dead = new Set<string>()

  /** Starts a session, or revives it after `expire`. */
  join(node: NodeRef): Ownership {
    this.#alive.set(node.sid, node)
    this.#dead.delete(node.sid)
    return {
      sid: node.sid,
      claim: async (kind, id) => this.#claim(node, kind, id),
      recall: (sid) => this.#recall(sid),
      resumedAt: () => Number.NEGATIVE_INFINITY,
      recordEpoch: (kind, id, epoch) => this.#record(node.sid, key(kind, id), epoch),
      release: async (kind, ids) => {
        for (const id of ids) this.#release(node.sid, key(kind, id))
      },
    }
  }

  /** The session expired: its node may be dead or only slow. */
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

  /** Simulates a failover to a lagging replica: call the result later to restore these entries. */
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

  #recall(sid: string): Recalled {
    const owner = this.#alive.get(sid)
    if (owner) return { type: 'alive', owner }
    return { type: this.#dead.has(sid) ? 'ended' : 'expired' }
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
