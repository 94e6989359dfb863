// Adds, removes and reads the recipients of a campaign in sets. Database triggers keep the counts. Each
// statement is its own transaction and locks the campaign, then recipients in the order of their numbers or
// ids.

import type { CampaignStatus } from '../../contract/records/campaign.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { spellingsOf } from '../../shared/address.ts'
import type { CampaignId, WorkspaceId } from '../../shared/ids.ts'
import type {
  CampaignTarget,
  Exceptions,
  NewRecipient,
  RecipientStore,
  RemovalChoice,
  StoredCampaign,
} from '../ports.ts'
import { type CampaignRow, storedColumns, toStored } from './campaigns.store.ts'
import { sharesMoves } from './move-lock.ts'

// Removing all recipients takes several statements, each well below the statement timeout.
const removedAtOnce = 20_000

export const createRecipientStore = (sql: Sql): RecipientStore => ({
  async target(workspaceId, id): Promise<CampaignTarget | undefined> {
    const [row] = await sql<(CampaignRow & { components: unknown[] | null })[]>`
      select ${storedColumns(sql)}, t.components
      from campaigns c
      left join templates t on t.workspace_id = c.workspace_id and t.name = c.template_name
        and t.language = c.template_language
      where c.workspace_id = ${workspaceId} and c.id = ${id} and c.deleted_at is null`
    if (!row) return undefined
    const { components, ...campaign } = row
    return { campaign: toStored(campaign), template: components && { components } }
  },

  async add(workspaceId, campaign, from, recipients) {
    const [result] = await sql<[Exceptions & { isOpen: boolean }]>`
      with campaign as (${asJudged(sql, workspaceId, campaign, from)}),
      given as (
        select *
        from json_to_recordset(${JSON.stringify(recipients)}::text::json) as r (id uuid, "waId" text, variables jsonb)
      ),
      ${optedOut(sql, workspaceId, waIdsOf(recipients))},
      added as (
        insert into recipients (id, workspace_id, campaign_id, wa_id, variables, status, skipped_reason)
        select r.id, campaign.workspace_id, campaign.id, r."waId", r.variables,
          case when o.wa_id is null then 'PENDING' else 'SKIPPED' end,
          case when o.wa_id is not null then 'OPTED_OUT' end
        from campaign
        cross join given r
        left join opted_out o on o.wa_id = r."waId"
        -- Ordered, so that two calls with the same numbers cannot deadlock.
        order by r."waId" collate "C"
        on conflict (campaign_id, wa_id) do nothing
        returning wa_id, status
      )
      select exists (select from campaign) as is_open,
        array(select wa_id from added where status = 'SKIPPED') as skipped,
        array(select "waId" from given except select wa_id from added) as duplicates`
    const { isOpen, ...exceptions } = result
    return isOpen ? exceptions : undefined
  },

  async known(workspaceId, campaignId, waIds) {
    const [result] = await sql<[Exceptions]>`
      with given as (select * from unnest(${[...waIds]}::text[]) as g (wa_id)),
      present as (
        select r.wa_id
        from given g
        join recipients r on r.campaign_id = ${campaignId} and r.wa_id = g.wa_id
        where r.workspace_id = ${workspaceId}
      ),
      ${optedOut(sql, workspaceId, waIds)}
      select array(select wa_id from present) as duplicates,
        array(
          select wa_id from opted_out
          except
          select wa_id from present
        ) as skipped`
    return result
  },

  async remove(workspaceId, id, from, choice) {
    let removed: number | undefined
    for (;;) {
      const [step] = await sql<[{ isOpen: boolean; removed: number }]>`
        with campaign as (${inStatus(sql, workspaceId, id, from)} for share),
        chosen as (
          select r.id
          from recipients r
          join campaign on campaign.id = r.campaign_id
          where r.status = 'PENDING' ${chosenBy(sql, choice)}
          order by r.id
          limit ${removedAtOnce}
          for update of r
        ),
        gone as (
          delete from recipients r
          using chosen
          where r.id = chosen.id
          returning 1
        )
        select exists (select from campaign) as is_open, (select count(*)::int from gone) as removed`
      // When the campaign was started meanwhile, the remaining recipients stay.
      if (!step.isOpen) return removed
      removed = (removed ?? 0) + step.removed
      if (step.removed < removedAtOnce) return removed
    }
  },
})

const waIdsOf = (recipients: readonly NewRecipient[]): string[] => recipients.map(({ waId }) => waId)

/**
 * The CTE `opted_out`: those of the addresses whose person has opted out, whichever of their addresses it is and in
 * whichever spelling.
 */
function optedOut(sql: Sql, workspaceId: WorkspaceId, waIds: readonly string[]) {
  const pairs = waIds.flatMap((waId) =>
    [waId, ...spellingsOf(waId)].map((address) => [waId, address] as const),
  )
  return sql`
    asked as (
      select *
      from unnest(${pairs.map(([waId]) => waId)}::text[], ${pairs.map(([, address]) => address)}::text[])
        as asked (wa_id, address)
    ),
    opted_out as (
      select asked.wa_id
      from asked
      join contacts c on c.workspace_id = ${workspaceId} and c.wa_id = asked.address
      where c.opt_state = 'opted-out'
      union
      select asked.wa_id
      from asked
      join contact_aliases a on a.workspace_id = ${workspaceId} and a.address = asked.address
      join contacts c on c.id = a.contact_id
      where c.opt_state = 'opted-out'
    )`
}

const inStatus = (sql: Sql, workspaceId: WorkspaceId, id: CampaignId, from: readonly CampaignStatus[]) => sql`
  select c.id, c.workspace_id
  from campaigns c
  where c.workspace_id = ${workspaceId} and c.id = ${id} and c.deleted_at is null and c.status = any(${[...from]})`

// The locks keep the campaign unchanged until the recipients are in.
const asJudged = (
  sql: Sql,
  workspaceId: WorkspaceId,
  { id, template, variables }: StoredCampaign,
  from: readonly CampaignStatus[],
) => sql`
  ${inStatus(sql, workspaceId, id, from)}
    and ${sharesMoves(sql, id)}
    and c.template_name = ${template.name} and c.template_language = ${template.language}
    and c.variables = ${sql.json(variables)}
  for share`

function chosenBy(sql: Sql, choice: RemovalChoice) {
  if ('ids' in choice) return sql`and r.id = any(${[...choice.ids]}::uuid[])`
  if ('to' in choice) return sql`and r.wa_id = any(${[...choice.to]}::text[])`
  return sql``
}
