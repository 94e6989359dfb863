// What the sending of campaigns reads and writes: which campaigns can send, pauses, and completion.

import { type AccountColumns, type AccountOptions, toAccount } from '../../accounts/store/provider-account.ts'
import type { ParameterFormat, TemplateCategory } from '../../contract/records/catalog.ts'
import type { Failure } from '../../contract/records/failure.ts'
import { createOptOutKeyReader } from '../../messaging/store/kept-opt-outs.ts'
import { lastRestore, noFence, type RestoreFence } from '../../platform/postgres/restore-watch.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import type { CampaignId, MessageId, NumberId } from '../../shared/ids.ts'
import { campaignMachine } from '../campaign.machine.ts'
import { unfitFor } from '../run-campaign.ts'
import type { CampaignSendStore, Completion, Pause, RunningCampaign, StuckCampaign } from '../send-ports.ts'
import { claimRecipients } from './campaign-claims.store.ts'
import { movesAlone, moving } from './move-lock.ts'

export function createCampaignSendStore(
  pool: Pool,
  options: AccountOptions,
  fence: RestoreFence = noFence,
): CampaignSendStore {
  const optOutKey = createOptOutKeyReader(pool, options.secrets)
  return {
    running: (numberId) => running(pool, numberId, options),
    claim: async (campaign, limit, judge) =>
      claimRecipients(pool, campaign, { limit, judge, optOutKey: await optOutKey(), fence }),
    complete: (campaign) => complete(pool, campaign),

    pause: (campaign, pause) => pauseWithin(pool, campaign, pause),
  }
}

type PauseTarget = Pick<RunningCampaign, 'id' | 'workspaceId' | 'numberId' | 'epoch'>

async function pauseWithin(
  sql: Sql,
  { id, workspaceId, numberId, epoch }: PauseTarget,
  { reason, scope, error }: Pause,
) {
  const within = {
    campaign: sql`id = ${id}`,
    number: sql`number_id = ${numberId}`,
    workspace: sql`true`,
  }
  const pausable = sql`
    workspace_id = ${workspaceId} and status in (${sources(sql, campaignMachine, 'PAUSED')})
    -- A SCHEDULED campaign has no sends that could have failed.
    and status <> 'SCHEDULED' and deleted_at is null and ${within[scope]}
    -- A report about a send from before its campaign was started again does not count, for others in scope neither.
    and (id <> ${id} or epoch = ${epoch})
    and exists (select from campaigns own where own.id = ${id} and own.epoch = ${epoch})`
  const paused = await sql<{ id: CampaignId }[]>`
    with ${moving(sql, sql`select id from campaigns where ${pausable}`)}
    update campaigns
    set status = 'PAUSED', epoch = epoch + 1, pause_reason = ${reason},
      pause_error = ${error ? sql.json(error as never) : null}::jsonb, paused_at = now(), updated_at = now()
    where id in (select id from moving) and ${pausable}
    returning id`
  return paused.map((row) => row.id)
}

export interface BlockReport {
  readonly messageId: MessageId
  readonly pause: Pause
}

/** Campaigns that one report has paused. */
export interface Blocked {
  readonly campaignIds: readonly CampaignId[]
  readonly pause: Pause
}

/**
 * Pauses the RUNNING campaigns of messages whose status reports a block, and others in scope. What was sent before the
 * last pause of its campaign does not count: the block was known, and a person has resumed the campaign since.
 */
export async function pauseByMessages(sql: Sql, reports: readonly BlockReport[]): Promise<Blocked[]> {
  const pauses = new Map(reports.map(({ messageId, pause }) => [messageId, pause]))
  const campaigns = await sql<(PauseTarget & Pick<BlockReport, 'messageId'>)[]>`
    select distinct on (c.id) c.id, c.workspace_id, c.number_id, c.epoch, m.id as message_id
    from messages m
    join campaigns c on c.id = m.campaign_id
    where m.id = any(${[...pauses.keys()]}::uuid[]) and c.status = 'RUNNING'
      -- The answer to a first try may come after the pause that found it under way.
      and case when m.send_attempts > 1 then coalesce(m.handed_at, m.created_at) else m.created_at end
        > coalesce(c.paused_at, '-infinity')
    order by c.id, m.id`
  const blocked: Blocked[] = []
  for (const { messageId, ...campaign } of campaigns) {
    const pause = pauses.get(messageId)
    if (pause) blocked.push({ campaignIds: await pauseWithin(sql, campaign, pause), pause })
  }
  return blocked.filter(({ campaignIds }) => campaignIds.length > 0)
}

type RunningRow = AccountColumns &
  Omit<RunningCampaign, 'account' | 'template' | 'definition'> & {
    readonly templateName: string
    readonly templateLanguage: string
    readonly templateStatus: string | null
    readonly category: TemplateCategory
    readonly parameterFormat: ParameterFormat
    readonly components: unknown[]
    readonly isSuspended: boolean
    /** It ran when Postgres was restored: to whom it has sent since is not known. */
    readonly isRestored: boolean
    /** The refusal that has come too often. */
    readonly tripped: Failure | null
  }

async function running(sql: Sql, numberId: NumberId, options: AccountOptions) {
  const rows = await sql<RunningRow[]>`
    select c.id, c.workspace_id, c.number_id, c.epoch, c.messages_per_second, c.variables, c.template_name,
      c.template_language, t.status as template_status, t.category, t.parameter_format, t.components,
      n.phone_number_id, n.messages_per_second as number_rate, w.waba_id, w.provider_token,
      w.status = 'SUSPENDED' as is_suspended, k.tripped,
      -- While it runs, nothing but its start or its resume has changed it.
      coalesce(c.updated_at < ${lastRestore(sql)}, false) as is_restored
    from campaigns c
    join workspaces w on w.id = c.workspace_id
    join numbers n on n.id = c.number_id
    left join templates t on t.workspace_id = c.workspace_id and t.name = c.template_name
      and t.language = c.template_language
    left join campaign_refusals k on k.campaign_id = c.id and k.epoch = c.epoch
    where c.number_id = ${numberId} and c.status = 'RUNNING' and c.deleted_at is null
    order by c.id`
  const sendable: RunningCampaign[] = []
  const stuck: StuckCampaign[] = []
  for (const row of rows) {
    const account = toAccount(row, options)
    const unfit = unfitRow(row, account !== null)
    const reason = unfit ?? (row.tripped && 'TOO_MANY_FAILURES')
    if (reason !== null || account === null)
      stuck.push({
        ...pickIds(row),
        reason: reason ?? 'NUMBER_UNAVAILABLE',
        error: unfit === null ? row.tripped : null,
      })
    else sendable.push(toRunning(row, account))
  }
  return { sendable, stuck }
}

/** What a person has to look at, other than failures. */
const unfitRow = (row: RunningRow, canSend: boolean) =>
  row.isRestored ? 'DATABASE_RESTORED' : unfitFor({ ...row, canSend })

const pickIds = ({ id, workspaceId, epoch }: RunningRow) => ({ id, workspaceId, epoch })

const toRunning = (row: RunningRow, account: RunningCampaign['account']): RunningCampaign => ({
  ...pickIds(row),
  numberId: row.numberId,
  account,
  numberRate: row.numberRate,
  messagesPerSecond: row.messagesPerSecond,
  template: { name: row.templateName, language: row.templateLanguage },
  definition: {
    status: row.templateStatus ?? '',
    category: row.category,
    parameterFormat: row.parameterFormat,
    components: row.components,
  },
  variables: row.variables,
})

/** Locks the campaign first: additions of recipients wait, and the next query sees all earlier ones. */
const complete = (
  pool: Pool,
  { id, epoch }: { readonly id: CampaignId; readonly epoch: number },
): Promise<Completion> =>
  pool.begin(async (sql) => {
    const [campaign] = await sql`
      select id
      from campaigns
      where id = ${id} and status in (${sources(sql, campaignMachine, 'COMPLETED')}) and epoch = ${epoch}
        and ${movesAlone(sql, id)}
      for no key update`
    if (!campaign) return { type: 'moved' }
    const [left] = await sql<[{ dueInMs: number | null; inFlight: boolean }]>`
      select
        (select extract(epoch from greatest(due_at, now()) - now())::float8 * 1000
          from recipients
          where campaign_id = ${id} and status = 'PENDING'
          order by due_at limit 1) as due_in_ms,
        exists (select from recipients where campaign_id = ${id} and claimed_until is not null) as in_flight`
    if (left.dueInMs !== null) return { type: 'waiting', dueInMs: left.dueInMs }
    if (left.inFlight) return { type: 'inFlight' }
    await sql`
      update campaigns
      set status = 'COMPLETED', epoch = epoch + 1, completed_at = now(), updated_at = now()
      where id = ${id}`
    return { type: 'completed' }
  })
