// The session of this process in Redis: liveness and routing. It authorises nothing; epochs in Postgres do.

import { randomUUID } from 'node:crypto'
import type { Clock, Timer } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import type { NodeRef } from '../actors/ownership.ts'
import { bounded, type Redis } from '../redis/client.ts'
import { keys } from '../redis/keys.ts'
import { runScript } from '../redis/run-script.ts'
import type { NodeState } from './registry.ts'
import { scripts } from './scripts.ts'

export interface SessionOptions {
  /** A dedicated connection: renewals must not queue behind other commands. */
  readonly redis: Redis
  readonly node: NodeRef
  readonly version: string
  readonly host: string
  readonly clock: Clock
  /** The settings SESSION_TTL and SESSION_RENEW. */
  readonly ttlMs: number
  readonly renewMs: number
  /** The session, or all of Redis, was lost and is restored. Other nodes may own the actors by now. */
  readonly onLost: () => void
  readonly log: Log
}

const nodeTtlMs = 30_000
const tombstoneMs = 3_600_000

export class NodeSession {
  readonly #options: SessionOptions
  #state: NodeState = 'joining'
  #generation = ''
  /** Whether Redis has the state. Its answer to a renewal does not tell. */
  #isPublished = false
  #timer: Timer | undefined
  #isRenewing = false
  #isFailing = false
  #isPaused = false
  #hasEnded = false

  constructor(options: SessionOptions) {
    this.#options = options
  }

  get state(): NodeState {
    return this.#state
  }

  /** Redis has the state, and does not take the session for dead. */
  get isPublished(): boolean {
    return this.#isPublished
  }

  /** Registers, then renews periodically. Rejects when Redis does not respond. */
  async start(): Promise<void> {
    await this.#register()
    this.#schedule()
  }

  /** Gives up every actor although the process lives: successors need no silence. `enter` starts it again. */
  async pause(): Promise<void> {
    this.#isPaused = true
    this.#isPublished = false
    this.#state = 'cutOff'
    this.#options.log.warn({ ...this.#options.node, state: this.#state }, 'session.entered')
    await declareDead(this.#options.redis, this.#options.node.sid, 'itself').catch(() => false)
  }

  /** Publishes the state. While Redis is unavailable it changes only locally, until the next registration. */
  async enter(state: NodeState): Promise<void> {
    const hasNoActors = this.#isPaused
    this.#state = state
    this.#isPaused = false
    this.#options.log.info({ ...this.#options.node, state }, 'session.entered')
    try {
      // The next renewal would find nothing missing.
      if ((await this.#register()) === 'restored' && !hasNoActors) this.#wasLost()
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Call last, after the last actor has ended: successors need no handover silence then. */
  async end(): Promise<void> {
    this.#hasEnded = true
    this.#timer?.cancel()
    await declareDead(this.#options.redis, this.#options.node.sid, 'itself').catch(() => false)
  }

  /** Stops renewing without ending the session, as a crash would. */
  abandon(): void {
    this.#hasEnded = true
    this.#timer?.cancel()
  }

  // The timer never awaits a renewal: a renewal that hangs must not prevent the next one.
  #schedule(): void {
    this.#timer = this.#options.clock.after(this.#options.renewMs, () => {
      this.#schedule()
      void this.#renew()
    })
  }

  async #renew(): Promise<void> {
    if (this.#isRenewing || this.#isPaused) return
    this.#isRenewing = true
    try {
      const generation = await this.#extend()
      if (generation !== this.#generation) await this.#comeBack()
      else if (!this.#isPublished) await this.#register()
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
    if (this.#hasEnded || this.#isPaused) return
    await this.#register()
    this.#wasLost()
  }

  #wasLost(): void {
    this.#options.log.warn(this.#options.node, 'session.lost')
    this.#options.onLost()
  }

  /** `restored`: the session, or all of Redis, was lost. */
  async #register(): Promise<'registered' | 'restored'> {
    const { redis, node, version, host, clock, ttlMs } = this.#options
    const fields = { sid: node.sid, address: node.address, state: this.#state, version, host }
    if (this.#hasEnded) return 'registered'
    this.#isPublished = false
    const [generation, wasThere] = await runScript<[string, number]>(redis, scripts.register, {
      keys: [
        keys.generation,
        keys.session(node.sid),
        keys.dead(node.sid),
        keys.node(node.nodeId),
        keys.nodes,
      ],
      args: [randomUUID(), node.nodeId, ttlMs, nodeTtlMs, clock.now(), ...Object.entries(fields).flat()],
    })
    const isFirst = this.#generation === ''
    const isWhole = wasThere === 1 && generation === this.#generation
    this.#generation = generation
    this.#isPublished = fields.state === this.#state
    return isFirst || isWhole ? 'registered' : 'restored'
  }

  #failed(error: unknown): void {
    if (this.#isFailing || this.#hasEnded) return
    this.#isFailing = true
    this.#options.log.warn({ ...this.#options.node, error: String(error) }, 'session.not_renewed')
  }
}

/** Milliseconds since the node last renewed its session; undefined: it has none. */
export async function sinceRenewal(redis: Redis, node: NodeRef): Promise<number | undefined> {
  const [isAlive, leftMs] = (await bounded(
    redis.multi().exists(keys.session(node.sid)).pTTL(keys.node(node.nodeId)).execAsPipeline(),
  )) as unknown as [number, number]
  return isAlive === 1 && leftMs >= 0 ? nodeTtlMs - leftMs : undefined
}

/** Call it only for a process that is certainly gone. True if its session was still alive. */
export async function declareDead(redis: Redis, sid: string, reporter: string): Promise<boolean> {
  const wasAlive = await runScript<number>(redis, scripts.declareDead, {
    keys: [keys.session(sid), keys.dead(sid)],
    args: [reporter, tombstoneMs],
  })
  return wasAlive === 1
}
