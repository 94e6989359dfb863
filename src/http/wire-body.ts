// Takes in one request's body: what came along with the head at once, the rest only when somebody asks for it,
// so that a caller nobody admitted yet costs no more than one read of the socket. Whole or piece by piece.
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
  /** The same for a body that is read piece by piece; each piece must come within `deadlineMs`. */
  readonly streamDeadlineMs: number
  readonly clock: Clock
}

const droppedBytes = 64 * 1024
/** Who sends nothing for so long waits for the answer. */
const silenceMs = 250

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
  #isFlowing = false
  #wasStreamed = false
  #isReleased = false
  #wake: (() => void) | undefined

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
    if (this.#ended) {
      // Not before: with that, uWebSockets begins to count how long nothing was sent.
      this.#resume()
      return true
    }
    this.#fail(new RequestAborted())
    if (this.#declared === undefined) return false
    // Who was let to send a large file hears what is wrong with it only if nobody hangs up meanwhile.
    if (!this.#wasStreamed && this.#declared - this.#received > droppedBytes) return false
    this.#resume()
    return true
  }

  /** Somebody reads it piece by piece and has not come to its end. */
  get isFlowing(): boolean {
    return this.#isFlowing
  }

  /** An answer waits for room in the socket, of which uWebSockets tells nothing while it is paused. */
  letAnswer(): void {
    if (this.#ended) this.#resume()
  }

  /** What is left of it is dropped as it comes. */
  drop(): void {
    if (!this.#ended) this.#fail(new RequestAborted())
    this.#resume()
  }

  /**
   * What is left of a stream is dropped as it comes, to its end or as long as the client sends, `deadlineMs` at most: to close
   * a connection that still has something to read resets it, and the client may lose the answer it was about to read.
   */
  async dropRest(): Promise<void> {
    if (!this.#wasStreamed || this.#isFlowing || this.#ended) return
    this.drop()
    const { clock, deadlineMs } = this.#options
    const until = clock.mono() + deadlineMs
    for (let before = -1; before < this.#received && clock.mono() < until; ) {
      before = this.#received
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        this.#timer = clock.after(silenceMs, resolve)
      })
      this.#timer?.cancel()
      if (this.#ended || this.#isReleased) return
    }
  }

  /** Counts bytes that are held on behalf of this request until it is over; false where there are too many. */
  claim(bytes: number): boolean {
    if (this.#options.budget.held + bytes > this.#options.budget.max) return false
    this.#options.budget.held += bytes
    this.#held += bytes
    return true
  }

  async read(limitBytes: number): Promise<Uint8Array> {
    this.#setLimit(limitBytes)
    const outcome = this.#outcome ?? (await this.#rest())
    if (outcome.type === 'failed') throw outcome.reason
    return outcome.bytes
  }

  /** Piece by piece as it comes. While nobody asks for the next, the client is held up. */
  stream(limitBytes: number): AsyncGenerator<Uint8Array> {
    this.#setLimit(limitBytes)
    this.#isFlowing = this.#outcome?.type !== 'whole'
    this.#wasStreamed = true
    return this.#pieces()
  }

  async *#pieces(): AsyncGenerator<Uint8Array> {
    if (this.#outcome?.type === 'whole') {
      yield this.#outcome.bytes
      return
    }
    const { clock, streamDeadlineMs } = this.#options
    const deadline = clock.after(streamDeadlineMs, () => this.#cutOff())
    try {
      for (;;) {
        const piece = await this.#nextPiece()
        if (!piece) return
        yield piece
      }
    } finally {
      deadline.cancel()
      this.#isFlowing = false
    }
  }

  /** The client is gone. */
  abort(): void {
    this.#fail(new RequestAborted())
    this.#wake?.()
    this.release()
  }

  /** The request is over: its bytes no longer count. */
  release(): void {
    this.#isReleased = true
    this.#options.budget.held -= this.#held
    this.#held = 0
    this.#chunks = []
    this.#timer?.cancel()
  }

  #setLimit(limitBytes: number): void {
    this.#limit = limitBytes
    if ((this.#declared ?? this.#received) <= limitBytes) return
    this.#fail(tooLarge(limitBytes))
    throw tooLarge(limitBytes)
  }

  /** Undefined behind the last. */
  async #nextPiece(): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = this.#chunks.shift()
      if (piece) {
        this.#options.budget.held -= piece.byteLength
        this.#held -= piece.byteLength
        return piece
      }
      if (this.#outcome?.type === 'failed') throw this.#outcome.reason
      if (this.#ended) return undefined
      await this.#more()
    }
  }

  async #more(): Promise<void> {
    this.#resume()
    const { clock, deadlineMs } = this.#options
    this.#timer = clock.after(deadlineMs, () => this.#cutOff())
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#timer.cancel()
  }

  // Closing makes uWebSockets report the request as aborted, which settles what waits here.
  #cutOff(): void {
    if (!this.#outcome && !this.#ended) this.#response.close()
  }

  #rest(): Promise<Outcome> {
    this.#resume()
    this.#timer = this.#options.clock.after(this.#options.deadlineMs, () => this.#cutOff())
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (isLast) this.#ended = true
    this.#received += chunk.byteLength
    if (this.#outcome) return void (isLast && this.#wake?.())
    if (this.#limit !== undefined && this.#received > this.#limit) return this.#fail(tooLarge(this.#limit))
    if (chunk.byteLength === 0 && !isLast) return
    if (!this.claim(chunk.byteLength)) return this.#fail(overloaded())
    // uWebSockets detaches the chunk when this function returns; small copies come out of Node's pool.
    this.#chunks.push(Buffer.from(new Uint8Array(chunk)))
    if (this.#isFlowing) return this.#flow(isLast)
    if (isLast) return this.#finish({ type: 'whole', bytes: this.#whole() })
    if (this.#limit === undefined) this.#pause()
  }

  #flow(isLast: boolean): void {
    if (!isLast) {
      this.#pause()
      // While an answer waits for room in the socket, uWebSockets reads again behind this callback, in spite of it.
      setImmediate(() => {
        if (this.#paused && !this.#ended && !this.#outcome && !this.#isReleased) this.#response.pause()
      })
    }
    this.#wake?.()
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
    this.#wake?.()
  }
}

const tooLarge = (limitBytes: number): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `the body must not be larger than ${limitBytes} bytes`)

const overloaded = (): AppError =>
  new AppError('OVERLOADED', 'this process holds too many request bodies; try again shortly', {
    retryAfterSeconds: 1,
  })
