import assert from 'node:assert/strict'
import { shareStatement } from '../../../../src/platform/postgres/share-statement.ts'
import { BatcherFull } from '../../../../src/shared/batcher.ts'
import { describe, test } from '../../../support/harness.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** A statement that the test ends; `locked` and `bad` items have one of their own. */
function statement(options: { readonly width?: number; readonly maxWaiting?: number } = {}) {
  const batches: number[][] = []
  const alone: number[] = []
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = []
  const add = shareStatement<number, string>({
    one: async (item) => {
      alone.push(item)
      if (item < 0) throw failure('23514')
      return `alone ${item}`
    },
    now: async (items) => {
      batches.push([...items])
      await new Promise<void>((resolve, reject) => ends.push({ resolve, reject }))
      if (items.some((item) => item < 0)) throw failure('23514')
      return items.map((item) => (item >= 100 ? undefined : `shared ${item}`))
    },
    width: options.width ?? 1,
    maxItems: 3,
    maxWaiting: options.maxWaiting ?? 100,
  })
  const end = async (error?: Error) => {
    const next = ends.shift()
    if (error) next?.reject(error)
    else next?.resolve()
    await turn()
  }
  return { add, end, batches, alone }
}

describe('a shared statement', () => {
  test('takes what one turn of the loop brings, and what arrives meanwhile', async () => {
    const { add, end, batches, alone } = statement()
    const results = [add(1)]
    await turn()
    assert.deepEqual(batches, [[1]])
    results.push(...[2, 3, 4, 5].map(add))
    await turn()
    assert.deepEqual(batches, [[1]])
    await end()
    assert.deepEqual(batches, [[1], [2, 3, 4]])
    await end()
    await end()
    assert.deepEqual(
      await Promise.all(results),
      [1, 2, 3, 4, 5].map((item) => `shared ${item}`),
    )
    assert.deepEqual([batches.at(-1), alone], [[5], []])
  })

  test('runs as often at the same time as it may', async () => {
    const { add, end, batches } = statement({ width: 2 })
    const results = [1, 2, 3, 4].map(add)
    await turn()
    assert.deepEqual(batches, [[1, 2, 3], [4]])
    results.push(...[5, 6].map(add))
    for (let index = 0; index < 3; index += 1) await end()
    assert.equal((await Promise.all(results)).length, 6)
    assert.deepEqual(batches, [[1, 2, 3], [4], [5, 6]])
  })

  test('leaves a locked row alone, and nobody waits for it', async () => {
    const { add, end, alone } = statement()
    const results = [1, 2, 100, 3].map(add)
    await turn()
    await end()
    await end()
    assert.deepEqual(await Promise.all(results), ['shared 1', 'shared 2', 'alone 100', 'shared 3'])
    assert.deepEqual(alone, [100])
  })

  test('singles out the row that makes it fail', async () => {
    const { add, end } = statement()
    const results = [1, 2, -1, 3].map(add)
    const settled = Promise.allSettled(results)
    await turn()
    await end()
    await end()
    assert.deepEqual(
      (await settled).map((one) => (one.status === 'fulfilled' ? one.value : one.reason.code)),
      ['alone 1', 'alone 2', '23514', 'shared 3'],
    )
  })

  test('is not repeated after an outage: it may have been committed', async () => {
    const { add, end, alone } = statement()
    const settled = Promise.allSettled([1, 2, 3, 4].map(add))
    await turn()
    await end(failure('CONNECTION_CLOSED'))
    await end()
    assert.deepEqual(
      (await settled).map(({ status }) => status),
      ['rejected', 'rejected', 'rejected', 'fulfilled'],
    )
    assert.deepEqual(alone, [])
  })

  test('refuses more than may wait', async () => {
    const { add, end } = statement({ maxWaiting: 1 })
    const results = [add(1)]
    await turn()
    results.push(add(2))
    await assert.rejects(add(3), BatcherFull)
    await end()
    await end()
    assert.deepEqual(await Promise.all(results), ['shared 1', 'shared 2'])
  })
})
