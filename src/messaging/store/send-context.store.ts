// The data that decides a send. Requests that come together share one statement.

import { type AccountColumns, type AccountOptions, toAccount } from '../../accounts/store/provider-account.ts'
import type { MessageType } from '../../contract/records/message.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { spellingsOf } from '../../shared/address.ts'
import { Batcher } from '../../shared/batcher.ts'
import { oneUnlessHeldUp } from '../../shared/concurrency.ts'
import type { MessageId, NumberId, Uuid, WorkspaceId } from '../../shared/ids.ts'
import type { StoredUpload } from '../free-form-content.ts'
import type { FingerprintKey } from '../opt-out-fingerprint.ts'
import type { MessageStore, SendContext, SendContextQuery, SendTemplate } from '../ports.ts'
import { windowExpiry } from '../window.ts'
import { isKeptOptOut, keptMarketing, keptOptOutTime, type ReadOptOutKey } from './kept-opt-outs.ts'

type Options = AccountOptions & { readonly optOutKey: ReadOptOutKey }

export function createSendContext(sql: Sql, options: Options): MessageStore['sendContext'] {
  const contexts = new Batcher<SendContextQuery, ContextRow | undefined>({
    maxItems: 100,
    maxWaiting: 10_000,
    ...oneUnlessHeldUp,
    flush: async (queries) => readContexts(sql, queries, await options.optOutKey()),
  })
  return async (query) => {
    const [row, uploads] = await Promise.all([contexts.add(query), uploadsOf(sql, query)])
    if (!row) throw new Error('the workspace of a key is gone')
    return { uploads, ...toContext(row, query.workspaceId, options) }
  }
}

interface ContextRow extends AccountColumns {
  nth: number
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

const toInput = ({ workspaceId, address, from, ...query }: SendContextQuery, nth: number) => ({
  nth,
  workspace_id: workspaceId,
  address,
  spellings: [address, ...spellingsOf(address)],
  number_id: from && 'numberId' in from ? from.numberId : null,
  number: from && 'number' in from ? from.number : null,
  template_name: query.templateName,
  template_language: query.templateLanguage,
  upload_id: query.uploadId ?? null,
  reference_id: query.referenceId ?? null,
  idempotency_key: query.idempotencyKey,
})

/** What is looked up in tables that grow is limited to one row: Postgres would join them whole with many requests. */
async function readContexts(
  sql: Sql,
  queries: readonly SendContextQuery[],
  optOutKey: FingerprintKey | undefined,
): Promise<(ContextRow | undefined)[]> {
  const person = { workspaceId: sql`q.workspace_id`, addresses: sql`q.spellings` }
  // Most sends have neither, and Postgres opens each table and index that a statement names.
  const hasUpload = queries.some(({ uploadId }) => uploadId)
  const hasReference = queries.some(({ referenceId }) => referenceId)
  const rows = await sql<ContextRow[]>`
    select q.nth, w.id as workspace_id, w.waba_id, w.provider_token,
      n.id as number_id, n.number, n.phone_number_id,
      t.status as template_status, t.category, t.parameter_format, t.components, c.id as contact_id, c.wa_id as address,
      case when c.id is null then ${isKeptOptOut(sql, optOutKey, person)}
        else coalesce(c.opt_state = 'opted-out', false) end as opted_out,
      case when c.id is null then ${keptOptOutTime(sql, optOutKey, person, keptMarketing)} is not null
        else c.marketing_opted_out end as marketing_opted_out,
      v.last_inbound_at, v.last_call_at, ${hasUpload ? uploadColumns(sql) : sql`null`} as upload,
      ${hasReference ? referenceColumns(sql) : sql`null as reference_id`},
      m.id as earlier_id, m.idempotency_hash as earlier_hash
    from json_to_recordset(${JSON.stringify(queries.map(toInput))}::text::json) as q (
      nth integer, workspace_id uuid, address text, spellings text[], number_id uuid, number text, template_name text,
      template_language text, upload_id uuid, reference_id uuid, idempotency_key text)
    join workspaces w on w.id = q.workspace_id
    left join lateral (
      select id, number, phone_number_id
      from numbers
      where workspace_id = q.workspace_id and case
        when q.number_id is not null then id = q.number_id
        when q.number is not null then number = q.number
        else is_default
      end
      limit 1
    ) n on true
    left join lateral (
      select status, category, parameter_format, components
      from templates
      where workspace_id = q.workspace_id and name = q.template_name and language = q.template_language
      limit 1
    ) t on true
    left join lateral (
      -- Written in another way, it is the same person: an opt-out counts.
      select id, wa_id, opt_state, bool_or(marketing_opt_out_at is not null) over () as marketing_opted_out
      from contacts
      where erased_at is null and id = any(array(
        select id from contacts where workspace_id = q.workspace_id and wa_id = any(q.spellings)
        union
        select contact_id from contact_aliases where workspace_id = q.workspace_id and address = any(q.spellings)))
      order by opt_state is not distinct from 'opted-out' desc, wa_id = q.address desc
      limit 1
    ) c on true
    left join lateral (
      select id, last_inbound_at, last_call_at
      from conversations
      where number_id = n.id and contact_id = c.id and erased_at is null
      limit 1
    ) v on true
    ${hasUpload ? uploadJoin(sql) : sql``}
    ${hasReference ? referenceJoin(sql) : sql``}
    left join lateral (
      select id, idempotency_hash
      from messages
      where workspace_id = q.workspace_id and idempotency_key = q.idempotency_key
      limit 1
    ) m on true`
  const found = new Map(rows.map((row) => [row.nth, row]))
  return queries.map((_, nth) => found.get(nth))
}

/** Few templates are sent with files, and then with up to one in each card. */
async function uploadsOf(
  sql: Sql,
  { workspaceId, uploadIds = [] }: SendContextQuery,
): Promise<readonly StoredUpload[]> {
  if (uploadIds.length === 0) return []
  const rows = await sql<{ upload: StoredUpload }[]>`
    select ${uploadColumns(sql)} as upload
    from uploads u
    where u.workspace_id = ${workspaceId} and u.id = any(${[...uploadIds]}::uuid[]) and u.expires_at > now()`
  return rows.map(({ upload }) => upload)
}

const toContext = (
  row: ContextRow,
  workspaceId: WorkspaceId,
  options: AccountOptions,
): Omit<SendContext, 'uploads'> => ({
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

const uploadJoin = (sql: Sql) => sql`
  left join lateral (
    select * from uploads where id = q.upload_id and workspace_id = q.workspace_id and expires_at > now() limit 1
  ) u on true`

const referenceColumns = (sql: Sql) => sql`
  about.id as reference_id, about.provider_message_id as reference_provider_id, about.type as reference_type,
  about.created_at as reference_at`

const referenceJoin = (sql: Sql) => sql`
  left join lateral (
    select id, provider_message_id, type, created_at
    from messages
    where id = q.reference_id and workspace_id = q.workspace_id
      and (select coalesce(o.merged_into, o.id) from conversations o where o.id = messages.conversation_id) = v.id
    limit 1
  ) about on true`
