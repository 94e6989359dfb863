// Calls open the 24 hours in which a customer may be answered freely, as messages do.

import { none, shareStatement, skipLocked } from '../../platform/postgres/share-statement.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import type { CallId } from '../../shared/ids.ts'

interface Opening {
  readonly id: CallId
  readonly at: Date
}

export const createCallWindowStore = (sql: Sql) => {
  const opening = shareStatement<Opening, true>({
    one: async (one) => {
      await open(sql, [one], none(sql))
      return true
    },
    now: async (all) => {
      const left = await open(sql, all, skipLocked(sql))
      return all.map(({ id }) => (left.has(id) ? undefined : true))
    },
    ...{ width: 3, maxItems: 200, maxWaiting: 20_000 },
  })
  return {
    /** `at`: when the customer called or picked up, by the provider's clock. Takes updates in any order, and repeats. */
    async opened(id: CallId, at: Date): Promise<void> {
      await opening({ id, at })
    },
  }
}

/**
 * Locks the conversations in the order of their ids, as all who change several. Returns the calls that were left out,
 * because others have locked their conversations and `wait` says to skip them.
 */
async function open(sql: Sql, all: readonly Opening[], wait: Fragment): Promise<ReadonlySet<CallId>> {
  const left = await sql<{ callId: CallId }[]>`
    with told as (
      select coalesce(v.merged_into, v.id) as id, c.workspace_id, max(one.at) as at, array_agg(c.id) as calls
      from unnest(${all.map(({ id }) => id)}::uuid[], ${all.map(({ at }) => at.toISOString())}::timestamptz[]) as one (id, at)
      join calls c on c.id = one.id
      join conversations v on v.id = c.conversation_id
      group by 1, 2
    ),
    due as (
      select v.id, told.at, told.calls
      from told
      join conversations v on v.id = told.id and v.workspace_id = told.workspace_id
      where v.erased_at is null and coalesce(v.last_call_at, '-infinity') < told.at
    ),
    locked as (
      select v.id, due.at
      from due
      join conversations v on v.id = due.id
      order by v.id
      for no key update of v ${wait}
    ),
    opened as (
      update conversations v
      set last_call_at = locked.at, updated_at = now()
      from locked
      where v.id = locked.id and v.erased_at is null and coalesce(v.last_call_at, '-infinity') < locked.at
    )
    select unnest(due.calls) as call_id
    from due
    where due.id not in (select id from locked)`
  return new Set(left.map(({ callId }) => callId))
}
