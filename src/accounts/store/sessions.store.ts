// Sessions of operators, found by the hash of their token. The token itself is never stored.

import type { AccountAuthor, AuditNote } from '../../contract/administration.ts'
import type { Fragment, Pool, Sql } from '../../platform/postgres/sql.ts'
import type { OperatorId, SessionId } from '../../shared/ids.ts'
import { deviceOf } from '../device.ts'
import type { CredentialChange, OpenSession, Sessions, SignedIn, Whence } from '../operator.ts'
import { sessionLifetime } from '../operator-session.ts'
import { createAccessStore, factsIn } from './access.store.ts'
import { writeAudit } from './audit.store.ts'
import { isStillProven } from './proven.ts'

const { idleMs, totalMs, touchMs, proofMs, perOperator } = sessionLifetime

export const createSessionStore = (pool: Pool): Sessions => ({
  ...createAccessStore(pool),

  /** Also deletes expired sessions, and the longest unused sessions where there would be too many. */
  open({ proven, ...session }) {
    const { operatorId, hasTotp } = proven
    return pool.begin(async (sql) => {
      if (!(await isStillProven(sql, proven))) return false
      if (session.replaces) await endByToken(sql, session.replaces, session)
      const own = { ...session, operatorId, by: operatorId }
      const tooMany = sql`
        expires_at <= now()
        or token_hash in (
          select token_hash
          from sessions
          where operator_id = ${operatorId}
          order by last_seen_at desc
          offset ${perOperator - 1})`
      await audited(sql, own, await endSessions(sql, operatorId, tooMany))
      const [opened] = await sql<{ id: SessionId }[]>`
        insert into sessions (token_hash, operator_id, ip, user_agent, expires_at)
        values (${session.tokenHash}, ${operatorId}, ${session.ip}, ${session.userAgent},
          now() + ${idleMs} * interval '1 millisecond')
        returning id`
      if (opened === undefined) throw new Error('an inserted session was not returned')
      await auditSession(
        sql,
        { ...session, operatorId },
        { action: 'session.opened', subjectId: opened.id, after: { secondFactor: hasTotp } },
      )
      return true
    })
  },

  /** Writes the use at most once per `touchMs`, so that most requests only read. */
  async find(tokenHash, { isUse }) {
    const [row] = await pool<SignedIn[]>`
      with touched as (
        update sessions
        set last_seen_at = now(), longest_pause = greatest(longest_pause, now() - last_seen_at), expires_at = least(
          now() + ${idleMs} * interval '1 millisecond',
          created_at + ${totalMs} * interval '1 millisecond')
        where ${isUse} and token_hash = ${tokenHash} and expires_at > now()
          and last_seen_at < now() - ${touchMs} * interval '1 millisecond'
      )
      select o.id as operator_id, o.email, o.name, o.platform_owner, ${factsIn(pool)},
        o.verified_at is not null as verified,
        (select count(*)::integer from recovery_codes c where c.operator_id = o.id) as recovery_codes_left,
        s.id as session_id, s.proved_at > now() - ${proofMs} * interval '1 millisecond' as is_proven
      from sessions s
      join operators o on o.id = s.operator_id
      where s.token_hash = ${tokenHash} and s.expires_at > now() and o.disabled_at is null`
    return row
  },

  async end(tokenHash, from) {
    await pool.begin((sql) => endByToken(sql, tokenHash, from))
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
      const ended = await endSessions(sql, change.operatorId, sql`id = ${id}`)
      await audited(sql, change, ended)
      return ended.length > 0
    })
  },

  endOthers(change, kept) {
    return pool.begin((sql) => endOtherSessions(sql, change, kept))
  },

  async offerTotp(id, sealed) {
    await pool`update sessions set totp_offer = ${sealed} where id = ${id}`
  },

  async offeredTotp(id) {
    const [row] = await pool<{ totpOffer: Buffer | null }[]>`select totp_offer from sessions where id = ${id}`
    return row?.totpOffer ?? undefined
  },

  async prove(tokenHash, from) {
    await pool.begin(async (sql) => {
      const [proved] = await sql<{ id: SessionId; operatorId: OperatorId }[]>`
        update sessions set proved_at = now() where token_hash = ${tokenHash} returning id, operator_id`
      if (proved === undefined) return
      const { id: subjectId, operatorId } = proved
      await auditSession(sql, { ...from, operatorId }, { action: 'session.confirmed', subjectId })
    })
  },
})

/** Returns how many it ended. */
export async function endOtherSessions(sql: Sql, change: CredentialChange, kept: SessionId): Promise<number> {
  const ended = await endSessions(sql, change.operatorId, sql`id <> ${kept}`)
  await audited(sql, change, ended)
  return ended.length
}

/**
 * Returns what the entry of the change says of it. Whoever changes the own account has an entry for each session, as with
 * `endOtherSessions`. Entries of sessions belong to the account that ends them, so another's are counted instead.
 */
export async function endAllSessions(
  sql: Sql,
  change: CredentialChange,
): Promise<{ readonly sessionsEnded: number } | undefined> {
  const ended = await endSessions(sql, change.operatorId, sql`true`)
  if (change.by !== change.operatorId) return { sessionsEnded: ended.length }
  await audited(sql, change, ended)
  return undefined
}

/** The session of a browser, which may be that of another operator: it signs out. */
async function endByToken(sql: Sql, tokenHash: Buffer, from: Whence): Promise<void> {
  const [of] = await sql<{ operatorId: OperatorId }[]>`
    select operator_id from sessions where token_hash = ${tokenHash}`
  if (of === undefined) return
  const ended = await endSessions(sql, of.operatorId, sql`token_hash = ${tokenHash}`)
  await audited(sql, { ...from, operatorId: of.operatorId, by: of.operatorId }, ended)
}

/** Returns those that were open: what has expired was over before. */
async function endSessions(sql: Sql, operatorId: OperatorId, which: Fragment): Promise<Ended[]> {
  const gone = await sql<(Ended & { isOpen: boolean })[]>`
    delete from sessions
    where operator_id = ${operatorId} and (${which})
    returning id, ip, user_agent, expires_at > now() as is_open`
  return gone.filter(({ isOpen }) => isOpen)
}

type Ended = Pick<OpenSession, 'id' | 'ip' | 'userAgent'>

/** One entry per session; an operator has at most `perOperator` sessions. */
async function audited(sql: Sql, change: CredentialChange, ended: readonly Ended[]): Promise<void> {
  for (const { id, ip, userAgent } of ended)
    await auditSession(
      sql,
      { ...change, operatorId: change.by },
      {
        action: 'session.ended',
        subjectId: id,
        before: { device: deviceOf(userAgent), address: ip },
      },
    )
}

const auditSession = (
  sql: Sql,
  { operatorId, ip, userAgent }: AccountAuthor,
  entry: Omit<AuditNote, 'subjectKind'>,
): Promise<void> =>
  writeAudit(sql, { workspaceId: null, operatorId, ip, userAgent }, { ...entry, subjectKind: 'session' })
