import assert from 'node:assert/strict'
import type { AccountChange } from '../../../src/contract/account-health.ts'
import { createAccountHealth } from '../../../src/messaging/account-health.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

/** `limit`: the word that is stored. */
function scene(limit: string | null = null, now = () => Date.now()) {
  const stated: AccountChange[][] = []
  const reports: { at: Date; digest: string }[] = []
  const health = createAccountHealth({
    async apply({ changes, at, digest }) {
      stated.push([...changes])
      reports.push({ at, digest })
      return []
    },
    limitOf: async () => limit,
    dispatch: () => undefined,
    clock: { ...systemClock, now },
    log: { info: () => undefined, warn: () => undefined },
  })
  return { health, stated, reports }
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

test('a payment problem is of the time of the send that met it, is told once, and ends after a day', () => {
  const hour = 3_600_000
  const day = 24 * hour
  const workspaceId = newId('workspace')
  const error = { code: '131042', title: 'Payment' }
  const told = (...failedMs: number[]) => {
    // Several processes: none knows what another has told.
    const scenes = failedMs.map((atMs) => {
      const one = scene(null, () => 2 * day)
      one.health.sendFailed(workspaceId, error, new Date(atMs))
      return one
    })
    return scenes.flatMap(({ reports, stated }) =>
      reports.map(({ at, digest }, index) => ({ at, digest, until: stated[index]?.[0]?.until })),
    )
  }
  assert.deepEqual(told(day, 0), [])
  const [first, repeat] = told(2 * day - hour, 2 * day - hour)
  assert.deepEqual(first?.until, new Date(3 * day - hour))
  assert.deepEqual(repeat, first)
  const { health, reports } = scene(null, () => 2 * day)
  for (const atMs of [2 * day - hour, day + hour, 3 * day, 2 * day - 1])
    health.sendFailed(workspaceId, error, new Date(atMs))
  assert.deepEqual(
    reports.map(({ at }) => at.getTime()),
    [2 * day - hour, 2 * day],
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
