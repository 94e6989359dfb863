// Receives the body of one request, whole or as a stream. Takes the bytes that came with the head at once,
// and the rest only on demand, so that a caller who is not admitted yet costs at most one socket read.
import type { Timer } from '../../shared/clock.ts'
import { type BodyOptions, overloaded, tooLarge, tooSlow } from './body-options.ts'
import { RequestAborted } from './exchange.ts'
import { LeastRate } from './least-rate.ts'
import type { WireResponse } from './wire.ts'

const droppedBytes = 64 * 1024
/** Read and dropped behind a refusal, or as many bytes as the route takes if that is more. */
const lingerBytes = 16 * 1024 * 1024
/** After this silence, assume that the client waits for our response. */
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
  #deadline: Timer | undefined
  #isFlowing = false
  #wasStreamed = false
  #isReleased = false
  #dropLimit = Number.POSITIVE_INFINITY
  #rate: LeastRate | undefined
  #isTooSlow = false
  #wake: (() => void) | undefined

  /** `declared`: the announced length; undefined for a chunked body. */
  constructor(response: WireResponse, declared: number | undefined, options: BodyOptions) {
    this.#response = response
    this.#options = options
    this.#declared = declared
    this.#ended = declared === 0
    if (this.#ended) this.#outcome = { type: 'whole', bytes: new Uint8Array() }
    else response.onData((chunk, isLast) => this.#take(chunk, isLast))
  }

  /**
   * Called when the response is sent. True when the connection may serve another request: the body was read,
   * or its rest is small enough, or was already being streamed, and is dropped as it arrives.
   */
  forsake(): boolean {
    const isReusable = this.isReusable
    if (!this.#ended) this.#fail(new RequestAborted())
    // Not earlier: resuming starts the idle timeout of uWebSockets.
    if (isReusable) this.#resume()
    return isReusable
  }

  /** What `forsake` would return. */
  get isReusable(): boolean {
    if (this.#ended) return true
    if (this.#declared === undefined || this.#isTooSlow) return false
    // A client that streams a large file sees an error response only if the connection stays open meanwhile.
    return this.#wasStreamed || this.#declared - this.#received <= droppedBytes
  }

  /** True while the body is read as a stream and has not ended. */
  get isFlowing(): boolean {
    return this.#isFlowing
  }

  /** Call when a response waits for room in the socket: while paused, uWebSockets does not report room. */
  letAnswer(): void {
    if (this.#ended) this.#resume()
  }

  /** Drops the rest of the body as it arrives. */
  drop(): void {
    if (!this.#ended) this.#fail(new RequestAborted())
    this.#resume()
  }

  /**
   * Drops the rest of a stream until it ends or the client stops sending, for `deadlineMs` at most. Closing a
   * connection with unread data resets it, and the client could lose the response.
   */
  async dropRest(): Promise<void> {
    if (!this.#wasStreamed || this.#isFlowing || this.#ended) return
    await this.#dropUntilSilent(silenceMs, Number.POSITIVE_INFINITY)
  }

  /** True while the client may still send. */
  get isUnread(): boolean {
    return !this.#ended
  }

  /**
   * Drops the rest behind a response that is already sent: until the body ends or its client has gone, is
   * silent, takes too long or sends too much. Then the connection can be closed. At once where too many do so: anybody
   * can be refused, and send slowly.
   */
  async linger(): Promise<void> {
    const { lingerMs, lingering } = this.#options
    if (lingering.count >= lingering.max) return
    lingering.count += 1
    try {
      await this.#dropUntilSilent(lingerMs, Math.max(lingerBytes, this.#limit ?? 0))
    } finally {
      lingering.count -= 1
    }
  }

  async #dropUntilSilent(forMs: number, maxBytes: number): Promise<void> {
    this.drop()
    const { clock, deadlineMs } = this.#options
    const untilMs = clock.mono() + deadlineMs
    const isOver = () => this.#ended || this.#isReleased || this.#received > this.#dropLimit
    this.#dropLimit = this.#received + maxBytes
    for (let before = -1; before < this.#received && clock.mono() < untilMs; ) {
      before = this.#received
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        this.#timer = clock.after(forMs, resolve)
      })
      this.#timer?.cancel()
      if (isOver()) return
    }
  }

  /** Reserves bytes until this request ends. False: there is no room for them. */
  claim(bytes: number): boolean {
    if (!this.#options.room.take(bytes, this)) return false
    this.#held += bytes
    return true
  }

  async read(limitBytes: number): Promise<Uint8Array> {
    this.#setLimit(limitBytes)
    const outcome = this.#outcome ?? (await this.#rest())
    if (outcome.type === 'failed') throw outcome.reason
    return outcome.bytes
  }

  /** The body piece by piece as it arrives. The client is paused until the next piece is requested. */
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
    this.#deadline = this.#options.clock.after(this.#options.streamDeadlineMs, () => this.cutOff())
    try {
      for (;;) {
        const piece = await this.#nextPiece()
        if (!piece) return
        yield piece
      }
    } finally {
      this.#deadline.cancel()
      this.#isFlowing = false
    }
  }

  /** Call when the client is gone. */
  abort(): void {
    this.#fail(new RequestAborted())
    this.#wake?.()
    this.release()
  }

  /** Call when the request is over: gives its bytes back. */
  release(): void {
    this.#isReleased = true
    this.#options.room.give(this.#held)
    this.#held = 0
    this.#chunks = []
    this.#timer?.cancel()
    // Who gave the stream up may have left it unread.
    this.#deadline?.cancel()
  }

  #setLimit(limitBytes: number): void {
    this.#limit = limitBytes
    if ((this.#declared ?? this.#received) <= limitBytes) return
    this.#fail(tooLarge(limitBytes))
    throw tooLarge(limitBytes)
  }

  /** Undefined after the last piece. */
  async #nextPiece(): Promise<Uint8Array | undefined> {
    for (;;) {
      const piece = this.#chunks.shift()
      if (piece) {
        this.#options.room.give(piece.byteLength)
        this.#held -= piece.byteLength
        this.#rate?.came(piece.byteLength)
        return piece
      }
      if (this.#outcome?.type === 'failed') throw this.#outcome.reason
      if (this.#ended) return undefined
      await this.#more()
    }
  }

  // Only time in which we wait for the client counts: while it is paused, it cannot send.
  async #more(): Promise<void> {
    this.#resume()
    const { clock, deadlineMs, slowMs } = this.#options
    const sinceMs = clock.mono()
    this.#rate ??= new LeastRate(slowMs)
    const { leftMs } = this.#rate
    const over = leftMs <= deadlineMs ? () => this.#failSlow() : () => this.cutOff()
    this.#timer = clock.after(Math.min(leftMs, deadlineMs), over)
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#timer.cancel()
    this.#rate.waited(clock.mono() - sinceMs)
  }

  #failSlow(): void {
    if (this.#outcome || this.#ended) return
    this.#isTooSlow = true
    this.#fail(tooSlow())
  }

  /** Closing makes uWebSockets report the request as aborted at once, which settles the pending reads. */
  cutOff(): void {
    if (!this.#outcome && !this.#ended) this.#response.close()
  }

  #rest(): Promise<Outcome> {
    this.#resume()
    // Most bodies come with their head: those are here before this runs, and need no timer.
    setImmediate(() => {
      const { clock, deadlineMs, room } = this.#options
      if (!this.#outcome && !room.expect(this)) this.#fail(overloaded())
      if (!this.#outcome) this.#timer = clock.after(deadlineMs, () => this.cutOff())
    })
    return new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (isLast) this.#ended = true
    this.#received += chunk.byteLength
    if (this.#outcome) return void ((isLast || this.#received > this.#dropLimit) && this.#wake?.())
    if (this.#limit !== undefined && this.#received > this.#limit) return this.#fail(tooLarge(this.#limit))
    if (chunk.byteLength === 0 && !isLast) return
    if (!this.claim(chunk.byteLength)) return this.#fail(overloaded())
    // Copy the chunk: uWebSockets detaches it when this function returns. Small copies come from Node's pool.
    this.#chunks.push(Buffer.from(new Uint8Array(chunk)))
    if (this.#isFlowing) return this.#flow(isLast)
    if (isLast) return this.#finish({ type: 'whole', bytes: this.#whole() })
    if (this.#limit === undefined) this.#pause()
  }

  #flow(isLast: boolean): void {
    if (!isLast) {
      this.#pause()
      // While a response waits for room in the socket, uWebSockets reads on after this callback. Pause again.
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
    this.#options.room.settled(this)
    this.#timer?.cancel()
    this.#settle?.(outcome)
    this.#wake?.()
  }
}
