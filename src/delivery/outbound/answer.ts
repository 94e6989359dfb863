import type { IncomingHttpHeaders } from 'node:http'
import { limits } from '../../contract/limits.ts'

export interface Answer {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly retryAfter: string | undefined
  /** The receiver's time. */
  readonly date: string | undefined
  readonly body: Uint8Array
}

export const answerOf = (statusCode: number, headers: IncomingHttpHeaders, body: BodyHead): Answer => ({
  statusCode,
  headers: keptHeaders(headers),
  // A repeated header contradicts itself, so it counts only when it appears once.
  retryAfter: once(headers['retry-after']),
  date: once(headers.date),
  body: body.bytes(),
})

const once = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined

/** The receiver's headers that are kept, in their order: those that together fit into 4 KiB. */
function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept: [string, string][] = []
  let room = limits.responseHeaderBytes
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue
    const text = Array.isArray(value) ? value.join(', ') : value
    const bytes = Buffer.byteLength(name) + Buffer.byteLength(text)
    if (bytes > room) continue
    room -= bytes
    kept.push([name, text])
  }
  // The receiver chooses the names, and `__proto__` may be among them.
  return Object.fromEntries(kept)
}

const nothing = new Uint8Array()

/** Keeps the first 16 KiB of a body in one buffer, however small its chunks are: most bodies have a few bytes. */
export class BodyHead {
  #kept: Buffer | undefined
  #length = 0
  /** Bytes seen in total, kept or not. */
  seenBytes = 0

  add(chunk: Uint8Array): void {
    this.seenBytes += chunk.byteLength
    const head = chunk.subarray(0, limits.responseBodyBytes - this.#length)
    const kept = this.#withRoomFor(head.byteLength)
    kept.set(head, this.#length)
    this.#length += head.byteLength
  }

  bytes(): Uint8Array {
    return this.#kept ? Buffer.from(this.#kept.subarray(0, this.#length)) : nothing
  }

  #withRoomFor(more: number): Buffer {
    const needed = this.#length + more
    if (this.#kept && this.#kept.byteLength >= needed) return this.#kept
    const size = Math.min(limits.responseBodyBytes, Math.max(needed, this.#length * 2))
    const larger = Buffer.allocUnsafe(size)
    if (this.#kept) larger.set(this.#kept.subarray(0, this.#length))
    this.#kept = larger
    return larger
  }
}
