// Calls open the 24 hours in which a customer may be answered freely, as messages do.

import type { Sql } from '../../platform/postgres/sql.ts'
import { Batcher } from '../../shared/batcher.ts'
import type { CallId } from '../../shared/ids.ts'

interface Opening {
  readonly id: CallId
  readonly at: Date
}

export const createCallWindowStore = (sql: Sql) => {
  const openings = new Batcher<Opening, void>({
    maxItems: 200,
    maxWaiting: 20_000,
    // One that waits for a locked conversation does not hold up the others.
    concurrency: 3,
    flush: async (all) => {
      await open(sql, all)
      return []
    },
  })
  return {
    /** `at`: when the customer called or picked up, by the provider's clock. Takes updates in any order, and repeats. */
    opened: (id: CallId, at: Date): Promise<void> => openings.add({ id, at }),
  }
}

/** Locks the conversations in the order of their ids, as all who change several. */
async function open(sql: Sql, all: readonly Opening[]): Promise<void> {
  await sql`
    with told as (
      select coalesce(v.merged_into, v.id) as id, c.workspace_id, max(one.at) as at
      from unnest(${all.map(({ id }) => id)}::uuid[], ${all.map(({ at }) => at.toISOString())}::timestamptz[]) as one (id, at)
      join calls c on c.id = one.id
      join conversations v on v.id = c.conversation_id
      group by 1, 2
    ),
    locked as (
      select v.id, told.at
      from told
      join conversations v on v.id = told.id and v.workspace_id = told.workspace_id
      where v.erased_at is null and coalesce(v.last_call_at, '-infinity') < told.at
      order by v.id
      for no key update of v
    )
    update conversations v
    set last_call_at = locked.at, updated_at = now()
    from locked
    where v.id = locked.id and coalesce(v.last_call_at, '-infinity') < locked.at`
}
