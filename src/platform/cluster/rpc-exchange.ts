// One POST to another process that takes no socket, and its answer. Handlers of undici without a stream: those cost more
// than the message.
import type { Dispatcher, Pool } from 'undici'
import { afterHalves } from '../../shared/deadline.ts'
import { maxEnvelopeBytes } from './rpc-envelope.ts'

export type Exchange =
  | { readonly type: 'answered'; readonly body: string }
  | { readonly type: 'failed'; readonly how: Failure }

export type Failure =
  /** Nothing listens there: the message did not arrive. */
  | 'refused'
  /** No connection in time: the message did not arrive. */
  | 'unreached'
  /** The connection broke: the message may have arrived. */
  | 'reset'
  /** No answer in time, or one that cannot be read: the message may have arrived. */
  | 'lost'

export interface ExchangeRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** `timeoutMs`: for waiting, connecting and the whole answer. Never rejects. */
export const exchange = (pool: Pool, request: ExchangeRequest, timeoutMs: number): Promise<Exchange> =>
  new Promise((resolve) => {
    pool.dispatch({ method: 'POST', ...request }, new Handler(resolve, timeoutMs))
  })

class Handler implements Dispatcher.DispatchHandler {
  readonly #resolve: (exchange: Exchange) => void
  readonly #cancel: () => void
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #chunks: Buffer[] = []
  #size = 0

  constructor(resolve: (exchange: Exchange) => void, timeoutMs: number) {
    this.#resolve = resolve
    // After a halt of this process the answer may be here, unread.
    this.#cancel = afterHalves(timeoutMs, () => setImmediate(() => this.#giveUp()))
  }

  /** Right before the request is written. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) controller.abort(givenUp)
    else this.#controller = controller
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > maxEnvelopeBytes) this.#giveUp()
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#end({ type: 'answered', body: Buffer.concat(this.#chunks).toString() })
  }

  onResponseError(_: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    this.#end({ type: 'failed', how: failures[error.code ?? ''] ?? 'lost' })
  }

  #giveUp(): void {
    if (this.#isOver) return
    this.#end({ type: 'failed', how: 'lost' })
    this.#controller?.abort(givenUp)
  }

  #end(exchange: Exchange): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#cancel()
    this.#resolve(exchange)
  }
}

const givenUp = new Error('given up')

const failures: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: 'refused',
  UND_ERR_CONNECT_TIMEOUT: 'unreached',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
}
