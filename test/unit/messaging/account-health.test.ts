import assert from 'node:assert/strict'
import type { AccountChange } from '../../../src/contract/account-health.ts'
import { createAccountHealth } from '../../../src/messaging/account-health.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

/** `limit`: the word that is stored. */
function scene(limit: string | null = null) {
  const stated: AccountChange[][] = []
  const health = createAccountHealth({
    async apply({ changes }) {
      stated.push([...changes])
      return []
    },
    limitOf: async () => limit,
    dispatch: () => undefined,
    clock: systemClock,
    log: { info: () => undefined, warn: () => undefined },
  })
  return { health, stated }
}

const restriction = (key: string, until: Date | null): AccountChange => ({
  ...{ topic: 'RESTRICTION', key, status: key, severity: 'CRITICAL', number: null, template: null },
  ...{ message: 'Restricted.', advice: null, until, stops: [], details: {} },
})

test('a matter that one report names twice has one state, that which lasts longest', async () => {
  const { health, stated } = scene()
  const [soon, later] = [new Date('2026-12-01T00:00:00Z'), new Date('2026-12-02T00:00:00Z')]
  const changes = [
    restriction('A', soon),
    restriction('A', later),
    restriction('B', null),
    restriction('A', soon),
    restriction('B', later),
  ]
  await health.applyUpdate({ type: 'accountUpdate', wabaId: '1', at: soon, digest: '00', changes })
  assert.deepEqual(
    stated[0]?.map(({ key, until }) => [key, until]),
    [
      ['A', later],
      ['B', null],
    ],
  )
})

describe('the limit that is read with the numbers', () => {
  for (const [stored, read, changes] of [
    ['2000', 'TIER_2K', 0],
    ['TIER_2K', 'TIER_2K', 0],
    ['-1', 'TIER_UNLIMITED', 0],
    ['TIER_NOT_SET', 'TIER_NOT_SET', 0],
    ['TIER_2K', 'TIER_10K', 1],
    ['TIER_2K', 'TIER_UNLIMITED', 1],
    ['TIER_NOT_SET', 'TIER_UNLIMITED', 1],
    [null, 'TIER_2K', 1],
  ] as const)
    test(`${read} after ${stored} is ${changes === 0 ? 'no' : 'a'} change`, async () => {
      const { health, stated } = scene(stored)
      await health.limitRead(newId('workspace'), read, new Date())
      assert.equal(stated.length, changes)
    })
})
