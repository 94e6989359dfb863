import assert from 'node:assert/strict'
import type { Outlook } from '../../../src/campaigns/estimate.ts'
import { paceNow } from '../../../src/campaigns/running-pace.ts'
import { describe, test } from '../../support/harness.ts'

const now = new Date('2026-11-22T12:00:00Z')
const number = { messagesPerSecond: 80, status: 'CONNECTED', qualityRating: 'GREEN', messagingLimit: null }
const outlook: Outlook = {
  ...{ status: 'RUNNING', pending: 6_400, messagesPerSecond: null, startAt: null, number, otherPaces: [] },
  templateStatus: 'APPROVED',
}

describe('the pace of a running campaign', () => {
  test('is what the plan allows, and says what limits it', () => {
    const free = paceNow(outlook, null, now)
    assert.deepEqual([free.messagesPerSecond, free.limitedBy, free.seconds], [64, 'NUMBER_RATE', 100])
    const own = paceNow({ ...outlook, messagesPerSecond: 20 }, { factor: 1, blockedMs: 0 }, now)
    assert.deepEqual([own.messagesPerSecond, own.limitedBy], [20, 'CAMPAIGN_PACE'])
    assert.equal(paceNow({ ...outlook, otherPaces: [null] }, null, now).limitedBy, 'OTHER_CAMPAIGNS')
  })

  test('is what the provider’s throttling leaves, unless the campaign wants less', () => {
    const slowed = paceNow(outlook, { factor: 0.5, blockedMs: 0 }, now)
    assert.deepEqual([slowed.messagesPerSecond, slowed.limitedBy], [32, 'PROVIDER'])
    const shared = paceNow({ ...outlook, otherPaces: [null] }, { factor: 0.5, blockedMs: 0 }, now)
    assert.deepEqual([shared.messagesPerSecond, shared.limitedBy], [16, 'PROVIDER'])
    const blocked = paceNow(outlook, { factor: 1, blockedMs: 2_500 }, now)
    assert.deepEqual([blocked.limitedBy, blocked.blockedSeconds], ['PROVIDER', 3])
    const slow = paceNow({ ...outlook, messagesPerSecond: 5 }, { factor: 0.5, blockedMs: 0 }, now)
    assert.deepEqual([slow.messagesPerSecond, slow.limitedBy], [5, 'CAMPAIGN_PACE'])
  })

  test('the limit of customers limits once it is used up; before, it is a warning', () => {
    const limited = (used: number) => ({
      ...outlook,
      number: { ...number, messagingLimit: { customers: 1_000, used } },
    })
    const before = paceNow(limited(10), null, now)
    assert.equal(before.limitedBy, 'NUMBER_RATE')
    assert.match(before.warnings.join(), /1,000 customers in 24 hours, and 10 are used/)
    assert.equal(paceNow(limited(1_000), null, now).limitedBy, 'MESSAGING_LIMIT')
  })
})
