// CSV as RFC 4180 has it: commas, quotes, UTF-8, a header row; lines end in CRLF or LF.
import { isUtf8 } from 'node:buffer'
import { setImmediate } from 'node:timers/promises'
import type { AppError } from '../contract/errors.ts'
import { validationError } from './validate.ts'

export interface CsvLimits {
  /** Reading stops after one row more, so that whoever counts sees that there are too many. */
  readonly rows: number
  readonly rowBytes: number
  readonly columns: number
}

export interface Csv {
  readonly header: readonly string[]
  /** Each as long as the header. */
  readonly rows: readonly (readonly string[])[]
}

// Rows between two looks at whatever else the process has to do.
const rowsAtOnce = 500

/** Throws VALIDATION_ERROR that names the line where the text is no CSV. Lines with nothing in them are passed over. */
export async function readCsv(bytes: Uint8Array, limits: CsvLimits): Promise<Csv> {
  if (!isUtf8(bytes)) throw fault(1, 'must be CSV in UTF-8')
  let header: readonly string[] | undefined
  const rows: (readonly string[])[] = []
  for (const { line, cells } of records(
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength),
    limits,
  )) {
    if (!header) {
      header = checkHeader(line, cells, limits)
      continue
    }
    if (cells.length !== header.length)
      throw fault(line, `must have ${header.length} cells like the header, not ${cells.length}`)
    rows.push(cells)
    if (rows.length > limits.rows) break
    if (rows.length % rowsAtOnce === 0) await setImmediate()
  }
  if (!header) throw fault(1, 'must be a header row')
  return { header, rows }
}

function checkHeader(line: number, cells: readonly string[], limits: CsvLimits): readonly string[] {
  const names = cells.map((cell) => cell.trim())
  if (names.length > limits.columns) throw fault(line, `must have at most ${limits.columns} columns`)
  if (names.includes('')) throw fault(line, 'must name every column')
  if (new Set(names).size < names.length) throw fault(line, 'must name every column differently')
  return names
}

const fault = (line: number, message: string): AppError =>
  validationError([{ path: `line ${line}`, message }])

interface CsvRecord {
  /** Where it begins, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

const quote = 0x22
const comma = 0x2c
const lineFeed = 0x0a
const carriageReturn = 0x0d

const byteOrderMark = Buffer.from('\ufeff')

// Everything that shapes CSV is ASCII, so the bytes are walked and only the cells become text.
function* records(bytes: Buffer, { rowBytes }: CsvLimits): Generator<CsvRecord> {
  let at = bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? byteOrderMark.length : 0
  let line = 1
  while (at < bytes.length) {
    if (isLineEnd(bytes[at])) {
      at = afterLine(bytes, at, line)
      line += 1
      continue
    }
    // What is longer than a row may be is not looked at any further.
    const { cells, end, breaks } = readCells(bytes.subarray(0, at + rowBytes + 1), at, line)
    if (end - at > rowBytes) throw fault(line, `must not be longer than ${rowBytes} bytes`)
    yield { line, cells }
    at = afterLine(bytes, end, line)
    line += breaks + 1
  }
}

const isLineEnd = (byte: number | undefined): boolean => byte === lineFeed || byte === carriageReturn

function readCells(bytes: Buffer, start: number, line: number) {
  const cells: string[] = []
  let at = start
  let breaks = 0
  for (;;) {
    const cell = bytes[at] === quote ? quotedCell(bytes, at, line) : plainCell(bytes, at, line)
    cells.push(cell.text)
    breaks += cell.breaks
    if (bytes[cell.end] !== comma) return { cells, end: cell.end, breaks }
    at = cell.end + 1
  }
}

interface Cell {
  readonly text: string
  /** The byte behind it. */
  readonly end: number
  /** Lines that end within it. */
  readonly breaks: number
}

function plainCell(bytes: Buffer, start: number, line: number): Cell {
  let end = start
  for (; end < bytes.length; end += 1) {
    const byte = bytes[end]
    if (byte === comma || isLineEnd(byte)) break
    if (byte === quote) throw fault(line, 'has a quote within a cell that is not quoted')
  }
  return { text: bytes.toString('utf8', start, end), end, breaks: 0 }
}

function quotedCell(bytes: Buffer, start: number, line: number): Cell {
  let close = bytes.indexOf(quote, start + 1)
  while (close !== -1 && bytes[close + 1] === quote) close = bytes.indexOf(quote, close + 2)
  if (close === -1) throw fault(line, 'has a quote that is not closed')
  const text = bytes.toString('utf8', start + 1, close).replaceAll('""', '"')
  return { text, end: close + 1, breaks: text.split('\n').length - 1 }
}

function afterLine(bytes: Buffer, at: number, line: number): number {
  if (at === bytes.length) return at
  if (bytes[at] === lineFeed) return at + 1
  if (bytes[at] === carriageReturn && bytes[at + 1] === lineFeed) return at + 2
  throw fault(line, 'must have a comma or the end of the line behind every cell')
}

/**
 * One line with its end. A text that a spreadsheet would take for a formula gets an apostrophe in front, which makes it a
 * text there.
 */
export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

const formula = /^[=+\-@\t\r\n]/
const special = /[",\r\n]|^\s|\s$/

function csvCell(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text
  return special.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
