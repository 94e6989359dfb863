import assert from 'node:assert/strict'
import { keyLeadsTo, neighboursOf } from '../../../src/console/web/core/neighbours.ts'
import {
  errorWords,
  lastWords,
  moreOf,
  offWords,
  refusedWords,
  whoOf,
} from '../../../src/console/web/pages/deliveries/words.ts'
import { effectOf } from '../../../src/console/web/pages/numbers/effect.ts'
import type { DeliverySubject, EndpointRecord } from '../../../src/contract/records/console.ts'
import { attemptErrors } from '../../../src/delivery/attempt.ts'
import { describe, test } from '../../support/harness.ts'

const subject: DeliverySubject = {
  kind: 'message',
  id: 'msg_1',
  status: 'READ',
  contact: { name: 'Ines', number: '15557000001', username: null },
  template: 'order_ready',
  campaign: null,
}

const endpoint = (id: string, patch: Partial<EndpointRecord> = {}): EndpointRecord => ({
  ...{ id, name: id, url: `https://${id}.example.com/`, events: ['message.received'], enabled: true },
  ...{ consecutiveFailures: 0, disabledAt: null, disabledReason: null, disabledBy: null, heldCount: 0 },
  ...{ createdAt: '2026-11-22T10:00:00.000Z', addressChangedAt: null },
  ...patch,
})

describe('the words of the delivery log', () => {
  test('every error of an attempt has its own', () => {
    assert.deepEqual(Object.keys(errorWords).sort(), Object.keys(attemptErrors).sort())
  })

  test('an attempt says what came and how long it took', () => {
    const at = '2026-11-22T10:00:00.000Z'
    const of = (statusCode: number | null, error: string | null) =>
      lastWords({ at, statusCode, error, durationMs: 120 })
    assert.equal(of(200, null), '200 in 120 ms')
    assert.equal(of(503, null), '503 after 120 ms')
    assert.equal(of(null, null), 'Taken in 120 ms')
    assert.equal(of(null, 'TIMEOUT'), 'No answer in time after 120 ms')
  })

  test('an event says whom it is about, and what else is known', () => {
    assert.deepEqual([whoOf(subject), moreOf(subject)], ['Ines', '+1 555 700 0001 · order_ready'])
    const nameless = { ...subject, contact: { name: null, number: '15557000001', username: null } }
    assert.deepEqual([whoOf(nameless), moreOf(nameless)], ['+1 555 700 0001', 'order_ready'])
    const sent = { ...subject, campaign: { id: 'cmp_1', name: 'Spring' } }
    assert.equal(moreOf(sent), 'Spring · order_ready')
    const hidden = { ...subject, contact: { name: null, number: null, username: 'ines' } }
    assert.equal(whoOf(hidden), 'ines')
    assert.equal(whoOf({ ...subject, contact: null }), 'No longer stored')
    assert.equal(whoOf({ ...subject, kind: 'test', contact: null }), 'Test event')
  })

  test('what was not replayed is counted by its reason', () => {
    assert.deepEqual(refusedWords(['ENDPOINT_OFF', 'STILL_WAITING', 'ENDPOINT_OFF']), [
      '2 deliveries were not replayed, because their endpoints are off.',
      'One was not replayed, because it waits for an attempt already.',
    ])
  })

  test('an endpoint that is off says by whom or after what', () => {
    const off = { enabled: false, disabledAt: null }
    assert.equal(offWords(endpoint('crm')), undefined)
    const operator = { disabledReason: 'OPERATOR', disabledBy: { id: 'opr_1', name: 'Ada' } } as const
    assert.equal(offWords(endpoint('crm', { ...off, ...operator })), 'crm is off: Ada turned it off.')
    const failures = { disabledReason: 'FAILURES', consecutiveFailures: 20 } as const
    assert.equal(
      offWords(endpoint('crm', { ...off, ...failures })),
      'crm is off, after 20 failures in a row.',
    )
  })
})

describe('the rows of the drawer', () => {
  const rows = [{ id: 'c' }, { id: 'b' }, { id: 'a' }]
  const key = (key: string, patch: object = {}) =>
    keyLeadsTo({ key, target: null, ...patch } as never, neighboursOf(rows, 'b'))

  test('j and the arrow down go on, k and the arrow up go back', () => {
    assert.deepEqual(
      ['j', 'ArrowDown', 'k', 'ArrowUp', 'x'].map((one) => key(one)),
      ['a', 'a', 'c', 'c', undefined],
    )
    assert.equal(key('j', { ctrlKey: true }), undefined)
    assert.deepEqual(neighboursOf(rows, 'gone'), { previous: undefined, next: undefined })
  })
})

describe('the endpoint of a number', () => {
  const [crm, shop, calls] = [
    endpoint('crm'),
    endpoint('shop', { enabled: false }),
    endpoint('calls', { events: ['call.status'] }),
  ]
  const endpoints = [crm, shop, calls]

  test('takes its messages from the others, and gives them back', () => {
    assert.equal(
      effectOf({ from: '', to: 'crm', endpoints }),
      'What is written to this number goes to crm alone. shop no longer gets it.',
    )
    assert.equal(
      effectOf({ from: 'crm', to: '', endpoints: [crm, endpoint('shop')] }),
      'What is written to this number goes to every endpoint that takes messages: crm and shop.',
    )
    assert.equal(
      effectOf({ from: 'crm', to: 'shop', endpoints }),
      'What is written to this number goes to shop alone. crm no longer gets it. shop is off: events are held until it is turned on.',
    )
    assert.equal(
      effectOf({ from: '', to: '', endpoints: [calls] }),
      'No endpoint takes messages, so that what is written to this number is told to nobody.',
    )
  })

  test('is told apart from another of its name', () => {
    const twins = [endpoint('one', { name: 'crm' }), endpoint('two', { name: 'crm' })]
    assert.equal(
      effectOf({ from: '', to: 'one', endpoints: twins }),
      'What is written to this number goes to crm (one.example.com) alone. crm (two.example.com) no longer gets it.',
    )
  })
})
