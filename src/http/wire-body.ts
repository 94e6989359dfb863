// Takes in one request's body: what came along with the head at once, the rest only when somebody asks for it,
// so that a caller nobody admitted yet costs no more than one read of the socket.
import { AppError } from '../contract/errors.ts'
import type { Clock, Timer } from '../shared/clock.ts'
import { RequestAborted } from './exchange.ts'
import type { WireResponse } from './wire.ts'

/** Bytes of bodies held by all requests of the process. */
export interface BodyBudget {
  held: number
  readonly max: number
}

export interface BodyOptions {
  readonly budget: BodyBudget
  /** From the asking to the last byte; a client that is slower is cut off. */
  readonly deadlineMs: number
  readonly clock: Clock
}

const droppedBytes = 64 * 1024

type Outcome = { type: 'whole'; bytes: Uint8Array } | { type: 'failed'; reason: Error }

export class WireBody {
  readonly #response: WireResponse
  readonly #options: BodyOptions
  readonly #declared: number | undefined
  #chunks: Buffer[] = []
  #received = 0
  #held = 0
  #limit: number | undefined
  #paused = false
  #ended: boolean
  #outcome: Outcome | undefined
  #settle: ((outcome: Outcome) => void) | undefined
  #timer: Timer | undefined

  /** `declared` is undefined for a chunked body, whose length is not announced. */
  constructor(response: WireResponse, declared: number | undefined, options: BodyOptions) {
    this.#response = response
    this.#options = options
    this.#declared = declared
    this.#ended = declared === 0
    if (this.#ended) this.#outcome = { type: 'whole', bytes: new Uint8Array() }
    else response.onData((chunk, isLast) => this.#take(chunk, isLast))
  }

  /**
   * The answer goes out now. True when the connection may serve another request: the body was read, or what is left
   * of it is small enough to be dropped as it comes.
   */
  forsake(): boolean {
    if (this.#ended) return true
    this.#fail(new RequestAborted())
    if (this.#declared === undefined || this.#declared - this.#received > droppedBytes) return false
    this.#resume()
    return true
  }

  async read(limitBytes: number): Promise<Uint8Array> {
    this.#limit = limitBytes
    if ((this.#declared ?? this.#received) > limitBytes) {
      this.#fail(tooLarge(limitBytes))
      throw tooLarge(limitBytes)
    }
    const outcome = this.#outcome ?? (await this.#rest())
    if (outcome.type === 'failed') throw outcome.reason
    return outcome.bytes
  }

  /** The client is gone. */
  abort(): void {
    this.#fail(new RequestAborted())
    this.release()
  }

  /** The request is over: its bytes no longer count. */
  release(): void {
    this.#options.budget.held -= this.#held
    this.#held = 0
    this.#chunks = []
    this.#timer?.cancel()
  }

  #rest(): Promise<Outcome> {
    this.#resume()
    // Closing makes uWebSockets report the request as aborted, which settles what waits here.
    this.#timer = this.#options.clock.after(this.#options.deadlineMs, () => this.#response.close())
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (isLast) this.#ended = true
    this.#received += chunk.byteLength
    if (this.#outcome) return
    if (this.#limit !== undefined && this.#received > this.#limit) return this.#fail(tooLarge(this.#limit))
    if (this.#options.budget.held + chunk.byteLength > this.#options.budget.max)
      return this.#fail(overloaded())
    this.#options.budget.held += chunk.byteLength
    this.#held += chunk.byteLength
    // uWebSockets detaches the chunk when this function returns; small copies come out of Node's pool.
    this.#chunks.push(Buffer.from(new Uint8Array(chunk)))
    if (isLast) return this.#finish({ type: 'whole', bytes: this.#whole() })
    if (this.#limit === undefined) this.#pause()
  }

  #whole(): Uint8Array {
    const [only] = this.#chunks
    return this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.#received)
  }

  #fail(reason: Error): void {
    if (this.#outcome) return
    this.#chunks = []
    if (!(reason instanceof RequestAborted) && !this.#ended) this.#pause()
    this.#finish({ type: 'failed', reason })
  }

  #pause(): void {
    if (this.#paused) return
    this.#paused = true
    this.#response.pause()
  }

  #resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#response.resume()
  }

  #finish(outcome: Outcome): void {
    this.#outcome = outcome
    this.#timer?.cancel()
    this.#settle?.(outcome)
  }
}

const tooLarge = (limitBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `the body must not be larger than ${limitBytes} bytes`)

const overloaded = (): AppError =>
  new AppError('OVERLOADED', 'this process holds too many request bodies; try again shortly', {
    retryAfterSeconds: 1,
  })
