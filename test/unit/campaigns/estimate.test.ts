import assert from 'node:assert/strict'
import fc from 'fast-check'
import { type Estimate, estimateCampaign, type Outlook } from '../../../src/campaigns/estimate.ts'
import { campaignRate, fairRate, transactionalShare } from '../../../src/campaigns/pacing.ts'
import { describe, test } from '../../support/harness.ts'

const now = new Date('2026-11-20T10:00:00Z')

const number = {
  messagesPerSecond: 100,
  status: 'CONNECTED',
  qualityRating: 'GREEN',
  messagingLimit: null,
}

const outlook = (fields: Partial<Outlook> = {}): Outlook => ({
  status: 'DRAFT',
  pending: 8_000,
  messagesPerSecond: null,
  startAt: null,
  number,
  otherPaces: [],
  templateStatus: 'APPROVED',
  ...fields,
})

const estimate = (fields: Partial<Outlook> = {}): Estimate => estimateCampaign(outlook(fields), now)
const pace = (fields: Partial<Outlook>) => {
  const { messagesPerSecond, limitedBy, seconds } = estimate(fields)
  return [messagesPerSecond, limitedBy, seconds]
}
const limited = (customers: number, used: number) => ({
  number: { ...number, messagingLimit: { customers, used } },
})

describe('an estimate', () => {
  test("is that of the number's rate without the share of single sends", () => {
    assert.deepEqual(estimate(), {
      recipients: 8_000,
      messagesPerSecond: 80,
      limitedBy: 'NUMBER_RATE',
      seconds: 100,
      startsAt: '2026-11-20T10:00:00.000Z',
      endsAt: '2026-11-20T10:01:40.000Z',
      warnings: [],
    })
  })

  test("goes by the campaign's own pace where that is the least", () => {
    assert.deepEqual(pace({ messagesPerSecond: 40 }), [40, 'CAMPAIGN_PACE', 200])
    assert.deepEqual(pace({ messagesPerSecond: 80 }), [80, 'CAMPAIGN_PACE', 100])
    assert.deepEqual(pace({ messagesPerSecond: 81 }), [80, 'NUMBER_RATE', 100])
  })

  test('shares the number with other campaigns, fairly', () => {
    assert.deepEqual(pace({ otherPaces: [null] }), [40, 'OTHER_CAMPAIGNS', 200])
    assert.deepEqual(pace({ otherPaces: [10] }), [70, 'OTHER_CAMPAIGNS', 115])
    assert.deepEqual(pace({ otherPaces: [null, 10, 500] }), [23.33, 'OTHER_CAMPAIGNS', 343])
    assert.deepEqual(pace({ otherPaces: [null], messagesPerSecond: 30 }), [30, 'CAMPAIGN_PACE', 267])
  })

  test('waits a day whenever the limit of customers is used up', () => {
    assert.deepEqual(pace(limited(10_000, 2_000)), [80, 'NUMBER_RATE', 100])
    assert.deepEqual(pace(limited(10_000, 2_001)), [80, 'MESSAGING_LIMIT', 86_401])
    assert.deepEqual(pace(limited(1_000, 1_000)), [80, 'MESSAGING_LIMIT', 8 * 86_400 + 13])
    assert.deepEqual(pace(limited(1_000, 5_000)), [80, 'MESSAGING_LIMIT', 8 * 86_400 + 13])
  })

  test('begins at startAt where that is to come, and now where it runs already', () => {
    const startAt = new Date('2026-11-21T09:00:00Z')
    for (const status of ['DRAFT', 'SCHEDULED'] as const) {
      const { startsAt, endsAt, warnings } = estimate({ startAt, status })
      assert.deepEqual([startsAt, endsAt], ['2026-11-21T09:00:00.000Z', '2026-11-21T09:01:40.000Z'])
      assert.deepEqual(warnings, [])
    }
    assert.equal(estimate({ startAt, status: 'RUNNING' }).startsAt, now.toISOString())
  })

  const warned: readonly [code: string, fields: Partial<Outlook>][] = [
    ['NO_RECIPIENTS', { pending: 0 }],
    ['NO_SENDER_NUMBER', { number: null }],
    ['NUMBER_NOT_CONNECTED', { number: { ...number, status: 'PENDING' } }],
    ['NUMBER_QUALITY_LOW', { number: { ...number, qualityRating: 'RED' } }],
    ['START_OVERDUE', { startAt: new Date(now.getTime() - 1) }],
    ['TEMPLATE_NOT_FOUND', { templateStatus: null }],
    ['TEMPLATE_NOT_APPROVED', { templateStatus: 'PAUSED' }],
    ['CAMPAIGN_ENDED', { status: 'COMPLETED', pending: 0, templateStatus: null }],
    ['CAMPAIGN_ENDED', { status: 'CANCELLED' }],
  ]
  for (const [code, fields] of warned) {
    test(`warns ${code} of ${JSON.stringify(fields)}`, () =>
      assert.deepEqual(
        estimate(fields).warnings.map((warning) => warning.code),
        [code],
      ))
  }

  test('of a campaign without a number has a rate of 0', () => {
    assert.deepEqual(pace({ number: null }), [0, 'NUMBER_RATE', 0])
  })
})

describe('the rate of campaigns', () => {
  test('leaves a fifth of the number to single sends', () => {
    assert.equal(transactionalShare, 0.2)
    assert.equal(campaignRate(80), 64)
  })

  const paces = fc.array(fc.option(fc.integer({ min: 1, max: 1_000 })), { maxLength: 8 })

  test('is given away whole, and never more of it, however many share it', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.array(fc.option(fc.integer({ min: 1, max: 1_000 })), { minLength: 1, maxLength: 8 }),
        (rate, all) => {
          const given = all.map((own, index) =>
            fairRate(
              rate,
              own,
              all.filter((_, other) => other !== index),
            ),
          )
          const sum = given.reduce((total, one) => total + one, 0)
          const wanted = all.reduce<number>((total, own) => total + (own ?? Number.POSITIVE_INFINITY), 0)
          assert.ok(Math.abs(sum - Math.min(rate, wanted)) < 1e-6, `${sum}`)
          for (const [index, own] of all.entries()) assert.ok((given[index] ?? 0) <= (own ?? Infinity))
        },
      ),
    )
  })

  test('is never less than an equal share, unless the campaign wants less', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.option(fc.integer({ min: 1 })),
        paces,
        (rate, own, others) => {
          const share = rate / (others.length + 1)
          assert.ok(fairRate(rate, own, others) >= Math.min(own ?? Infinity, share) - 1e-9)
        },
      ),
    )
  })
})
