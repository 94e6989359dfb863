// The recipients of a campaign as a CSV report.
import type { RecipientRecord } from '../contract/records/campaign.ts'
import { csvLine } from '../platform/http/csv.ts'

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
  'errorSubcode',
  'errorDetails',
  'errorTraceId',
]

/** Yields one chunk per batch: the next batch is read only after the client has taken this one. */
export async function* recipientReport(
  batches: AsyncIterable<readonly RecipientRecord[]>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvLine(columns))
  for await (const batch of batches) {
    if (batch.length > 0) yield Buffer.from(batch.map(reportLine).join(''))
  }
}

// No cell can be read as a spreadsheet formula: numbers have no plus, and the variables are one cell of JSON.
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
    recipient.error?.subcode ?? '',
    recipient.error?.details ?? '',
    recipient.error?.traceId ?? '',
  ])
