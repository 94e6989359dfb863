// Outbound messages: what decides a send, the row before the provider is asked, and what came of it.
import type { WrittenDelivery } from '../contract/dispatch.ts'
import type { ProviderAccount } from '../contract/provider.ts'
import type {
  FailureEvent,
  LostSend,
  MessageStore,
  NewMessage,
  Outgoing,
  SendContext,
  SendContextQuery,
  SendOutcome,
  SendTemplate,
} from '../messages/ports.ts'
import { Batcher } from '../shared/batcher.ts'
import type { MessageId, NumberId, WorkspaceId } from '../shared/ids.ts'
import { emit, messagesLocked, statusesOccurred, writtenDeliveries } from './emit.ts'
import type { SecretOpener } from './endpoints.store.ts'
import { messageUpdatesStore } from './message-updates.store.ts'
import { recipientsFollow } from './recipients-follow.ts'
import type { Sql } from './sql.ts'

export interface AccountOptions {
  readonly secrets: SecretOpener
  /** For workspaces without a token of their own. */
  readonly defaultToken: string | undefined
}

/** What a statement selects for `toAccount`. */
export interface AccountColumns {
  workspaceId: WorkspaceId
  phoneNumberId: string
  wabaId: string | null
  providerToken: Buffer | null
}

export const toAccount = (row: AccountColumns, options: AccountOptions): ProviderAccount | null => {
  const accessToken = row.providerToken ? options.secrets.open(row.providerToken) : options.defaultToken
  if (accessToken === undefined) return null
  return { workspaceId: row.workspaceId, phoneNumberId: row.phoneNumberId, wabaId: row.wabaId, accessToken }
}

export function createMessageStore(sql: Sql, options: AccountOptions): MessageStore {
  // The three writes of every send share statements with their neighbours (architecture, throughput).
  const batch = { maxItems: 200, maxWaiting: 10_000 }
  const inserts = new Batcher<NewMessage, boolean>({
    ...batch,
    lanes: 2,
    flush: (all) => insertOutbound(sql, all),
  })
  const starts = new Batcher<MessageId, boolean>({
    ...batch,
    lanes: 2,
    flush: (all) => startSending(sql, all),
  })
  const ends = new Batcher<Ending, WrittenDelivery[]>({
    ...batch,
    lanes: 2,
    flush: (all) => finishSending(sql, all),
  })
  return {
    sendContext: (query) => sendContext(sql, query, options),
    insertOutbound: (message) => inserts.add(message),
    startSending: (id) => starts.add(id),
    finishSending: (outcome, failure) => ends.add({ outcome, failure }),
    overdueSends: (limit) => overdueSends(sql, limit, options),
    lostSends: (limit) => lostSends(sql, limit),
    ...messageUpdatesStore(sql),
  }
}

interface ContextRow extends AccountColumns {
  numberId: NumberId | null
  number: string
  templateStatus: string | null
  parameterFormat: SendTemplate['parameterFormat']
  components: unknown[]
  optedOut: boolean
  earlierId: MessageId | null
  earlierHash: Buffer | null
}

async function sendContext(sql: Sql, query: SendContextQuery, options: AccountOptions): Promise<SendContext> {
  const { workspaceId, from } = query
  const numberId = from && 'numberId' in from ? from.numberId : null
  const number = from && 'number' in from ? from.number : null
  const [row] = await sql<ContextRow[]>`
    select w.id as workspace_id, w.waba_id, w.provider_token,
      n.id as number_id, n.number, n.phone_number_id,
      t.status as template_status, t.parameter_format, t.components,
      coalesce(c.opt_state = 'opted-out', false) as opted_out,
      m.id as earlier_id, m.idempotency_hash as earlier_hash
    from workspaces w
    left join numbers n on n.workspace_id = w.id and case
      when ${numberId}::uuid is not null then n.id = ${numberId}::uuid
      when ${number}::text is not null then n.number = ${number}::text
      else n.is_default
    end
    left join templates t on t.workspace_id = w.id
      and t.name = ${query.templateName} and t.language = ${query.templateLanguage}
    left join contacts c on c.workspace_id = w.id and c.wa_id = ${query.waId}
    left join messages m on m.workspace_id = w.id and m.idempotency_key = ${query.idempotencyKey}
    where w.id = ${workspaceId}`
  if (!row) throw new Error('the workspace of a key is gone')
  return {
    number: row.numberId && {
      workspaceId,
      numberId: row.numberId,
      number: row.number,
      phoneNumberId: row.phoneNumberId,
    },
    account: row.numberId && toAccount(row, options),
    template: row.templateStatus
      ? { status: row.templateStatus, parameterFormat: row.parameterFormat, components: row.components }
      : null,
    optedOut: row.optedOut,
    earlier: row.earlierId && { id: row.earlierId, hash: row.earlierHash?.toString('hex') ?? '' },
  }
}

/** `send_due_at` is the fast path's head start: past it the sweeper sends. */
async function insertOutbound(sql: Sql, messages: readonly NewMessage[]): Promise<boolean[]> {
  const rows = messages.map((message) => ({
    id: message.id,
    workspace_id: message.workspaceId,
    conversation_id: message.conversationId,
    number_id: message.numberId,
    contact_id: message.contactId,
    text: message.text,
    template: message.template,
    metadata: message.metadata,
    api_key_id: message.keyId,
    idempotency_key: message.idempotencyKey,
    idempotency_hash: message.idempotencyHash,
    created_at: message.createdAt.toISOString(),
  }))
  const inserted = await sql<{ id: MessageId }[]>`
    with input as (
      select * from jsonb_to_recordset(${sql.json(rows as never)}) as i (
        id uuid, workspace_id uuid, conversation_id uuid, number_id uuid, contact_id uuid, text text, template jsonb,
        metadata jsonb, api_key_id uuid, idempotency_key text, idempotency_hash text, created_at timestamptz)
    ),
    inserted as (
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text,
        template, metadata, api_key_id, idempotency_key, idempotency_hash, send_state, send_due_at, created_at)
      select i.id, i.workspace_id, i.conversation_id, i.number_id, i.contact_id, 'OUTBOUND', 'TEMPLATE', 'QUEUED', i.text,
        i.template, i.metadata, i.api_key_id, i.idempotency_key, decode(i.idempotency_hash, 'hex'), 'PENDING',
        now() + interval '3 seconds', i.created_at
      from input i
      join contacts c on c.id = i.contact_id and c.opt_state is distinct from 'opted-out'
      order by i.idempotency_key
      on conflict (workspace_id, idempotency_key) where idempotency_key is not null do nothing
      returning id, conversation_id, created_at
    ),
    latest as (
      select distinct on (conversation_id) conversation_id, id, created_at
      from inserted
      order by conversation_id, id desc
    ),
    -- Locked in one order, or two batches that touch the same conversations could wait for each other.
    locked as (
      select id from conversations where id in (select conversation_id from latest) order by id for no key update
    ),
    touched as (
      update conversations c
      set last_message_id = latest.id, last_message_at = latest.created_at, updated_at = now()
      from latest
      join locked on locked.id = latest.conversation_id
      where c.id = latest.conversation_id
    )
    select id from inserted`
  const written = new Set(inserted.map((row) => row.id))
  return messages.map((message) => written.has(message.id))
}

/** `send_due_at` of a SENDING row: past it the process is taken for dead and the outcome for unknown. */
async function startSending(sql: Sql, ids: readonly MessageId[]): Promise<boolean[]> {
  const started = await sql<{ id: MessageId }[]>`
    update messages
    set send_state = 'SENDING', send_attempts = send_attempts + 1, send_due_at = now() + interval '1 minute'
    where id = any(${ids as MessageId[]}::uuid[]) and send_state = 'PENDING'
    returning id`
  const taken = new Set(started.map((row) => row.id))
  return ids.map((id) => taken.delete(id))
}

interface Ending {
  readonly outcome: SendOutcome
  readonly failure: FailureEvent | null
}

/** A status of the provider may have overtaken its answer: then only what the answer adds is written. */
async function finishSending(sql: Sql, endings: readonly Ending[]): Promise<WrittenDelivery[][]> {
  const rows = endings.map(({ outcome: { outgoing, verdict }, failure }) => ({
    id: outgoing.id,
    verdict: verdict.type,
    provider_message_id: verdict.type === 'accepted' ? verdict.providerMessageId : null,
    held: verdict.type === 'accepted' && verdict.held,
    delay_ms: verdict.type === 'retry' ? verdict.delayMs : null,
    error: verdict.type === 'failed' ? { code: verdict.error.code, title: verdict.error.title } : null,
    event_id: failure?.eventId ?? null,
    body: failure && Buffer.from(failure.body).toString('base64'),
  }))
  const written = await sql<WrittenDelivery[]>`
    with input as (
      select * from jsonb_to_recordset(${sql.json(rows as never)}) as i (
        id uuid, verdict text, provider_message_id text, held boolean, delay_ms double precision, error jsonb,
        event_id uuid, body text)
    ),
    ${messagesLocked(sql)},
    ended as (
      update messages m
      set provider_message_id = coalesce(m.provider_message_id, i.provider_message_id),
        send_state = case
          when m.send_state <> 'SENDING' then m.send_state
          when i.verdict = 'accepted' then case when i.held then 'HELD' else 'ACCEPTED' end
          when i.verdict = 'retry' then 'PENDING'
          when i.verdict = 'failed' then 'REFUSED'
          else 'UNKNOWN'
        end,
        send_due_at = case
          when m.send_state <> 'SENDING' then m.send_due_at
          when i.verdict = 'retry' then now() + (i.delay_ms + 3000) * interval '1 millisecond'
          when i.verdict = 'unknown' and m.recipient_id is null then now() + interval '15 minutes'
        end,
        status = case when i.verdict = 'failed' and m.status = 'QUEUED' then 'FAILED' else m.status end,
        failed_at = case when i.verdict = 'failed' and m.status = 'QUEUED' then now() else m.failed_at end,
        error = coalesce(i.error, m.error)
      from input i
      join message_lock was on was.id = i.id
      where m.id = i.id
      returning m.id, m.workspace_id, m.conversation_id, m.recipient_id, m.status, m.send_state, m.send_due_at, m.error,
        null::timestamptz as due_at, 0 as tries,
        case when was.status = 'QUEUED' and m.status = 'FAILED' then i.event_id end as event_id, i.body
    ),
    -- Those of campaigns that an operator has had sent again.
    ${recipientsFollow(sql, 'ended')},
    changed as (
      select event_id, workspace_id, conversation_id, body
      from ended
      where event_id is not null
    ),
    ${statusesOccurred(sql)}, ${emit(sql)} ${writtenDeliveries(sql)}`
  // Whose delivery is whose does not matter: all of them go to the same dispatcher.
  return endings.map((_, index) => (index === 0 ? written : []))
}

interface OverdueRow extends AccountColumns {
  id: MessageId
  conversationId: Outgoing['conversationId']
  to: string
  template: Outgoing['template']
  status: string
  parameterFormat: SendTemplate['parameterFormat']
  components: unknown[]
  attempts: number
}

/** PENDING messages whose send did not start, or did not start again, in time. Two sweepers never get the same. */
async function overdueSends(sql: Sql, limit: number, options: AccountOptions): Promise<Outgoing[]> {
  const rows = await sql<OverdueRow[]>`
    with due as (
      update messages
      set send_due_at = now() + interval '5 seconds'
      where id in (
        select id from messages
        where send_state = 'PENDING' and send_due_at < now()
        order by send_due_at
        limit ${limit}
        for update skip locked)
      returning id, workspace_id, conversation_id, number_id, contact_id, template, send_attempts
    )
    select due.id, due.workspace_id, due.conversation_id, due.template, due.send_attempts as attempts,
      n.phone_number_id, w.waba_id, w.provider_token, c.wa_id as to, t.status, t.parameter_format, t.components
    from due
    join workspaces w on w.id = due.workspace_id
    join numbers n on n.id = due.number_id
    join contacts c on c.id = due.contact_id
    join templates t on t.workspace_id = due.workspace_id
      and t.name = due.template ->> 'name' and t.language = due.template ->> 'language'`
  return rows.flatMap((row) => {
    const account = toAccount(row, options)
    if (!account) return []
    const { id, workspaceId, conversationId, to, template, attempts, status, parameterFormat, components } =
      row
    return [
      {
        id,
        workspaceId,
        conversationId,
        account,
        to,
        template,
        attempts,
        definition: { status, parameterFormat, components },
      },
    ]
  })
}

/** What was on the wire when its process died is UNKNOWN; returns what stayed so for too long. */
async function lostSends(sql: Sql, limit: number): Promise<LostSend[]> {
  await sql`
    with lost as (
      update messages
      set send_state = 'UNKNOWN', send_due_at = case when recipient_id is null then now() + interval '15 minutes' end
      where id in (
        select id from messages
        where send_state = 'SENDING' and send_due_at < now()
        limit ${limit}
        for update skip locked)
      returning id, recipient_id, status, send_state, send_due_at, error, null::timestamptz as due_at, 0 as tries
    ),
    ${recipientsFollow(sql, 'lost')}
    select`
  // A campaign's recipient stays UNKNOWN until a status settles it, or an operator.
  return sql<LostSend[]>`
    select id, conversation_id
    from messages
    where send_state = 'UNKNOWN' and status = 'QUEUED' and send_due_at < now()
    order by send_due_at
    limit ${limit}`
}
