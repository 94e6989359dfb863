// API keys as operators manage them. Handles only the hashes of secrets. Authentication uses keys.store.ts.
import type { Author, KeyAdministration, KeyPatch } from '../../contract/administration.ts'
import type { KeyRecord } from '../../contract/records/console.ts'
import type { Scope } from '../../contract/scopes.ts'
import { olderThan } from '../../platform/postgres/keyset.ts'
import { iso, newestFirst } from '../../platform/postgres/newest-first.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { encodeId, type KeyId, type OperatorId, type WorkspaceId } from '../../shared/ids.ts'
import { writeAudit } from './audit.store.ts'
import { requireRole } from './author-role.ts'

interface Row {
  readonly id: KeyId
  readonly name: string
  readonly prefix: string
  readonly scopes: Scope[]
  readonly requestsPerSecond: number
  readonly allowedIps: string[]
  readonly expiresAt: Date | null
  readonly lastUsedAt: Date | null
  readonly revokedAt: Date | null
  readonly createdBy: OperatorId | null
  readonly createdAt: Date
}

export const createConsoleKeyStore = (pool: Pool): KeyAdministration => ({
  async list(workspaceId, page) {
    const rows = await pool<Row[]>`
      select ${columns(pool)}
      from api_keys
      where workspace_id = ${workspaceId} ${olderThan(pool, 'api_keys', page)}
      order by id desc
      limit ${page.limit + 1}`
    return newestFirst(rows, page, toRecord)
  },

  create(author, key) {
    return pool.begin(async (sql) => {
      await requireRole(sql, author, 'ADMIN')
      const rows = await sql<Row[]>`
        insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes, requests_per_second,
          allowed_ips, expires_at, created_by)
        values (${key.id}, ${author.workspaceId}, ${key.name}, ${key.prefix}, ${Buffer.from(key.secretHash)},
          ${[...key.scopes]}, ${key.requestsPerSecond}, ${[...key.allowedIps]}, ${key.expiresAt}, ${author.operatorId})
        returning ${columns(sql)}`
      const [row] = rows
      if (row === undefined) throw new Error('an inserted key was not returned')
      await audited(sql, author, { action: 'key.created', after: row })
      return toRecord(row)
    })
  },

  edit(author, id, patch) {
    return pool.begin(async (sql) => {
      await requireRole(sql, author, 'ADMIN')
      const before = await locked(sql, author.workspaceId, id)
      if (before === undefined) return { type: 'notFound' }
      if (before.revokedAt !== null) return { type: 'revoked' }
      const { name, scopes, requestsPerSecond, allowedIps } = { ...before, ...defined(patch) }
      const [after = before] = await sql<Row[]>`
        update api_keys
        set name = ${name}, scopes = ${[...scopes]}, requests_per_second = ${requestsPerSecond},
          allowed_ips = ${[...allowedIps]}
        where id = ${id}
        returning ${columns(sql)}`
      await audited(sql, author, { action: 'key.edited', before, after })
      return { type: 'changed', key: toRecord(after) }
    })
  },

  revoke(author, id) {
    return pool.begin(async (sql) => {
      const before = await locked(sql, author.workspaceId, id)
      if (before === undefined) return { type: 'notFound' }
      if (before.revokedAt !== null) return { type: 'changed', key: toRecord(before) }
      const [after = before] = await sql<Row[]>`
        update api_keys
        set revoked_at = now()
        where id = ${id}
        returning ${columns(sql)}`
      await audited(sql, author, { action: 'key.revoked', before, after })
      return { type: 'changed', key: toRecord(after) }
    })
  },
})

const columns = (sql: Sql) => sql`
  id, name, prefix, scopes, requests_per_second, allowed_ips, expires_at, last_used_at, revoked_at, created_by, created_at`

async function locked(sql: Sql, workspaceId: WorkspaceId, id: KeyId): Promise<Row | undefined> {
  const [row] = await sql<Row[]>`
    select ${columns(sql)}
    from api_keys
    where workspace_id = ${workspaceId} and id = ${id}
    for no key update`
  return row
}

const defined = (patch: KeyPatch): Partial<Row> =>
  Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined))

const audited = (
  sql: Sql,
  author: Author,
  change: { action: string; before?: Row; after: Row },
): Promise<unknown> =>
  writeAudit(sql, author, {
    action: change.action,
    subjectKind: 'key',
    subjectId: change.after.id,
    ...(change.before && { before: readable(change.before) }),
    after: readable(change.after),
  })

const readable = ({ name, prefix, scopes, requestsPerSecond, allowedIps, expiresAt, revokedAt }: Row) => ({
  name,
  prefix,
  scopes,
  requestsPerSecond,
  allowedIps,
  expiresAt: iso(expiresAt),
  revokedAt: iso(revokedAt),
})

const toRecord = (row: Row): KeyRecord => ({
  id: encodeId('key', row.id),
  name: row.name,
  prefix: row.prefix,
  scopes: row.scopes,
  requestsPerSecond: row.requestsPerSecond,
  allowedIps: row.allowedIps,
  expiresAt: iso(row.expiresAt),
  lastUsedAt: iso(row.lastUsedAt),
  revokedAt: iso(row.revokedAt),
  createdBy: row.createdBy === null ? null : encodeId('operator', row.createdBy),
  createdAt: row.createdAt.toISOString(),
})
