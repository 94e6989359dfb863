// Calls open the 24 hours in which a customer may be answered freely, as messages do.
import type { Sql } from '../../platform/postgres/sql.ts'
import type { CallId } from '../../shared/ids.ts'

export const createCallWindowStore = (sql: Sql) => ({
  /** `at`: when the customer called or picked up, by the provider's clock. Takes updates in any order, and repeats. */
  async opened(id: CallId, at: Date): Promise<void> {
    await sql`
      update conversations v
      set last_call_at = ${at}, updated_at = now()
      from calls c
      where c.id = ${id} and v.workspace_id = c.workspace_id and v.erased_at is null
        and v.id = (select coalesce(merged_into, id) from conversations where id = c.conversation_id)
        and coalesce(v.last_call_at, '-infinity') < ${at}::timestamptz`
  },
})
