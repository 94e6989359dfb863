import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startLoop } from '../../../workers/loop.ts'

const quiet = { warn: () => undefined }

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
