// CSV read while it comes, as RFC 4180 has it, and with semicolons or tabs where the header has them. Knows no meaning of
// any column.
import type { AppError } from '../contract/errors.ts'
import { type CsvRecord, CsvScanner } from './csv-scanner.ts'
import { inSlices } from './slices.ts'
import { validationError } from './validate.ts'

export interface CsvLimits {
  readonly rowBytes: number
  readonly columns: number
}

export interface CsvRow {
  /** Where it begins, from 1. */
  readonly line: number
  /** As many as the header has, but for a row with a fault. */
  readonly cells: readonly string[]
  /** What is wrong with it. */
  readonly fault?: string
}

export interface CsvSlice {
  readonly header: readonly string[]
  readonly rows: readonly CsvRow[]
}

/**
 * The header with the first slice, which has no rows; lines with nothing in them are passed over. Throws VALIDATION_ERROR
 * that names the line where nothing can be made of the rest.
 */
export async function* readCsv(
  pieces: AsyncIterable<Uint8Array>,
  limits: CsvLimits,
): AsyncGenerator<CsvSlice> {
  let header: readonly string[] | undefined
  for await (const records of inSlices(recordsOf(pieces, limits))) {
    let rows = records
    if (!header) {
      const [first, ...others] = records
      if (!first) continue
      header = checkHeader(first, limits)
      rows = others
      yield { header, rows: [] }
    }
    const columns = header
    yield { header, rows: rows.map((record) => toRow(record, columns)) }
  }
  if (!header) throw lineFault(1, 'must be a header row')
}

async function* recordsOf(
  pieces: AsyncIterable<Uint8Array>,
  { rowBytes }: CsvLimits,
): AsyncGenerator<Iterable<CsvRecord>> {
  const scanner = new CsvScanner(rowBytes, lineFault)
  for await (const piece of pieces)
    yield scanner.take(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength))
  yield scanner.end()
}

function checkHeader({ line, cells, fault }: CsvRecord, limits: CsvLimits): readonly string[] {
  if (fault !== undefined) throw lineFault(line, fault)
  const names = cells.map((cell) => cell.trim())
  if (names.length > limits.columns) throw lineFault(line, `must have at most ${limits.columns} columns`)
  if (names.includes('')) throw lineFault(line, 'must name every column')
  if (new Set(names).size < names.length) throw lineFault(line, 'must name every column differently')
  return names
}

function toRow({ line, cells, fault }: CsvRecord, header: readonly string[]): CsvRow {
  if (fault !== undefined) return { line, cells, fault }
  if (cells.length === header.length) return { line, cells }
  return { line, cells, fault: `must have ${header.length} cells like the header, not ${cells.length}` }
}

export const lineFault = (line: number, message: string): AppError =>
  validationError([{ path: `line ${line}`, message }])
