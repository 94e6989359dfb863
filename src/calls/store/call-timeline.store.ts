// The timeline of a call: a column of its row, written with each change of the call, read by the console. Never
// contains SDP. Calls from before this column have theirs in table call_timeline.

import type { Sql } from '../../platform/postgres/sql.ts'
import type { CallId, WorkspaceId } from '../../shared/ids.ts'
import type { Note } from '../call.messages.ts'

export interface TimelineEntry {
  readonly at: Date
  readonly kind: string
  readonly detail: Readonly<Record<string, string | number | null>>
}

/** The row is written anew with each change, so that a provider that repeats itself must not make it grow. */
const mostEntries = 200

/** Notes as the column holds them. */
export const entriesOf = (notes: readonly Note[]): readonly (readonly unknown[])[] =>
  notes.map(({ at, kind, detail }) => (detail ? [at.getTime(), kind, detail] : [at.getTime(), kind]))

/** For an update of calls `c`: what it held, with `entries` behind it, an expression for an array of jsonb. */
export const appended = (sql: Sql, entries: ReturnType<Sql>) => sql`
  case
    when c.timeline is null then ${entries}
    when jsonb_array_length(c.timeline) < ${sql.unsafe(String(mostEntries))} then c.timeline || ${entries}
    else c.timeline
  end`

export const createCallTimelineStore = (sql: Sql) => ({
  /** Oldest first, at most 500; empty for a call of another workspace. */
  list: (workspaceId: WorkspaceId, callId: CallId): Promise<TimelineEntry[]> => sql<TimelineEntry[]>`
    select at, kind, detail
    from (
      select at, kind, detail, 0 as place, id::text as rank
      from call_timeline
      where call_id = ${callId} and workspace_id = ${workspaceId}
      union all
      select 'epoch'::timestamptz + (entry ->> 0)::bigint * interval '1 millisecond', entry ->> 1,
        coalesce(entry -> 2, '{}'), place, null
      from calls c
      cross join jsonb_array_elements(c.timeline) with ordinality as one (entry, place)
      where c.id = ${callId} and c.workspace_id = ${workspaceId}
    ) noted
    order by at, rank, place
    limit 500`,
})
