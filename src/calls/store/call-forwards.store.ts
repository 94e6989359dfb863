// Records successful forwards, many in one statement.

import type { Sql } from '../../platform/postgres/sql.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import type { Note } from '../call.messages.ts'

export interface Forwarded {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly epoch: number
  readonly wakeAt: Date | null
  readonly notes: readonly Note[]
}

/**
 * A row that a later change or a later owner has written stays as it is; the notes are written all the same.
 * Uses arrays instead of JSON: the planner expects few rows from an array, so it finds each call by its id.
 */
export async function noteForwarded(sql: Sql, forwards: readonly Forwarded[]): Promise<void> {
  const notes = forwards.flatMap(({ id, workspaceId, notes: own }) =>
    own.map((note) => ({ ...note, id, workspaceId })),
  )
  await sql`
    with moved as (
      update calls c
      set forward_state = 'OK', last_forward_error = null, wake_at = f.wake_at, updated_at = now()
      from unnest(${forwards.map(({ id }) => id)}::uuid[], ${forwards.map(({ epoch }) => epoch)}::bigint[],
        ${forwards.map(({ wakeAt }) => instant(wakeAt))}::timestamptz[]) as f (id, epoch, wake_at)
      where c.id = f.id and c.owner_epoch = f.epoch and c.forward_state = 'ATTEMPTING'
    )
    insert into call_timeline (id, workspace_id, call_id, at, kind, detail)
    select new_uuid(), workspace_id, call_id, at, kind, '{}'
    from unnest(${notes.map(({ workspaceId }) => workspaceId)}::uuid[], ${notes.map(({ id }) => id)}::uuid[],
      ${notes.map(({ at }) => instant(at))}::timestamptz[], ${notes.map(({ kind }) => kind)}::text[])
      as note (workspace_id, call_id, at, kind)`
}

// The driver would treat an array of dates as one date.
const instant = (at: Date | null): string | null => at?.toISOString() ?? null
