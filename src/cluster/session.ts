// The session of this process: liveness and routing. It never authorises anything; epochs in Postgres do.
import { randomUUID } from 'node:crypto'
import type { NodeRef } from '../actors/ownership.ts'
import type { Redis } from '../redis/client.ts'
import { keys } from '../redis/keys.ts'
import { runScript, scripts } from '../redis/run-script.ts'
import type { Clock, Timer } from '../shared/clock.ts'
import type { NodeState } from './registry.ts'

export interface SessionOptions {
  /** A connection of its own: what proves life must not queue behind work. */
  readonly redis: Redis
  readonly node: NodeRef
  readonly version: string
  readonly clock: Clock
  /** SESSION_TTL, SESSION_RENEW. */
  readonly ttlMs: number
  readonly renewMs: number
  /** The session, or all of Redis, was lost; it stands again, but others may have taken what this process owned. */
  readonly onLost: () => void
  readonly log: SessionLog
}

export interface SessionLog {
  info(fields: object, event: string): void
  warn(fields: object, event: string): void
}

const nodeTtlMs = 30_000
const tombstoneMs = 3_600_000

export class NodeSession {
  readonly #options: SessionOptions
  #state: NodeState = 'joining'
  #generation = ''
  #timer: Timer | undefined
  #isRenewing = false
  #isFailing = false
  #hasEnded = false

  constructor(options: SessionOptions) {
    this.#options = options
  }

  get state(): NodeState {
    return this.#state
  }

  /** Registers and renews from then on. Rejects when Redis does not answer. */
  async start(): Promise<void> {
    await this.#register()
    this.#schedule()
  }

  /** Tells the others. The local state changes also while Redis is away; the next registration carries it. */
  async enter(state: NodeState): Promise<void> {
    this.#state = state
    this.#options.log.info({ ...this.#options.node, state }, 'session.entered')
    await this.#register().catch((error: unknown) => this.#failed(error))
  }

  /** The last act of a process, after its last actor: successors need not wait for anything of it. */
  async end(): Promise<void> {
    this.#hasEnded = true
    this.#timer?.cancel()
    await declareDead(this.#options.redis, this.#options.node.sid, 'itself').catch(() => false)
  }

  /** Stops renewing without a word, as a crash would. */
  abandon(): void {
    this.#hasEnded = true
    this.#timer?.cancel()
  }

  // The timer never awaits a renewal: one that hangs must not be the last.
  #schedule(): void {
    this.#timer = this.#options.clock.after(this.#options.renewMs, () => {
      this.#schedule()
      void this.#renew()
    })
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing) return
    this.#isRenewing = true
    try {
      const generation = await this.#extend()
      if (generation !== this.#generation && !this.#hasEnded) await this.#comeBack()
      if (this.#isFailing) this.#options.log.info(this.#options.node, 'session.renewed')
      this.#isFailing = false
    } catch (error) {
      this.#failed(error)
    } finally {
      this.#isRenewing = false
    }
  }

  #extend(): Promise<string> {
    const { redis, node, clock, ttlMs } = this.#options
    return runScript<string>(redis, scripts.renew, {
      keys: [keys.generation, keys.session(node.sid), keys.node(node.nodeId), keys.nodes],
      args: [ttlMs, nodeTtlMs, clock.now(), node.nodeId],
    })
  }

  async #comeBack(): Promise<void> {
    await this.#register()
    this.#options.log.warn(this.#options.node, 'session.lost')
    this.#options.onLost()
  }

  async #register(): Promise<void> {
    const { redis, node, version, clock, ttlMs } = this.#options
    const fields = { sid: node.sid, address: node.address, state: this.#state, version }
    if (this.#hasEnded) return
    this.#generation = await runScript<string>(redis, scripts.register, {
      keys: [
        keys.generation,
        keys.session(node.sid),
        keys.dead(node.sid),
        keys.node(node.nodeId),
        keys.nodes,
      ],
      args: [randomUUID(), node.nodeId, ttlMs, nodeTtlMs, clock.now(), ...Object.entries(fields).flat()],
    })
  }

  #failed(error: unknown): void {
    if (this.#isFailing || this.#hasEnded) return
    this.#isFailing = true
    this.#options.log.warn({ ...this.#options.node, error: String(error) }, 'session.not_renewed')
  }
}

/** True where the session was still alive. Only for a session that is certain to have ended. */
export async function declareDead(redis: Redis, sid: string, reporter: string): Promise<boolean> {
  const wasAlive = await runScript<number>(redis, scripts.declareDead, {
    keys: [keys.session(sid), keys.dead(sid)],
    args: [reporter, tombstoneMs],
  })
  return wasAlive === 1
}
