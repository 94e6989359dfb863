// Pauses the campaigns that a new state of the account stops, in the statement that writes the state.
import type { Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import { campaignMachine } from '../campaign.machine.ts'
import { moving } from './move-lock.ts'

/**
 * The CTEs `moving` and `halted`. `stated` names a CTE with the new states: workspace_id, status, message, until, stops. A SCHEDULED
 * campaign looks at the states when it begins.
 */
export function campaignsHalted(sql: Sql, stated: string) {
  const running = sql`
    c.status in (${sources(sql, campaignMachine, 'PAUSED')}) and c.status <> 'SCHEDULED' and c.deleted_at is null
    and c.workspace_id in (select workspace_id from ${sql(stated)}) and exists (select ${stoppedIn(sql, stated)})`
  return sql`
  ${moving(sql, sql`select c.id from campaigns c where ${running}`)},
  halted as (
    update campaigns c
    set status = 'PAUSED', epoch = c.epoch + 1, pause_reason = 'ACCOUNT_RESTRICTED',
      pause_error = (
        select jsonb_build_object('code', s.status, 'title', s.message) ${stoppedIn(sql, stated)} order by s.status limit 1
      ),
      paused_at = now(), updated_at = now()
    where c.id in (select id from moving) and ${running}
    returning c.id
  )`
}

const stoppedIn = (sql: Sql, stated: string) => sql`
  from ${sql(stated)} s
  where s.workspace_id = c.workspace_id and coalesce(s.until, 'infinity') > now() and s.stops && ${stopsOf(sql)}`

/** What stops campaign `c`: its template decides. */
export const stopsOf = (sql: Sql) => sql`
  case
    when exists (
      select from templates t
      where t.workspace_id = c.workspace_id and t.name = c.template_name and t.language = c.template_language
        and t.category = 'UTILITY'
    ) then array['CAMPAIGNS', 'UTILITY_CAMPAIGNS']
    else array['CAMPAIGNS']
  end`
