// What the sending of campaigns reads and writes: who may send, what the provider said, and when it is over.

import type { Pause } from '../campaigns/judge-send.ts'
import { unfitFor } from '../campaigns/run-campaign.ts'
import type {
  CampaignSendStore,
  Completion,
  RunningCampaign,
  SendOutcome,
  StuckCampaign,
} from '../campaigns/sending.ts'
import type { WrittenDelivery } from '../contract/dispatch.ts'
import { Batcher } from '../shared/batcher.ts'
import type { CampaignId, MessageId, NumberId } from '../shared/ids.ts'
import { claimRecipients } from './campaign-claims.store.ts'
import { emit, messagesLocked, statusesOccurred, writtenDeliveries } from './emit.ts'
import { type AccountColumns, type AccountOptions, toAccount } from './messages.store.ts'
import { recipientsFollow } from './recipients-follow.ts'
import type { Pool, Sql } from './sql.ts'

export function createCampaignSendStore(pool: Pool, options: AccountOptions): CampaignSendStore {
  const ends = new Batcher<SendOutcome, WrittenDelivery[]>({
    maxItems: 200,
    maxWaiting: 10_000,
    lanes: 2,
    flush: (outcomes) => finish(pool, outcomes),
  })
  return {
    running: (numberId) => running(pool, numberId, options),
    claim: (campaign, limit, judge) => claimRecipients(pool, campaign, limit, judge),
    finish: (outcome) => ends.add(outcome),
    complete: (campaign) => complete(pool, campaign),

    pause: (campaign, pause) => pauseWithin(pool, campaign, pause),
  }
}

type PauseTarget = Pick<RunningCampaign, 'id' | 'workspaceId' | 'numberId' | 'epoch'>

async function pauseWithin(
  sql: Sql,
  { id, workspaceId, numberId, epoch }: PauseTarget,
  { reason, scope }: Pause,
) {
  const within = {
    campaign: sql`id = ${id}`,
    number: sql`number_id = ${numberId}`,
    workspace: sql`true`,
  }
  const paused = await sql<{ id: CampaignId }[]>`
    update campaigns
    set status = 'PAUSED', epoch = epoch + 1, pause_reason = ${reason}, paused_at = now(), updated_at = now()
    where workspace_id = ${workspaceId} and status = 'RUNNING' and deleted_at is null and ${within[scope]}
      -- What was said of a send before the campaign was started again does not count.
      and (id <> ${id} or epoch = ${epoch})
    returning id`
  return paused.map((row) => row.id)
}

/** What a status of a campaign's message reports concerns its campaign, where that is still RUNNING, or more. */
export async function pauseByMessage(sql: Sql, messageId: MessageId, pause: Pause): Promise<CampaignId[]> {
  const [campaign] = await sql<PauseTarget[]>`
    select c.id, c.workspace_id, c.number_id, c.epoch
    from messages m
    join campaigns c on c.id = m.campaign_id
    where m.id = ${messageId} and c.status = 'RUNNING'`
  return campaign ? pauseWithin(sql, campaign, pause) : []
}

type RunningRow = AccountColumns &
  Omit<RunningCampaign, 'account' | 'template' | 'definition'> & {
    readonly templateName: string
    readonly templateLanguage: string
    readonly templateStatus: string | null
    readonly parameterFormat: 'NAMED' | 'POSITIONAL'
    readonly components: unknown[]
    readonly isSuspended: boolean
  }

async function running(sql: Sql, numberId: NumberId, options: AccountOptions) {
  const rows = await sql<RunningRow[]>`
    select c.id, c.workspace_id, c.number_id, c.epoch, c.messages_per_second, c.variables, c.template_name,
      c.template_language, t.status as template_status, t.parameter_format, t.components,
      n.phone_number_id, n.messages_per_second as number_rate, w.waba_id, w.provider_token,
      w.status = 'SUSPENDED' as is_suspended
    from campaigns c
    join workspaces w on w.id = c.workspace_id
    join numbers n on n.id = c.number_id
    left join templates t on t.workspace_id = c.workspace_id and t.name = c.template_name
      and t.language = c.template_language
    where c.number_id = ${numberId} and c.status = 'RUNNING' and c.deleted_at is null
    order by c.id`
  const sendable: RunningCampaign[] = []
  const stuck: StuckCampaign[] = []
  for (const row of rows) {
    const account = toAccount(row, options)
    const reason = unfitFor({ ...row, canSend: account !== null })
    if (reason !== null || account === null)
      stuck.push({ ...pickIds(row), reason: reason ?? 'NUMBER_UNAVAILABLE' })
    else sendable.push(toRunning(row, account))
  }
  return { sendable, stuck }
}

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
    parameterFormat: row.parameterFormat,
    components: row.components,
  },
  variables: row.variables,
})

/**
 * A status of the provider may have overtaken its answer: then only what the answer adds is written. The answer may
 * also come after the row was given up as UNKNOWN, and settles it.
 */
async function finish(sql: Sql, outcomes: readonly SendOutcome[]): Promise<WrittenDelivery[][]> {
  const rows = outcomes.map(({ messageId, attempt, verdict, failure }) => ({
    id: messageId,
    attempt,
    verdict: verdict.type,
    provider_message_id: verdict.type === 'accepted' ? verdict.providerMessageId : null,
    held: verdict.type === 'accepted' && verdict.held,
    delay_ms: verdict.type === 'again' ? verdict.delayMs : null,
    tries: verdict.type === 'again' && verdict.counts ? 1 : 0,
    error: verdict.type === 'failed' ? verdict.error : null,
    event_id: failure?.eventId ?? null,
    body: failure && Buffer.from(failure.body).toString('base64'),
  }))
  const written = await sql<WrittenDelivery[]>`
    with input as (
      select * from jsonb_to_recordset(${sql.json(rows as never)}) as i (
        id uuid, attempt integer, verdict text, provider_message_id text, held boolean, delay_ms double precision,
        tries integer, error jsonb, event_id uuid, body text)
    ),
    ${messagesLocked(sql)},
    ended as (
      update messages m
      set provider_message_id = coalesce(m.provider_message_id, i.provider_message_id),
        send_state = case
          when m.send_state not in ('SENDING', 'UNKNOWN') then m.send_state
          when i.verdict = 'accepted' then case when i.held then 'HELD' else 'ACCEPTED' end
          when i.verdict = 'again' then 'PENDING'
          when i.verdict = 'failed' then 'REFUSED'
          else 'UNKNOWN'
        end,
        send_due_at = null,
        status = case when i.verdict = 'failed' and m.status = 'QUEUED' then 'FAILED' else m.status end,
        failed_at = case when i.verdict = 'failed' and m.status = 'QUEUED' then now() else m.failed_at end,
        error = coalesce(i.error, m.error)
      from input i
      join message_lock was on was.id = i.id
      -- An outcome that is written again, because the answer to its commit was lost, is not that of a later try.
      where m.id = i.id and m.send_attempts = i.attempt
      returning m.id, m.workspace_id, m.conversation_id, m.recipient_id, m.status, m.send_state, m.send_due_at, m.error,
        case when was.send_state in ('SENDING', 'UNKNOWN') then now() + i.delay_ms * interval '1 millisecond' end as due_at,
        case when was.send_state in ('SENDING', 'UNKNOWN') then i.tries else 0 end as tries,
        case when was.status = 'QUEUED' and m.status = 'FAILED' then i.event_id end as event_id, i.body
    ),
    ${recipientsFollow(sql, 'ended')},
    changed as (
      select event_id, workspace_id, conversation_id, body
      from ended
      where event_id is not null
    ),
    ${statusesOccurred(sql)}, ${emit(sql)} ${writtenDeliveries(sql)}`
  // Whose delivery is whose does not matter: all of them go to the same dispatcher.
  return outcomes.map((_, index) => (index === 0 ? written : []))
}

/** The campaign is locked first: who adds recipients waits, and what follows sees all that were added before. */
const complete = (
  pool: Pool,
  { id, epoch }: { readonly id: CampaignId; readonly epoch: number },
): Promise<Completion> =>
  pool.begin(async (sql) => {
    const [campaign] = await sql`
      select id from campaigns where id = ${id} and status = 'RUNNING' and epoch = ${epoch} for no key update`
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
