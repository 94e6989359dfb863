import assert from 'node:assert/strict'
import {
  type AttemptCount,
  AttemptTally,
  bucketOf,
  percentileOf,
  startOf,
} from '../../../src/delivery/attempt-tally.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

const workspaceId = newId('workspace')

describe('the tally of attempts', () => {
  test('a percentile is at most a fifth above and never below its bucket', () => {
    for (const ms of [1, 7, 40, 250, 1_000, 30_000]) {
      const counts = [{ bucket: bucketOf(ms), attempts: 100 }]
      const p95 = percentileOf(counts, 0.95) ?? assert.fail()
      assert.ok(p95 >= ms * 0.84 && p95 <= ms * 1.2 + 1, `${p95} of ${ms}`)
    }
    assert.equal(percentileOf([], 0.95), null)
    assert.ok(bucketOf(0) === 0 && bucketOf(1e12) === 79 && startOf(4) === 2)
  })

  test('a percentile is of all attempts, wherever their buckets stand', () => {
    const counts = [
      { bucket: bucketOf(900), attempts: 6 },
      { bucket: bucketOf(10), attempts: 94 },
    ]
    assert.ok((percentileOf(counts, 0.95) ?? 0) > 700)
    assert.ok((percentileOf(counts, 0.5) ?? 0) < 13)
  })

  const openTally = () => {
    const clock = new SimulatedClock()
    const written: AttemptCount[][] = []
    let isAway = false
    const tally = new AttemptTally({
      clock,
      add: async (counts) => {
        if (isAway) throw new Error('the database is away')
        written.push(counts.map((count) => ({ ...count })))
      },
    })
    const add = (durationMs: number, type: 'delivered' | 'failed' | 'uncharged') =>
      tally.add({
        workspaceId,
        endedAt: new Date(clock.now()),
        report: { durationMs } as never,
        verdict: { type },
      })
    return {
      clock,
      written,
      tally,
      add,
      setAway: (value: boolean) => {
        isAway = value
      },
    }
  }

  test('many attempts become one row each quarter and duration, and faults of ours none', async () => {
    const { clock, written, add } = openTally()
    for (let count = 0; count < 50; count += 1) add(40, 'delivered')
    add(40, 'failed')
    add(40, 'uncharged')
    await clock.advance(5_000)
    assert.equal(written.length, 1)
    assert.deepEqual(
      written[0]?.map(({ attempts, failures }) => [attempts, failures]),
      [[51, 1]],
    )
    await clock.advance(60_000)
    assert.equal(written.length, 1, 'nothing new, nothing written')
  })

  test('what could not be written is written with what comes next, once', async () => {
    const { clock, written, add, tally, setAway } = openTally()
    setAway(true)
    add(40, 'delivered')
    await clock.advance(5_000)
    setAway(false)
    add(40, 'failed')
    await tally.flush()
    assert.deepEqual(
      written.flat().map(({ attempts, failures }) => [attempts, failures]),
      [[2, 1]],
    )
  })
})
