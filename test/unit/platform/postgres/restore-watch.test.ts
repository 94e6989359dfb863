import assert from 'node:assert/strict'
import { createRestoreWatch } from '../../../../src/platform/postgres/restore-watch.ts'
import type { Pool } from '../../../../src/platform/postgres/sql.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

test('an epoch that is given while Postgres is asked is no sign of a restore, and one given before is', async () => {
  let answer: (signs: unknown[]) => void = () => undefined
  const sql = () => new Promise((resolve) => (answer = resolve))
  const restores = createRestoreWatch({
    sql: Object.assign(sql, { begin: async () => undefined }) as unknown as Pool,
    clock: new SimulatedClock(0),
    log: { warn: () => undefined },
    count: () => undefined,
  })
  const signs = { era: 'era', timeline: '00000001', lastEpoch: 7 }
  const first = restores.check()
  restores.given(8)
  answer([signs])
  assert.equal(await first, false)
  const second = restores.check()
  answer([signs])
  // What it reads after everything was written again.
  await new Promise(setImmediate)
  answer([{ ...signs, lastEpoch: 1_000_007 }])
  assert.equal(await second, true)
  restores.stop()
})

describe('a database that is another than it was', () => {
  const known = { era: 'second', restoredAt: 50, timeline: '00000001', flushed: 900, lastEpoch: 7 }
  for (const [what, found, eras] of [
    ['lacks rows where its WAL is shorter', { ...known, flushed: 899 }, 1],
    ['lacks nothing for certain where only its timeline is another', { ...known, timeline: '00000002' }, 0],
    [
      'was found by another process where its era is newer',
      { ...known, era: 'third', restoredAt: 60, flushed: 899 },
      0,
    ],
    ['lacks rows where its era is older', { ...known, era: 'first', restoredAt: 0 }, 1],
  ] as const)
    test(what, async () => {
      let signs: object = known
      let begun = 0
      const begin = async () => {
        begun += 1
      }
      const restores = createRestoreWatch({
        sql: Object.assign(async () => [signs], { begin }) as unknown as Pool,
        clock: new SimulatedClock(0),
        log: { warn: () => undefined },
        count: () => undefined,
      })
      assert.equal(await restores.check(), false)
      signs = found
      assert.deepEqual([await restores.check(), await restores.check()], [true, false])
      assert.equal(begun, eras)
      restores.stop()
    })
})

test('what could not be written again is written at the next look, although nothing shows the restore any more', async () => {
  const signs = { era: 'era', timeline: '00000001', lastEpoch: 7 }
  let isAway = true
  const sql = async () => {
    if (isAway) throw new Error('no connection')
    return [{ ...signs }]
  }
  // As when the sequence is set above all epochs that were given.
  const begin = async () => {
    signs.lastEpoch = 1_000_007
  }
  const counted: unknown[] = []
  const restores = createRestoreWatch({
    sql: Object.assign(sql, { begin }) as unknown as Pool,
    clock: new SimulatedClock(0),
    log: { warn: () => undefined },
    count: (result, rows) => void counted.push([result, rows]),
  })
  let isLocked = true
  restores.onRestored(async () => {
    if (isLocked) throw new Error('the row is locked')
    return { rewritten: 1, lost: 0 }
  })
  // Without an answer so far, no era and no timeline is known.
  await assert.rejects(restores.check(), /no connection/)
  restores.given(8)
  isAway = false
  await assert.rejects(restores.check(), /the row is locked/)
  isLocked = false
  assert.equal(await restores.check(), true)
  assert.deepEqual(counted, [
    ['rewritten', 1],
    ['lost', 0],
  ])
  assert.equal(await restores.check(), false)
  restores.stop()
})
