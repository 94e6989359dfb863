import type { IncomingHttpHeaders } from 'node:http'
import { limits } from '../contract/limits.ts'

export interface Answer {
  readonly statusCode: number
  readonly headers: Record<string, string>
  readonly retryAfter: string | undefined
  readonly body: Uint8Array
}

export const answerOf = (statusCode: number, headers: IncomingHttpHeaders, body: BodyHead): Answer => ({
  statusCode,
  headers: keptHeaders(headers),
  // Repeated, it would say two things at once: it counts only when it comes alone.
  retryAfter: typeof headers['retry-after'] === 'string' ? headers['retry-after'] : undefined,
  body: body.bytes(),
})

/** What is kept of a receiver's headers, in their order: those that fit into 4 KiB together. */
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
  // Names are the receiver's choice, `__proto__` among them.
  return Object.fromEntries(kept)
}

/** Keeps the first 16 KiB of a body in one piece of memory, however small the pieces it comes in. */
export class BodyHead {
  #kept: Buffer | undefined
  #length = 0
  /** Bytes seen in all, kept or not. */
  seenBytes = 0

  add(chunk: Uint8Array): void {
    this.seenBytes += chunk.byteLength
    this.#kept ??= Buffer.allocUnsafe(limits.responseBodyBytes)
    const head = chunk.subarray(0, this.#kept.byteLength - this.#length)
    this.#kept.set(head, this.#length)
    this.#length += head.byteLength
  }

  bytes(): Uint8Array {
    return Buffer.from(this.#kept?.subarray(0, this.#length) ?? [])
  }
}
