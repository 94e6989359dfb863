// Outbound messages: the data that decides a send, and the row before the request to the provider.
// sends.store.ts writes the send itself.

import { type AccountColumns, type AccountOptions, toAccount } from '../../accounts/store/provider-account.ts'
import type { MessageType } from '../../contract/records/message.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { spellingsOf } from '../../shared/address.ts'
import { Batcher } from '../../shared/batcher.ts'
import type { MessageId, NumberId, Uuid, WorkspaceId } from '../../shared/ids.ts'
import type { StoredUpload } from '../free-form-content.ts'
import type { FingerprintKey } from '../opt-out-fingerprint.ts'
import type { MessageStore, NewMessage, SendContext, SendContextQuery, SendTemplate } from '../ports.ts'
import { windowExpiry } from '../window.ts'
import { contactsAt } from './contacts-at.ts'
import { isKeptOptOut, keptMarketing, keptOptOutTime, type ReadOptOutKey } from './kept-opt-outs.ts'
import { createMessageUpdateStore } from './message-updates.store.ts'
import { type CampaignSends, createSendStore } from './sends.store.ts'

export interface MessageStoreOptions {
  readonly accounts: AccountOptions
  readonly optOutKey: ReadOptOutKey
  readonly campaigns: CampaignSends
}

export function createMessageStore(
  sql: Sql,
  { accounts, optOutKey, campaigns }: MessageStoreOptions,
): MessageStore {
  const inserts = new Batcher<NewMessage, boolean>({
    maxItems: 200,
    maxWaiting: 10_000,
    concurrency: 2,
    flush: (all) => insertOutbound(sql, all),
  })
  return {
    sendContext: async (query) => sendContext(sql, query, { ...accounts, optOutKey: await optOutKey() }),
    insertOutbound: (message) => inserts.add(message),
    ...createSendStore(sql, accounts, campaigns),
    ...createMessageUpdateStore(sql, campaigns.recipientsFollow),
  }
}

interface ContextRow extends AccountColumns {
  numberId: NumberId | null
  number: string
  templateStatus: string | null
  category: SendTemplate['category']
  contactId: Uuid | null
  address: string | null
  parameterFormat: SendTemplate['parameterFormat']
  components: unknown[]
  optedOut: boolean
  lastInboundAt: Date | null
  lastCallAt: Date | null
  upload: StoredUpload | null
  referenceId: MessageId | null
  referenceProviderId: string | null
  referenceType: MessageType
  referenceAt: Date
  marketingOptedOut: boolean
  earlierId: MessageId | null
  earlierHash: Buffer | null
}

async function sendContext(
  sql: Sql,
  query: SendContextQuery,
  options: AccountOptions & { readonly optOutKey: FingerprintKey | undefined },
): Promise<SendContext> {
  const { workspaceId, from } = query
  const person = { workspaceId, waId: sql`${query.address}::text` }
  const spellings = [query.address, ...spellingsOf(query.address)]
  const numberId = from && 'numberId' in from ? from.numberId : null
  const number = from && 'number' in from ? from.number : null
  const [row] = await sql<ContextRow[]>`
    select w.id as workspace_id, w.waba_id, w.provider_token,
      n.id as number_id, n.number, n.phone_number_id,
      t.status as template_status, t.category, t.parameter_format, t.components, c.id as contact_id, c.wa_id as address,
      case when c.id is null then ${isKeptOptOut(sql, options.optOutKey, person)}
        else coalesce(c.opt_state = 'opted-out', false) end as opted_out,
      case when c.id is null then ${keptOptOutTime(sql, options.optOutKey, person, keptMarketing)} is not null
        else c.marketing_opted_out end as marketing_opted_out,
      v.last_inbound_at, v.last_call_at, ${uploadColumns(sql)} as upload,
      about.id as reference_id, about.provider_message_id as reference_provider_id, about.type as reference_type,
      about.created_at as reference_at,
      m.id as earlier_id, m.idempotency_hash as earlier_hash
    from workspaces w
    left join numbers n on n.workspace_id = w.id and case
      when ${numberId}::uuid is not null then n.id = ${numberId}::uuid
      when ${number}::text is not null then n.number = ${number}::text
      else n.is_default
    end
    left join templates t on t.workspace_id = w.id
      and t.name = ${query.templateName} and t.language = ${query.templateLanguage}
    left join lateral (
      -- Written in another way, it is the same person: an opt-out counts.
      select id, wa_id, opt_state, bool_or(marketing_opt_out_at is not null) over () as marketing_opted_out
      from contacts
      where id in (select id from ${contactsAt(sql, workspaceId, spellings)}) and erased_at is null
      order by opt_state is not distinct from 'opted-out' desc, wa_id = ${query.address} desc
      limit 1
    ) c on true
    left join conversations v on v.number_id = n.id and v.contact_id = c.id and v.erased_at is null
    left join uploads u on u.id = ${query.uploadId ?? null}::uuid and u.workspace_id = w.id and u.expires_at > now()
    left join messages about on about.id = ${query.referenceId ?? null}::uuid and about.workspace_id = w.id
      and (select coalesce(merged_into, id) from conversations where id = about.conversation_id) = v.id
    left join messages m on m.workspace_id = w.id and m.idempotency_key = ${query.idempotencyKey}
    where w.id = ${workspaceId}`
  if (!row) throw new Error('the workspace of a key is gone')
  return toContext(row, workspaceId, options)
}

const toContext = (row: ContextRow, workspaceId: WorkspaceId, options: AccountOptions): SendContext => ({
  number: row.numberId && {
    workspaceId,
    numberId: row.numberId,
    number: row.number,
    phoneNumberId: row.phoneNumberId,
  },
  account: row.numberId && toAccount(row, options),
  template: row.templateStatus
    ? {
        status: row.templateStatus,
        category: row.category,
        parameterFormat: row.parameterFormat,
        components: row.components,
      }
    : null,
  optedOut: row.optedOut,
  marketingOptedOut: row.marketingOptedOut,
  contactId: row.contactId,
  address: row.address,
  windowExpiresAt: windowExpiry(row),
  upload: row.upload,
  reference: row.referenceId && {
    id: row.referenceId,
    providerMessageId: row.referenceProviderId,
    type: row.referenceType,
    createdAt: row.referenceAt,
  },
  earlier: row.earlierId && { id: row.earlierId, hash: row.earlierHash?.toString('hex') ?? '' },
})

const uploadColumns = (sql: Sql) => sql`
  case when u.id is not null then jsonb_build_object('id', u.id, 'numberId', u.number_id,
    'providerMediaId', u.provider_media_id, 'mimeType', u.mime_type, 'fileName', u.file_name,
    'sizeBytes', u.size_bytes, 'sha256', u.sha256, 'blobKey', u.blob_key) end`

/** `send_due_at` gives the process that accepted the message three seconds; then the sweep sends it. */
async function insertOutbound(sql: Sql, messages: readonly NewMessage[]): Promise<boolean[]> {
  const rows = messages.map((message) => ({
    id: message.id,
    workspace_id: message.workspaceId,
    conversation_id: message.conversationId,
    number_id: message.numberId,
    contact_id: message.contactId,
    type: message.free?.type ?? 'TEMPLATE',
    text: message.text,
    template: message.template,
    content: message.free?.message ?? null,
    details: message.free?.details ?? null,
    upload_id: message.free?.upload?.id ?? null,
    file_name: message.free?.details?.media?.fileName ?? null,
    metadata: message.metadata,
    api_key_id: message.keyId,
    idempotency_key: message.idempotencyKey,
    idempotency_hash: message.idempotencyHash,
    created_at: message.createdAt.toISOString(),
  }))
  const inserted = await sql<{ id: MessageId }[]>`
    with input as (
      select * from jsonb_to_recordset(${sql.json(rows as never)}) as i (
        id uuid, workspace_id uuid, conversation_id uuid, number_id uuid, contact_id uuid, type text, text text,
        template jsonb, content jsonb, details jsonb, upload_id uuid, file_name text, metadata jsonb, api_key_id uuid, idempotency_key text,
        idempotency_hash text, created_at timestamptz)
    ),
    -- The lock keeps an erasure of the contact out until the message is there for it to find.
    present as (
      select id
      from contacts
      where id in (select contact_id from input) and opt_state is distinct from 'opted-out' and erased_at is null
      order by id
      for key share
    ),
    -- And this one keeps the file until the message has it.
    files as (
      select * from uploads where id in (select upload_id from input) order by id for key share
    ),
    inserted as (
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text,
        template, content, details, metadata, api_key_id, idempotency_key, idempotency_hash, send_state, send_due_at, created_at)
      select i.id, i.workspace_id, i.conversation_id, i.number_id, i.contact_id, 'OUTBOUND', i.type, 'QUEUED', i.text,
        i.template, i.content, i.details, i.metadata, i.api_key_id, i.idempotency_key, decode(i.idempotency_hash, 'hex'), 'PENDING',
        now() + interval '3 seconds', i.created_at
      from input i
      join present on present.id = i.contact_id
      where i.upload_id is null or exists (select from files where files.id = i.upload_id)
      order by i.idempotency_key
      on conflict (workspace_id, idempotency_key) where idempotency_key is not null do nothing
      returning id, conversation_id, created_at
    ),
    attached as (
      insert into media (message_id, workspace_id, provider_media_id, mime_type, file_name, size_bytes, sha256, blob_key,
        state, fetch_due_at, upload_id)
      select i.id, i.workspace_id, files.provider_media_id, files.mime_type, coalesce(i.file_name, files.file_name),
        files.size_bytes, files.sha256, files.blob_key, 'STORED', null, files.id
      from inserted
      join input i on i.id = inserted.id
      join files on files.id = i.upload_id
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
