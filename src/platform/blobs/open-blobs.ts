// Opens the blob store that the settings select: a bucket, or a folder below DATA_DIR.
import { join } from 'node:path'
import type { BlobStore } from '../../contract/blobs.ts'
import { requireSettings, s3Settings } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import { createFileBlobs } from './files.ts'
import { createS3Blobs } from './s3.ts'
import { clearSpool } from './spool.ts'

/** No download and no upload takes longer, so an older file was left by a crash. */
const leftoverMs = 3 * 3_600_000

export interface Blobs extends BlobStore {
  /** Removes files that a crash left half written. */
  clearLeftovers(): Promise<unknown>
}

export function openBlobs(settings: Settings): Blobs {
  const spoolDir = join(settings.DATA_DIR, 'media', 'unfinished')
  const store = storeOf(settings, spoolDir)
  return { ...store, clearLeftovers: () => clearSpool(spoolDir, leftoverMs) }
}

function storeOf(settings: Settings, spoolDir: string): BlobStore {
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
