import assert from 'node:assert/strict'
import { BoundedMap, pushBounded, Ring } from '../../../src/simulator/bounded.ts'
import { describe, test } from '../../support/harness.ts'

const filled = (capacity: number, count: number): Ring<{ n: number }> => {
  const ring = new Ring<{ n: number }>(capacity)
  for (let n = 1; n <= count; n += 1) ring.push({ n })
  return ring
}

describe('a ring', () => {
  test('gives what came after a sequence number and where to go on', () => {
    const ring = filled(10, 5)
    assert.deepEqual(ring.since(2, 2), {
      data: [
        { seq: 3, n: 3 },
        { seq: 4, n: 4 },
      ],
      next: 4,
    })
    assert.deepEqual(ring.since(5, 10), { data: [], next: 5 })
  })

  test('keeps only the newest values and skips to the oldest that is left', () => {
    const { data, next } = filled(3, 8).since(0, 10)
    assert.deepEqual(data, [
      { seq: 6, n: 6 },
      { seq: 7, n: 7 },
      { seq: 8, n: 8 },
    ])
    assert.equal(next, 8)
  })

  test('goes on counting after it was cleared', () => {
    const ring = filled(3, 4)
    ring.clear()
    assert.deepEqual(ring.since(0, 10).data, [])
    ring.push({ n: 99 })
    assert.deepEqual(ring.since(0, 10), { data: [{ seq: 5, n: 99 }], next: 5 })
  })
})

describe('bounded collections', () => {
  test('a map forgets its oldest key, and replacing a value forgets nothing', () => {
    const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3)
    assert.deepEqual(
      [...map],
      [
        ['a', 3],
        ['b', 2],
      ],
    )
    map.set('c', 4)
    assert.deepEqual([...map.keys()], ['b', 'c'])
  })

  test('a list drops from the front', () => {
    const list = [1, 2, 3]
    pushBounded(list, 4, 3)
    assert.deepEqual(list, [2, 3, 4])
  })
})
