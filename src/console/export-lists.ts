// Lists as CSV files for people: the columns, and the rows page by page until the end of the list or a limit.

import type { Keyset, Page, PageRequest } from '../contract/page.ts'
import type { CallRecord } from '../contract/records/call.ts'
import type { DeliveryRecord, ToldAuditRecord } from '../contract/records/console.ts'
import type { LoggedMessage } from '../contract/records/message-log.ts'
import { csvLine } from '../platform/http/csv.ts'

export interface ExportLimits {
  /** At most this many rows. */
  readonly rows: number
  /** No further page is read after this time: a slow reader holds its place no longer. */
  readonly ms: number
  /** Rows that are held in memory at once. */
  readonly batch: number
}

export const exportLimits: ExportLimits = { rows: 100_000, ms: 300_000, batch: 1_000 }

export type Columns<Row> = Readonly<Record<string, (row: Row) => unknown>>

interface Listing<Row> {
  readonly columns: Columns<Row>
  read(page: PageRequest): Promise<Page<Row>>
  /** Milliseconds, of any beginning. */
  now(): number
}

/** Excel reads UTF-8 only with it, and these files are for spreadsheets. */
const byteOrderMark = '\ufeff'

/** Each chunk is a page, and the next page is read only when the client has taken it. */
export async function* csvOf<Row>(
  { columns, read, now }: Listing<Row>,
  limits: ExportLimits = exportLimits,
): AsyncGenerator<Uint8Array> {
  const cells = Object.values(columns)
  const beganMs = now()
  let written = 0
  let after: Keyset | undefined
  yield Buffer.from(byteOrderMark + csvLine(Object.keys(columns)))
  do {
    const page = await read({ limit: Math.min(limits.batch, limits.rows - written), after })
    written += page.data.length
    after = page.next
    const lines = page.data.map((row) => csvLine(cells.map((cell) => textOf(cell(row)))))
    if (lines.length > 0) yield Buffer.from(lines.join(''))
    if (after && (written >= limits.rows || now() - beganMs > limits.ms)) {
      yield Buffer.from(csvLine([cutLine(written)]))
      return
    }
  } while (after)
}

/** The last line of a file that is not the whole list. The pages look for its beginning. */
export const cutLine = (rows: number): string =>
  `# Cut after ${rows} rows: for the older ones export again with an earlier end of the time`

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Without the plus, which a spreadsheet takes for a formula. */
const digits = (number: string): string => number.replace(/^\+/, '')

export const messageColumns: Columns<LoggedMessage> = {
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  direction: ({ direction }) => direction,
  status: ({ status }) => status,
  type: ({ type }) => type,
  from: ({ from }) => digits(from),
  to: ({ to }) => digits(to),
  contactName: ({ contactName }) => contactName,
  userId: ({ userId }) => userId,
  template: ({ template }) => template?.name,
  language: ({ template }) => template?.language,
  text: ({ text }) => text,
  fileName: ({ media }) => media?.fileName,
  errorCode: ({ error }) => error?.code,
  errorTitle: ({ error }) => error?.title,
  errorDetails: ({ error }) => error?.details,
  sentAt: ({ sentAt }) => sentAt,
  deliveredAt: ({ deliveredAt }) => deliveredAt,
  readAt: ({ readAt }) => readAt,
  failedAt: ({ failedAt }) => failedAt,
  apiKey: ({ caller }) => caller?.apiKeyName,
  campaignId: ({ caller }) => caller?.campaignId,
  idempotencyKey: ({ caller }) => caller?.idempotencyKey,
  providerMessageId: ({ providerMessageId }) => providerMessageId,
  conversationId: ({ conversationId }) => conversationId,
  metadata: ({ metadata }) => (Object.keys(metadata).length === 0 ? null : metadata),
}

export const callColumns: Columns<CallRecord> = {
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  direction: ({ direction }) => direction,
  status: ({ status }) => status,
  from: ({ from }) => digits(from),
  to: ({ to }) => digits(to),
  fromName: ({ fromName }) => fromName,
  userId: ({ userId }) => userId,
  ringingAt: ({ ringingAt }) => ringingAt,
  acceptedAt: ({ acceptedAt }) => acceptedAt,
  endedAt: ({ endedAt }) => endedAt,
  durationSeconds: ({ durationSeconds }) => durationSeconds,
  endReason: ({ endReason }) => endReason,
  forwardErrorCode: ({ lastForwardError }) => lastForwardError?.code,
  forwardErrorMessage: ({ lastForwardError }) => lastForwardError?.message,
  conversationId: ({ conversationId }) => conversationId,
  providerCallId: ({ wacid }) => wacid,
}

export const deliveryColumns = (
  endpointName: (id: string) => string | undefined,
): Columns<DeliveryRecord> => ({
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  event: ({ event }) => event,
  state: ({ state }) => state,
  endpoint: ({ endpointId }) => endpointName(endpointId),
  endpointId: ({ endpointId }) => endpointId,
  attemptCount: ({ attemptCount }) => attemptCount,
  nextAttemptAt: ({ nextAttemptAt }) => nextAttemptAt,
  finishedAt: ({ finishedAt }) => finishedAt,
})

export const auditColumns: Columns<ToldAuditRecord> = {
  id: ({ id }) => id,
  at: ({ at }) => at,
  who: ({ operator, key }) => operator?.name ?? (key === null ? 'The system' : `API key ${key.name}`),
  email: ({ operator }) => operator?.email,
  did: ({ did, subjectName }) => (subjectName === null ? did : `${did} ${subjectName}`),
  action: ({ action }) => action,
  subjectKind: ({ subjectKind }) => subjectKind,
  subjectId: ({ subjectId }) => subjectId,
  before: ({ before }) => before,
  after: ({ after }) => after,
  address: ({ ip }) => ip,
  device: ({ device }) => device,
}
