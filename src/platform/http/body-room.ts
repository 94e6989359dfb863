// What the bodies of all requests may take together: bytes, and places of those that are still arriving. A signature is
// checked only at the end.
import type { Clock } from '../../shared/clock.ts'
import { type Awaited, ClientRoom } from './client-room.ts'

export interface BodyRoomOptions {
  readonly maxBytes: number
  /** Bodies that are read whole and have not arrived yet. */
  readonly maxAwaited: number
  readonly clock: Clock
}

export class BodyRoom {
  readonly #maxBytes: number
  readonly #places: ClientRoom
  #held = 0

  constructor({ maxBytes, maxAwaited, clock }: BodyRoomOptions) {
    this.#maxBytes = maxBytes
    this.#places = new ClientRoom(maxAwaited, clock)
  }

  get awaited(): number {
    return this.#places.count
  }

  /** Reserves bytes; who is cut off gives its own back at once. False: there is no room for them. */
  take(bytes: number, body: Awaited): boolean {
    while (this.#held + bytes > this.#maxBytes) if (!this.#places.cutOffLongest(body)) return false
    this.#held += bytes
    return true
  }

  give(bytes: number): void {
    this.#held -= bytes
  }

  /** False: too many are awaited. */
  expect(body: Awaited): boolean {
    return this.#places.expect(body)
  }

  /** It has arrived, or never will. */
  settled(body: Awaited): void {
    this.#places.settled(body)
  }
}
