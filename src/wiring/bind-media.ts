// The attachments of inbound messages, assembled: fetching them, keeping them, giving them out.
import { join } from 'node:path'
import { createFileBlobs } from '../blobs/files.ts'
import { createS3Blobs } from '../blobs/s3.ts'
import { clearSpool } from '../blobs/spool.ts'
import { requireSettings, s3Settings } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import type { BlobStore } from '../contract/blobs.ts'
import { createMediaFetcher } from '../messages/fetch-media.ts'
import { createFindAttachment } from '../messages/find-attachment.ts'
import { createMediaStore } from '../store/media.store.ts'
import type { Foundation } from './foundation.ts'

/** No download takes longer; what is older was left by a crash. */
const leftoverMs = 3_600_000

const spoolDirOf = ({ DATA_DIR }: Settings): string => join(DATA_DIR, 'media', 'unfinished')

function openBlobs(settings: Settings): BlobStore {
  const spoolDir = spoolDirOf(settings)
  if (settings.BLOBS_S3_ENDPOINT === undefined)
    return createFileBlobs({ root: join(settings.DATA_DIR, 'media', 'blobs'), spoolDir })
  const given = requireSettings(settings, s3Settings)
  return createS3Blobs({
    spoolDir,
    endpoint: given.BLOBS_S3_ENDPOINT,
    bucket: given.BLOBS_S3_BUCKET,
    region: settings.BLOBS_S3_REGION ?? 'us-east-1',
    accessKeyId: given.BLOBS_S3_ACCESS_KEY_ID,
    secretAccessKey: given.BLOBS_S3_SECRET_ACCESS_KEY,
  })
}

export type Media = ReturnType<typeof createMedia>

export function createMedia({ sql, accounts, provider, clock, log, settings }: Foundation) {
  const store = createMediaStore(sql, accounts)
  const blobs = openBlobs(settings)
  const fetcher = createMediaFetcher({ store, provider, blobs, clock, log })
  return {
    find: createFindAttachment({ store, fetcher, blobs, clock }),
    sweep: () => fetcher.sweep(),
    clearLeftovers: () => clearSpool(spoolDirOf(settings), leftoverMs),
    async drain() {
      await fetcher.drain()
      await blobs.close()
    },
  }
}
