// Records successful forwards, many in one statement.

import type { Sql } from '../../platform/postgres/sql.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import type { Note } from '../call.messages.ts'
import { appended, entriesOf } from './call-timeline.store.ts'

export interface Forwarded {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly epoch: number
  readonly wakeAt: Date | null
  readonly notes: readonly Note[]
  /** The owner leaves: the row is released, too. */
  readonly isLast: boolean
}

/**
 * A row that a later change or a later owner has written keeps its facts and gets the notes all the same.
 * Uses arrays instead of JSON: the planner expects few rows from an array, so it finds each call by its id. In the
 * order of the ids, in which whoever changes several calls locks them.
 */
export async function noteForwarded(sql: Sql, forwards: readonly Forwarded[]): Promise<void> {
  const sorted = forwards.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const entries = sorted.map(({ notes }) => JSON.stringify(entriesOf(notes)))
  const isOpen = sql`c.owner_epoch = f.epoch and c.forward_state = 'ATTEMPTING'`
  await sql`
    update calls c
    set forward_state = case when ${isOpen} then 'OK' else c.forward_state end,
      last_forward_error = case when ${isOpen} then null else c.last_forward_error end,
      wake_at = case when ${isOpen} then f.wake_at else c.wake_at end,
      updated_at = case when ${isOpen} and c.last_forward_error is not null then now() else c.updated_at end,
      owner_sid = case when c.owner_epoch = f.epoch and f.is_last then null else c.owner_sid end,
      timeline = ${appended(sql, sql`f.entries::jsonb`)}
    from unnest(${sorted.map(({ id }) => id)}::uuid[], ${sorted.map(({ workspaceId }) => workspaceId)}::uuid[],
        ${sorted.map(({ epoch }) => epoch)}::bigint[], ${sorted.map(({ wakeAt }) => instant(wakeAt))}::timestamptz[],
        ${entries}::text[], ${sorted.map(({ isLast }) => String(isLast))}::text[]::boolean[])
        as f (id, workspace_id, epoch, wake_at, entries, is_last)
    where c.id = f.id and c.workspace_id = f.workspace_id`
}

// The driver would treat an array of dates as one date.
const instant = (at: Date | null): string | null => at?.toISOString() ?? null
