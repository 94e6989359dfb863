// The send of a message, from the moment when a request may be with the provider to its outcome.

import { type AccountColumns, type AccountOptions, toAccount } from '../../accounts/store/provider-account.ts'
import type { WrittenDelivery } from '../../contract/dispatch.ts'
import type { FreeMessage } from '../../contract/message-content.ts'
import { failureOf } from '../../contract/records/failure.ts'
import type { MessageRecord } from '../../contract/records/message.ts'
import { emit, messagesLocked, statusesOccurred, writtenDeliveries } from '../../platform/postgres/emit.ts'
import { lastRestore, type RestoreFence } from '../../platform/postgres/restore-watch.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import { sources } from '../../platform/postgres/states.ts'
import { Batcher } from '../../shared/batcher.ts'
import { oneUnlessHeldUp } from '../../shared/concurrency.ts'
import type { MessageId } from '../../shared/ids.ts'
import { sourcesOf } from '../../shared/machine.ts'
import { type SendState, sendMachine } from '../message.machine.ts'
import type {
  LostSend,
  MessageStore,
  OptedOutSend,
  Outgoing,
  SendOutcome,
  SendStart,
  SendTemplate,
} from '../ports.ts'
import type { SendVerdict } from '../send-policy.ts'
import type { RecipientsFollow } from './message-updates.store.ts'

type SendStore = Pick<
  MessageStore,
  'startSending' | 'finishSend' | 'overdueSends' | 'optedOutSends' | 'lostSends'
>

/** What campaigns add to the outcomes of their sends. */
export interface CampaignSends {
  readonly recipientsFollow: RecipientsFollow
  /** The CTE `counted_refusals`, after the CTE `judged` of the statement that writes these outcomes. */
  readonly refusalsCounted: (sql: Sql, outcomes: readonly SendOutcome[]) => Fragment
  /** Called when the outcomes are durable. Must not reject. */
  readonly sendsEnded: (outcomes: readonly SendOutcome[]) => Promise<void>
}

export interface SendStoreOptions {
  readonly accounts: AccountOptions
  readonly campaigns: CampaignSends
  readonly fence: RestoreFence
}

export function createSendStore(sql: Sql, options: SendStoreOptions): SendStore {
  const { campaigns } = options
  const batch = { maxItems: 200, maxWaiting: 10_000, ...oneUnlessHeldUp }
  const starts = new Batcher<SendStart, number | null>({ ...batch, flush: (all) => startSending(sql, all) })
  const ends = new Batcher<SendOutcome, WrittenDelivery[]>({
    ...batch,
    flush: async (all) => {
      const written = await finishSends(sql, all, campaigns)
      await campaigns.sendsEnded(all)
      return written
    },
  })
  return {
    startSending: (start) => starts.add(start),
    finishSend: (outcome) => ends.add(outcome),
    overdueSends: (limit) => overdueSends(sql, limit, options),
    optedOutSends: (limit) => sql<OptedOutSend[]>`
      select m.id, m.conversation_id, m.recipient_id
      from messages m
      where m.send_state = 'PENDING' and m.send_due_at < now() and ${isOptedOut(sql)}
      order by m.send_due_at
      limit ${limit}`,
    lostSends: (limit) => lostSends(sql, limit, campaigns.recipientsFollow),
  }
}

/** When a send that is UNKNOWN counts as failed, unless its recipient waits for an operator. */
export const givenUpAt = (sql: Sql): Fragment => sql`now() + interval '15 minutes'`

/** After the `send_due_at` of a SENDING row, its process counts as dead and the outcome as unknown. */
async function startSending(sql: Sql, starts: readonly SendStart[]): Promise<(number | null)[]> {
  const started = await sql<(SendStart & { attempt: number })[]>`
    update messages m
    set send_state = 'SENDING', started_by = i.by, send_due_at = now() + interval '1 minute',
      send_attempts = m.send_attempts + case when m.send_state = 'SENDING' then 0 else 1 end
    from json_to_recordset(${JSON.stringify(starts)}::text::json) as i (id uuid, by integer)
    where m.id = i.id and m.id = any(${starts.map(({ id }) => id)}::uuid[])
      and (
        m.send_state in (${sources(sql, sendMachine, 'SENDING')})
        -- Its reply was lost.
        or (m.send_state = 'SENDING' and m.started_by = i.by)
      )
      -- The provider may have told how an attempt ended that seemed to be for nothing.
      and m.status = 'QUEUED'
    returning m.id, i.by, m.send_attempts as attempt`
  // Of two starts of one message in a batch, one was made.
  const made = new Map(started.map((one) => [one.id, one]))
  return starts.map(({ id, by }) => {
    const one = made.get(id)
    return one?.by === by ? one.attempt : null
  })
}

const stateAfter = (verdict: SendVerdict): SendState => {
  switch (verdict.type) {
    case 'accepted':
      return verdict.held ? 'HELD' : 'ACCEPTED'
    case 'again':
      return 'PENDING'
    case 'failed':
      return 'REFUSED'
    case 'unknown':
      return 'UNKNOWN'
  }
}

/**
 * A status may arrive before the provider's answer: then only what the answer adds is written. The answer may
 * also arrive after the row became UNKNOWN, and then settles it. An outcome that is written twice, because
 * the reply to its commit was lost, changes nothing and never affects a later attempt.
 */
async function finishSends(
  sql: Sql,
  outcomes: readonly SendOutcome[],
  { recipientsFollow, refusalsCounted }: CampaignSends,
): Promise<WrittenDelivery[][]> {
  const rows = outcomes.map(({ messageId, attempt, by, verdict, failure }) => ({
    id: messageId,
    attempt,
    by_campaign: by === 'campaign',
    state: stateAfter(verdict),
    sources: sourcesOf(sendMachine, stateAfter(verdict)),
    provider_message_id: verdict.type === 'accepted' ? verdict.providerMessageId : null,
    delay_ms: verdict.type === 'again' ? verdict.delayMs : null,
    tries: verdict.type === 'again' && verdict.counts ? 1 : 0,
    error: verdict.type === 'failed' ? failureOf(verdict.error) : null,
    event_id: failure?.eventId ?? null,
    body: failure && Buffer.from(failure.body).toString('base64'),
  }))
  // What no outcome needs costs as much as all the rest: Postgres opens each table and index that a statement names.
  const ofCampaigns = outcomes.some(({ recipientId }) => recipientId !== null)
  const hasFailed = outcomes.some(({ failure }) => failure !== null)
  const written = await sql<WrittenDelivery[]>`
    with input as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as i (
        id uuid, attempt integer, by_campaign boolean, state text, sources text[], provider_message_id text,
        delay_ms double precision, tries integer, error jsonb, event_id uuid, body text)
    ),
    ${messagesLocked(sql)},
    judged as (
      -- What has a status of the provider is not sent again.
      select i.*, was.send_state = any(i.sources) and (i.state <> 'PENDING' or was.status = 'QUEUED') as moves,
        i.state = 'REFUSED' and was.status = 'QUEUED' as fails
      from input i
      join message_lock was on was.id = i.id
    ),
    ended as (
      update messages m
      set provider_message_id = coalesce(m.provider_message_id, i.provider_message_id),
        send_state = case when i.moves then i.state else m.send_state end,
        send_due_at = case
          when not i.moves then m.send_due_at
          -- Three seconds for the process that has the timer; then the sweep sends it.
          when i.state = 'PENDING' and not i.by_campaign then now() + (i.delay_ms + 3000) * interval '1 millisecond'
          when i.state = 'UNKNOWN' and m.recipient_id is null then ${givenUpAt(sql)}
        end,
        status = case when i.fails then 'FAILED' else m.status end,
        failed_at = case when i.fails then now() else m.failed_at end,
        handed_at = case when i.provider_message_id is not null then coalesce(m.handed_at, now()) else m.handed_at end,
        -- Not needed any more: text and details show the same.
        content = case when i.state <> 'PENDING' then null else m.content end,
        error = coalesce(i.error, m.error)
      from judged i
      where m.id = i.id and m.send_attempts = i.attempt and m.id = any(array(select id from message_lock))
        -- A status has written it all, perhaps. A campaign's recipient follows in any case.
        and (i.by_campaign or i.moves or i.fails or i.error is not null or m.content is not null
          or (i.provider_message_id is not null and (m.provider_message_id is null or m.handed_at is null)))
      returning m.id, m.workspace_id, m.conversation_id, m.recipient_id, m.status, m.send_state, m.send_due_at, m.error,
        case when i.moves and i.by_campaign then now() + i.delay_ms * interval '1 millisecond' end as due_at,
        case when i.moves and i.by_campaign then i.tries else 0 end as tries,
        case when i.fails then i.event_id end as event_id, i.body
    ),
    ${ofCampaigns ? sql`${recipientsFollow(sql, 'ended')}, ${refusalsCounted(sql, outcomes)},` : sql``}
    changed as (
      select event_id, workspace_id, conversation_id, body
      from ended
      where event_id is not null
    )
    ${hasFailed ? sql`, ${statusesOccurred(sql)}, ${emit(sql)} ${writtenDeliveries(sql)}` : sql`select where false`}`
  // Return all deliveries with the first outcome: all of them go to the same dispatcher.
  return outcomes.map((_, index) => (index === 0 ? written : []))
}

interface OverdueRow extends AccountColumns {
  id: MessageId
  conversationId: Outgoing['conversationId']
  recipientId: Outgoing['recipientId']
  to: string
  template: NonNullable<MessageRecord['template']>
  content: FreeMessage | null
  status: string
  category: SendTemplate['category']
  parameterFormat: SendTemplate['parameterFormat']
  components: unknown[]
}

/** Of message `m`: what a campaign sends does not go to who has opted out, whenever that was. */
const isOptedOut = (sql: Sql): Fragment => sql`(
  m.recipient_id is not null and exists (
    select from contacts c
    left join templates t on t.workspace_id = c.workspace_id and t.name = m.template ->> 'name'
      and t.language = m.template ->> 'language'
    where c.id = m.contact_id
      and (c.opt_state = 'opted-out' or t.category = 'MARKETING' and c.marketing_opt_out_at is not null))
)`

/** Of a row: its send was due before Postgres lost rows, so that it may have been made. */
const isOfLostTime = (sql: Sql): Fragment => sql`send_due_at < coalesce(${lastRestore(sql)}, '-infinity')`

/** Claims PENDING messages whose send did not start or restart in time. Two sweeps never get the same. */
async function overdueSends(
  sql: Sql,
  limit: number,
  { accounts, fence }: SendStoreOptions,
): Promise<Outgoing[]> {
  const rows = await sql<OverdueRow[]>`
    with due as (
      update messages
      set send_due_at = now() + interval '5 seconds'
      where id in (
        select m.id from messages m
        where m.send_state = 'PENDING' and m.send_due_at < now() and not ${isOptedOut(sql)}
          and not ${isOfLostTime(sql)} and ${fence(sql)}
        order by m.send_due_at
        limit ${limit}
        for update of m skip locked)
      returning id, workspace_id, conversation_id, recipient_id, number_id, contact_id, template, content
    )
    select due.id, due.workspace_id, due.conversation_id, due.recipient_id, due.template, due.content,
      n.phone_number_id, w.waba_id, w.provider_token, c.wa_id as to, t.status, t.category, t.parameter_format,
      t.components
    from due
    join workspaces w on w.id = due.workspace_id
    join numbers n on n.id = due.number_id
    join contacts c on c.id = due.contact_id
    left join templates t on t.workspace_id = due.workspace_id
      and t.name = due.template ->> 'name' and t.language = due.template ->> 'language'
    where t.id is not null or due.content is not null`
  return rows.flatMap((row): Outgoing[] => {
    const account = toAccount(row, accounts)
    if (!account) return []
    const { id, workspaceId, conversationId, recipientId, to, template, content } = row
    const { status, category, parameterFormat, components } = row
    const common = { id, workspaceId, conversationId, recipientId, account, to }
    if (content) return [{ free: content, ...common }]
    return [{ template, definition: { status, category, parameterFormat, components }, ...common }]
  })
}

/**
 * Marks sends whose process died as UNKNOWN, and those that a restored Postgres says were never made. Returns those that
 * have stayed UNKNOWN for too long.
 */
async function lostSends(sql: Sql, limit: number, follow: RecipientsFollow): Promise<LostSend[]> {
  await sql`
    with lost as (
      update messages
      set send_state = 'UNKNOWN',
        send_due_at = case when recipient_id is null and status = 'QUEUED' then ${givenUpAt(sql)} end
      where id in (
        select id from messages
        where send_state in (${sources(sql, sendMachine, 'UNKNOWN')}) and send_due_at < now()
          and (send_state <> 'PENDING' or ${isOfLostTime(sql)})
        limit ${limit}
        for update skip locked)
      returning id, recipient_id, status, send_state, send_due_at, error, null::timestamptz as due_at, 0 as tries
    ),
    ${follow(sql, 'lost')}
    select`
  // A campaign's message has no `send_due_at`: it stays UNKNOWN until a status or an operator settles it.
  return sql<LostSend[]>`
    select id, conversation_id
    from messages
    where send_state = 'UNKNOWN' and status = 'QUEUED' and send_due_at < now()
    order by send_due_at
    limit ${limit}`
}
