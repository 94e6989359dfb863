import assert from 'node:assert/strict'
import { attentionOf } from '../../../src/console/attention.ts'
import { tell } from '../../../src/console/web/pages/overview/problem-words.ts'
import { dayOf, floorOf, QUARTER_MS } from '../../../src/console/web/pages/overview/quarters.ts'
import type { OverviewFigures } from '../../../src/contract/overview.ts'
import { type Attention, attentionKinds } from '../../../src/contract/records/overview.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const nowMs = new Date(2026, 10, 22, 12).getTime()
const iso = (hours: number): string => new Date(nowMs + hours * 3_600_000).toISOString()

const nothing: OverviewFigures = {
  ...{ callsLive: 0, messagesFailed: 0, deliveriesPending: 0, deliveriesRetrying: 0, deliveriesFailed: 0 },
  ...{ campaignsRunning: 0, endpoints: [], numbers: [], templates: [], account: [], campaigns: [], keys: [] },
  notUnderstood: { count: 0, lastId: null },
}
const endpoint: OverviewFigures['endpoints'][number] = {
  ...{ id: newId('endpoint'), name: 'crm', enabled: true, receivesMessages: true, consecutiveFailures: 0 },
  ...{ byFailures: false, disabledAt: null, turnedOffBy: null, held: 0, lastAttempt: null },
}
const number: OverviewFigures['numbers'][number] = {
  ...{ id: newId('number'), number: '+15557000101', isDefault: true, isRouted: true, status: 'CONNECTED' },
  ...{ calls: 0, lost: 0, lastError: null, endpointName: null },
}

const found = (figures: Partial<OverviewFigures>): Attention[] =>
  attentionOf({ ...nothing, ...figures }, nowMs)
/** The sentence of the only problem. */
function said(figures: Partial<OverviewFigures>): string {
  const [problem, ...others] = found(figures)
  assert.ok(problem)
  assert.deepEqual(others, [])
  const { subject, facts } = tell(problem, nowMs)
  return `${subject === '' ? '' : `${subject}: `}${facts.join(', ')}`
}

describe('the words of problems', () => {
  test('of an endpoint that is off: since when, why, what it answered, what is held', () => {
    const lastAttempt = { at: iso(-5), statusCode: 503, error: null }
    const off = { ...endpoint, enabled: false, disabledAt: iso(-4.98), lastAttempt, held: 8_439 }
    assert.equal(
      said({ endpoints: [{ ...off, byFailures: true, consecutiveFailures: 20 }] }),
      'crm: off since 07:01 after 20 failures in a row, last answer 503, 8,439 held',
    )
    assert.equal(
      said({ endpoints: [{ ...off, turnedOffBy: 'Demo Operator', held: 0 }] }),
      'crm: off since 07:01 by Demo Operator',
    )
  })

  test('of one that fails: how it failed and when it is turned off', () => {
    const lastAttempt = { at: iso(-1), statusCode: null, error: 'TIMEOUT' }
    assert.equal(
      said({ endpoints: [{ ...endpoint, consecutiveFailures: 14, lastAttempt }] }),
      'crm: failed 14 times in a row, last attempt: no answer in time, at 11:00, is turned off after 20',
    )
    assert.deepEqual(found({ endpoints: [{ ...endpoint, consecutiveFailures: 2 }] }), [])
  })

  test('of deliveries that are held, and of one', () => {
    assert.equal(said({ endpoints: [{ ...endpoint, held: 1 }] }), 'crm: on again, 1 delivery is still held')
  })

  test('of a number whose calls nobody takes', () => {
    const lastError = {
      code: 'TIMEOUT',
      message: 'the receiver did not answer',
      endpointId: endpoint.id,
      at: iso(-1),
    }
    const lost = { ...number, calls: 20, lost: 3, lastError, endpointName: 'crm' }
    assert.equal(
      said({ numbers: [lost], endpoints: [endpoint] }),
      '+1 555 700 0101: crm does not take its calls, 3 of the latest 20 were lost, the last at 11:00: the receiver did not answer',
    )
  })

  test('of a campaign that paused itself, of a template and of a key', () => {
    const campaign = { id: newId('campaign'), name: 'Spring', pausedAt: iso(-1), pending: 1_204, unknown: 0 }
    assert.equal(
      said({ campaigns: [{ ...campaign, pauseReason: 'SPAM_LIMIT', pauseError: null }] }),
      'Spring: paused by itself since 11:00, 1,204 recipients wait',
    )
    const template = { id: newId('template'), name: 'order', language: 'en_US', since: null }
    assert.equal(
      said({ templates: [{ ...template, status: 'REJECTED', reason: 'INVALID_FORMAT' }] }),
      'order (en_US): rejected by the provider, invalid format, cannot be sent',
    )
    const key = { id: newId('key'), name: 'orders', expiresAt: iso(13 * 24 + 1), lastUsedAt: null }
    assert.match(said({ keys: [key] }), /^orders: API key expires in 13 days, on .+, never used$/)
    assert.match(said({ keys: [{ ...key, expiresAt: iso(-1) }] }), /^orders: API key expired on /)
  })

  test('every kind has words, a link, and names no code', () => {
    const account = { ...{ topic: 'BAN', key: '', message: 'The account is restricted.', advice: 'Wait.' } }
    const all = found({
      endpoints: [
        { ...endpoint, enabled: false, receivesMessages: false },
        { ...endpoint, consecutiveFailures: 10, receivesMessages: false },
        { ...endpoint, held: 3, receivesMessages: false },
      ],
      numbers: [
        {
          ...number,
          isDefault: false,
          isRouted: false,
          status: 'FLAGGED',
          calls: 1,
          lost: 1,
          lastError: { code: 'NO_ENDPOINT', message: 'no endpoint takes it', endpointId: null, at: iso(-30) },
        },
      ],
      account: [
        { ...account, isCritical: true, until: iso(3), at: iso(-1) },
        { ...account, isCritical: false, until: null, at: iso(-1) },
      ],
      campaigns: [
        {
          id: newId('campaign'),
          name: 'Spring',
          pauseReason: 'BILLING',
          pauseError: { code: '131042', title: 'Payment issue' },
          pausedAt: null,
          pending: 1,
          unknown: 2,
        },
      ],
      templates: [
        {
          id: newId('template'),
          name: 'order',
          language: 'en',
          status: 'PAUSED',
          reason: null,
          since: iso(-1),
        },
      ],
      keys: [{ id: newId('key'), name: 'orders', expiresAt: iso(30), lastUsedAt: iso(-1) }],
      notUnderstood: { count: 1, lastId: newId('element') },
    })
    assert.deepEqual(new Set(all.map(({ kind }) => kind)), new Set(attentionKinds))
    for (const problem of all) {
      const { facts, open, acts } = tell(problem, nowMs)
      assert.ok(facts.length > 0 && facts.every((fact) => fact !== ''), problem.kind)
      assert.doesNotMatch(facts.join(' '), /[A-Z]+_[A-Z]+|undefined|null|\.\./, problem.kind)
      assert.match(open.path, /^\/[a-z]+/)
      for (const act of acts) assert.ok(act.label !== '')
    }
  })

  test('what does not work now comes first, each kind in its order', () => {
    const kinds = found({
      endpoints: [
        { ...endpoint, held: 3 },
        { ...endpoint, enabled: false, byFailures: true },
      ],
      numbers: [{ ...number, isDefault: false }],
      keys: [{ id: newId('key'), name: 'orders', expiresAt: iso(-1), lastUsedAt: null }],
    }).map(({ kind }) => kind)
    assert.deepEqual(kinds, ['ENDPOINT_OFF', 'NO_DEFAULT_NUMBER', 'KEY_EXPIRING', 'DELIVERIES_HELD'])
  })
})

describe('the quarters of a day', () => {
  test('have a place each, empty where there was no attempt', () => {
    const last = Math.floor(nowMs / QUARTER_MS) * QUARTER_MS
    const quarter = (away: number, attempts: number, failures: number) => ({
      ...{ id: new Date(last - away * QUARTER_MS).toISOString(), attempts, failures, p95Ms: 40 + away },
    })
    const day = dayOf([quarter(95, 10, 0), quarter(96, 1, 1), quarter(2, 90, 10)], nowMs)
    assert.equal(day.times.length, 96)
    assert.deepEqual([day.attempts, day.failures, day.p95Ms], [100, 10, 42])
    assert.equal(day.shares[0], 1)
    assert.equal(day.shares[1], null)
    assert.equal(floorOf(day.shares), 0.5)
    assert.deepEqual([[null, 1], [0.97], [0.2]].map(floorOf), [0.98, 0.9, 0])
  })
})
