// A bounded connection pool to the provider. Each result says whether the request may have reached the
// provider. The pool never retries: the provider has no idempotency, so the caller decides about a retry.
import { type Dispatcher, Pool } from 'undici'
import { type Exchange, PendingExchange } from './pending-exchange.ts'

export interface LaneOptions {
  readonly origin: string
  readonly connections: number
  /** Maximum number of requests that wait for a connection. Further requests fail at once. */
  readonly maxWaiting: number
  /** One deadline for waiting, connecting, writing and the whole response. */
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
}

export type LaneRequest = Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers' | 'body'> & {
  /** In place of the deadline of the pool. */
  readonly timeoutMs?: number | undefined
  /** Called right before the first byte is written, because waiting and connecting take time. */
  readonly isWanted?: (() => boolean) | undefined
}

// Shorter than the idle timeout of any load balancer we know. Otherwise the server could close an idle
// connection just as we send a request on it, and the request would be lost.
const KEEP_ALIVE_MS = 15_000
const CONNECT_TIMEOUT_MS = 5_000

export class ConnectionPool {
  readonly #options: LaneOptions
  readonly #pool: Pool
  // Requests wait here, not in undici, where aborting a queued request costs the next one its connection.
  readonly #waiting = new Map<PendingExchange, LaneRequest>()
  #running = 0
  #closed = false

  constructor(options: LaneOptions) {
    this.#options = options
    this.#pool = new Pool(options.origin, {
      connections: options.connections,
      connectTimeout: Math.min(CONNECT_TIMEOUT_MS, options.timeoutMs),
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      // The deadline of the exchange covers both phases.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** Never rejects. */
  exchange(request: LaneRequest): Promise<Exchange> {
    if (this.#closed) return Promise.resolve(refusedHere('this process is stopping'))
    const isFree = this.#isFree && this.#waiting.size === 0
    if (!isFree && this.#waiting.size >= this.#options.maxWaiting) {
      return Promise.resolve(refusedHere('too many requests are waiting for the provider'))
    }
    return new Promise((resolve) => {
      const { isWanted, timeoutMs = this.#options.timeoutMs } = request
      const limits = { isWanted, ...this.#options, timeoutMs }
      const pending = new PendingExchange(limits, (exchange) => {
        this.#finished(pending)
        resolve(exchange)
      })
      if (isFree) this.#start(pending, request)
      else this.#waiting.set(pending, request)
    })
  }

  /** Resolves when all running exchanges have ended, at the latest at their deadlines. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#pool.close()
  }

  get #isFree(): boolean {
    return this.#running < this.#options.connections
  }

  #start(pending: PendingExchange, request: LaneRequest): void {
    this.#running += 1
    const { isWanted: _, timeoutMs: __, ...options } = request
    this.#pool.dispatch(options, pending)
  }

  #finished(pending: PendingExchange): void {
    if (this.#waiting.delete(pending)) return
    this.#running -= 1
    // Later, because others whose time is over by now must not be sent, and a closed pool ends each in turn at once.
    setImmediate(() => this.#startNext())
  }

  #startNext(): void {
    const [next] = this.#waiting
    if (next === undefined || !this.#isFree) return
    this.#waiting.delete(next[0])
    this.#start(...next)
  }
}

const refusedHere = (details: string): Exchange => ({
  type: 'failed',
  code: 'OVERLOADED',
  written: false,
  details,
})
