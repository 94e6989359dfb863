// Forwards that succeeded, many in one statement.
import type { Note } from '../calls/call.messages.ts'
import type { WorkspaceId } from '../shared/ids.ts'
import type { Sql } from './sql.ts'

export interface Forwarded {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly epoch: number
  readonly wakeAt: Date | null
  readonly notes: readonly Note[]
}

/**
 * What a later change has written already, or a later owner, stays as it is; the timeline is told all the same. Arrays
 * and not JSON: they are taken for few, so that each call is found by its id.
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

// The driver would take an array of dates for a date.
const instant = (at: Date | null): string | null => at?.toISOString() ?? null
