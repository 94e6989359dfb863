// Sessions of operators, by the hash of their token. The token itself is never here.
import type { Membership, Sessions, SignedIn } from '../auth/operator.ts'
import { sessionLifetime } from '../auth/operator-session.ts'
import type { Role } from '../auth/roles.ts'
import type { Pool } from './sql.ts'

const { idleMs, totalMs, touchMs, perOperator } = sessionLifetime

export const sessionsStore = (pool: Pool): Sessions => ({
  /** Makes room for it too: what has ended, and the oldest where there would be too many. */
  open(session) {
    return pool.begin(async (sql) => {
      await sql`
        delete from sessions
        where operator_id = ${session.operatorId} and (
          expires_at <= now()
          or token_hash in (
            select token_hash
            from sessions
            where operator_id = ${session.operatorId}
            order by last_seen_at desc
            offset ${perOperator - 1}))`
      if (session.replaces) await sql`delete from sessions where token_hash = ${session.replaces}`
      await sql`
        insert into sessions (token_hash, operator_id, ip, user_agent, expires_at)
        values (${session.tokenHash}, ${session.operatorId}, ${session.ip}, ${session.userAgent},
          now() + ${idleMs} * interval '1 millisecond')`
    })
  },

  /** The use is written seldom, so that reading stays reading. */
  async find(tokenHash) {
    const [row] = await pool<SignedIn[]>`
      with touched as (
        update sessions
        set last_seen_at = now(), expires_at = least(
          now() + ${idleMs} * interval '1 millisecond',
          created_at + ${totalMs} * interval '1 millisecond')
        where token_hash = ${tokenHash} and expires_at > now()
          and last_seen_at < now() - ${touchMs} * interval '1 millisecond'
      )
      select o.id as operator_id, o.email, o.name, o.platform_owner, o.totp_seed is not null as has_totp
      from sessions s
      join operators o on o.id = s.operator_id
      where s.token_hash = ${tokenHash} and s.expires_at > now()`
    return row
  },

  memberships(operatorId) {
    return pool<Membership[]>`
      select w.id as workspace_id, w.name, w.status, m.role
      from memberships m
      join workspaces w on w.id = m.workspace_id
      where m.operator_id = ${operatorId}
      order by w.name, w.id
      limit 1000`
  },

  async membership(operatorId, workspaceId) {
    const [row] = await pool<{ role: Role }[]>`
      select role
      from memberships
      where operator_id = ${operatorId} and workspace_id = ${workspaceId}`
    return row?.role
  },

  async end(tokenHash) {
    await pool`delete from sessions where token_hash = ${tokenHash}`
  },
})
