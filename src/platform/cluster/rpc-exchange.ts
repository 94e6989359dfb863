// One POST to another process, and its answer. Handlers of undici without a stream: those cost more than the message.
import type { Dispatcher, Pool } from 'undici'
import { afterHalves } from '../../shared/deadline.ts'
import { maxEnvelopeBytes } from './rpc-envelope.ts'

export type Exchange =
  | { readonly type: 'answered'; readonly status: number; readonly body: string }
  /** The code of the error, such as ECONNREFUSED; undefined: there was no answer in time. */
  | { readonly type: 'failed'; readonly code: string | undefined }

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
  #status = 0
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

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > maxEnvelopeBytes) this.#giveUp()
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#end({ type: 'answered', status: this.#status, body: Buffer.concat(this.#chunks).toString() })
  }

  onResponseError(_: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    this.#end({ type: 'failed', code: error.code ?? error.name })
  }

  #giveUp(): void {
    if (this.#isOver) return
    this.#end({ type: 'failed', code: undefined })
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
