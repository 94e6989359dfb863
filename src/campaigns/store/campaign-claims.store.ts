// Claims recipients in one transaction: under the campaign's epoch, with opt-outs locked, and with a message
// row for each that says "a request may be on the wire". Locks: campaign, recipients, addresses, contacts,
// conversations.

import { sendMachine } from '../../messaging/message.machine.ts'
import type { FingerprintKey } from '../../messaging/opt-out-fingerprint.ts'
import type { RestoreFence } from '../../platform/postgres/restore-watch.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { literals, sources } from '../../platform/postgres/states.ts'
import { isOutage } from '../../shared/outage.ts'
import { ClaimInDoubt } from '../claim-in-doubt.ts'
import { claimableStatuses } from '../recipient.machine.ts'
import type { ClaimedRecipient, JudgeRecipient, RunningCampaign } from '../send-ports.ts'
import { skipReasonOf } from '../skip-reason.ts'
import { type Person, peopleOf } from './campaign-people.store.ts'
import { type Judged, oncePerPerson, type Picked, type Skip } from './once-per-person.ts'

/** After this time the process that claimed is assumed dead, and its claimed recipients possibly sent. */
const leaseSeconds = 30

interface Claimed {
  readonly picked: number
  readonly claimed: readonly ClaimedRecipient[]
}

export interface ClaimRequest {
  readonly limit: number
  readonly judge: JudgeRecipient
  readonly optOutKey: FingerprintKey | undefined
  readonly fence: RestoreFence
}

export async function claimRecipients(
  pool: Pool,
  campaign: RunningCampaign,
  request: ClaimRequest,
): Promise<Claimed | undefined> {
  let written: Claimed | undefined
  try {
    return await pool.begin(async (sql) => {
      written = await claimIn(sql, campaign, request)
      return written
    })
  } catch (error) {
    if (written && written.claimed.length > 0 && isOutage(error))
      throw new ClaimInDoubt(written.claimed, error)
    throw error
  }
}

async function claimIn(
  sql: Sql,
  campaign: RunningCampaign,
  { limit, judge, optOutKey, fence }: ClaimRequest,
): Promise<Claimed | undefined> {
  const picked = await pick(sql, campaign, { limit, fence })
  if (!picked) return undefined
  if (picked.length === 0) return { picked: 0, claimed: [] }
  const people = await peopleOf(sql, campaign, { waIds: picked.map(({ waId }) => waId), optOutKey })
  const known = picked.flatMap((recipient) => {
    const person = people.get(recipient.waId)
    // Missing when others insert or merge the contact at this moment: the next claim finds it.
    if (!person) return []
    const claim = claimOf(campaign, person) ?? judge(recipient)
    return claim === 'leave' ? [] : [{ recipient, person, claim }]
  })
  const judged = oncePerPerson(known)
  const { attempts, twins } = await write(sql, campaign, judged)
  const claimed = judged.filter(({ recipient }) => !twins.has(recipient.id))
  return { picked: picked.length, claimed: claimed.flatMap((each) => toClaimed(each, attempts)) }
}

/** What is decided about the person, whatever the campaign would say to them. */
function claimOf({ definition }: RunningCampaign, person: Person): Skip | undefined {
  const reason = skipReasonOf(definition.category, person)
  return reason && { type: 'skip', reason }
}

const toClaimed = (
  { recipient, person, claim }: Judged,
  attempts: ReadonlyMap<string, number>,
): ClaimedRecipient[] => {
  if (claim.type !== 'send' || !person.conversationId || !person.contactId) return []
  const attempt = claim.isRepeated ? attempts.get(claim.messageId) : 1
  return attempt === undefined
    ? []
    : [
        {
          ...recipient,
          address: person.address,
          messageId: claim.messageId,
          conversationId: person.conversationId,
          contactId: person.contactId,
          merged: claim.variables,
          attempt,
        },
      ]
}

/**
 * Undefined when the campaign has left RUNNING or this epoch, or was restored with Postgres. Skips rows that another
 * worker has locked.
 */
async function pick(
  sql: Sql,
  campaign: RunningCampaign,
  { limit, fence }: Pick<ClaimRequest, 'limit' | 'fence'>,
): Promise<Picked[] | undefined> {
  const rows = await sql<(Picked & { isRunning: boolean })[]>`
    with campaign as (
      select id
      from campaigns
      where id = ${campaign.id} and status = 'RUNNING' and epoch = ${campaign.epoch} and deleted_at is null
        and ${fence(sql)}
      for share
    ),
    picked as (
      select r.id, r.wa_id, r.variables, r.message_id, r.contact_id, r.attempts as tries
      from recipients r
      where r.campaign_id = (select id from campaign) and r.status in (${literals(sql, claimableStatuses)})
        and r.due_at <= now()
      order by r.due_at, r.id
      limit ${limit}
      for update skip locked
    ),
    -- A status or an outcome locks the message first and then wants the recipient: whose message is locked waits for the
    -- next claim.
    tried as (
      select id
      from messages
      where workspace_id = ${campaign.workspaceId} and id in (select message_id from picked)
      for no key update skip locked
    )
    select exists (select from campaign) as is_running, picked.*
    from (select) one
    left join picked on picked.message_id is null or picked.message_id in (select id from tried)`
  if (!rows[0]?.isRunning) return undefined
  return rows.filter(({ id }) => id !== null)
}

interface Written {
  /** The attempt number of each repeated message, including this attempt. */
  readonly attempts: ReadonlyMap<string, number>
  /** Recipients who are not sent to, because the campaign has claimed the same person before. */
  readonly twins: ReadonlySet<string>
}

async function write(sql: Sql, campaign: RunningCampaign, judged: readonly Judged[]): Promise<Written> {
  const rows = judged.map(({ recipient, person, claim }) => ({
    recipient_id: recipient.id,
    contact_id: person.contactId,
    conversation_id: person.conversationId,
    outcome: claim.type,
    error: claim.type === 'fail' ? claim.error : null,
    skipped_reason: claim.type === 'skip' ? claim.reason : null,
    message_id: claim.type === 'send' ? claim.messageId : recipient.messageId,
    is_repeated: claim.type === 'send' && claim.isRepeated,
    text: claim.type === 'send' ? claim.text : '',
    template: claim.type === 'send' ? { ...campaign.template, variables: claim.variables } : null,
  }))
  const { id, workspaceId, numberId } = campaign
  const lease = sql`now() + ${leaseSeconds} * interval '1 second'`
  const rowsWritten = await sql<{ messageId: string | null; attempt: number; twin: string | null }[]>`
    with given as (
      select * from jsonb_to_recordset(${sql.json(rows as never)}) as i (
        recipient_id uuid, contact_id uuid, conversation_id uuid, outcome text, error jsonb, skipped_reason text,
        message_id uuid, is_repeated boolean, text text, template jsonb)
    ),
    -- Under the locks on the contacts, and in a statement of its own: it sees what they have waited for.
    same as (
      select given.recipient_id, r.id
      from given
      join recipients r on r.contact_id = given.contact_id and r.campaign_id = ${id}
      where given.outcome = 'send'
      union all
      -- A merge of contacts passes over a recipient that is locked, which keeps the contact that is gone.
      select given.recipient_id, r.id
      from given
      join contacts gone on gone.merged_into = given.contact_id and gone.workspace_id = ${workspaceId}
      join recipients r on r.contact_id = gone.id and r.campaign_id = ${id}
      where given.outcome = 'send'
    ),
    -- Not who is skipped here for the very recipient: nobody would be sent to.
    twin as (
      select distinct recipient_id
      from same
      where id <> recipient_id and id not in (select recipient_id from given where skipped_reason = 'DUPLICATE_PERSON')
    ),
    input as (
      select given.recipient_id, given.contact_id, given.conversation_id, given.error, given.is_repeated, given.text,
        given.template,
        case when twin.recipient_id is null then given.outcome else 'skip' end as outcome,
        case when twin.recipient_id is null then given.skipped_reason else 'DUPLICATE_PERSON' end as skipped_reason,
        case when twin.recipient_id is null or given.is_repeated then given.message_id end as message_id
      from given
      left join twin on twin.recipient_id = given.recipient_id
    ),
    written as (
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text,
        template, campaign_id, recipient_id, send_state, send_attempts, send_due_at)
      select message_id, ${workspaceId}, conversation_id, ${numberId}, contact_id, 'OUTBOUND', 'TEMPLATE', 'QUEUED',
        text, template, ${id}, recipient_id, 'SENDING', 1, ${lease}
      from input
      where outcome = 'send' and not is_repeated
    ),
    repeated as (
      update messages m
      set send_state = 'SENDING', send_attempts = send_attempts + 1, send_due_at = ${lease}
      from input
      where m.id = input.message_id and input.is_repeated and input.outcome = 'send'
        and m.send_state in (${sources(sql, sendMachine, 'SENDING')})
      returning m.id, m.send_attempts as attempt
    ),
    locked as (
      select id
      from conversations
      where id in (select conversation_id from input where outcome = 'send')
      order by id
      for no key update
    ),
    touched as (
      update conversations c
      set last_message_id = case when input.is_repeated then c.last_message_id else input.message_id end,
        last_message_at = case when input.is_repeated then c.last_message_at else now() end,
        updated_at = case when input.is_repeated then c.updated_at else now() end,
        campaign_recipient_id = input.recipient_id, campaign_sent_at = now()
      from input
      join locked on locked.id = input.conversation_id
      where c.id = input.conversation_id
        -- An answer counts for a week. What is tried again within the hour need not be written each time.
        and (not input.is_repeated or c.campaign_sent_at < now() - interval '1 hour')
    ),
    claimed as (
      update recipients r
      set status = case input.outcome when 'send' then 'QUEUED' when 'skip' then 'SKIPPED' else 'FAILED' end,
        message_id = input.message_id,
        contact_id = case
          when input.outcome = 'send' then input.contact_id
          -- It stands for nobody any more, else it would hinder the one for which it is skipped.
          when input.skipped_reason = 'DUPLICATE_PERSON' then null
          else r.contact_id
        end,
        claimed_until = case when input.outcome = 'send' then ${lease} end,
        error = coalesce(input.error, r.error),
        skipped_reason = input.skipped_reason,
        updated_at = now()
      from input
      where r.id = input.recipient_id
        -- When a provider status has just moved the message, the recipient follows the message instead.
        and (not input.is_repeated or input.outcome <> 'send' or input.message_id in (select id from repeated))
    )
    select id as message_id, attempt, null::uuid as twin from repeated
    union all
    select null, 0, recipient_id from twin`
  return {
    attempts: new Map(rowsWritten.map(({ messageId, attempt }) => [messageId ?? '', attempt])),
    twins: new Set(rowsWritten.flatMap(({ twin }) => (twin === null ? [] : [twin]))),
  }
}
