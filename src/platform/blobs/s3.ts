// Stores blobs as objects in one bucket of an S3-compatible store.
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type BlobStore, BlobStoreError, type ByteRange } from '../../contract/blobs.ts'
import { type Bucket, type BucketOptions, discard, openBucket, refusal } from './bucket.ts'
import { checkKey } from './key.ts'
import { spool } from './spool.ts'

export interface S3Options extends BucketOptions {
  /** Collects uploads first: rules are checked before sending, and a signature covers length and digest. */
  readonly spoolDir: string
}

export function createS3Blobs(options: S3Options): BlobStore {
  const bucket = openBucket(options)
  return {
    async put(key, body, rules) {
      checkKey(key)
      const spooled = await spool(options.spoolDir, body, rules)
      if (spooled.type !== 'stored') return spooled
      const { path, sizeBytes, sha256 } = spooled
      try {
        const upload = { sizeBytes, sha256, open: () => createReadStream(path) }
        await discard(await bucket.ask({ method: 'PUT', key, upload, signal: rules.signal, expected: [200] }))
      } finally {
        await rm(path, { force: true })
      }
      return { type: 'stored', sizeBytes, sha256 }
    },

    async open(key, range) {
      const answer = await bucket.ask({ method: 'HEAD', key: checkKey(key), expected: [200, 404] })
      await discard(answer)
      if (answer.statusCode === 404) return undefined
      const sizeBytes = Number(answer.headers['content-length'] ?? Number.NaN)
      if (!Number.isSafeInteger(sizeBytes)) throw new BlobStoreError('the object store names no length')
      return { sizeBytes, body: read(bucket, { key, range, sizeBytes }) }
    },

    async delete(key) {
      const asked = { method: 'DELETE', key: checkKey(key), expected: [200, 204, 404] } as const
      const answer = await bucket.ask(asked)
      if (answer.statusCode !== 404) return discard(answer)
      // For a missing object most stores report success, but some report NoSuchKey.
      const { error, code } = await refusal(answer, 'DELETE')
      if (code !== 'NoSuchKey') throw error
    },

    close: () => bucket.close(),
  }
}

interface Wanted {
  readonly key: string
  readonly range: ByteRange | undefined
  /** Size of the whole blob. */
  readonly sizeBytes: number
}

// The request starts on the first read, so a response that is never read leaves nothing open.
async function* read(bucket: Bucket, { key, range, sizeBytes }: Wanted): AsyncGenerator<Uint8Array> {
  const { body } = await bucket.ask({ method: 'GET', key, range, expected: [range ? 206 : 200] })
  let missing = range ? range.end - range.start + 1 : sizeBytes
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      missing -= chunk.byteLength
      if (missing < 0) break
      yield chunk
    }
  } catch (error) {
    throw new BlobStoreError('the object store broke off in the middle of an object', { cause: error })
  }
  // The object was replaced meanwhile, or the store ended the body too early.
  if (missing !== 0) throw new BlobStoreError('the object store gave an object of another length')
}
