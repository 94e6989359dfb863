import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { KeyedLane } from '../../../src/webhooks/lanes.ts'

const lane = () => new KeyedLane<{ key: string; body: string; order: number }>(1_000, 1_000_000)

describe('a keyed lane', () => {
  test('items of one key come in the order they were put in, whatever is taken and released in between', () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({ type: fc.constant('push' as const), key: fc.constantFrom('a', 'b', 'c') }),
        fc.record({ type: fc.constant('take' as const) }),
        fc.record({ type: fc.constant('release' as const), key: fc.constantFrom('a', 'b', 'c') }),
      ),
      { maxLength: 80 },
    )
    fc.assert(
      fc.property(steps, (script) => {
        const queue = lane()
        const seen = new Map<string, number>()
        const busy = new Set<string>()
        let held = 0
        const take = () => {
          const taken = queue.take()
          if (!taken) return
          held -= 1
          assert.ok(!busy.has(taken.key))
          assert.ok(taken.order > (seen.get(taken.key) ?? 0))
          seen.set(taken.key, taken.order)
          busy.add(taken.key)
        }
        const release = (key: string) => {
          if (busy.delete(key)) queue.release(key)
        }
        const push = (key: string, order: number) => {
          held += 1
          queue.push({ key, body: 'x', order })
        }
        script.forEach((step, index) => {
          if (step.type === 'take') take()
          else if (step.type === 'release') release(step.key)
          else push(step.key, index + 1)
          assert.equal(queue.size, held)
        })
        assert.equal(queue.clear().length, held)
      }),
    )
  })

  test('it is full by count and by bytes', () => {
    const small = new KeyedLane<{ key: string; body: string }>(2, 10)
    small.push({ key: 'a', body: 'x'.repeat(10) })
    assert.equal(small.isFull, true)
    assert.equal(small.isLow, false)
    small.take()
    assert.equal(small.isFull, false)
    small.push({ key: 'b', body: '' })
    small.push({ key: 'c', body: '' })
    assert.equal(small.isFull, true)
  })
})
