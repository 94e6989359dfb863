// Runs the blob suite against a server that speaks S3 and verifies signatures.
import assert from 'node:assert/strict'
import { mkdtemp, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BlobStore, BlobStoreError } from '../../../src/contract/blobs.ts'
import { createS3Blobs, type S3Options } from '../../../src/platform/blobs/s3.ts'
import { ownFolder } from '../../support/embedded.ts'
import { after, before, test } from '../../support/harness.ts'
import { type TestS3, testS3 } from '../../support/s3.ts'
import { blobStoreSuite } from './suite.ts'

let s3: TestS3
const opened: BlobStore[] = []

before(async () => {
  s3 = await testS3()
})
after(async () => {
  await Promise.all(opened.map((blobs) => blobs.close()))
  await s3?.stop()
})

async function store(more: Partial<S3Options> = {}) {
  const spoolDir = await mkdtemp(join(ownFolder(), 's3-spool-'))
  const blobs = createS3Blobs({ ...s3.access, spoolDir, ...more })
  opened.push(blobs)
  return { blobs, leftovers: async () => (await readdir(spoolDir)).length }
}

blobStoreSuite('S3', () => store())

async function* letter(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('x')
}
const rules = { limitBytes: 1, sha256: null }

test('an object is where its key says, in the bucket', async () => {
  const { blobs } = await store()
  await blobs.put('a/b-c_d', letter(), rules)
  assert.ok((await s3.keys()).includes('a/b-c_d'))
})

const strangers: Readonly<Record<string, [Partial<S3Options>, RegExp]>> = {
  'a wrong secret': [
    { secretAccessKey: 'another-secret' },
    /^the object store answered 403 SignatureDoesNotMatch to PUT$/,
  ],
  'an unknown key': [{ accessKeyId: 'another-key' }, /answered 403 InvalidAccessKeyId to PUT$/],
  'a bucket that is not there': [{ bucket: 'another' }, /answered 404 NoSuchBucket to PUT$/],
}
for (const [what, [more, message]] of Object.entries(strangers))
  test(`with ${what} nothing is stored, and the error says why`, async () => {
    const { blobs, leftovers } = await store(more)
    await assert.rejects(blobs.put('stranger', letter(), rules), (error) => {
      assert.ok(error instanceof BlobStoreError)
      assert.match(error.message, message)
      return true
    })
    assert.equal(await leftovers(), 0)
    assert.ok(!(await s3.keys()).includes('stranger'))
  })

test('a wrong secret neither reads nor deletes', async () => {
  const { blobs } = await store()
  await blobs.put('kept', letter(), rules)
  const { blobs: stranger } = await store({ secretAccessKey: 'another-secret' })
  await assert.rejects(stranger.open('kept'), /answered 403 to HEAD$/)
  await assert.rejects(stranger.delete('kept'), /answered 403 SignatureDoesNotMatch to DELETE$/)
  assert.equal((await blobs.open('kept'))?.sizeBytes, 1)
})

test('a range outside of the object is an error of the reader', async () => {
  const { blobs } = await store()
  await blobs.put('short', letter(), rules)
  const blob = await blobs.open('short', { start: 5, end: 9 })
  await assert.rejects(async () => {
    for await (const _ of blob?.body ?? []) assert.fail()
  }, /answered 416 \w+ to GET$/)
})
