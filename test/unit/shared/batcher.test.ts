import assert from 'node:assert/strict'
import { Batcher, BatcherFull } from '../../../src/shared/batcher.ts'
import { describe, test } from '../../support/harness.ts'

const gate = () => {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

describe('a natural batcher', () => {
  test('what arrives while a batch runs becomes the next one', async () => {
    const batches: number[][] = []
    const first = gate()
    const batcher = new Batcher<number, number>({
      maxItems: 10,
      maxWaiting: 100,
      flush: async (items) => {
        batches.push(items)
        if (batches.length === 1) await first.opened
        return items.map((item) => item * 2)
      },
    })
    const one = batcher.add(1)
    await new Promise((resolve) => setImmediate(resolve))
    const rest = [batcher.add(2), batcher.add(3)]
    first.open()
    assert.deepEqual(await Promise.all([one, ...rest]), [2, 4, 6])
    assert.deepEqual(batches, [[1], [2, 3]])
  })

  test('a bad item fails alone, its neighbours are written', async () => {
    const batcher = new Batcher<number, number>({
      maxItems: 10,
      maxWaiting: 100,
      flush: async (items) => {
        if (items.includes(13)) throw new Error('bad row')
        return items
      },
    })
    const results = await Promise.allSettled([1, 13, 2].map((item) => batcher.add(item)))
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })

  test('when the server times out, all items fail with it at once', async () => {
    let flushes = 0
    const batcher = new Batcher<number, number>({
      maxItems: 10,
      maxWaiting: 100,
      flush: async () => {
        flushes += 1
        throw Object.assign(new Error('lock'), { code: '55P03' })
      },
    })
    const results = await Promise.allSettled([1, 2, 3].map((item) => batcher.add(item)))
    assert.ok(results.every(({ status }) => status === 'rejected'))
    assert.equal(flushes, 1)
  })

  test('while the server refuses connections, two items find out for all; one lost connection fails nobody', async () => {
    const flushOf = (faults: number) => {
      let flushes = 0
      const batcher = new Batcher<number, number>({
        maxItems: 10,
        maxWaiting: 100,
        flush: async (items) => {
          flushes += 1
          if (flushes <= faults) throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })
          return items
        },
      })
      return { batcher, flushes: () => flushes }
    }
    const ten = Array.from({ length: 10 }, (_, index) => index)
    const away = flushOf(100)
    const results = await Promise.allSettled(ten.map((item) => away.batcher.add(item)))
    assert.ok(results.every(({ status }) => status === 'rejected'))
    assert.equal(away.flushes(), 3)
    const cut = flushOf(1)
    assert.deepEqual(await Promise.all(ten.map((item) => cut.batcher.add(item))), ten)
  })

  test('batches are no larger than allowed and keep the order', async () => {
    const sizes: number[] = []
    const batcher = new Batcher<number, number>({
      maxItems: 3,
      maxWaiting: 100,
      flush: async (items) => {
        sizes.push(items.length)
        return items
      },
    })
    const all = await Promise.all(Array.from({ length: 8 }, (_, index) => batcher.add(index)))
    assert.deepEqual(all, [0, 1, 2, 3, 4, 5, 6, 7])
    assert.deepEqual(sizes, [3, 3, 2])
  })

  test('past its bound it refuses at once', async () => {
    const first = gate()
    const batcher = new Batcher<number, number>({
      maxItems: 1,
      maxWaiting: 2,
      flush: async (items) => {
        await first.opened
        return items
      },
    })
    const running = batcher.add(0)
    await new Promise((resolve) => setImmediate(resolve))
    const waiting = [batcher.add(1), batcher.add(2)]
    await assert.rejects(batcher.add(3), BatcherFull)
    first.open()
    await Promise.all([running, ...waiting])
  })

  test('lingering items go out together, at once when there are enough or when it is drained', async () => {
    const sizes: number[] = []
    const batcher = new Batcher<number, void>({
      maxItems: 3,
      maxWaiting: 100,
      lingerMs: 60_000,
      flush: async (items) => {
        sizes.push(items.length)
        return items.map(() => undefined)
      },
    })
    await Promise.all([1, 2, 3].map((item) => batcher.add(item)))
    assert.deepEqual(sizes, [3])
    const last = batcher.add(4)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(sizes, [3])
    await batcher.drain()
    await last
    assert.deepEqual(sizes, [3, 1])
  })

  test('what comes while a batch runs lingers too, unless it is drained', async () => {
    const batches: number[][] = []
    const first = gate()
    const batcher = new Batcher<number, number>({
      maxItems: 2,
      maxWaiting: 100,
      lingerMs: 60_000,
      flush: async (items) => {
        batches.push(items)
        await first.opened
        return items
      },
    })
    const running = [batcher.add(1), batcher.add(2)]
    await new Promise((resolve) => setImmediate(resolve))
    const later = batcher.add(3)
    first.open()
    await Promise.all(running)
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(batches, [[1, 2]])
    const enough = batcher.add(4)
    await Promise.all([later, enough])
    const last = batcher.add(5)
    await batcher.drain()
    assert.equal(await last, 5)
    assert.deepEqual(batches, [[1, 2], [3, 4], [5]])
  })

  test('a lingering item goes out by itself', async () => {
    const batcher = new Batcher<number, number>({
      maxItems: 3,
      maxWaiting: 9,
      lingerMs: 5,
      flush: async (items) => items,
    })
    assert.equal(await batcher.add(7), 7)
  })

  test('drained, it has nothing waiting and nothing under way', async () => {
    let written = 0
    const batcher = new Batcher<number, void>({
      maxItems: 2,
      maxWaiting: 100,
      concurrency: 2,
      flush: async (items) => {
        await new Promise((resolve) => setImmediate(resolve))
        written += items.length
        return items.map(() => undefined)
      },
    })
    for (let index = 0; index < 9; index += 1) void batcher.add(index)
    await batcher.drain()
    assert.equal(written, 9)
    await batcher.drain()
  })

  test('a further batch starts beside one that runs for long, and not before', async () => {
    for (const [relieveAfterMs, expected] of [
      [60_000, [[1], [2, 3]]],
      [1, [[1], [2], [3]]],
    ] as const) {
      const batches: number[][] = []
      const first = gate()
      const batcher = new Batcher<number, number>({
        ...{ maxItems: 10, maxWaiting: 100, concurrency: 2, relieveAfterMs },
        flush: async (items) => {
          batches.push(items)
          if (batches.length === 1) await first.opened
          return items
        },
      })
      const turn = () => new Promise((resolve) => setImmediate(resolve))
      const one = batcher.add(1)
      await turn()
      const two = batcher.add(2)
      await turn()
      if (relieveAfterMs === 1) await two
      const three = batcher.add(3)
      await turn()
      if (relieveAfterMs === 1) await three
      first.open()
      assert.deepEqual(await Promise.all([one, two, three]), [1, 2, 3])
      assert.deepEqual(batches, expected)
    }
  })
})
