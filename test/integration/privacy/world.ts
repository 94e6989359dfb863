// Contacts with everything that can be known of somebody, and the worker that erases and exports them.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { createSecretBox } from '../../../src/accounts/secret-box.ts'
import { createCallRecords } from '../../../src/calls/calls.module.ts'
import type { BlobStore } from '../../../src/contract/blobs.ts'
import { createMessagingRecords } from '../../../src/messaging/messaging.module.ts'
import { createOptOutKeyReader, ensureOptOutKey } from '../../../src/messaging/store/kept-opt-outs.ts'
import { createFileBlobs } from '../../../src/platform/blobs/files.ts'
import type { Requester } from '../../../src/privacy/ports.ts'
import {
  createPrivacy,
  createPrivacyWork,
  type PrivacyWorkOptions,
} from '../../../src/privacy/privacy.module.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { decodeId, type ExportId, type MessageId, newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { ownFolder } from '../../support/embedded.ts'
import { call, message, type Thread, thread, workspace } from '../../support/fixtures.ts'
import { sharedPool, testDatabase } from '../../support/postgres.ts'
import { addEndpoint, emitEvent } from '../../support/rows.ts'

const database = await testDatabase()
export const sql = sharedPool(database, 8)
export const single = sharedPool(database, 1)
const secrets = createSecretBox([{ id: '1', bytes: randomBytes(32) }])
await ensureOptOutKey(sql, secrets)
export const optOutKey = createOptOutKeyReader(sql, secrets)

const dir = await mkdtemp(join(ownFolder(), 'privacy-'))
export const blobs = createFileBlobs({ root: join(dir, 'blobs'), spoolDir: join(dir, 'unfinished') })
export const privacy = createPrivacy({ sql, blobs })

const { conversations, messages } = createMessagingRecords(sql)
const lists = {
  conversations: conversations.list,
  messages: messages.list,
  calls: createCallRecords(sql).records.list,
}

export const lines: string[] = []
const note = (fields: object, event: string) => void lines.push(`${event} ${JSON.stringify(fields)}`)

/** What one worker does. */
export const worker = (
  nowMs?: number,
  readAnew: PrivacyWorkOptions['readAnew'] = async () => true,
  store: BlobStore = blobs,
  pool = sql,
) =>
  createPrivacyWork({
    ...{ sql: pool, blobs: store, lists, readAnew },
    clock: nowMs === undefined ? systemClock : { ...systemClock, now: () => nowMs },
    accounts: { secrets },
    log: { info: note, warn: note },
  })

export const by = (workspaceId: WorkspaceId): Requester => ({
  workspaceId,
  keyId: null,
  operatorId: null,
  ip: '127.0.0.1',
})

export interface Known extends Thread {
  readonly messageId: MessageId
  readonly blobKey: string
  /** What no row may say of somebody who is erased. */
  readonly secret: string
}

/** Somebody of whom there is a row in every table; `waId` as somebody of another workspace. */
export async function known(waId?: string): Promise<Known> {
  const workspaceId = await workspace(sql)
  await addEndpoint(sql, workspaceId, { enabled: false })
  const own = await thread(sql, workspaceId)
  if (waId !== undefined) await sql`update contacts set wa_id = ${waId} where id = ${own.contactId}`
  const secret = `secret-${own.contactId}`
  const metadata = sql.json({ secret })
  await message(sql, own, { text: secret, metadata, sendState: 'ACCEPTED', status: 'SENT' })
  const messageId = await message(sql, own, {
    direction: 'INBOUND',
    type: 'IMAGE',
    status: 'RECEIVED',
    text: secret,
  })
  const blobKey = `${workspaceId}/${messageId}`
  const bytes = Buffer.from(secret)
  const put = await blobs.put(blobKey, pieces(bytes), { limitBytes: 1_000, sha256: null })
  assert.equal(put.type, 'stored')
  const file = {
    messageId,
    workspaceId,
    providerMediaId: 'm',
    mimeType: 'image/png',
    fileName: `${secret}.png`,
  }
  await sql`insert into media ${sql({ ...file, state: 'STORED', blobKey, sizeBytes: bytes.length } as never)}`
  const timeline = [[0, 'ended', { secret }]]
  const callId = await call(sql, own, { status: 'COMPLETED', fromName: secret, timeline })
  await sql`
    insert into request_keys (workspace_id, kind, key, hash, resource_id)
    values (${workspaceId}, 'call', ${secret}, '', ${callId})`
  await sql`
    insert into call_timeline (id, workspace_id, call_id, at, kind, detail)
    values (new_uuid(), ${workspaceId}, ${callId}, now(), 'ended', ${sql.json({ secret })})`
  await sql`
    insert into inbound_elements (id, workspace_id, subject_kind, subject_id, reason, people, body)
    values (new_uuid(), ${workspaceId}, 'message', ${messageId}, null, null, ${secret}),
      (new_uuid(), ${workspaceId}, 'call', ${callId}, null, null, ${secret}),
      (new_uuid(), ${workspaceId}, null, null, 'unknown', ${[waId ?? own.waId]}, ${secret})`
  for (const key of [own.conversationId, callId])
    await emitEvent(sql, workspaceId, { key, body: `{"x":"${secret}"}` })
  await sql`
    insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, duration_ms, response_body)
    select new_uuid(), workspace_id, id, endpoint_id, 1, now(), 1, ${bytes}
    from deliveries where workspace_id = ${workspaceId}`
  await sql`
    update deliveries
    set first_attempt_at = now(), first_duration_ms = 1, first_response_body = ${bytes},
      first_response_headers = ${sql.json({ secret })}
    where workspace_id = ${workspaceId}`
  await listed(workspaceId, waId ?? own.waId, secret)
  return { ...own, waId: waId ?? own.waId, messageId, blobKey, secret }
}

/** An address on the list of a campaign of its own. */
export async function listed(workspaceId: WorkspaceId, address: string, secret: string): Promise<void> {
  const campaignId = newId('campaign')
  await sql`
    insert into campaigns (id, workspace_id, name, template_name, template_language)
    values (${campaignId}, ${workspaceId}, 'Autumn', 'hello', 'en_US')`
  await sql`
    insert into recipients (id, workspace_id, campaign_id, wa_id, variables)
    values (${newId('recipient')}, ${workspaceId}, ${campaignId}, ${address}, ${sql.json({ secret })})`
}

async function* pieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

const tables = [
  'contacts',
  'conversations',
  'messages',
  'media',
  'calls',
  'call_timeline',
  'events',
  'deliveries',
  'attempts',
  'recipients',
  'contact_jobs',
  'audit',
  'blob_deletions',
  'inbound_elements',
  'request_keys',
] as const

/** The tables in which a row mentions the text. */
export async function mentions(text: string): Promise<string[]> {
  const found: string[] = []
  for (const table of tables) {
    const rows = await sql`
      select from ${sql(table)} t where to_jsonb(t)::text like ${`%${text}%`} or to_jsonb(t)::text like ${`%${Buffer.from(text).toString('hex')}%`} limit 1`
    if (rows.count > 0) found.push(table)
  }
  return found
}

/** How many rows the workspace has in each table. */
export async function rowsOf(workspaceId: WorkspaceId): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const table of tables.filter((name) => name !== 'blob_deletions')) {
    const [row] = await sql<{ count: number }[]>`
      select count(*)::int as count from ${sql(table)} where workspace_id = ${workspaceId}`
    counts[table] = row?.count ?? 0
  }
  return counts
}

/** Lets a worker work until the job is in this status; its waits are skipped. */
export async function workUntil(status: string, id: string, workers = [worker()]): Promise<void> {
  const deadline = performance.now() + 30_000
  for (;;) {
    const [job] = await sql<{ status: string }[]>`select status from contact_jobs where id = ${id}`
    if (job?.status === status) return
    assert.ok(performance.now() < deadline, `the job is ${job?.status}: ${lines.slice(-5).join('\n')}`)
    await Promise.all(workers.flatMap((each) => [each.runJob(), each.deleteFiles()]))
    await sql`update contact_jobs set due_at = now() where status = 'RUNNING' and due_at < now() + interval '5 seconds'`
  }
}

/** The entries of the index of metadata: digests, in which nobody is mentioned. */
export const indexedMetadata = async ({ workspaceId }: Known): Promise<number> =>
  (await sql`select from message_metadata where workspace_id = ${workspaceId}`).count

/** Asks for the erasure. Returns its id. */
export async function ask(who: Known): Promise<string> {
  const { record } = await privacy.requestErasure(by(who.workspaceId), who.waId)
  return decodeId('erasure', record.id) ?? assert.fail()
}

export const recordOf = async (who: Known, id: string) =>
  (await privacy.findErasure(who.workspaceId, id as never)) ?? assert.fail('no such erasure')

export async function erase(who: Known, workers?: Parameters<typeof workUntil>[2]) {
  const id = await ask(who)
  await workUntil('COMPLETED', id, workers)
  return recordOf(who, id)
}

export async function exported(who: Known, workers?: Parameters<typeof workUntil>[2]): Promise<ExportId> {
  const { record } = await privacy.requestExport(by(who.workspaceId), who.waId)
  const id = decodeId('export', record.id) ?? assert.fail()
  await workUntil('COMPLETED', id, workers)
  return id
}

/** The archive of an export. */
export async function contentOf(who: Known, id: ExportId): Promise<Buffer> {
  const file = await privacy.exportFile(who.workspaceId, id)
  const chunks: Uint8Array[] = []
  for await (const chunk of await file.open(undefined)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
