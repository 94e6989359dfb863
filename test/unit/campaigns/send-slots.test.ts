import assert from 'node:assert/strict'
import fc from 'fast-check'
import { createSendSlots } from '../../../src/campaigns/send-slots.ts'
import { describe, test } from '../../support/harness.ts'

const never = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('the slots of a process', () => {
  test('are never more than there are, and all are there again in the end, whatever comes when', async () => {
    const step = fc.record({
      workspace: fc.constantFrom('a', 'b', 'c'),
      want: fc.integer({ min: 1, max: 9 }),
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 1, max: 10 }),
        async (steps, total) => {
          const slots = createSendSlots(total)
          let taken = 0
          const work = steps.map(async ({ workspace, want }) => {
            const count = await slots.take(workspace, want, never)
            taken += count
            assert.ok(count >= 1 && count <= want && taken <= total)
            await settled()
            taken -= count
            slots.release(count)
          })
          await Promise.all(work)
          assert.equal(await slots.take('z', total, never), total)
        },
      ),
      { numRuns: 50 },
    )
  })

  test('go to workspaces in turn: one with many numbers gets no more than one with a single one', async () => {
    const slots = createSendSlots(2)
    await slots.take('first', 2, never)
    const served: string[] = []
    const ask = (workspace: string) =>
      slots.take(workspace, 1, never).then(() => {
        served.push(workspace)
      })
    for (const workspace of ['big', 'big', 'big', 'small']) void ask(workspace)
    slots.release(2)
    await settled()
    assert.deepEqual(served, ['big', 'small'])
  })

  test('are shared out while several wait, instead of going to the first', async () => {
    const slots = createSendSlots(10)
    await slots.take('first', 10, never)
    const asked = ['a', 'b'].map((workspace) => slots.take(workspace, 10, never))
    slots.release(10)
    assert.deepEqual(await Promise.all(asked), [5, 5])
  })

  test('are not given to who has gone', async () => {
    const slots = createSendSlots(1)
    await slots.take('a', 1, never)
    const leaving = new AbortController()
    const gone = slots.take('b', 1, leaving.signal)
    leaving.abort()
    assert.equal(await gone, 0)
    slots.release(1)
    assert.equal(await slots.take('c', 1, never), 1)
    assert.equal(await slots.take('c', 1, leaving.signal), 0)
  })
})
