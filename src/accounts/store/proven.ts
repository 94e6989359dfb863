// A password takes a while to be checked, and may be changed meanwhile. So whatever rests on it asks again, in the
// transaction that writes.
import type { Sql } from '../../platform/postgres/sql.ts'
import type { Proven } from '../operator.ts'

/** Whether the operator still has what was proven. Keeps it until the transaction ends, if so. */
export async function isStillProven(
  sql: Sql,
  { operatorId, passwordHash, totpGeneration }: Proven,
): Promise<boolean> {
  const rows = await sql`
    select from operators
    where id = ${operatorId} and password_hash = ${passwordHash} and totp_generation = ${totpGeneration}
      and disabled_at is null
    for no key update`
  return rows.count === 1
}
