// The recipients of a campaign as a CSV report.
import type { RecipientRecord } from '../contract/records/campaign.ts'
import { csvLine } from '../http/csv.ts'

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
