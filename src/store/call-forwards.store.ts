// Forwards that succeeded, many in one statement.
import type { Note } from '../calls/call.messages.ts'
import type { Sql } from './sql.ts'

export interface Forwarded {
  readonly id: string
  readonly epoch: number
  readonly wakeAt: Date | null
  readonly notes: readonly Note[]
}

/** What a later change has written already, or a later owner, stays as it is; the timeline is told all the same. */
export async function noteForwarded(sql: Sql, forwards: readonly Forwarded[]): Promise<void> {
  await sql`
    with forwarded as (
      select * from jsonb_to_recordset(${forwards as never}::jsonb)
        as f (id uuid, epoch bigint, "wakeAt" timestamptz, notes jsonb)
    ),
    moved as (
      update calls c
      set forward_state = 'OK', last_forward_error = null, wake_at = f."wakeAt", updated_at = now()
      from forwarded f
      where c.id = f.id and c.owner_epoch = f.epoch and c.forward_state = 'ATTEMPTING'
    )
    insert into call_timeline (id, workspace_id, call_id, at, kind, detail)
    select new_uuid(), c.workspace_id, c.id, note.at, note.kind, '{}'
    from forwarded f
    join calls c on c.id = f.id
    cross join jsonb_to_recordset(f.notes) as note(at timestamptz, kind text)`
}
