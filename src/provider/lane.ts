// One bounded way to the provider: requests, answers, and exact knowledge of whether anything may have arrived there.
// It repeats nothing: the provider has no idempotency, so whether to try again is for the caller to decide.
import { type Dispatcher, Pool } from 'undici'
import { type Exchange, PendingExchange } from './pending-exchange.ts'

export interface LaneOptions {
  readonly origin: string
  readonly connections: number
  /** Requests that wait for a connection at most; past it they fail at once. */
  readonly maxWaiting: number
  /** One deadline over waiting, connecting, writing and the whole answer. */
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
}

export type LaneRequest = Pick<Dispatcher.DispatchOptions, 'method' | 'path' | 'headers' | 'body'> & {
  /** Waiting and connecting take time: asked right before the first byte is written. */
  readonly isWanted?: (() => boolean) | undefined
}

// Shorter than the idle time of any load balancer we know: the side that closes last loses the request.
const KEEP_ALIVE_MS = 15_000
const CONNECT_TIMEOUT_MS = 5_000

export class Lane {
  readonly #options: LaneOptions
  readonly #pool: Pool
  // Waiting happens here and not in undici, where a request that is given up would cost its successor the connection.
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
      // The deadline of the exchange covers both.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** Never rejects. */
  exchange(request: LaneRequest): Promise<Exchange> {
    if (this.#closed) return Promise.resolve(refusedHere('this process is stopping'))
    const isFree = this.#running < this.#options.connections
    if (!isFree && this.#waiting.size >= this.#options.maxWaiting) {
      return Promise.resolve(refusedHere('too many requests are waiting for the provider'))
    }
    return new Promise((resolve) => {
      const limits = { ...this.#options, isWanted: request.isWanted }
      const pending = new PendingExchange(limits, (exchange) => {
        this.#finished(pending)
        resolve(exchange)
      })
      if (isFree) this.#start(pending, request)
      else this.#waiting.set(pending, request)
    })
  }

  /** Resolves when every exchange under way has ended; each has its deadline. */
  async close(): Promise<void> {
    this.#closed = true
    await this.#pool.close()
  }

  #start(pending: PendingExchange, request: LaneRequest): void {
    this.#running += 1
    const { isWanted: _, ...options } = request
    this.#pool.dispatch(options, pending)
  }

  #finished(pending: PendingExchange): void {
    if (this.#waiting.delete(pending)) return
    this.#running -= 1
    const [next] = this.#waiting
    if (next === undefined) return
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
