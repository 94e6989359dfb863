import assert from 'node:assert/strict'
import fc from 'fast-check'
import { AttemptQueue } from '../../../src/delivery/attempt-queue.ts'
import { ProcessBudget } from '../../../src/delivery/process-budget.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const share = () => new ProcessBudget({ bytes: 1_000_000 }).open('x', 1, newId('workspace')).first
const newQueue = () =>
  new AttemptQueue<{ key: string; body: string; order: number }>({ items: 1_000, bytes: 1_000_000 }, share())

describe('a keyed queue', () => {
  test('items of one key come in the order they were put in, whatever is taken, released and put back in between', () => {
    const key = fc.constantFrom('a', 'b', 'c', 'd')
    const steps = fc.array(
      fc.oneof(
        { weight: 3, arbitrary: fc.record({ type: fc.constant('push' as const), key }) },
        { weight: 2, arbitrary: fc.record({ type: fc.constant('take' as const), key }) },
        { weight: 2, arbitrary: fc.record({ type: fc.constant('release' as const), key }) },
        { weight: 1, arbitrary: fc.record({ type: fc.constant('putBack' as const), key }) },
      ),
      { maxLength: 150, size: 'max' },
    )
    const property = fc.property(steps, (script) => {
      const queue = newQueue()
      const taken = new Map<string, { key: string; body: string; order: number }>()
      const waiting = new Map<string, number[]>()
      let held = 0
      const doStep = {
        push(of: string, order: number) {
          held += 1
          waiting.set(of, [...(waiting.get(of) ?? []), order])
          queue.push({ key: of, body: 'x', order })
        },
        take() {
          const item = queue.take()
          const isFree = [...waiting].some(([of, orders]) => orders.length > 0 && !taken.has(of))
          assert.equal(item !== undefined, isFree)
          if (!item) return
          held -= 1
          assert.equal(item.order, waiting.get(item.key)?.shift())
          assert.ok(!taken.has(item.key))
          taken.set(item.key, item)
        },
        release(of: string) {
          if (taken.delete(of)) queue.release(of)
        },
        putBack(of: string) {
          const item = taken.get(of)
          if (!item) return
          taken.delete(of)
          held += 1
          waiting.get(of)?.unshift(item.order)
          queue.putBack(item)
        },
      }
      for (const [order, step] of script.entries()) {
        doStep[step.type](step.key, order)
        assert.equal(queue.size, held)
      }
      assert.equal(queue.clear().length, held)
    })
    fc.assert(property, { numRuns: 500 })
  })

  test('it is full by count and by bytes', () => {
    const small = new AttemptQueue<{ key: string; body: string }>({ items: 2, bytes: 10 }, share())
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
