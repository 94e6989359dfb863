// Stores campaigns while they are built. Other stores handle recipients and running campaigns.

import { earlierRequest, takeKey } from '../../platform/postgres/request-keys.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import type { CampaignId, NumberId, WorkspaceId } from '../../shared/ids.ts'
import type { CampaignChange, CampaignStore, PlanContext, PlanQuery, StoredCampaign } from '../ports.ts'
import { audited } from './audited-campaign.ts'
import { createCampaignReader } from './campaigns-read.store.ts'
import { movesAlone } from './move-lock.ts'

export type CampaignRow = Omit<StoredCampaign, 'template'> & {
  readonly templateName: string
  readonly templateLanguage: string
}

/** The start of a select list over `campaigns c`. `toStored` reads its rows. */
export const storedColumns = (sql: Sql) => sql`
  c.id, c.name, c.status, c.number_id, c.template_name, c.template_language, c.variables, c.start_at,
  c.messages_per_second`

export function toStored({ templateName, templateLanguage, ...row }: CampaignRow): StoredCampaign {
  return { ...row, template: { name: templateName, language: templateLanguage } }
}

export const createCampaignStore = (pool: Pool): CampaignStore => ({
  find: createCampaignReader(pool).find,

  context: (workspaceId, query) => planContext(pool, workspaceId, query),

  insert: ({ workspaceId, id, key, by }, plan) =>
    pool.begin((sql) =>
      audited(sql, { author: by, action: 'campaign.created', id }, async () => {
        const { cte, isFree } = takeKey(sql, { workspaceId, kind: 'campaign', id }, key)
        const { count } = await sql`
      with ${cte}
      plan as (
        select ${plan.name}::text as name, ${plan.numberId}::uuid as number_id, ${plan.template.name}::text as template,
          ${plan.template.language}::text as language, ${sql.json(plan.variables)}::jsonb as variables,
          ${plan.startAt}::timestamptz as start_at, ${plan.messagesPerSecond}::integer as messages_per_second
      )
      insert into campaigns (id, workspace_id, name, number_id, template_name, template_language, variables, start_at,
        messages_per_second)
      select ${id}::uuid, ${workspaceId}::uuid, name, number_id, template, language, variables, start_at,
        messages_per_second
      from plan
      ${isFree}`
        return count > 0
      }),
    ),

  earlier: (workspaceId, key) => earlierRequest(pool, { workspaceId, kind: 'campaign' }, key),

  change: (workspaceId, id, decide, by) =>
    pool.begin(async (sql) => {
      const [row] = await sql<CampaignRow[]>`
        select ${storedColumns(sql)}
        from campaigns c
        where c.workspace_id = ${workspaceId} and c.id = ${id} and c.deleted_at is null and ${movesAlone(sql, id)}
        for no key update`
      if (!row) return undefined
      const change = await decide(toStored(row), (query) => planContext(sql, workspaceId, query))
      const entry = { author: by, action: 'campaign.edited', id } as const
      await audited(sql, entry, () => write(sql, workspaceId, id, change))
      return createCampaignReader(sql).find(workspaceId, id)
    }),

  delete: (workspaceId, id, from, by) =>
    pool.begin(async (sql) => {
      const found = await sql`
        select from campaigns
        where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null and status = any(${[...from]})
          and ${movesAlone(sql, id)}
        for no key update`
      if (found.count === 0) return false
      await audited(
        sql,
        { author: by, action: 'campaign.deleted', id },
        () => sql`
          update campaigns set deleted_at = now(), updated_at = now()
          where workspace_id = ${workspaceId} and id = ${id}`,
      )
      return true
    }),
})

async function write(
  sql: Sql,
  workspaceId: WorkspaceId,
  id: CampaignId,
  change: CampaignChange,
): Promise<void> {
  const columns: Record<string, unknown> = {
    name: change.name,
    numberId: change.numberId,
    templateName: change.template?.name,
    templateLanguage: change.template?.language,
    variables: change.variables && sql.json(change.variables),
    startAt: change.startAt,
    messagesPerSecond: change.messagesPerSecond,
  }
  const given = Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
  if (Object.keys(given).length === 0) return
  await sql`
    update campaigns
    set ${sql(given as never)}, updated_at = now()
    where workspace_id = ${workspaceId} and id = ${id}`
}

async function planContext(
  sql: Sql,
  workspaceId: WorkspaceId,
  { template, numberId }: PlanQuery,
): Promise<PlanContext> {
  const [row] = await sql<[{ components: unknown[] | null; numberId: NumberId | null }]>`
    select t.components, n.id as number_id
    from (select) one
    left join templates t on t.workspace_id = ${workspaceId} and t.name = ${template.name}
      and t.language = ${template.language}
    left join numbers n on n.workspace_id = ${workspaceId}
      and ${numberId === null ? sql`n.is_default` : sql`n.id = ${numberId}`}`
  return { template: row.components && { components: row.components }, numberId: row.numberId }
}
