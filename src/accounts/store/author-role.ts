// The guard of the console reads the role before the request runs, and another owner may take it meanwhile. So what
// decides who may do what asks again, in the transaction that writes.
import type { Author } from '../../contract/administration.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { roleNeeded } from '../role-needed.ts'
import { includesRole, type Role } from '../roles.ts'

/** Throws where the author no longer has the role. Keeps it until the transaction ends, if so. */
export async function requireRole(sql: Sql, author: Author, needed: Role): Promise<void> {
  const [held] = await sql<{ role: Role }[]>`
    select role
    from memberships
    where workspace_id = ${author.workspaceId} and operator_id = ${author.operatorId}
    for share`
  if (held === undefined || !includesRole(held.role, needed)) throw roleNeeded(needed, held?.role)
}
