// Claims recipients in one transaction: under the campaign's epoch, with opt-outs locked, and with a message
// row for each that says "a request may be on the wire". Locks: campaign, recipients, contacts,
// conversations.

import { sendMachine } from '../../messaging/message.machine.ts'
import type { FingerprintKey } from '../../messaging/opt-out-fingerprint.ts'
import { isKeptOptOut } from '../../messaging/store/kept-opt-outs.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { literals, sources } from '../../platform/postgres/states.ts'
import type { ConversationId, Uuid } from '../../shared/ids.ts'
import { claimableStatuses } from '../recipient.machine.ts'
import type { Claim, ClaimedRecipient, PickedRecipient, RunningCampaign } from '../send-ports.ts'

/** After this time the process that claimed is assumed dead, and its claimed recipients possibly sent. */
const leaseSeconds = 30

export type JudgeClaim = (recipient: PickedRecipient) => Claim

export interface ClaimRequest {
  readonly limit: number
  readonly judge: JudgeClaim
  readonly optOutKey: FingerprintKey | undefined
}

export const claimRecipients = (
  pool: Pool,
  campaign: RunningCampaign,
  { limit, judge, optOutKey }: ClaimRequest,
): Promise<{ picked: number; claimed: ClaimedRecipient[] } | undefined> =>
  pool.begin(async (sql) => {
    const picked = await pick(sql, campaign, limit)
    if (!picked) return undefined
    if (picked.length === 0) return { picked: 0, claimed: [] }
    const waIds = picked.map(({ waId }) => waId)
    const people = await peopleOf(sql, campaign, { waIds, optOutKey })
    const judged = picked.flatMap((recipient) => {
      const person = people.get(recipient.waId)
      // Missing when another statement inserts the row at this moment: the next claim finds it.
      return person ? [{ recipient, person, claim: person.optedOut ? optedOut : judge(recipient) }] : []
    })
    const attempts = await write(sql, campaign, judged)
    return { picked: picked.length, claimed: judged.flatMap((each) => toClaimed(each, attempts)) }
  })

const optedOut = { type: 'skip', reason: 'OPTED_OUT' } as const

interface Person {
  readonly waId: string
  /** Null where an erased contact had opted out: then there is no row. */
  readonly contactId: Uuid | null
  readonly optedOut: boolean
  readonly conversationId: ConversationId | null
}

interface Judged {
  readonly recipient: PickedRecipient
  readonly person: Person
  readonly claim: Claim | typeof optedOut
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
          messageId: claim.messageId,
          conversationId: person.conversationId,
          contactId: person.contactId,
          merged: claim.variables,
          attempt,
        },
      ]
}

/** Undefined when the campaign has left RUNNING or this epoch. Skips rows that another worker has locked. */
async function pick(
  sql: Sql,
  campaign: RunningCampaign,
  limit: number,
): Promise<PickedRecipient[] | undefined> {
  const rows = await sql<(PickedRecipient & { isRunning: boolean })[]>`
    with campaign as (
      select id
      from campaigns
      where id = ${campaign.id} and status = 'RUNNING' and epoch = ${campaign.epoch} and deleted_at is null
      for share
    ),
    picked as (
      select r.id, r.wa_id, r.variables, r.message_id, r.attempts as tries
      from recipients r
      where r.campaign_id = (select id from campaign) and r.status in (${literals(sql, claimableStatuses)})
        and r.due_at <= now()
      order by r.due_at, r.id
      limit ${limit}
      for update skip locked
    )
    select exists (select from campaign) as is_running, picked.*
    from (select) one
    left join picked on true`
  if (!rows[0]?.isRunning) return undefined
  return rows.filter(({ id }) => id !== null)
}

/**
 * Finds the contacts and conversations, and inserts missing ones. Contacts get a share lock: a STOP that is
 * committed before the claim is seen, and a later one waits for the claim.
 */
async function peopleOf(
  sql: Sql,
  { workspaceId, numberId }: RunningCampaign,
  { waIds, optOutKey }: { readonly waIds: readonly string[]; readonly optOutKey: FingerprintKey | undefined },
): Promise<Map<string, Person>> {
  const isErased = isKeptOptOut(sql, optOutKey, { workspaceId, waId: sql`asked.wa_id` })
  const people = await sql<Person[]>`
    with known as (
      select id, wa_id, opt_state
      from contacts
      where workspace_id = ${workspaceId} and wa_id = any(${waIds as string[]})
      order by id
      for share
    ),
    strangers as (
      select asked.wa_id, ${isErased} as is_erased
      from unnest(${waIds as string[]}::text[]) as asked (wa_id)
      where not exists (select from known where known.wa_id = asked.wa_id)
    ),
    made as (
      insert into contacts (id, workspace_id, wa_id)
      select new_uuid(), ${workspaceId}, wa_id
      from strangers
      where not is_erased
      order by wa_id
      on conflict (workspace_id, wa_id) do nothing
      returning id, wa_id, opt_state
    ),
    people as (
      select * from known
      union all
      select * from made
      union all
      select null::uuid, wa_id, 'opted-out' from strangers where is_erased
    ),
    talks as (
      insert into conversations (id, workspace_id, number_id, contact_id)
      select new_uuid(), ${workspaceId}, ${numberId}, people.id
      from people
      where people.id is not null and not exists (
        select from conversations v where v.number_id = ${numberId} and v.contact_id = people.id
      )
      order by people.id
      on conflict (number_id, contact_id) do nothing
      returning id, contact_id
    )
    select p.id as contact_id, p.wa_id, coalesce(p.opt_state = 'opted-out', false) as opted_out,
      coalesce(t.id, v.id) as conversation_id
    from people p
    left join talks t on t.contact_id = p.id
    left join conversations v on v.number_id = ${numberId} and v.contact_id = p.id`
  return new Map(
    people
      .filter(({ optedOut, conversationId }) => optedOut || conversationId !== null)
      .map((person) => [person.waId, person]),
  )
}

/** Returns the attempt number of each repeated message, including this attempt. */
async function write(
  sql: Sql,
  campaign: RunningCampaign,
  judged: readonly Judged[],
): Promise<Map<string, number>> {
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
  const repeated = await sql<{ id: string; attempt: number }[]>`
    with input as (
      select * from jsonb_to_recordset(${sql.json(rows as never)}) as i (
        recipient_id uuid, contact_id uuid, conversation_id uuid, outcome text, error jsonb, skipped_reason text,
        message_id uuid, is_repeated boolean, text text, template jsonb)
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
      where m.id = input.message_id and input.is_repeated and m.send_state in (${sources(sql, sendMachine, 'SENDING')})
      returning m.id, m.send_attempts as attempt
    ),
    locked as (
      select id
      from conversations
      where id in (select conversation_id from input where outcome = 'send' and not is_repeated)
      order by id
      for no key update
    ),
    touched as (
      update conversations c
      set last_message_id = input.message_id, last_message_at = now(), updated_at = now(),
        campaign_recipient_id = input.recipient_id, campaign_sent_at = now()
      from input
      join locked on locked.id = input.conversation_id
      where c.id = input.conversation_id
    ),
    claimed as (
      update recipients r
      set status = case input.outcome when 'send' then 'QUEUED' when 'skip' then 'SKIPPED' else 'FAILED' end,
        message_id = input.message_id,
        claimed_until = case when input.outcome = 'send' then ${lease} end,
        error = coalesce(input.error, r.error),
        skipped_reason = input.skipped_reason,
        updated_at = now()
      from input
      where r.id = input.recipient_id
        -- When a provider status has just moved the message, the recipient follows the message instead.
        and (not input.is_repeated or input.message_id in (select id from repeated))
    )
    select id, attempt from repeated`
  return new Map(repeated.map(({ id, attempt }) => [id, attempt]))
}
