// The filter of messages by pairs of their metadata. A trigger keeps the pairs in the table message_metadata.
import type { MessageFilter } from '../../contract/filters.ts'
import { idsWithin, type Piece, type Span } from '../../platform/postgres/keyset.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import { isNarrow } from './narrow-filters.ts'

/** A name and its value. */
export type Pair = readonly [name: string, value: string]

/** From here on it does not matter which pair fewer messages have. */
const many = 1_000

/** The pair whose messages the list goes through, of several the rarest. Undefined if it goes through others. */
export async function pairToFollow(
  sql: Sql,
  workspaceId: WorkspaceId,
  filter: MessageFilter,
): Promise<Pair | undefined> {
  const pairs = Object.entries(filter.metadata ?? {})
  // A narrow index is followed instead: a pair may be that of every message.
  if (isNarrow(filter)) return undefined
  if (pairs.length < 2) return pairs[0]
  const counts = await Promise.all(pairs.map((pair) => countUpToMany(sql, workspaceId, pair)))
  return pairs[counts.indexOf(Math.min(...counts))]
}

/** The order keeps Postgres on the index: a part of the whole table may look cheaper to it. */
async function countUpToMany(sql: Sql, workspaceId: WorkspaceId, pair: Pair): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count
    from (
      select from message_metadata
      where ${isOf(sql, workspaceId, pair)}
      order by message_id
      limit ${sql.unsafe(String(many))}
    ) few`
  return row?.count ?? 0
}

const isOf = (sql: Sql, workspaceId: WorkspaceId, [name, value]: Pair): Piece =>
  sql`workspace_id = ${workspaceId} and pair = metadata_pair(${name}, ${value})`

/**
 * For `from`: the messages `m` with the pair, whose ids are those of `x`. Sorted by `x.id` they come in the order of
 * the index. The limit of one, which changes nothing, keeps Postgres from going through all messages instead.
 */
export const messagesWith = (sql: Sql, workspaceId: WorkspaceId, pair: Pair, span: Span): Piece => sql`
  (
    select x.id
    from (select message_id as id from message_metadata where ${isOf(sql, workspaceId, pair)}) x
    where true ${idsWithin(sql, 'x', span)}
  ) x
  cross join lateral (select * from messages where id = x.id limit 1) m`

/**
 * `and` all of the pairs; nothing where the filter is not set. `coalesce`, which changes nothing, hides the operator:
 * Postgres takes it for rare, and would rather read and sort the whole table than follow an index to such rows.
 */
export const hasMetadata = (sql: Sql, metadata: MessageFilter['metadata']): Piece =>
  metadata === undefined ? sql`` : sql`and coalesce(m.metadata @> ${sql.json(metadata)}, false)`
