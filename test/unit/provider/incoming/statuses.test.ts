import assert from 'node:assert/strict'
import { personAt } from '../../../../src/contract/person.ts'
import { momentOf } from '../../../../src/provider/incoming/fields.ts'
import { describe, test } from '../../../support/harness.ts'
import { change, NUMBER_ID, only, parse, RECEIVED, statuses, USER } from './fixtures.ts'

const read = (status: unknown) => only('messageStatus', change('messages', { statuses: [status] }))
const skippedOf = (status: unknown) => parse(change('messages', { statuses: [status] })).skipped

describe('a message status', () => {
  test('carries the message, the state, the time and what the send gave along', () => {
    assert.deepEqual(read(statuses['sent']), {
      type: 'messageStatus',
      phoneNumberId: NUMBER_ID,
      providerMessageId: 'wamid.B001',
      status: 'SENT',
      at: new Date(1_790_000_101_000),
      opaque: 'msg_7abc',
      recipient: personAt(USER, 'Marta Reis'),
      error: null,
    })
  })

  test('that arrives within the second that the provider tells is from when it arrived', () => {
    const told = new Date(1_790_000_101_000)
    const after = (ms: number) => new Date(told.getTime() + ms)
    for (const ms of [0, 1, 999]) assert.deepEqual(momentOf(told, after(ms)), after(ms))
    for (const ms of [1_000, 60_000, -1]) assert.deepEqual(momentOf(told, after(ms)), told)
    assert.deepEqual(momentOf(null, after(7)), after(7))
    assert.deepEqual(
      read({ ...statuses['sent'], timestamp: String(RECEIVED.getTime() / 1_000) }).at,
      RECEIVED,
    )
  })

  test('delivered and read need not carry it', () => {
    const shown = [read(statuses['delivered']), read(statuses['read'])].map(({ status, opaque }) => [
      status,
      opaque,
    ])
    assert.deepEqual(shown, [
      ['DELIVERED', null],
      ['READ', null],
    ])
  })

  test('failed carries the reason and its class', () => {
    assert.deepEqual(read(statuses['failed']).error, {
      code: '131049',
      title: 'Kept back for the ecosystem',
      details: 'The user has had enough for today.',
      class: 'permanent',
    })
    const optOut = read(statuses['failedWithOptOut']).error
    assert.deepEqual([optOut?.title, optOut?.class], ['User has stopped marketing', 'optedOut'])
  })

  test('failed without a reason says so', () => {
    assert.equal(read(statuses['failedWithoutReason']).error?.code, 'UNKNOWN')
  })

  test('names the recipient who shows no number by id', () => {
    assert.equal(read(statuses['withoutRecipient']).recipient?.userId, 'US.1')
  })

  test('takes its time as a number, and the time of arrival for want of one', () => {
    assert.deepEqual(read(statuses['numericTimestamp']).at, new Date(1_790_000_110_000))
    assert.deepEqual(read(statuses['withoutTimestamp']).at, RECEIVED)
  })

  test('played is known and ignored; one never heard of is counted as unknown', () => {
    assert.deepEqual(skippedOf(statuses['played']), { irrelevant: 1 })
    assert.deepEqual(skippedOf(statuses['warehoused']), { unknown: 1 })
  })

  test('without an id is counted as malformed', () => {
    assert.deepEqual(skippedOf(statuses['withoutId']), { malformed: 1 })
  })
})
