// Splits CSV bytes, in pieces of any size, into records and cells. All CSV syntax is ASCII, so the scanner
// walks the bytes once and decodes only the cells.
import { isUtf8 } from 'node:buffer'
import type { AppError } from '../../contract/errors.ts'

export interface CsvRecord {
  /** The line on which the record begins, from 1. */
  readonly line: number
  readonly cells: readonly string[]
  /** What is wrong with the record. Its cells have no meaning then. */
  readonly fault?: string
}

const quote = 0x22
const lineFeed = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from('\ufeff')

const delimiters = new Map([
  [0x2c, 'a comma'],
  [0x3b, 'a semicolon'],
  [0x09, 'a tab'],
])

/** Scanner state: before a cell, in a plain or quoted cell, after a closing quote, or after that and a CR. */
type Place = 'start' | 'plain' | 'quoted' | 'closed' | 'returned'

export class CsvScanner {
  readonly #rowBytes: number
  readonly #fail: (line: number, message: string) => AppError
  /** Bytes from the start of the current record. */
  #bytes: Buffer = Buffer.alloc(0)
  #at = 0
  #line = 1
  #place: Place = 'start'
  #cellStart = 0
  #isEscaped = false
  #hasQuotes = false
  #cells: string[] = []
  #fault: string | undefined
  #delimiter: number | undefined
  #isBegun = false

  constructor(rowBytes: number, fail: (line: number, message: string) => AppError) {
    this.#rowBytes = rowBytes
    this.#fail = fail
  }

  /** Yields the records that these bytes complete. */
  *take(piece: Buffer): Generator<CsvRecord> {
    this.#bytes = this.#bytes.length === 0 ? piece : Buffer.concat([this.#bytes, piece])
    if (this.#begin(false)) yield* this.#records()
    this.#checkLength()
    // Copy the rest: a view would keep the larger buffer behind the piece in memory.
    this.#bytes = Buffer.from(this.#bytes)
  }

  /** Yields the last record when no line end closes it. */
  *end(): Generator<CsvRecord> {
    if (!this.#begin(true)) return
    yield* this.#records()
    if (this.#place === 'quoted') throw this.#fail(this.#line, 'has a quote that is not closed')
    if (this.#bytes.length > 0) yield* this.#endRecord(this.#bytes.length)
  }

  /** Detects the delimiter. False until the whole first line has arrived. */
  #begin(isEnd: boolean): boolean {
    if (this.#delimiter !== undefined) return true
    if (!this.#isBegun && !this.#skipMark(isEnd)) return false
    this.#skipBlankLines()
    const end = this.#bytes.indexOf(lineFeed)
    if (end === -1 && !isEnd) return false
    this.#delimiter = delimiterOf(this.#bytes.subarray(0, end === -1 ? undefined : end))
    return true
  }

  #skipMark(isEnd: boolean): boolean {
    if (this.#bytes.length < byteOrderMark.length && !isEnd) return false
    if (this.#bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark))
      this.#bytes = this.#bytes.subarray(byteOrderMark.length)
    this.#isBegun = true
    return true
  }

  #skipBlankLines(): void {
    while (isLineEnd(this.#bytes[0])) {
      if (this.#bytes[0] === lineFeed) this.#line += 1
      this.#bytes = this.#bytes.subarray(1)
    }
  }

  *#records(): Generator<CsvRecord> {
    for (;;) {
      const end = this.#walk()
      if (end === undefined) break
      yield* this.#endRecord(end)
    }
  }

  /** Returns the index of the end of the record, or undefined when the bytes end before it. */
  #walk(): number | undefined {
    const bytes = this.#bytes
    while (this.#at < bytes.length) {
      if (this.#place === 'quoted') this.#skipQuoted()
      else if (this.#place === 'plain') this.#skipPlain()
      if (this.#at >= bytes.length) return undefined
      const byte = bytes[this.#at]
      if (this.#place !== 'quoted' && byte === lineFeed) return this.#at
      this.#step(byte)
      this.#at += 1
    }
    return undefined
  }

  #skipQuoted(): void {
    const found = this.#bytes.indexOf(quote, this.#at)
    this.#at = found === -1 ? this.#bytes.length : found
  }

  #skipPlain(): void {
    const bytes = this.#bytes
    const delimiter = this.#delimiter
    let at = this.#at
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]
      if (byte === delimiter || byte === lineFeed || byte === quote) break
    }
    this.#at = at
  }

  #step(byte: number | undefined): void {
    if (this.#place === 'quoted') this.#place = 'closed'
    else if (this.#place === 'returned') this.#astray()
    else if (byte === this.#delimiter) this.#endCell(this.#at)
    else if (this.#place === 'closed') this.#behindQuote(byte)
    else this.#inPlain(byte)
  }

  #behindQuote(byte: number | undefined): void {
    if (byte === carriageReturn) this.#place = 'returned'
    else if (byte === quote) {
      this.#isEscaped = true
      this.#place = 'quoted'
    } else this.#astray()
  }

  #astray(): void {
    this.#fault ??= `must have ${delimiters.get(this.#delimiter ?? 0)} or the end of the line behind every cell`
    this.#place = 'plain'
  }

  #inPlain(byte: number | undefined): void {
    if (byte === quote && this.#place === 'start') {
      this.#hasQuotes = true
      this.#place = 'quoted'
      return
    }
    if (byte === quote) this.#fault ??= 'has a quote within a cell that is not quoted'
    this.#place = 'plain'
  }

  #endCell(end: number): void {
    this.#cells.push(this.#cellText(end))
    this.#place = 'start'
    this.#cellStart = this.#at + 1
    this.#isEscaped = false
  }

  #cellText(end: number): string {
    if (this.#place !== 'closed' && this.#place !== 'returned') {
      const text = this.#bytes.toString('utf8', this.#cellStart, end)
      if (text.includes('\r')) this.#fault ??= 'has a line that ends in CR; end lines in LF or CRLF'
      return text
    }
    const close = this.#bytes.lastIndexOf(quote, end - 1)
    const text = this.#bytes.toString('utf8', this.#cellStart + 1, close)
    return this.#isEscaped ? text.replaceAll('""', '"') : text
  }

  *#endRecord(lineEnd: number): Generator<CsvRecord> {
    const end = this.#bytes[lineEnd - 1] === carriageReturn ? lineEnd - 1 : lineEnd
    if (end > this.#rowBytes) throw this.#tooLong()
    const line = this.#line
    this.#line += 1 + (this.#hasQuotes ? breaksIn(this.#bytes.subarray(0, end)) : 0)
    if (end > 0) {
      this.#endCell(end)
      yield this.#record(line, end)
    }
    this.#bytes = this.#bytes.subarray(lineEnd + 1)
    this.#at = 0
    this.#cellStart = 0
    this.#cells = []
    this.#fault = undefined
    this.#hasQuotes = false
    this.#place = 'start'
  }

  #record(line: number, end: number): CsvRecord {
    const fault = isUtf8(this.#bytes.subarray(0, end)) ? this.#fault : 'must be CSV in UTF-8'
    const record = { line, cells: this.#cells }
    return fault === undefined ? record : { ...record, fault }
  }

  #checkLength(): void {
    if (this.#bytes.length > this.#rowBytes + 1) throw this.#tooLong()
  }

  #tooLong(): AppError {
    return this.#fail(
      this.#line,
      `must not be longer than ${this.#rowBytes} bytes; perhaps a quote is not closed`,
    )
  }
}

function breaksIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(lineFeed); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) count += 1
  return count
}

const isLineEnd = (byte: number | undefined): boolean => byte === lineFeed || byte === carriageReturn

/** The delimiter that the header contains most often outside quotes; a comma when it contains none. */
function delimiterOf(header: Buffer): number {
  const counts = new Map([...delimiters.keys()].map((byte) => [byte, 0]))
  let isQuoted = false
  for (const byte of header) {
    if (byte === quote) isQuoted = !isQuoted
    const count = isQuoted ? undefined : counts.get(byte)
    if (count !== undefined) counts.set(byte, count + 1)
  }
  const [best] = [...counts].sort(([, one], [, other]) => other - one)
  return best?.[0] ?? 0x2c
}
