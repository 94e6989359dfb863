// A worker may have one connection (DATABASE_POOL=1).
import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { blobs, contentOf, erase, exported, known, single, worker } from './world.ts'

describe('with one connection', () => {
  test('an erasure ends, although it asks for the owners of endpoints', async () => {
    const readAnew = async () => (await single`select`).count === 1
    const { status } = await erase(await known(), [worker(undefined, readAnew, blobs, single)])
    assert.equal(status, 'COMPLETED')
  })

  test('an export ends', async () => {
    const who = await known()
    const id = await exported(who, [worker(undefined, undefined, blobs, single)])
    assert.notEqual((await contentOf(who, id)).length, 0)
  })
})
