// The attachments of inbound messages, assembled: fetching them, keeping them, giving them out.
import { join } from 'node:path'
import { createFileBlobs } from '../blobs/files.ts'
import { clearSpool } from '../blobs/spool.ts'
import type { Settings } from '../config/settings.ts'
import type { BlobStore } from '../contract/blobs.ts'
import { createMediaFetcher } from '../messages/fetch-media.ts'
import { createFindAttachment } from '../messages/find-attachment.ts'
import { createMediaStore } from '../store/media.store.ts'
import type { Foundation } from './foundation.ts'

/** No download takes longer; what is older was left by a crash. */
const leftoverMs = 3_600_000

const spoolDirOf = ({ DATA_DIR }: Settings): string => join(DATA_DIR, 'media', 'unfinished')

const openBlobs = (settings: Settings): BlobStore =>
  createFileBlobs({ root: join(settings.DATA_DIR, 'media', 'blobs'), spoolDir: spoolDirOf(settings) })

export type Media = ReturnType<typeof createMedia>

export function createMedia({ sql, accounts, provider, clock, log, settings }: Foundation) {
  const store = createMediaStore(sql, accounts)
  const blobs = openBlobs(settings)
  const fetcher = createMediaFetcher({ store, provider, blobs, clock, log })
  return {
    find: createFindAttachment({ store, fetcher, blobs, clock }),
    sweep: () => fetcher.sweep(),
    clearLeftovers: () => clearSpool(spoolDirOf(settings), leftoverMs),
    drain: () => fetcher.drain(),
  }
}
