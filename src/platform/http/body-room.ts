// What the bodies of all requests may take together: bytes, and places of those that are still arriving. Anybody can send
// slowly, and a signature is checked only at the end. So where there is no room, the body that has been awaited longest
// gives way.
import type { Clock } from '../../shared/clock.ts'

export interface BodyRoomOptions {
  readonly maxBytes: number
  /** Bodies that are read whole and have not arrived yet. */
  readonly maxAwaited: number
  readonly clock: Clock
}

interface AwaitedBody {
  /** Ends the request, which gives its bytes back at once. */
  cutOff(): void
}

/** Nearly all bodies arrive within milliseconds of their head. */
const patienceMs = 1_000

export class BodyRoom {
  readonly #options: BodyRoomOptions
  /** Since when, the longest awaited first. */
  readonly #awaited = new Map<AwaitedBody, number>()
  #held = 0

  constructor(options: BodyRoomOptions) {
    this.#options = options
  }

  get awaited(): number {
    return this.#awaited.size
  }

  /** Reserves bytes. False: there is no room for them. */
  take(bytes: number, body: AwaitedBody): boolean {
    while (this.#held + bytes > this.#options.maxBytes) if (!this.#cutOffLongest(body)) return false
    this.#held += bytes
    return true
  }

  give(bytes: number): void {
    this.#held -= bytes
  }

  /** False: too many are awaited. */
  expect(body: AwaitedBody): boolean {
    if (this.#awaited.size >= this.#options.maxAwaited && !this.#cutOffLongest(body)) return false
    this.#awaited.set(body, this.#options.clock.mono())
    return true
  }

  /** It has arrived, or never will. */
  settled(body: AwaitedBody): void {
    this.#awaited.delete(body)
  }

  /** False: of the others none has been awaited for long. */
  #cutOffLongest(except: AwaitedBody): boolean {
    for (const [body, since] of this.#awaited) {
      if (body === except) continue
      if (this.#options.clock.mono() - since < patienceMs) return false
      this.#awaited.delete(body)
      body.cutOff()
      return true
    }
    return false
  }
}
