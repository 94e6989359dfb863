// Splits a file of recipients into slices that are uploaded one after the other, and tracks the line of each
// row. One request would show no progress, because a browser reads no response before the whole request is
// sent.

export type FileForm = 'csv' | 'ndjson'

export interface Slice {
  /** Includes the header if the form has one. */
  readonly body: Blob
  /** The line where each row begins, from 1. */
  readonly lines: readonly number[]
  /** Bytes of the file up to the end of this slice. */
  readonly bytesDone: number
}

export interface SliceSize {
  readonly rows: number
  readonly bytes: number
}

const usual: SliceSize = { rows: 10_000, bytes: 4 * 1024 * 1024 }
const headBytes = 64 * 1024
const lineFeed = 0x0a
const carriageReturn = 0x0d
const quote = 0x22

export async function* slicesOf(file: Blob, form: FileForm, size: SliceSize = usual): AsyncGenerator<Slice> {
  const delimiter = form === 'csv' ? delimiterOf(await file.slice(0, headBytes).text()) : undefined
  let header: Blob | undefined
  let start = 0
  let lines: number[] = []
  const slice = (end: number): Slice => {
    const rows = file.slice(start, end)
    const taken = { body: header ? new Blob([header, rows]) : rows, lines, bytesDone: end }
    start = end
    lines = []
    return taken
  }
  for await (const record of recordsOf(file, delimiter)) {
    if (form === 'csv' && !header) {
      header = file.slice(0, record.end)
      start = record.end
      continue
    }
    lines.push(record.line)
    if (lines.length >= size.rows || record.end - start >= size.bytes) yield slice(record.end)
  }
  // Send a file without rows as well: the server reports what is wrong with it.
  if (lines.length > 0 || start === (header?.size ?? 0)) yield slice(file.size)
}

interface Row {
  readonly line: number
  /** The offset after the line end. */
  readonly end: number
}

/** Skips empty lines, as the server does. */
async function* recordsOf(file: Blob, delimiter: number | undefined): AsyncGenerator<Row> {
  const scanner = new Scanner(delimiter)
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    yield* scanner.take(value)
  }
  yield* scanner.end()
}

/** A line end within quotes is text. Quotes open only at the beginning of a cell. */
class Scanner {
  readonly #delimiter: number | undefined
  #offset = 0
  #line = 1
  #firstLine = 1
  #isEmpty = true
  #place: 'start' | 'plain' | 'quoted' | 'closed' = 'start'

  constructor(delimiter: number | undefined) {
    this.#delimiter = delimiter
  }

  *take(bytes: Uint8Array): Generator<Row> {
    for (const byte of bytes) {
      this.#offset += 1
      if (byte === lineFeed) {
        this.#line += 1
        if (this.#place !== 'quoted') yield* this.end()
      } else this.#step(byte)
    }
  }

  *end(): Generator<Row> {
    if (!this.#isEmpty) yield { line: this.#firstLine, end: this.#offset }
    this.#firstLine = this.#line
    this.#isEmpty = true
    this.#place = 'start'
  }

  #step(byte: number): void {
    if (byte !== carriageReturn) this.#isEmpty = false
    if (this.#delimiter === undefined) return
    if (this.#place === 'quoted') {
      if (byte === quote) this.#place = 'closed'
    } else if (byte === quote && this.#place !== 'plain') this.#place = 'quoted'
    else if (byte === this.#delimiter) this.#place = 'start'
    else if (byte !== carriageReturn || this.#place !== 'closed') this.#place = 'plain'
  }
}

/** The delimiter that occurs most often outside quotes in the first line; a comma if there is none. */
export function delimiterOf(text: string): number {
  const [head = ''] = text.replace(/^[\ufeff\r\n]+/, '').split('\n', 1)
  const bare = head.replaceAll(/"[^"]*"/g, '')
  const [best] = [',', ';', '\t']
    .map((one) => ({ one, count: bare.split(one).length }))
    .sort((one, other) => other.count - one.count)
  return (best?.one ?? ',').charCodeAt(0)
}

/** The first record without what stands in quotes, where delimiters and line ends are text. */
export const bareHead = (text: string): string =>
  text.replaceAll(/(^|[,;\t\n])(?:"[^"]*")+/g, '$1').split('\n', 1)[0] ?? ''
