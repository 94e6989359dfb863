// Outbound messages: the row before the request to the provider. send-context.store.ts reads what decides a send, and
// sends.store.ts writes the send itself.

import type { AccountOptions } from '../../accounts/store/provider-account.ts'
import { noFence, type RestoreFence } from '../../platform/postgres/restore-watch.ts'
import type { Pool, Sql } from '../../platform/postgres/sql.ts'
import { Batcher } from '../../shared/batcher.ts'
import { oneUnlessHeldUp } from '../../shared/concurrency.ts'
import type { MessageId } from '../../shared/ids.ts'
import type { MessageStore, NewMessage } from '../ports.ts'
import type { ReadOptOutKey } from './kept-opt-outs.ts'
import { createMessageUpdateStore } from './message-updates.store.ts'
import { createSendContext } from './send-context.store.ts'
import { type CampaignSends, createSendStore } from './sends.store.ts'

export interface MessageStoreOptions {
  readonly accounts: AccountOptions
  readonly optOutKey: ReadOptOutKey
  readonly campaigns: CampaignSends
  /** In a process that takes up sends of others. */
  readonly fence?: RestoreFence | undefined
}

export function createMessageStore(
  sql: Pool,
  { accounts, optOutKey, campaigns, fence = noFence }: MessageStoreOptions,
): MessageStore {
  return {
    sendContext: createSendContext(sql, { ...accounts, optOutKey }),
    insertOutbound: createOutboundInserts(sql),
    ...createSendStore(sql, { accounts, campaigns, fence }),
    ...createMessageUpdateStore(sql, campaigns.recipientsFollow),
  }
}

/** The shared statement waits for nobody: what it leaves out waits aside, and holds up no send to others. */
function createOutboundInserts(sql: Pool): MessageStore['insertOutbound'] {
  const shared = new Batcher<NewMessage, boolean>({
    maxItems: 200,
    maxWaiting: 10_000,
    ...oneUnlessHeldUp,
    flush: (all) => insertOutbound(sql, all),
  })
  const patient = new Batcher<NewMessage, boolean>({
    ...{ maxItems: 1, maxWaiting: 10_000, concurrency: 4 },
    flush: (all) => Promise.all(all.map((one) => insertPatiently(sql, one))),
  })
  return async (message) => (await shared.add(message)) || patient.add(message)
}

/**
 * False where somebody has locked what a message needs, and where it, or another one with its key, was written before.
 *
 * `send_due_at` gives the process that accepted the message three seconds; then the sweep sends it. Rows are found by
 * arrays of their ids: Postgres does not know how few rows `in (select ...)` means, and reads the table whole.
 */
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
  // Few sends have a file, and Postgres opens each table and index that a statement names.
  const hasFiles = messages.some(({ free }) => free?.upload)
  const inserted = await sql<{ id: MessageId }[]>`
    with input as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as i (
        id uuid, workspace_id uuid, conversation_id uuid, number_id uuid, contact_id uuid, type text, text text,
        template jsonb, content jsonb, details jsonb, upload_id uuid, file_name text, metadata jsonb, api_key_id uuid, idempotency_key text,
        idempotency_hash text, created_at timestamptz)
    ),
    -- The lock keeps an erasure of the contact out until the message is there for it to find.
    present as (
      select id
      from contacts
      where id = any(array(select contact_id from input))
        and opt_state is distinct from 'opted-out' and erased_at is null
      order by id
      for key share skip locked
    ),
    ${hasFiles ? sql`${filesKept(sql)},` : sql``}
    -- In one order, or two batches that touch the same conversations could wait for each other. Before anything is
    -- written, and after the contact, as what comes in does.
    locked as (
      select id from conversations
      where id = any(array(select i.conversation_id from input i join present on present.id = i.contact_id))
      order by id
      for no key update skip locked
    ),
    inserted as (
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text,
        template, content, details, metadata, api_key_id, idempotency_key, idempotency_hash, send_state, send_due_at, created_at)
      select i.id, i.workspace_id, i.conversation_id, i.number_id, i.contact_id, 'OUTBOUND', i.type, 'QUEUED', i.text,
        i.template, i.content, i.details, i.metadata, i.api_key_id, i.idempotency_key, decode(i.idempotency_hash, 'hex'), 'PENDING',
        now() + interval '3 seconds', i.created_at
      from input i
      join present on present.id = i.contact_id
      join locked on locked.id = i.conversation_id
      where ${hasFiles ? sql`(i.upload_id is null or exists (select from files where files.id = i.upload_id)) and` : sql``}
        -- The insert would wait for whoever writes that message, for example its status, which waits for its conversation.
        -- One by one: a join may read all messages, where statistics are old.
        (select m.id from messages m
          where m.workspace_id = i.workspace_id and m.idempotency_key = i.idempotency_key limit 1) is null
      order by i.idempotency_key
      -- Of the key: another request was faster. Of the id: an earlier try was written, and its reply was lost.
      on conflict do nothing
      returning id, conversation_id, created_at
    ),
    ${hasFiles ? sql`${filesAttached(sql)},` : sql``}
    latest as (
      select distinct on (conversation_id) conversation_id, id, created_at
      from inserted
      order by conversation_id, id desc
    ),
    touched as (
      update conversations c
      set last_message_id = latest.id, last_message_at = latest.created_at, updated_at = now()
      from latest
      where c.id = latest.conversation_id and c.id = any(array(select id from locked))
    )
    select id from inserted`
  const written = new Set(inserted.map((row) => row.id))
  return messages.map((message) => written.has(message.id))
}

/** The CTE `files`. The lock keeps a file until the message has it. */
const filesKept = (sql: Sql) => sql`
  files as (
    select * from uploads where id = any(array(select upload_id from input)) order by id for key share skip locked
  )`

const filesAttached = (sql: Sql) => sql`
  attached as (
    insert into media (message_id, workspace_id, provider_media_id, mime_type, file_name, size_bytes, sha256, blob_key,
      state, fetch_due_at, upload_id)
    select i.id, i.workspace_id, files.provider_media_id, files.mime_type, coalesce(i.file_name, files.file_name),
      files.size_bytes, files.sha256, files.blob_key, 'STORED', null, files.id
    from inserted
    join input i on i.id = inserted.id
    join files on files.id = i.upload_id
  )`

/** Statements of their own: what was committed while one of them waited is seen by the next. */
const insertPatiently = (pool: Pool, message: NewMessage): Promise<boolean> =>
  pool.begin(async (sql) => {
    const { id, workspaceId, contactId, conversationId, free } = message
    const own = sql`workspace_id = ${workspaceId}`
    await sql`select from contacts where id = ${contactId} and ${own} for key share`
    if (free?.upload) await sql`select from uploads where id = ${free.upload.id} and ${own} for key share`
    await sql`select from conversations where id = ${conversationId} and ${own} for no key update`
    const [isWritten] = await insertOutbound(sql, [message])
    if (isWritten) return true
    const before = await sql`select from messages where id = ${id} and ${own}`
    return before.count > 0
  })
