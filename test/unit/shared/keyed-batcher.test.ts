import assert from 'node:assert/strict'
import { BatcherFull } from '../../../src/shared/batcher.ts'
import { KeyedBatcher, type KeyedBatcherOptions } from '../../../src/shared/keyed-batcher.ts'
import { describe, test } from '../../support/harness.ts'

interface Item {
  readonly key: string
  readonly value: number
}

const items = (key: string, ...values: number[]): Item[] => values.map((value) => ({ key, value }))
const turn = () => new Promise((resolve) => setImmediate(resolve))

function gate() {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open() }
}

/** Each flush waits for its gate. */
function gated(patch: Partial<KeyedBatcherOptions<Item, number>> = {}) {
  const flushes: { readonly batch: string; readonly open: () => void }[] = []
  const batcher = new KeyedBatcher<Item, number>({
    ...{ keyOf: ({ key }) => key, maxItems: 10, maxWaiting: 100, concurrency: 2 },
    flush: async (batch) => {
      const { opened, open } = gate()
      flushes.push({ batch: batch.map(({ key, value }) => `${key}${value}`).join(' '), open })
      await opened
      return batch.map(({ value }) => value)
    },
    ...patch,
  })
  const add = (all: readonly Item[]) => all.map((item) => batcher.add(item))
  return { batcher, flushes, add, batches: () => flushes.map(({ batch }) => batch) }
}

const timeout = () => Object.assign(new Error('lock'), { code: '55P03' })

describe('a batcher that keeps the order of keys', () => {
  test('what arrives in one turn of the loop goes together, also several of one key', async () => {
    const { add, flushes, batches } = gated()
    const results = add([...items('a', 1, 2), ...items('b', 3), ...items('a', 4)])
    await turn()
    assert.deepEqual(batches(), ['a1 a2 a4 b3'])
    flushes[0]?.open()
    assert.deepEqual(await Promise.all(results), [1, 2, 3, 4])
  })

  test('a key that is being written waits, other keys do not', async () => {
    const { add, flushes, batches } = gated()
    const first = add(items('a', 1))
    await turn()
    const later = add([...items('a', 2), ...items('b', 3), ...items('a', 4)])
    await turn()
    assert.deepEqual(batches(), ['a1', 'b3'])
    flushes[1]?.open()
    await later[1]
    assert.deepEqual(batches(), ['a1', 'b3'])
    flushes[0]?.open()
    await first[0]
    await turn()
    assert.deepEqual(batches(), ['a1', 'b3', 'a2 a4'])
    flushes[2]?.open()
    await Promise.all(later)
  })

  test('what arrives while all flushes run goes with the next, at most so many at once', async () => {
    const { add, flushes, batches } = gated({ maxItems: 2 })
    const all = add([...items('a', 1), ...items('b', 2), ...items('c', 3), ...items('d', 4)])
    await turn()
    await turn()
    all.push(...add([...items('e', 5), ...items('f', 6), ...items('g', 7)]))
    await turn()
    assert.deepEqual(batches(), ['a1 b2', 'c3 d4'])
    flushes[1]?.open()
    await all[3]
    await turn()
    assert.deepEqual(batches(), ['a1 b2', 'c3 d4', 'e5 f6'])
    for (let index = 0; index < 4; index += 1) {
      flushes[index]?.open()
      await turn()
      await turn()
    }
    assert.deepEqual(await Promise.all(all), [1, 2, 3, 4, 5, 6, 7])
    assert.equal(batches().at(-1), 'g7')
  })

  test('the rest of a key that does not fit goes with the next flush, in order', async () => {
    const { add, flushes, batches } = gated({ maxItems: 2 })
    const all = add(items('a', 1, 2, 3))
    await turn()
    await turn()
    assert.deepEqual(batches(), ['a1 a2'])
    flushes[0]?.open()
    await all[1]
    await turn()
    flushes[1]?.open()
    assert.deepEqual(await Promise.all(all), [1, 2, 3])
    assert.deepEqual(batches(), ['a1 a2', 'a3'])
  })

  test('a result that takes longer holds its key, and the place of the flush is free', async () => {
    const { opened, open } = gate()
    const seen: string[] = []
    const batcher = new KeyedBatcher<Item, number>({
      ...{ keyOf: ({ key }) => key, maxItems: 10, maxWaiting: 100, concurrency: 1 },
      flush: async (batch) => {
        seen.push(batch.map(({ key, value }) => `${key}${value}`).join(' '))
        return batch.map(({ key, value }) => (value === 1 ? opened.then(() => value) : value + key.length))
      },
    })
    const slow = batcher.add({ key: 'a', value: 1 })
    const quick = batcher.add({ key: 'b', value: 2 })
    assert.equal(await quick, 3)
    const behind = batcher.add({ key: 'a', value: 3 })
    assert.equal(await batcher.add({ key: 'b', value: 4 }), 5)
    assert.deepEqual(seen, ['a1 b2', 'b4'])
    open()
    assert.deepEqual(await Promise.all([slow, behind]), [1, 4])
    assert.deepEqual(seen, ['a1 b2', 'b4', 'a3'])
  })

  test('a bad item fails alone, its neighbours are written, in order', async () => {
    const written: number[] = []
    const { add } = gated({
      flush: async (batch) => {
        if (batch.some(({ value }) => value === 13)) throw new Error('bad row')
        written.push(...batch.map(({ value }) => value))
        return batch.map(({ value }) => value)
      },
    })
    const results = await Promise.allSettled(add([...items('a', 1, 13, 2), ...items('b', 3)]))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual(written, [1, 2, 3])
  })

  test('one item that waits too long takes no other with it', async () => {
    const { add } = gated({
      flush: async (batch) => {
        if (batch.some(({ value }) => value === 13)) throw timeout()
        return batch.map(({ value }) => value)
      },
    })
    const results = await Promise.allSettled(add([...items('a', 1), ...items('b', 13), ...items('c', 2)]))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })

  test('when the server times out, no more than two items are tried', async () => {
    let flushes = 0
    const { add } = gated({
      flush: async () => {
        flushes += 1
        throw timeout()
      },
    })
    const results = await Promise.allSettled(
      add([1, 2, 3, 4, 5].map((value) => ({ key: `k${value}`, value }))),
    )
    assert.ok(results.every(({ status }) => status === 'rejected'))
    assert.equal(flushes, 3)
  })

  test('of one key, an item that is tried alone waits for the one before it', async () => {
    const { opened, open } = gate()
    const tried: number[] = []
    const { add } = gated({
      flush: async (batch) => {
        if (batch.length > 1) throw new Error('not together')
        const value = batch[0]?.value ?? 0
        tried.push(value)
        return [value === 1 ? opened.then(() => value) : value]
      },
    })
    const results = add(items('a', 1, 2))
    await turn()
    await turn()
    assert.deepEqual(tried, [1])
    open()
    assert.deepEqual(await Promise.all(results), [1, 2])
  })

  test('too many waiting items are refused at once', async () => {
    const { add, flushes } = gated({ maxWaiting: 2 })
    const all = add(items('a', 1, 2))
    await assert.rejects(Promise.all(add(items('b', 3))), BatcherFull)
    await turn()
    flushes[0]?.open()
    await Promise.all(all)
  })

  test('a further flush starts once one has run for long: until then what waits is one batch', async () => {
    const { add, flushes, batches } = gated({ relieveAfterMs: 60_000 })
    const all = add(items('a', 1))
    await turn()
    all.push(...add(items('b', 2)))
    await turn()
    all.push(...add(items('c', 3)))
    await turn()
    assert.deepEqual(batches(), ['a1'])
    flushes[0]?.open()
    await all[0]
    await turn()
    assert.deepEqual(batches(), ['a1', 'b2 c3'])
    flushes[1]?.open()
    await Promise.all(all)
  })

  test('a flush that does not end holds up nobody else', async () => {
    const { add, flushes } = gated({ relieveAfterMs: 1 })
    const stuck = add(items('a', 1))
    await turn()
    const later = add(items('b', 2))
    while (flushes.length < 2) await turn()
    flushes[1]?.open()
    assert.deepEqual(await Promise.all(later), [2])
    flushes[0]?.open()
    await Promise.all(stuck)
  })
})
