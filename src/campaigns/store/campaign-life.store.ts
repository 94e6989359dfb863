// Moves campaigns between statuses, and finds what the sweep must repair.

import type { AccountOptions } from '../../accounts/store/provider-account.ts'
import type { CampaignStatus } from '../../contract/records/campaign.ts'
import type { Failure } from '../../contract/records/failure.ts'
import { stoppedBy } from '../../messaging/store/account-health.store.ts'
import { lastRestore } from '../../platform/postgres/restore-watch.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { permits, sources } from '../../platform/postgres/states.ts'
import type {
  CampaignId,
  ConversationId,
  MessageId,
  NumberId,
  RecipientId,
  WorkspaceId,
} from '../../shared/ids.ts'
import { canMove } from '../../shared/machine.ts'
import { campaignMachine } from '../campaign.machine.ts'
import { recipientMachine } from '../recipient.machine.ts'
import type { CampaignLifeStore, CampaignState, Transition } from '../run-campaign.ts'
import { type NotSent, notSent } from '../skip-reason.ts'
import { audited } from './audited-campaign.ts'
import { stopsOf } from './campaigns-halted.ts'
import { createCampaignReader } from './campaigns-read.store.ts'
import { movesAlone } from './move-lock.ts'

export interface CampaignPools {
  readonly sql: Pool
  /**
   * For statements over many rows: a small pool of its own, so that no urgent statement waits behind them.
   */
  readonly bulk: Pool
}

/** A message of an earlier try that will not be tried again. */
export interface AbandonedMessage {
  readonly id: MessageId
  readonly conversationId: ConversationId
  readonly recipientId: RecipientId
  readonly error: Failure
}

export interface CampaignSweepStore {
  runningNumbers(): Promise<NumberId[]>
  /** Ended campaigns with PENDING recipients, after an interrupted cancel or a late return to PENDING. */
  halfEnded(): Promise<CampaignId[]>
  abandoned(limit: number): Promise<AbandonedMessage[]>
}

const cancelledAtOnce = 10_000

export const createCampaignLifeStore = (
  { sql: pool, bulk }: CampaignPools,
  accounts: Pick<AccountOptions, 'defaultToken'>,
): CampaignLifeStore & CampaignSweepStore => ({
  find: createCampaignReader(pool).find,

  move: (workspaceId, id, decide, by) =>
    pool.begin(async (sql) => {
      await sql`select ${movesAlone(sql, id)}`
      const state = await lock(sql, { workspaceId, id }, accounts.defaultToken !== undefined)
      if (!state) return undefined
      const transition = decide(state)
      if (transition && !canMove(campaignMachine, state.status, transition.to))
        throw new Error(`a campaign cannot go from ${state.status} to ${transition.to}`)
      const epoch = transition
        ? await audited(sql, { author: by, action: actionOf(transition), id }, () =>
            write(sql, id, transition),
          )
        : state.epoch
      const record = await createCampaignReader(sql).find(state.workspaceId, id)
      return record && { record, epoch, numberId: state.numberId }
    }),

  async inFlight(id) {
    const [row] = await pool<[{ count: number }]>`
      select count(*)::int as count from recipients where campaign_id = ${id} and claimed_until is not null`
    return row.count
  },

  async cancelWaiting(id) {
    const ended = bulk`case c.status when 'CANCELLED' then 'CANCELLED' else 'UNKNOWN' end`
    const { count } = await bulk`
      update recipients r
      set status = ${ended}, updated_at = now()
      from campaigns c
      where c.id = ${id} and ${permits(bulk, recipientMachine, { from: bulk`r.status`, to: ended })} and r.id in (
        select id
        from recipients
        where campaign_id = (select id from campaigns where id = ${id} and status in ('CANCELLED', 'COMPLETED'))
          and status = 'PENDING'
        order by id
        limit ${cancelledAtOnce}
        for update skip locked)`
    return count === cancelledAtOnce
  },

  async dueSchedules(limit) {
    const rows = await pool<{ id: CampaignId }[]>`
      select id
      from campaigns
      where status = 'SCHEDULED' and start_at <= now() and deleted_at is null
      order by start_at
      limit ${limit}`
    return rows.map(({ id }) => id)
  },

  async runningNumbers() {
    const rows = await pool<{ numberId: NumberId }[]>`
      select distinct number_id from campaigns where status = 'RUNNING' and number_id is not null`
    return rows.map(({ numberId }) => numberId)
  },

  async halfEnded() {
    const rows = await pool<{ id: CampaignId }[]>`
      select id
      from campaigns c
      where status in ('CANCELLED', 'COMPLETED') and updated_at > now() - interval '1 day'
        and exists (select from recipients r where r.campaign_id = c.id and r.status = 'PENDING')
      limit 10`
    return rows.map(({ id }) => id)
  },

  async abandoned(limit) {
    const rows = await pool<(Omit<AbandonedMessage, 'error'> & { reason: NotSent; error: Failure | null })[]>`
      select m.id, m.conversation_id, m.recipient_id, case when r.message_id = m.id then r.error end as error,
        case
          when r.id is null then 'RECIPIENT_REMOVED'
          when r.message_id is distinct from m.id then 'SENT_AGAIN'
          else coalesce(r.skipped_reason, 'CAMPAIGN_CANCELLED')
        end as reason
      from messages m
      left join recipients r on r.id = m.recipient_id
      where m.send_state = 'PENDING' and m.send_due_at is null and m.campaign_id is not null and m.status = 'QUEUED'
        and (r.id is null or r.message_id is distinct from m.id or r.status in ('CANCELLED', 'SKIPPED', 'FAILED'))
      limit ${limit}`
    return rows.map(({ reason, error, ...message }) => ({
      ...message,
      error: error ?? { code: reason, title: `Not sent: ${notSent[reason]}` },
    }))
  },
})

interface LockedState extends CampaignState {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId | null
}

async function lock(
  sql: Sql,
  { workspaceId, id }: { readonly workspaceId: WorkspaceId | null; readonly id: CampaignId },
  hasDefaultToken: boolean,
): Promise<LockedState | undefined> {
  const [row] = await sql<
    (Omit<LockedState, 'template'> & { templateName: string; templateLanguage: string })[]
  >`
    select c.workspace_id, c.epoch, c.number_id, c.status, c.start_at, c.template_name, c.template_language,
      t.status as template_status, w.status = 'SUSPENDED' as is_suspended,
      c.number_id is not null and (${hasDefaultToken} or w.provider_token is not null) as can_send,
      exists (select from recipients r where r.campaign_id = c.id) as has_recipients, now() as now,
      coalesce(c.start_at < ${lastRestore(sql)}, false) as is_restored,
      ${stoppedBy(sql, { workspaceId: sql`c.workspace_id`, stops: stopsOf(sql) })} as stopped
    from campaigns c
    join workspaces w on w.id = c.workspace_id
    left join templates t on t.workspace_id = c.workspace_id and t.name = c.template_name
      and t.language = c.template_language
    where c.id = ${id} and c.deleted_at is null
      and (${workspaceId}::uuid is null or c.workspace_id = ${workspaceId}::uuid)
    for no key update of c`
  if (!row) return undefined
  const { templateName, templateLanguage, ...state } = row
  return { ...state, template: { name: templateName, language: templateLanguage } }
}

/** The column with the time at which a campaign first (RUNNING) or last reached a status. */
const times: Readonly<Partial<Record<CampaignStatus, string>>> = {
  RUNNING: 'started_at',
  PAUSED: 'paused_at',
  CANCELLED: 'cancelled_at',
}

/** A pause of a SCHEDULED campaign makes it a DRAFT again. */
const actionOf = ({ to }: Transition) => {
  if (to === 'CANCELLED') return 'campaign.cancelled'
  return to === 'RUNNING' || to === 'SCHEDULED' ? 'campaign.started' : 'campaign.paused'
}

async function write(
  sql: Sql,
  id: CampaignId,
  { to, pauseReason, dropsStartAt }: Transition,
): Promise<number> {
  const time = times[to]
  const [row] = await sql<[{ epoch: number }]>`
    update campaigns
    set status = ${to}, epoch = epoch + 1, pause_reason = ${pauseReason}, pause_error = null,
      ${time === undefined ? sql`` : sql`${sql(time)} = ${to === 'RUNNING' ? sql`coalesce(started_at, now())` : sql`now()`},`}
      ${dropsStartAt === true ? sql`start_at = null,` : sql``}
      updated_at = now()
    where id = ${id} and status in (${sources(sql, campaignMachine, to)})
    returning epoch`
  return row.epoch
}
