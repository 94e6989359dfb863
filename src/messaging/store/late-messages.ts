// Messages between two times. The provider repeats a webhook for seven days, and what was kept of one is applied again
// when somebody says so. So the id of a message, which gives it its place in the lists, may be much younger than the
// message: a list up to a time would look through all that arrived after it. An index holds those that came late; of the
// others the ids say enough.
import type { MessageFilter } from '../../contract/filters.ts'
import type { PageRequest } from '../../contract/page.ts'
import { createdWithin, type Piece, type Span } from '../../platform/postgres/keyset.ts'
import { byNewest } from '../../platform/postgres/list-order.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { idFloor } from '../../shared/ids.ts'
import { isNarrow } from './narrow-filters.ts'

/** As in the condition of the index. */
const promptMs = 60_000
/** In a narrow list, which has few messages of a year. Nothing is kept for longer, as a rule. */
const lateMs = 366 * 86_400_000

/** Whether the late messages are read beside the others. */
const isSplit = (filter: MessageFilter): boolean => filter.until !== undefined && !isNarrow(filter)

/** The span of the list, without the late messages where those are read beside it. */
export const spanOf = (filter: MessageFilter): Span => ({
  since: filter.since,
  until: filter.until,
  lateMs: isSplit(filter) ? promptMs : lateMs,
})

/** Written as in the index `messages_late`, so that it is used. */
const cameLate = (sql: Sql): Piece => sql`
  case when m.created_at < to_timestamp(
    ('x' || left(m.id::text, 8) || substr(m.id::text, 10, 4))::bit(48)::bigint::float8 / 1000 - 60) then 1 end = 1`

/** Of `those` messages `m` the ones that the span of the list leaves out: one select or none. */
export function lateMessages(sql: Sql, those: Piece, filter: MessageFilter, page: PageRequest): Piece[] {
  const { since, until } = filter
  if (until === undefined || !isSplit(filter)) return []
  const order = byNewest(sql, 'm', page)
  return [
    sql`
      select m.*
      from messages m
      where ${those}
        and ${cameLate(sql)}
        and m.id >= ${idFloor(until.getTime() + promptMs)}::uuid
        ${createdWithin(sql, 'm', { since })}
        and m.created_at < ${until}
        ${order.from}
      order by ${order.by('m')}`,
  ]
}
