// What the form of a campaign sends when it is edited.
import assert from 'node:assert/strict'
import { changesOf, type Draft, draftOf } from '../../../src/console/web/pages/campaigns/plan.ts'
import type { CampaignRecord } from '../../../src/contract/records/campaign.ts'
import { describe, test } from '../../support/harness.ts'

const before = draftOf({
  name: 'Spring',
  template: { name: 'offer', language: 'en' },
  numberId: 'num_1',
  variables: { city: 'Lisbon' },
  // The field of the form has no seconds.
  startAt: '2026-10-25T01:30:20.000Z',
  messagesPerSecond: 20,
} as unknown as CampaignRecord)

const changes = (change: Partial<Draft>, isAdjustment = false) =>
  changesOf(before, { ...before, ...change }, isAdjustment)

describe('an edited campaign', () => {
  test('nothing is sent that nobody has changed', () => {
    assert.deepEqual(changes({}), {})
    assert.deepEqual(changes({}, true), {})
    assert.deepEqual(changes({ name: 'Summer' }), { name: 'Summer' })
    assert.deepEqual(changes({ variables: { city: 'Lisbon', street: '' } }), {})
  })

  test('what is emptied is sent as empty', () => {
    assert.deepEqual(changes({ startAt: '', pace: '' }), { startAt: null, messagesPerSecond: null })
    assert.deepEqual(changes({ variables: { city: '' } }), { variables: {} })
  })

  test('another template, number or start is sent as the API takes it', () => {
    assert.deepEqual(changes({ template: 'offer pt', numberId: 'num_2', startAt: '2099-05-01T10:00' }), {
      template: { name: 'offer', language: 'pt' },
      numberId: 'num_2',
      startAt: new Date('2099-05-01T10:00').toISOString(),
    })
  })

  test('of a paused one only the name and the pace are sent', () => {
    assert.deepEqual(changes({ name: 'Summer', pace: '5', startAt: '' }, true), {
      name: 'Summer',
      messagesPerSecond: 5,
    })
  })
})
