// Sessions of operators, found by the hash of their token. The token itself is never stored.

import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import type { SessionId } from '../../shared/ids.ts'
import { deviceOf } from '../device.ts'
import type { CredentialChange, Membership, OpenSession, Sessions, SignedIn } from '../operator.ts'
import { sessionLifetime } from '../operator-session.ts'
import { writeAudit } from './audit.store.ts'

const { idleMs, totalMs, touchMs, proofMs, perOperator } = sessionLifetime

export const createSessionStore = (pool: Pool): Sessions => ({
  /** Also deletes expired sessions, and the longest unused sessions where there would be too many. */
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

  /** Writes the use at most once per `touchMs`, so that most requests only read. */
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
      select o.id as operator_id, o.email, o.name, o.platform_owner, o.totp_seed is not null as has_totp,
        o.verified_at is not null as verified,
        (select count(*)::integer from recovery_codes c where c.operator_id = o.id) as recovery_codes_left,
        s.id as session_id, s.proved_at > now() - ${proofMs} * interval '1 millisecond' as is_proven
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
    const [row] = await pool<Pick<Membership, 'role' | 'status'>[]>`
      select m.role, w.status
      from memberships m
      join workspaces w on w.id = m.workspace_id
      where m.operator_id = ${operatorId} and m.workspace_id = ${workspaceId}`
    return row
  },

  async end(tokenHash) {
    await pool`delete from sessions where token_hash = ${tokenHash}`
  },

  list(operatorId) {
    return pool<OpenSession[]>`
      select id, ip, user_agent, created_at, last_seen_at, expires_at
      from sessions
      where operator_id = ${operatorId} and expires_at > now()
      order by last_seen_at desc, id desc
      limit ${perOperator}`
  },

  endOne(change, id) {
    return pool.begin(async (sql) => {
      const ended = await sql<Ended[]>`
        delete from sessions
        where operator_id = ${change.operatorId} and id = ${id}
        returning id, ip, user_agent`
      await audited(sql, change, ended)
      return ended.length > 0
    })
  },

  endOthers(change, kept) {
    return pool.begin((sql) => endOtherSessions(sql, change, kept))
  },

  async standings(of) {
    if (of.length === 0) return []
    return pool<{ isSignedIn: boolean; isMember: boolean }[]>`
      select s.token_hash is not null as is_signed_in, m.role is not null as is_member
      from unnest(
        ${of.map(({ sessionHash }) => sessionHash.toString('hex'))}::text[],
        ${of.map(({ workspaceId }) => workspaceId)}::uuid[]
      ) with ordinality as asked (hex, workspace_id, place)
      left join sessions s on s.token_hash = decode(asked.hex, 'hex') and s.expires_at > now()
      left join memberships m on m.operator_id = s.operator_id and m.workspace_id = asked.workspace_id
      order by place`
  },

  async offerTotp(id, sealed) {
    await pool`update sessions set totp_offer = ${sealed} where id = ${id}`
  },

  async offeredTotp(id) {
    const [row] = await pool<{ totpOffer: Buffer | null }[]>`select totp_offer from sessions where id = ${id}`
    return row?.totpOffer ?? undefined
  },

  async prove(tokenHash) {
    await pool`update sessions set proved_at = now() where token_hash = ${tokenHash}`
  },
})

/** Returns how many it ended. */
export async function endOtherSessions(sql: Sql, change: CredentialChange, kept: SessionId): Promise<number> {
  const ended = await sql<Ended[]>`
    delete from sessions
    where operator_id = ${change.operatorId} and id <> ${kept}
    returning id, ip, user_agent`
  await audited(sql, change, ended)
  return ended.length
}

type Ended = Pick<OpenSession, 'id' | 'ip' | 'userAgent'>

/** One entry per session; an operator has at most `perOperator` sessions. */
async function audited(sql: Sql, change: CredentialChange, ended: readonly Ended[]): Promise<void> {
  for (const { id, ip, userAgent } of ended)
    await writeAudit(
      sql,
      { workspaceId: null, operatorId: change.by, ip: change.ip },
      {
        action: 'session.ended',
        subjectKind: 'session',
        subjectId: id,
        before: { device: deviceOf(userAgent), address: ip },
      },
    )
}
