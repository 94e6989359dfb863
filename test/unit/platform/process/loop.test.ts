import assert from 'node:assert/strict'
import { pauseAfter, startLoop } from '../../../../src/platform/process/loop.ts'
import { describe, test } from '../../../support/harness.ts'

const quiet = { warn: () => undefined }

describe('the pause between rounds', () => {
  const about = (ms: number, everyMs: number, failures: number) => {
    const pause = pauseAfter(everyMs, failures)
    assert.ok(pause >= ms * 0.94 && pause <= ms * 1.06, `${pause} for ${ms}`)
  }

  test('is the one asked for, however long', () => {
    about(1_000, 1_000, 0)
    about(3_600_000, 3_600_000, 0)
  })

  test('grows with failures up to five rounds or half a minute, and never shrinks', () => {
    about(4_000, 1_000, 2)
    about(5_000, 1_000, 50)
    about(30_000, 10_000, 50)
    about(600_000, 600_000, 3)
  })
})

describe('a loop', () => {
  test('goes on at once while there is more, and outlives a failure', async () => {
    const seen: string[] = []
    let finished: () => void = () => undefined
    const done = new Promise<void>((resolve) => {
      finished = resolve
    })
    const loop = startLoop({
      name: 'test',
      everyMs: 1,
      log: quiet,
      run: async () => {
        seen.push('round')
        if (seen.length === 2) throw new Error('no database')
        if (seen.length >= 4) finished()
        return seen.length === 1
      },
    })
    await done
    await loop.stop()
    assert.ok(seen.length >= 4)
  })

  test('never runs twice at once, and stops after the round under way', async () => {
    let running = 0
    let most = 0
    let rounds = 0
    const loop = startLoop({
      name: 'test',
      everyMs: 1,
      log: quiet,
      run: async () => {
        running += 1
        most = Math.max(most, running)
        await new Promise((resolve) => setImmediate(resolve))
        running -= 1
        rounds += 1
        return rounds < 50
      },
    })
    while (rounds < 20) await new Promise((resolve) => setImmediate(resolve))
    await loop.stop()
    const stoppedAt = rounds
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(rounds, stoppedAt)
    assert.equal(running, 0)
    assert.equal(most, 1)
  })
})
