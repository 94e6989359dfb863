// Reads NDJSON (application/x-ndjson), one JSON value per line, while it arrives.
import { isUtf8 } from 'node:buffer'
import { inSlices } from './slices.ts'

/** A non-blank line: its value, or what is wrong with it. */
export type JsonLine =
  | { readonly value: unknown; readonly bytes: number }
  | { readonly fault: string; readonly bytes: number }

/** Lines end in LF or CRLF. Skips blank lines. A fault affects only its own line. */
export const readJsonLines = (
  pieces: AsyncIterable<Uint8Array>,
  lineBytes: number,
): AsyncGenerator<readonly JsonLine[]> => inSlices(linesOf(pieces, lineBytes))

async function* linesOf(
  pieces: AsyncIterable<Uint8Array>,
  lineBytes: number,
): AsyncGenerator<Iterable<JsonLine>> {
  const splitter = new LineSplitter(lineBytes)
  for await (const piece of pieces)
    yield splitter.take(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
  yield splitter.end()
}

const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from('\ufeff')

class LineSplitter {
  readonly #lineBytes: number
  #rest: Buffer = Buffer.alloc(0)
  #isFirst = true
  /** The current line is already too long: its remaining bytes are discarded. */
  #isSkipping = false

  constructor(lineBytes: number) {
    this.#lineBytes = lineBytes
  }

  *take(piece: Buffer): Generator<JsonLine> {
    let start = 0
    for (let end = piece.indexOf(lineFeed); end !== -1; end = piece.indexOf(lineFeed, start)) {
      yield* this.#close(piece.subarray(start, end))
      start = end + 1
    }
    this.#keep(piece.subarray(start))
  }

  *end(): Generator<JsonLine> {
    yield* this.#close(Buffer.alloc(0))
  }

  *#close(last: Buffer): Generator<JsonLine> {
    const whole = this.#rest.length === 0 ? last : Buffer.concat([this.#rest, last])
    const isTooLong = this.#isSkipping
    this.#rest = Buffer.alloc(0)
    this.#isSkipping = false
    const line = this.#trimmed(whole)
    if (isTooLong || line.length > this.#lineBytes)
      yield { fault: `must not be longer than ${this.#lineBytes} bytes`, bytes: this.#lineBytes }
    else if (line.length > 0) yield parse(line)
  }

  #keep(part: Buffer): void {
    if (this.#isSkipping) return
    // One more byte for a carriage return, and the byte order mark, which does not count.
    const most = this.#lineBytes + 1 + (this.#isFirst ? byteOrderMark.length : 0)
    if (this.#rest.length + part.length > most) {
      this.#isSkipping = true
      this.#rest = Buffer.alloc(0)
    } else this.#rest = Buffer.concat([this.#rest, part])
  }

  #trimmed(line: Buffer): Buffer {
    const start =
      this.#isFirst && line.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0
    this.#isFirst = false
    return line.subarray(start, line.at(-1) === carriageReturn ? -1 : undefined)
  }
}

function parse(line: Buffer): JsonLine {
  const bytes = line.length
  if (!isUtf8(line)) return { fault: 'must be JSON in UTF-8', bytes }
  const text = line.toString('utf8')
  try {
    return { value: JSON.parse(text), bytes }
  } catch {
    return { fault: 'must be JSON', bytes }
  }
}
