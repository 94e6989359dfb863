// Reads CSV (RFC 4180) while it arrives. The header shows whether commas, semicolons or tabs separate cells.
import type { AppError } from '../../contract/errors.ts'
import { type CsvRecord, CsvScanner } from './csv-scanner.ts'
import { inSlices } from './slices.ts'
import { validationError } from './validate.ts'

export interface CsvLimits {
  readonly rowBytes: number
  readonly columns: number
}

export interface CsvRow {
  /** The line on which the row begins, from 1. */
  readonly line: number
  /** As many as the header has, unless the row has a fault. */
  readonly cells: readonly string[]
  /** What is wrong with the row. */
  readonly fault?: string
}

export interface CsvSlice {
  readonly header: readonly string[]
  readonly rows: readonly CsvRow[]
}

/**
 * The first slice has the header and no rows. Skips empty lines. Throws VALIDATION_ERROR with the line number
 * when the rest cannot be read.
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
