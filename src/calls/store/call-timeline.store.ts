// The timeline of a call: written with each change of the call, read by the console. Never contains SDP.

import type { Sql } from '../../platform/postgres/sql.ts'
import type { CallId, WorkspaceId } from '../../shared/ids.ts'
import type { Note } from '../call.messages.ts'

export interface TimelineEntry {
  readonly at: Date
  readonly kind: string
  readonly detail: Readonly<Record<string, string | number | null>>
}

/** A CTE `noted` that writes the notes for each call in `source`, a CTE with `id` and `workspace_id`. */
export const noted = (sql: Sql, source: string, notes: readonly Note[]) => sql`
  noted as (
    insert into call_timeline (id, workspace_id, call_id, at, kind, detail)
    select new_uuid(), source.workspace_id, source.id, note.at, note.kind, coalesce(note.detail, '{}')
    from ${sql(source)} source
    cross join jsonb_to_recordset(${notes as never}::jsonb) as note(at timestamptz, kind text, detail jsonb)
  )`

export const createCallTimelineStore = (sql: Sql) => ({
  /** Oldest first, at most 500; empty for a call of another workspace. */
  list: (workspaceId: WorkspaceId, callId: CallId): Promise<TimelineEntry[]> => sql<TimelineEntry[]>`
    select at, kind, detail
    from call_timeline
    where call_id = ${callId} and workspace_id = ${workspaceId}
    order by at, id
    limit 500`,
})
