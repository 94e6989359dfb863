// API keys with the standing of their workspace: what authentication reads on every request.
import type { KeyPort, KeyRow } from '../auth/authenticate-key.ts'
import type { Sql } from './sql.ts'

export const createKeyStore = (sql: Sql): KeyPort => ({
  async findByPrefixes(prefixes) {
    return sql<KeyRow[]>`
      select k.id as key_id, k.workspace_id, w.status as workspace_status, k.name, k.prefix, k.secret_hash,
        k.scopes, k.requests_per_second, k.expires_at, k.revoked_at, k.last_used_at
      from api_keys k
      join workspaces w on w.id = k.workspace_id
      where k.prefix = any(${prefixes as string[]})`
  },

  // Two nodes see the same old value: the second update is left out rather than written again.
  async touch(ids) {
    await sql`
      update api_keys
      set last_used_at = now()
      where id = any(${ids as unknown as string[]})
        and (last_used_at is null or last_used_at < now() - interval '55 seconds')`
  },
})
