// API keys with the status of their workspace, as authentication reads them on every request.

import type { Sql } from '../../platform/postgres/sql.ts'
import type { KeyPort, KeyRow } from '../authenticate-key.ts'

export const createKeyStore = (sql: Sql): KeyPort => ({
  async findByPrefixes(prefixes) {
    return sql<KeyRow[]>`
      select k.id as key_id, k.workspace_id, w.status as workspace_status, k.name, k.prefix, k.secret_hash,
        k.scopes, k.requests_per_second, k.allowed_ips, k.expires_at, k.revoked_at, k.last_used_at
      from api_keys k
      join workspaces w on w.id = k.workspace_id
      where k.prefix = any(${prefixes as string[]})`
  },

  // Two nodes may see the same old value: the condition skips the second update.
  async touch(ids) {
    await sql`
      update api_keys
      set last_used_at = now()
      where id = any(${ids as unknown as string[]})
        and (last_used_at is null or last_used_at < now() - interval '55 seconds')`
  },
})
