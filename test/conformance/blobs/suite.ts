// What every blob store must do, whatever its implementation.
import assert from 'node:assert/strict'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { BlobStore, OpenBlob } from '../../../src/contract/blobs.ts'
import { describe, test } from '../../support/harness.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const any = { limitBytes: 10_000_000, sha256: null }

async function* pieces(bytes: Uint8Array, size = 64 * 1024): AsyncGenerator<Uint8Array> {
  for (let offset = 0; offset < bytes.length; offset += size) yield bytes.subarray(offset, offset + size)
}

async function* breaksOff(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
  throw new Error('the source broke off')
}

async function leaveEarly(blob: OpenBlob | undefined): Promise<void> {
  const reader = blob?.body[Symbol.asyncIterator]()
  assert.equal((await reader?.next())?.done, false)
  await reader?.return?.()
}

export interface StoreUnderTest {
  readonly blobs: BlobStore
  /** How many unfinished files are left. */
  leftovers(): Promise<number>
}

export function blobStoreSuite(name: string, open: () => Promise<StoreUnderTest>): void {
  const newKey = () => `${randomUUID()}/${randomUUID()}`

  async function read(blobs: BlobStore, key: string, range?: { start: number; end: number }) {
    const blob = await blobs.open(key, range)
    if (!blob) return undefined
    const chunks: Uint8Array[] = []
    for await (const chunk of blob.body) chunks.push(chunk)
    return { sizeBytes: blob.sizeBytes, bytes: Buffer.concat(chunks) }
  }

  describe(`a blob store of ${name}`, () => {
    test('gives back what was put, whole and in ranges, and says how much there is', async () => {
      const { blobs, leftovers } = await open()
      const bytes = randomBytes(1_000_000)
      const key = newKey()
      const put = await blobs.put(key, pieces(bytes), { ...any, sha256: sha256(bytes) })
      assert.deepEqual(put, { type: 'stored', sizeBytes: bytes.length, sha256: sha256(bytes) })
      assert.deepEqual(await read(blobs, key), { sizeBytes: bytes.length, bytes })
      for (const [start, end] of [
        [0, 0],
        [10, 300_000],
        [999_999, 999_999],
        [0, 999_999],
      ] as const) {
        const part = await read(blobs, key, { start, end })
        assert.ok(part?.bytes.equals(bytes.subarray(start, end + 1)), `${start}-${end}`)
        assert.equal(part?.sizeBytes, bytes.length)
      }
      assert.equal(await leftovers(), 0)
    })

    test('keeps an empty blob', async () => {
      const { blobs } = await open()
      const key = newKey()
      assert.equal((await blobs.put(key, pieces(Buffer.alloc(0)), any)).type, 'stored')
      assert.deepEqual(await read(blobs, key), { sizeBytes: 0, bytes: Buffer.alloc(0) })
    })

    test('replaces what was there, for those who open it from now on', async () => {
      const { blobs } = await open()
      const key = newKey()
      for (const text of ['the first', 'second']) await blobs.put(key, pieces(Buffer.from(text)), any)
      assert.equal((await read(blobs, key))?.bytes.toString(), 'second')
    })

    test('stores nothing of what is too large, of another digest, or breaks off, and keeps what was there', async () => {
      const { blobs, leftovers } = await open()
      const key = newKey()
      const before = Buffer.from('before')
      await blobs.put(key, pieces(before), any)
      const bytes = randomBytes(1_001)
      const large = await blobs.put(key, pieces(bytes, 100), { limitBytes: 1_000, sha256: null })
      assert.deepEqual(large, { type: 'tooLarge' })
      const other = await blobs.put(key, pieces(bytes), { ...any, sha256: sha256(before) })
      assert.deepEqual(other, { type: 'mismatch', sha256: sha256(bytes) })
      await assert.rejects(blobs.put(key, breaksOff(bytes), any), /broke off/)
      assert.equal(
        (await blobs.put(newKey(), pieces(bytes), { limitBytes: 1_001, sha256: null })).type,
        'stored',
      )
      assert.deepEqual((await read(blobs, key))?.bytes, before)
      assert.equal(await leftovers(), 0)
    })

    test('stores nothing of what is broken off from outside, and throws the reason', async () => {
      const { blobs, leftovers } = await open()
      const key = newKey()
      const leaving = new AbortController()
      const reason = new Error('leaving')
      async function* broken(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('some')
        leaving.abort(reason)
        yield Buffer.from('more')
      }
      const isReason = (error: unknown) => error === reason
      const { signal } = leaving
      await assert.rejects(blobs.put(key, broken(), { ...any, signal }), isReason)
      await assert.rejects(blobs.put(key, pieces(Buffer.from('x')), { ...any, signal }), isReason)
      assert.equal(await blobs.open(key), undefined)
      assert.equal(await leftovers(), 0)
    })

    test('of two at once one is there whole', async () => {
      const { blobs } = await open()
      const key = newKey()
      const both = [randomBytes(500_000), randomBytes(500_000)]
      await Promise.all(both.map((bytes) => blobs.put(key, pieces(bytes), any)))
      const found = await read(blobs, key)
      assert.ok(both.some((bytes) => found?.bytes.equals(bytes)))
    })

    test('has no blob under a key that was never put or was deleted, twice or not', async () => {
      const { blobs } = await open()
      const key = newKey()
      assert.equal(await blobs.open(key), undefined)
      await blobs.put(key, pieces(Buffer.from('x')), any)
      await blobs.delete(key)
      await blobs.delete(key)
      assert.equal(await blobs.open(key), undefined)
    })

    test('a reader that leaves early, or never starts, holds up nobody', async () => {
      const { blobs } = await open()
      const key = newKey()
      const bytes = randomBytes(3_000_000)
      await blobs.put(key, pieces(bytes), any)
      for (let index = 0; index < 50; index += 1) {
        await blobs.open(key)
        await leaveEarly(await blobs.open(key))
      }
      assert.ok((await read(blobs, key))?.bytes.equals(bytes))
    })

    test('takes no key that could lead elsewhere', async () => {
      const { blobs } = await open()
      for (const key of [
        '',
        '..',
        '../x',
        'a/../b',
        '/a',
        'a/',
        'a//b',
        'a\\b',
        'a\0',
        'a.b',
        'é',
        'x'.repeat(201),
      ]) {
        await assert.rejects(blobs.put(key, pieces(Buffer.from('x')), any), /not a blob key/, key)
        await assert.rejects(blobs.open(key), /not a blob key/, key)
        await assert.rejects(blobs.delete(key), /not a blob key/, key)
      }
    })
  })
}
