// Reads a whole CSV for a test.
import { type CsvLimits, type CsvRow, readCsv } from '../../src/platform/http/csv-rows.ts'

export async function* piecesOf(
  bytes: Uint8Array,
  sizes: readonly number[] = [],
): AsyncGenerator<Uint8Array> {
  let at = 0
  for (const size of sizes) {
    yield bytes.subarray(at, at + size)
    at += size
  }
  yield bytes.subarray(at)
}

export async function csvOf(
  pieces: AsyncIterable<Uint8Array>,
  limits: CsvLimits = { rowBytes: 64 * 1024, columns: 100 },
): Promise<{ header: readonly string[]; rows: readonly CsvRow[] }> {
  let header: readonly string[] = []
  const rows: CsvRow[] = []
  for await (const slice of readCsv(pieces, limits)) {
    header = slice.header
    rows.push(...slice.rows)
  }
  return { header, rows }
}

/** The cells of a CSV without faults; throws when there is one. */
export async function cellsOf(text: string): Promise<{ header: readonly string[]; rows: string[][] }> {
  const { header, rows } = await csvOf(piecesOf(Buffer.from(text)))
  const faulty = rows.find(({ fault }) => fault !== undefined)
  if (faulty) throw new Error(`line ${faulty.line} ${faulty.fault}`)
  return { header, rows: rows.map(({ cells }) => [...cells]) }
}
