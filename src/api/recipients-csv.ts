// Recipients as CSV, both ways: the rows of an upload, and the report.
import { limits } from '../contract/limits.ts'
import type { RecipientRecord } from '../contract/records/campaign.ts'
import { csvLine, readCsv } from '../http/csv.ts'
import { validationError } from '../http/validate.ts'

/**
 * Columns are `to` and the names of variables. An empty cell says nothing, so that the campaign's default holds. What
 * comes out has the shape of the JSON body and is judged like it.
 */
export async function readRecipients(bytes: Uint8Array): Promise<unknown> {
  const { header, rows } = await readCsv(bytes, {
    rows: limits.recipientsPerCall,
    rowBytes: limits.recipientRowBytes,
    columns: limits.variablePairs + 1,
  })
  const toColumn = header.indexOf('to')
  if (toColumn === -1) throw validationError([{ path: 'line 1', message: 'must have a column named to' }])
  const recipients = rows.map((cells) => {
    const named = cells.map((cell, column) => [header[column] ?? '', cell] as const)
    const given = named.filter(([, cell], column) => column !== toColumn && cell !== '')
    return { to: cells[toColumn] ?? '', variables: Object.fromEntries(given) }
  })
  return { recipients }
}

const columns = [
  'id',
  'to',
  'status',
  'messageId',
  'errorCode',
  'errorTitle',
  'skippedReason',
  'repliedAt',
  'updatedAt',
  'variables',
]

/** A chunk of bytes a batch, so that nothing is read before the one before has been taken. */
export async function* recipientReport(
  batches: AsyncIterable<readonly RecipientRecord[]>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvLine(columns))
  for await (const batch of batches) {
    if (batch.length > 0) yield Buffer.from(batch.map(reportLine).join(''))
  }
}

// Numbers are digits without a plus and variables one cell of JSON, so neither can be taken for a formula.
const reportLine = (recipient: RecipientRecord): string =>
  csvLine([
    recipient.id,
    recipient.to,
    recipient.status,
    recipient.messageId ?? '',
    recipient.error?.code ?? '',
    recipient.error?.title ?? '',
    recipient.skippedReason ?? '',
    recipient.repliedAt ?? '',
    recipient.updatedAt,
    JSON.stringify(recipient.variables),
  ])
