import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../../src/shared/ids.ts'
import { Commons } from '../../../src/webhooks/commons.ts'
import { KeyedLane } from '../../../src/webhooks/lanes.ts'

const share = () => new Commons({ bytes: 1_000_000 }).open('x', 1, newId('workspace')).first
const lane = () =>
  new KeyedLane<{ key: string; body: string; order: number }>({ items: 1_000, bytes: 1_000_000 }, share())

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
    const small = new KeyedLane<{ key: string; body: string }>({ items: 2, bytes: 10 }, share())
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
