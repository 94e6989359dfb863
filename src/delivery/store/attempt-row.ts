// What is stored of an attempt: as a row of its own, or in the row of its delivery.
import { firstAttemptMs } from '../../platform/postgres/every-attempt.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { idTimeMs, newId } from '../../shared/ids.ts'
import type { AttemptRecord } from '../settle-attempt.ts'

const ownColumns = {
  first_attempt_at: 'a.at',
  first_duration_ms: 'a.duration_ms',
  first_status_code: 'a.status_code',
  first_timings: 'a.timings',
  first_response_headers: 'a.response_headers',
  first_response_body: "decode(a.response_body, 'base64')",
  first_remote_address: 'a.remote_address',
  first_reused_connection: 'a.reused_connection',
}

/** What receivers answer may repeat what they were sent. */
const contents: ReadonlySet<string> = new Set(['first_response_headers', 'first_response_body'])

const setOwnColumns = Object.entries(ownColumns)
  .map(([column, value]) => {
    const isKept = contents.has(column)
      ? `a.with_delivery and ${keepsContents('d.state')}`
      : 'a.with_delivery'
    return `${column} = case when ${isKept} then ${value} else d.${column} end`
  })
  .join(', ')

/**
 * SQL: an erasure discards what waits, and nothing may be stored of it afterwards. Not a look for its event: a statement
 * that waited for the erasure to end would still see it, but it sees the new state of a row that it locks.
 */
export function keepsContents(state: string): string {
  return `${state} <> 'DISCARDED'`
}

/** For `set`: nearly every attempt delivers its event at once, and is kept in the row that changes anyway. */
export const withDelivery = (sql: Sql) => sql.unsafe(setOwnColumns) as unknown as Fragment

const states = {
  delivered: 'DELIVERED',
  retry: 'RETRYING',
  failed: 'FAILED',
  blocked: 'BLOCKED',
  uncharged: null,
} as const

/** What has no value is left out: most of it has none, and each name is read by Postgres. */
export function toAttemptRow(record: AttemptRecord, place: number) {
  const { item, report, verdict } = record
  const { outcome } = report
  const isKept = isWithDelivery(record)
  // A literal without spreads: with one it took seven times as long.
  return {
    with_delivery: isKept || undefined,
    id: isKept ? undefined : newId('attempt'),
    workspace_id: isKept ? undefined : record.workspaceId,
    delivery_id: item.deliveryId,
    endpoint_id: record.endpointId,
    number: item.attemptNumber,
    at: record.startedAt.toISOString(),
    status_code: 'statusCode' in outcome ? (outcome.statusCode ?? undefined) : undefined,
    error: 'code' in outcome ? outcome.code : undefined,
    error_detail: 'detail' in outcome ? outcome.detail : undefined,
    duration_ms: Math.round(report.durationMs),
    timings: Object.keys(report.timings).length > 0 ? report.timings : undefined,
    response_headers: report.responseHeaders ?? undefined,
    response_body: base64(report.responseBody),
    remote_address: report.remoteAddress ?? undefined,
    reused_connection: report.remoteAddress === null ? undefined : report.reusedConnection,
    replay: item.replay,
    state: states[verdict.type],
    delay_ms: verdict.type === 'retry' ? verdict.delayMs : undefined,
    place,
    counts: record.counts,
  }
}

const base64 = (bytes: Uint8Array | null): string | undefined =>
  bytes ? Buffer.from(bytes).toString('base64') : undefined

/**
 * It delivers its event at once. An attempt after a wait has a row of its own: by the id of its delivery it would be
 * looked for at another time.
 */
const isWithDelivery = ({ item, verdict, startedAt }: AttemptRecord): boolean =>
  verdict.type === 'delivered' &&
  item.attemptNumber === 1 &&
  Math.abs(startedAt.getTime() - idTimeMs(item.deliveryId)) <= firstAttemptMs
