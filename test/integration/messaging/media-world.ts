// A file's path from the provider into the store: real rows, files and adapter, a provider on loopback.
import assert from 'node:assert/strict'
import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createMediaFetcher, type FetchMediaPorts } from '../../../src/messaging/fetch-media.ts'
import { createFindAttachment } from '../../../src/messaging/find-attachment.ts'
import { createMediaStore } from '../../../src/messaging/store/media.store.ts'
import { createFileBlobs } from '../../../src/platform/blobs/files.ts'
import { type Clock, systemClock } from '../../../src/shared/clock.ts'
import type { MessageId } from '../../../src/shared/ids.ts'
import { ownFolder } from '../../support/embedded.ts'
import { message, type Thread, thread, workspace } from '../../support/fixtures.ts'
import { afterAllFiles } from '../../support/harness.ts'
import { sharedPool, testDatabase } from '../../support/postgres.ts'
import { accounts } from '../api/gateway.ts'
import { mediaProvider, type Told } from './media-provider.ts'

export const sql = sharedPool(await testDatabase(), 8)
const provider = mediaProvider()
export const { files, asked, api: providerApi } = provider
await provider.start()
afterAllFiles(() => provider.close())

/** The components with which one process fetches media; `change` puts others in the place of some. */
export async function fetching(
  clock: Clock = systemClock,
  change: (ports: FetchMediaPorts) => Partial<FetchMediaPorts> = () => ({}),
) {
  const dir = await mkdtemp(join(ownFolder(), 'media-'))
  const spoolDir = join(dir, 'unfinished')
  const blobs = createFileBlobs({ root: join(dir, 'blobs'), spoolDir })
  const store = createMediaStore(sql, accounts)
  const lines: string[] = []
  const note = (fields: object, event: string) => void lines.push(`${event} ${JSON.stringify(fields)}`)
  const log = { info: note, warn: note }
  const ports = { store, provider: provider.api(), blobs, clock, log }
  const fetcher = createMediaFetcher({ ...ports, ...change(ports) })
  const find = createFindAttachment({ store, fetcher, blobs, clock })
  return { blobs, store, fetcher, find, lines, unfinished: () => readdir(spoolDir).catch(() => []) }
}

/** A message with a file that is still to be fetched; `told` is what the provider has. */
export async function attachment(
  own: Thread,
  told?: Told,
  row: Record<string, unknown> = {},
): Promise<MessageId> {
  const id = await message(sql, own, { direction: 'INBOUND', type: 'IMAGE', status: 'RECEIVED' })
  if (told) files.set(id, told)
  const media = {
    messageId: id,
    workspaceId: own.workspaceId,
    providerMediaId: id,
    mimeType: 'image/png',
    ...row,
  }
  await sql`insert into media ${sql(media as never)}`
  return id
}

export const rowOf = async (id: MessageId) => {
  // A time that is written may have been rounded up to the next millisecond.
  const [row] = await sql`
    select state, size_bytes, sha256, blob_key, fetch_attempts,
      extract(epoch from fetch_due_at - interval '1 millisecond' - now())::float8 as due_in
    from media
    where message_id = ${id}`
  return row ?? assert.fail('no row')
}

export async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 15_000
  while (!(await isTrue())) {
    assert.ok(performance.now() < deadline, `${what}: it never came to be`)
    await sleep(10)
  }
}

export const attempted = (id: MessageId, attempts: number) =>
  until('an attempt has ended', async () => {
    const { state, fetchAttempts, dueIn } = await rowOf(id)
    // A lease lasts half a minute; every first delay is shorter.
    return fetchAttempts === attempts && (state !== 'PENDING' || dueIn < 20)
  })

export const party = async () => thread(sql, await workspace(sql))
