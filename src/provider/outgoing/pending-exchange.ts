// One running request. The provider cannot recognise a repeat, so only the phase of a failure tells whether
// the request is safe to repeat or may already have been executed.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { afterHalves } from '../../shared/deadline.ts'

export type TransportFailure =
  | 'UNREACHABLE'
  | 'TIMEOUT'
  | 'CONNECTION_LOST'
  | 'ANSWER_TOO_LARGE'
  | 'OVERLOADED'

export type Exchange =
  | {
      readonly type: 'answered'
      readonly status: number
      readonly headers: IncomingHttpHeaders
      readonly body: Buffer
    }
  | {
      readonly type: 'failed'
      readonly code: TransportFailure
      /** False: no byte of the request has left this process. */
      readonly written: boolean
      /** The code of the underlying error, such as ECONNREFUSED. */
      readonly details: string | null
    }

interface Limits {
  readonly timeoutMs: number
  readonly maxAnswerBytes: number
  /** Called right before the first byte is written. False aborts the request. */
  readonly isWanted?: (() => boolean) | undefined
}

export class PendingExchange implements Dispatcher.DispatchHandler {
  readonly #maxAnswerBytes: number
  readonly #settle: (exchange: Exchange) => void
  readonly #isWanted: () => boolean
  readonly #cancel: () => void
  #controller: Dispatcher.DispatchController | undefined
  #isSettled = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #chunks: Buffer[] = []
  #size = 0

  constructor(limits: Limits, settle: (exchange: Exchange) => void) {
    this.#maxAnswerBytes = limits.maxAnswerBytes
    this.#settle = settle
    this.#isWanted = limits.isWanted ?? (() => true)
    this.#cancel = afterHalves(limits.timeoutMs, () => this.#expire())
  }

  // undici calls this right before it writes the first byte, and writes nothing after an abort in here. Abort
  // when the deadline passed while connecting, when undici retries after a broken connection, or when the
  // request is not wanted any more.
  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isSettled || this.#controller || !this.#isWanted()) controller.abort(new Error('given up'))
    else this.#controller = controller
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.length
    if (this.#size > this.#maxAnswerBytes) this.#fail('ANSWER_TOO_LARGE', null)
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    this.#end({
      type: 'answered',
      status: this.#status,
      headers: this.#headers,
      body: Buffer.concat(this.#chunks),
    })
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: NodeJS.ErrnoException): void {
    this.#fail(this.#controller ? 'CONNECTION_LOST' : 'UNREACHABLE', error.code ?? error.name)
  }

  /** What was not written has no answer to wait for, and must not be written any more. */
  #expire(): void {
    if (this.#controller) setImmediate(() => this.#fail('TIMEOUT', null))
    else this.#fail('TIMEOUT', null)
  }

  #fail(code: TransportFailure, details: string | null): void {
    if (this.#isSettled) return
    this.#end({ type: 'failed', code, written: this.#controller !== undefined, details })
    this.#controller?.abort(new Error('given up'))
  }

  #end(exchange: Exchange): void {
    if (this.#isSettled) return
    this.#isSettled = true
    this.#cancel()
    this.#chunks = []
    this.#settle(exchange)
  }
}
