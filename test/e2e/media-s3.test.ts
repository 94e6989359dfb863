// Files that contacts send, kept in an object store.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before } from '../support/harness.ts'
import { type TestS3, testS3 } from '../support/s3.ts'
import { ok } from './clients.ts'
import { fetchMedia, image, sha256 } from './media-steps.ts'
import { eventually, stepsOf } from './scene.ts'
import { type Stack, startStack } from './stack.ts'

let s3: TestS3
let stack: Stack
before(async () => {
  s3 = await testS3()
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = s3.access
  stack = await startStack({
    env: {
      BLOBS_S3_ENDPOINT: endpoint,
      BLOBS_S3_BUCKET: bucket,
      BLOBS_S3_REGION: region,
      BLOBS_S3_ACCESS_KEY_ID: accessKeyId,
      BLOBS_S3_SECRET_ACCESS_KEY: secretAccessKey,
    },
  })
})
after(async () => {
  await stack?.stop()
  await s3?.stop()
})

const step = stepsOf(() => stack)

const isStored = (id: string, { length }: Buffer) =>
  eventually('the file is stored', async () => {
    const { media } = await ok(stack.api.get(`/messages/chat/${id}`))
    return media.sizeBytes === length
  })

const bytes = randomBytes(3_000_000)
let stored = ''

step('an image that comes in is one object, and goes out from there whole and in parts', async () => {
  const { id } = await image(stack, '15557000211', bytes)
  stored = id
  await isStored(id, bytes)
  assert.equal((await s3.keys()).length, 1)
  const dataDir = dirname(dirname(stack.logFiles()[0] ?? assert.fail('no logs')))
  assert.ok(!existsSync(join(dataDir, 'media', 'blobs')), 'it lies under DATA_DIR too')
  assert.deepEqual(readdirSync(join(dataDir, 'media', 'unfinished')), [])
  const whole = await fetchMedia({ stack }, id)
  assert.deepEqual([whole.status, sha256(whole.bytes)], [200, sha256(bytes)])
  const part = await fetchMedia({ stack }, id, { range: 'bytes=1000000-1999999' })
  assert.deepEqual([part.status, part.headers.get('content-range')], [206, 'bytes 1000000-1999999/3000000'])
  assert.ok(part.bytes.equals(bytes.subarray(1_000_000, 2_000_000)))
})

step(
  'an object store that is down is UNAVAILABLE, and has what came in meanwhile when it is back',
  async () => {
    await s3.stop()
    const asked = await fetchMedia({ stack }, stored)
    assert.deepEqual([asked.status, JSON.parse(asked.bytes.toString()).error.code], [503, 'UNAVAILABLE'])
    assert.equal(asked.headers.get('retry-after'), '2')
    const later = randomBytes(10_000)
    const { id } = await image(stack, '15557000212', later)
    const [worker] = stack.workers
    const postponed = await worker?.line(({ event }) => event === 'media.postponed', 'the failed upload')
    assert.equal(postponed?.['code'], 'the object store did not answer PUT: ECONNREFUSED')
    await s3.start()
    await isStored(id, later)
    assert.equal(sha256((await fetchMedia({ stack }, id)).bytes), sha256(later))
    assert.equal((await s3.keys()).length, 2)
  },
)

step('no log has the credentials', async () => {
  const text = stack
    .logFiles()
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n')
  assert.match(text, /BLOBS_S3_ENDPOINT/)
  const { accessKeyId, secretAccessKey } = s3.access
  for (const secret of [accessKeyId, secretAccessKey, 'AWS4-HMAC']) assert.ok(!text.includes(secret), secret)
})
