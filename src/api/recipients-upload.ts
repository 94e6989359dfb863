// Reads a stream of recipients, as CSV or NDJSON, while it arrives. A row that cannot be read keeps its place
// and carries a fault.
import type { RecipientRow } from '../campaigns/judge-recipients.ts'
import { AppError } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { type CsvRow, lineFault, readCsv } from '../platform/http/csv-rows.ts'
import { type JsonLine, readJsonLines } from '../platform/http/json-lines.ts'
import { linesType } from '../platform/http/lines-answer.ts'
import type { Upload } from '../platform/http/route.ts'
import { check } from '../platform/http/validate.ts'
import { isVariableName, recipientRow } from './schemas/campaigns.ts'

export const csvType = 'text/csv'
export const uploadTypes = [csvType, linesType]

interface SizedRow extends RecipientRow {
  readonly bytes: number
}

/** Each batch is added as a whole. Past the row limit, yields the rows before it, then PAYLOAD_TOO_LARGE. */
export async function* uploadBatches({ type, pieces }: Upload): AsyncGenerator<readonly RecipientRow[]> {
  const slices = type === csvType ? csvRows(pieces) : lineRows(pieces)
  const batch = new Batch()
  try {
    for await (const slice of slices)
      for (const row of slice) {
        batch.add(row)
        if (batch.isFull) yield batch.take()
      }
  } catch (error) {
    // An error in a later row must not lose the rows before it.
    if (error instanceof AppError && !batch.isEmpty) yield batch.take()
    throw error
  }
  if (!batch.isEmpty) yield batch.take()
}

class Batch {
  #rows: RecipientRow[] = []
  #bytes = 0
  #total = 0

  get isFull(): boolean {
    return this.#rows.length >= limits.recipientsPerBatch || this.#bytes >= limits.recipientsBatchBytes
  }

  get isEmpty(): boolean {
    return this.#rows.length === 0
  }

  add({ bytes, ...row }: SizedRow): void {
    if (this.#total === limits.recipientsPerUpload) throw tooMany()
    this.#total += 1
    this.#rows.push(row)
    this.#bytes += bytes
  }

  take(): readonly RecipientRow[] {
    const rows = this.#rows
    this.#rows = []
    this.#bytes = 0
    return rows
  }
}

const tooMany = (): AppError =>
  new AppError('PAYLOAD_TOO_LARGE', `a stream must hold at most ${limits.recipientsPerUpload} rows`)

async function* lineRows(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SizedRow[]> {
  for await (const lines of readJsonLines(pieces, limits.recipientRowBytes)) yield lines.map(lineRow)
}

function lineRow(line: JsonLine): SizedRow {
  const { bytes } = line
  if ('fault' in line) return { to: '', variables: {}, fault: line.fault, bytes }
  const row = rowOf(line.value)
  return row.fault === undefined ? { ...row, bytes } : { ...row, to: shownTo(line.value), bytes }
}

function rowOf(value: unknown): RecipientRow {
  const checked = check(recipientRow, value)
  if (checked.ok) return checked.value as RecipientRow
  const [detail] = checked.details
  const path = detail?.path === 'body' ? 'the line' : detail?.path
  return { to: '', variables: {}, fault: `${path} ${detail?.message}` }
}

const shownTo = (value: unknown): string => {
  const to: unknown = (value as { to?: unknown } | null)?.to
  return typeof to === 'string' ? to : ''
}

async function* csvRows(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SizedRow[]> {
  const reading = readCsv(pieces, { rowBytes: limits.recipientRowBytes, columns: limits.variablePairs + 1 })
  let found: readonly number[] | undefined
  for await (const { header, rows } of reading) {
    const columns = found ?? addressColumns(header)
    found = columns
    yield rows.map((row) => csvRow(row, header, columns))
  }
}

/**
 * Names of the column of numbers, and of user ids, if none is called `to`. Case, spaces, dashes and underscores are
 * ignored.
 */
const numberNames = ['phone', 'phonenumber', 'number', 'msisdn', 'mobile']
const userIdNames = ['userid']

/** The columns that name the recipient: the first that is not empty does. Each cell takes a number or a user id. */
function addressColumns(header: readonly string[]): readonly number[] {
  const plain = header.map((name) => name.toLowerCase().replaceAll(/[\s_-]/g, ''))
  const columns = header.includes('to')
    ? [onlyColumn(header, header, ['to'])]
    : [onlyColumn(header, plain, numberNames), onlyColumn(header, plain, userIdNames)]
  const found = columns.filter((column) => column !== undefined)
  if (found.length === 0)
    throw lineFault(1, `must have a column named to (or ${[...numberNames, 'user_id'].join(', ')})`)
  const unfit = header.find((name, index) => !found.includes(index) && !isVariableName(name))
  if (unfit !== undefined)
    throw lineFault(1, `must not name a column ${unfit.slice(0, limits.variableNameLength)}`)
  return found
}

function onlyColumn(header: readonly string[], names: readonly string[], wanted: readonly string[]) {
  const [column, another] = names.flatMap((name, index) => (wanted.includes(name) ? [index] : []))
  if (column !== undefined && another !== undefined)
    throw lineFault(1, `must have one column of numbers, named to: ${header[column]} or ${header[another]}?`)
  return column
}

/** An empty cell sets no variable, so the campaign's default applies. */
function csvRow(
  { cells, fault, line }: CsvRow,
  header: readonly string[],
  addresses: readonly number[],
): SizedRow {
  const bytes = cells.reduce((sum, cell) => sum + cell.length, 0)
  const to = addresses.map((column) => cells[column] ?? '').find((cell) => cell.trim() !== '') ?? ''
  if (fault !== undefined) return { to, variables: {}, fault: `line ${line} ${fault}`, bytes }
  const variables: Record<string, string> = {}
  cells.forEach((cell, column) => {
    if (!addresses.includes(column) && cell !== '') variables[header[column] ?? ''] = cell
  })
  const hasNul = cells.some((cell) => cell.includes('\0'))
  return {
    to,
    variables,
    fault: hasNul ? `line ${line} holds a character that is not text` : undefined,
    bytes,
  }
}
