import assert from 'node:assert/strict'
import { readAhead } from '../../../src/shared/read-ahead.ts'
import { describe, test } from '../../support/harness.ts'

describe('reading ahead', () => {
  test('gives everything in order, one further being read meanwhile and no more', async () => {
    let read = 0
    async function* source() {
      for (; read < 5; ) yield ++read
    }
    const seen: number[] = []
    for await (const item of readAhead(source())) {
      await new Promise((resolve) => setImmediate(resolve))
      assert.equal(read, Math.min(item + 1, 5))
      seen.push(item)
    }
    assert.deepEqual(seen, [1, 2, 3, 4, 5])
  })

  test('throws what the source throws, behind what came before', async () => {
    async function* source() {
      yield 1
      throw new Error('broken')
    }
    const seen: number[] = []
    const reading = async () => {
      for await (const item of readAhead(source())) seen.push(item)
    }
    await assert.rejects(reading(), /broken/)
    assert.deepEqual(seen, [1])
  })

  test('that is given up lets go of its source, and of what that throws then', async () => {
    let isLeft = false
    async function* source() {
      try {
        yield 1
        await new Promise((resolve) => setImmediate(resolve))
        throw new Error('nobody listens')
      } finally {
        isLeft = true
      }
    }
    for await (const _ of readAhead(source())) break
    while (!isLeft) await new Promise((resolve) => setImmediate(resolve))
  })
})
