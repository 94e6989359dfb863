// Numbers that are new here, or have a new id at the provider: what came for them before is to be applied.
import { isDue } from '../../platform/postgres/due.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { NumberId } from '../../shared/ids.ts'

export interface DueNumber {
  readonly id: NumberId
  readonly phoneNumberId: string
  /** No other process takes it until then. */
  readonly takenUntil: Date
}

export const createDueNumbersStore = (sql: Sql) => ({
  /** Whoever dies with it leaves it to another process, ten minutes later: nothing is applied twice. */
  async take(): Promise<DueNumber | undefined> {
    const [taken] = await sql<DueNumber[]>`
      update numbers
      set elements_due_at = now() + interval '10 minutes'
      where id = (
        select id from numbers where ${isDue(sql, 'elements_due_at')} order by elements_due_at limit 1
        for no key update skip locked
      )
      returning id, phone_number_id, elements_due_at as taken_until`
    return taken
  },

  /** Unless it has become due anew meanwhile. */
  async done({ id, takenUntil }: DueNumber): Promise<void> {
    await sql`update numbers set elements_due_at = null where id = ${id} and elements_due_at = ${takenUntil}`
  },
})
