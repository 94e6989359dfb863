// Writes a body no faster than its client reads it. Every write after an await is corked: each uncorked write is a
// separate system call.
import type { WireResponse } from './wire.ts'
import type { LiveRequest } from './wire-request.ts'

export async function writeChunk(response: WireResponse, drain: Drain, chunk: Uint8Array): Promise<void> {
  if (chunk.byteLength === 0) return
  let taken = true
  response.cork(() => {
    taken = response.write(chunk)
  })
  if (!taken) await drain.wait()
}

export async function writePart(
  response: WireResponse,
  drain: Drain,
  chunk: Uint8Array,
  total: number,
): Promise<void> {
  const startOffset = response.getWriteOffset()
  let rest = chunk
  while (rest.byteLength > 0 && !drain.done) {
    let taken = true
    response.cork(() => {
      const [ok, done] = response.tryEnd(rest, total)
      taken = ok
      drain.done ||= done
    })
    if (taken || drain.done) return
    const writtenBytes = await drain.wait()
    if (writtenBytes === undefined) return
    rest = chunk.subarray(writtenBytes - startOffset)
  }
}

/** Waits until the socket has room, or the client is gone. */
export class Drain {
  /** True when the response is complete: it must not be used any more. */
  done = false
  readonly #response: WireResponse
  readonly #request: LiveRequest
  #wake: ((offset: number | undefined) => void) | undefined

  constructor(response: WireResponse, request: LiveRequest) {
    this.#response = response
    this.#request = request
    response.onWritable((offset) => {
      this.#wake?.(offset)
      return true
    })
    request.signal.addEventListener('abort', () => this.#wake?.(undefined))
  }

  /** The bytes of the body written so far; undefined when the client is gone. */
  wait(): Promise<number | undefined> {
    if (this.#request.aborted) return Promise.resolve(undefined)
    this.#request.content.letAnswer()
    return new Promise((resolve) => {
      this.#wake = (offset) => {
        this.#request.readers.settled(this)
        resolve(offset)
      }
      if (!this.#request.readers.expect(this)) this.cutOff()
    })
  }

  cutOff(): void {
    this.#response.close()
  }
}
