// What a session may enter: the workspaces of its operator, and what each asks of sessions.

import { isDue } from '../../platform/postgres/due.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import type { Membership, Sessions, Standing } from '../operator.ts'
import { barrierOf, type SessionFacts, type SessionRules } from '../session-rules.ts'

type Access = Pick<Sessions, 'memberships' | 'membership' | 'rulesOf' | 'standings'>

export const createAccessStore = (pool: Pool): Access => ({
  memberships(operatorId) {
    return pool<Membership[]>`
      select w.id as workspace_id, w.name, w.status, m.role, w.second_factor_from, ${rulesIn(pool)}
      from memberships m
      join workspaces w on w.id = m.workspace_id
      where m.operator_id = ${operatorId}
      order by w.name, w.id
      limit 1000`
  },

  async membership(operatorId, workspaceId) {
    const [row] = await pool<(Pick<Membership, 'role' | 'status'> & SessionRules)[]>`
      select m.role, w.status, ${rulesIn(pool)}
      from memberships m
      join workspaces w on w.id = m.workspace_id
      where m.operator_id = ${operatorId} and m.workspace_id = ${workspaceId}`
    return row
  },

  async rulesOf(workspaceId) {
    const [row] = await pool<SessionRules[]>`
      select ${rulesIn(pool)} from workspaces w where w.id = ${workspaceId}`
    return row
  },

  async standings(of) {
    if (of.length === 0) return []
    const rows = await pool<(Omit<Standing, 'barrier'> & SessionRules & SessionFacts)[]>`
      select s.token_hash is not null as is_signed_in, m.role is not null as is_member,
        ${rulesIn(pool)}, ${factsIn(pool)}
      from unnest(
        ${of.map(({ sessionHash }) => sessionHash.toString('hex'))}::text[],
        ${of.map(({ workspaceId }) => workspaceId)}::uuid[]
      ) with ordinality as asked (hex, workspace_id, place)
      left join sessions s on s.token_hash = decode(asked.hex, 'hex') and s.expires_at > now()
      left join operators o on o.id = s.operator_id
      left join memberships m on m.operator_id = s.operator_id and m.workspace_id = asked.workspace_id
      left join workspaces w on w.id = m.workspace_id
      order by place`
    return rows.map(({ isSignedIn, isMember, ...row }) => ({
      ...{ isSignedIn, isMember },
      barrier: isMember ? barrierOf(row, row) : null,
    }))
  },
})

/** What the workspace `w` asks of sessions. */
const rulesIn = (sql: Sql) => sql`
  coalesce(${isDue(sql, 'w.second_factor_from')}, false) as is_factor_required, w.session_minutes, w.idle_minutes`

/** What the rules judge of the session `s` of the operator `o`, by the clock of the database. */
export const factsIn = (sql: Sql) => sql`
  o.totp_seed is not null as has_totp,
  (extract(epoch from now() - s.created_at) * 1000)::float8 as age_ms,
  (extract(epoch from greatest(s.longest_pause, now() - s.last_seen_at)) * 1000)::float8 as longest_pause_ms`
