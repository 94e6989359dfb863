import assert from 'node:assert/strict'
import { createKeepReady } from '../../../src/delivery/host/keep-ready.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

describe('endpoints that are to stay ready', () => {
  test('are told a few at a time, although nobody answers, and the round ends when all have', async () => {
    const clock = new SimulatedClock(0)
    const ids = Array.from({ length: 45 }, () => newId('endpoint'))
    const told: string[] = []
    const answers: (() => void)[] = []
    const keepReady = createKeepReady({
      ...{ clock, most: 100, servingSids: async () => [] },
      endpoints: { ringing: async ({ owners }) => (owners.length === 0 && told.length === 0 ? ids : []) },
      router: {
        tell: (_kind, id) => {
          const isAway = told.push(id) % 2 === 0
          return new Promise((resolve, reject) =>
            answers.push(() => (isAway ? reject(new Error('away')) : resolve(null))),
          )
        },
      },
    })
    let isOver = false
    const round = keepReady().then(() => {
      isOver = true
    })
    const counts: number[] = []
    for (let step = 0; step < 4; step += 1) {
      await clock.advance(step === 0 ? 1 : 20)
      counts.push(told.length)
    }
    assert.deepEqual(counts, [20, 40, 45, 45])
    assert.deepEqual(told, ids)
    assert.equal(isOver, false)
    for (const answer of answers) answer()
    await round
  })
})
