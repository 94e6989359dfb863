// Runs the blob suite against your own store:
// TEST_S3_URL=https://<key>:<secret>@<host>/<bucket>?region=<region>. Cleans up.
import assert from 'node:assert/strict'
import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobStore } from '../../../src/contract/blobs.ts'
import { createS3Blobs } from '../../../src/platform/blobs/s3.ts'
import { ownFolder } from '../../support/embedded.ts'
import { after, test } from '../../support/harness.ts'
import { blobStoreSuite } from './suite.ts'

const { TEST_S3_URL } = process.env as Record<string, string | undefined>

function accessOf(text: string) {
  const { origin, pathname, username, password, searchParams } = new URL(text)
  const [, bucket = ''] = /^\/([^/]+)\/?$/.exec(pathname) ?? []
  return {
    endpoint: origin,
    bucket,
    region: searchParams.get('region') ?? 'us-east-1',
    accessKeyId: decodeURIComponent(username),
    secretAccessKey: decodeURIComponent(password),
  }
}

if (TEST_S3_URL) {
  const access = accessOf(TEST_S3_URL)
  const made: { blobs: BlobStore; key: string }[] = []
  after(async () => {
    for (const { blobs, key } of made) await blobs.delete(key)
    await Promise.all(made.map(({ blobs }) => blobs.close()))
  })

  blobStoreSuite('S3 as given', async () => {
    const spoolDir = await mkdtemp(join(ownFolder(), 's3-given-'))
    const blobs = createS3Blobs({ ...access, spoolDir })
    const put: BlobStore['put'] = async (key, body, rules) => {
      const result = await blobs.put(key, body, rules)
      made.push({ blobs, key })
      return result
    }
    return { blobs: { ...blobs, put }, leftovers: async () => (await readdir(spoolDir)).length }
  })

  test('a wrong secret is refused', async () => {
    const stranger = createS3Blobs({ ...access, secretAccessKey: 'another-secret', spoolDir: ownFolder() })
    await assert.rejects(stranger.open('a'), /answered 403 to HEAD$/)
    await stranger.close()
  })
} else {
  test('a store of yours', { skip: 'name one in TEST_S3_URL' }, () => {})
}
