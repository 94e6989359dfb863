import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { growthPercent, letHeapGrow } from '../../../../src/platform/process/heap-growth.ts'
import { describe, test } from '../../../support/harness.ts'

describe('the growth of a heap', () => {
  test('is limited in bytes, and V8 decides for a large heap', () => {
    const percents = [10, 32, 64, 128, 129, 1_000].map((mib) => growthPercent(mib * 2 ** 20))
    assert.deepEqual(percents, [400, 400, 200, 100, 0, 0])
  })

  test('is set at once and after each collection of all objects, by a flag that V8 knows', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const flags: string[] = []
    letHeapGrow((flag) => flags.push(flag))
    assert.equal(flags.length, 1)
    collect()
    while (flags.length === 1) await setTimeout(5)
    for (const flag of flags) execFileSync(process.execPath, [flag, '--eval', '0'])
  })
})
