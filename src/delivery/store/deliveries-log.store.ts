// The delivery log for operators. Bodies and answers are shown as text. Nothing here changes a delivery.
import type { DeliveryFilter, DeliveryLog, LoggedDelivery } from '../../contract/administration.ts'
import type { EventKind } from '../../contract/events.ts'
import { limits } from '../../contract/limits.ts'
import type { PageRequest } from '../../contract/page.ts'
import type { AttemptRecord, LastAttempt } from '../../contract/records/console.ts'
import type { DeliveryState } from '../../contract/records/delivery.ts'
import { byFirstAttempt, everyAttempt, lastAttempt } from '../../platform/postgres/every-attempt.ts'
import { mergedRowsOfPage, olderThan, type Piece } from '../../platform/postgres/keyset.ts'
import { iso, newestFirst } from '../../platform/postgres/newest-first.ts'
import { ofIds } from '../../platform/postgres/of-ids.ts'
import { ofEveryState, settledOrPending } from '../../platform/postgres/settled-or-pending.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { type DeliveryId, type EndpointId, encodeId, idFloor } from '../../shared/ids.ts'

interface Row {
  readonly id: DeliveryId
  readonly key: string
  readonly endpointId: EndpointId
  readonly eventId: string
  readonly kind: EventKind
  readonly state: DeliveryState
  readonly attemptCount: number
  readonly nextAttemptAt: Date | null
  readonly createdAt: Date
  readonly finishedAt: Date | null
  readonly attemptedAt: Date | null
  readonly statusCode: number | null
  readonly error: string | null
  readonly durationMs: number | null
  readonly beginning: Buffer | null
}

/** Ids, status and error of an event are at the beginning of its body, which may be long. */
const beginningBytes = 512

interface AttemptRow extends Omit<AttemptRecord, 'at' | 'responseBody' | 'responseBodyEncoding'> {
  readonly at: Date
  readonly responseBody: Buffer | null
}

export const createDeliveryLogStore = (sql: Sql): DeliveryLog => ({
  async list(workspaceId, filter, page) {
    const select = (state: Piece, about: Piece) => sql`
      select ${columns(sql)}, workspace_id
      from deliveries
      where workspace_id = ${workspaceId} and ${state} ${about}
        ${conditions(sql, filter)}
        ${olderThan(sql, 'deliveries', page)}
      order by id desc`
    const selects = partsOf(sql, filter).map((state) =>
      ofKeys(sql, filter.key, (about) => select(state, about), page),
    )
    const ordered = mergedRowsOfPage(sql, selects, page, (table) => sql`${sql(table)}.id desc`)
    const rows = await sql<Row[]>`
      select d.*, ${explained(sql)}
      from (${ordered}) d
      ${explaining(sql)}
      order by d.id desc`
    return newestFirst(rows, page, toRecord)
  },

  async find(workspaceId, id) {
    const [row] = await sql<Row[]>`
      select ${columns(sql)}, ${explained(sql)}
      from deliveries d
      ${explaining(sql)}
      where d.workspace_id = ${workspaceId} and d.id = ${id}`
    if (row === undefined) return undefined
    const [events, attempts] = await Promise.all([
      sql<
        { body: Buffer }[]
      >`select body from events where workspace_id = ${workspaceId} and id = ${row.eventId}`,
      sql<AttemptRow[]>`
        select number, at, status_code, error, error_detail, duration_ms, timings, remote_address, reused_connection,
          response_headers, response_body
        from ${everyAttempt(sql)}
        and workspace_id = ${workspaceId} and delivery_id = ${id} and id >= ${floorOf(row)}
        order by number desc
        limit 100`,
    ])
    const body = events[0]?.body.toString('utf8') ?? null
    return { ...toRecord(row), body, attempts: attempts.reverse().map(toAttempt) }
  },
})

const columns = (sql: Sql) => sql`
  id, endpoint_id, event_id, kind, key, state, attempt_count, next_attempt_at, created_at, finished_at,
  first_attempt_at, first_status_code, first_duration_ms`

const explained = (sql: Sql) =>
  sql`last.at as attempted_at, last.status_code, last.error, last.duration_ms, told.beginning`

/** The last attempt and the event of each row of a page `d`, by their keys. */
const explaining = (sql: Sql) => sql`
  ${lastAttempt(sql)}
  left join lateral (
    select substring(body for ${beginningBytes}::integer) as beginning
    from events
    where id = d.event_id and workspace_id = d.workspace_id
  ) told on true`

/** Conditions whose selects each follow an index. Together they have what the filter lets through. */
function partsOf(sql: Sql, { state, endpointId, event, key, ids }: DeliveryFilter): readonly Piece[] {
  const hasIndex = [state, endpointId, event, key, ids].some((one) => one !== undefined)
  const states = hasIndex ? settledOrPending(sql, state) : ofEveryState(sql)
  if (endpointId === undefined) return states
  return states.flatMap((one) => byFirstAttempt(sql).map((kept) => sql`${one} and ${kept}`))
}

/** Of several keys, the first of each, by its index: together they have a page. */
function ofKeys(
  sql: Sql,
  key: DeliveryFilter['key'],
  select: (about: Piece) => Piece,
  { limit }: PageRequest,
): Piece {
  if (key === undefined) return select(sql``)
  if (typeof key === 'string') return select(sql`and key = ${key}`)
  return sql`
    select found.*
    from unnest(${key as string[]}::uuid[]) as asked (about)
    cross join lateral (${select(sql`and key = asked.about`)} limit ${limit + 1}) found
    order by found.id desc`
}

/**
 * Times become bounds on the id, which begins with its time, so that partitions of other days are not opened.
 */
const conditions = (sql: Sql, filter: DeliveryFilter) => sql`
  ${filter.ids ? sql`and ${ofIds(sql, sql`id`, filter.ids)}` : sql``}
  ${filter.endpointId ? sql`and endpoint_id = ${filter.endpointId}` : sql``}
  ${filter.event ? sql`and kind = ${filter.event}` : sql``}
  ${filter.since ? sql`and id >= ${idFloor(filter.since.getTime())}` : sql``}
  ${filter.until ? sql`and id < ${idFloor(filter.until.getTime())}` : sql``}`

/** No attempt is older than its delivery. One minute allows for different clocks of processes. */
const floorOf = (row: Row): string => idFloor(row.createdAt.getTime() - 60_000)

const toRecord = (row: Row): LoggedDelivery => ({
  id: encodeId('delivery', row.id),
  endpointId: encodeId('endpoint', row.endpointId),
  event: row.kind,
  state: row.state,
  attemptCount: row.attemptCount,
  nextAttemptAt: iso(row.nextAttemptAt),
  createdAt: row.createdAt.toISOString(),
  finishedAt: iso(row.finishedAt),
  lastAttempt: lastOf(row),
  told: { key: row.key, beginning: row.beginning?.toString('utf8') ?? null },
})

const lastOf = ({ attemptedAt, statusCode, error, durationMs }: Row): LastAttempt | null =>
  attemptedAt === null || durationMs === null
    ? null
    : { at: attemptedAt.toISOString(), statusCode, error, durationMs }

const toAttempt = ({ responseBody, ...row }: AttemptRow): AttemptRecord => ({
  ...row,
  at: row.at.toISOString(),
  ...shownBody(responseBody),
})

/** Text when the bytes are UTF-8, else base64: no byte is replaced, and binary data is not shown as text. */
function shownBody(bytes: Buffer | null): Pick<AttemptRecord, 'responseBody' | 'responseBodyEncoding'> {
  if (bytes === null) return { responseBody: null, responseBodyEncoding: null }
  // A body that was cut at the limit may end within a character.
  const isCut = bytes.length >= limits.responseBodyBytes
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: isCut })
    return { responseBody: text, responseBodyEncoding: 'utf8' }
  } catch {
    return { responseBody: bytes.toString('base64'), responseBodyEncoding: 'base64' }
  }
}
