import assert from 'node:assert/strict'
import { endedCall, inboundCall } from '../../../src/calls/begin-call.ts'
import type { EarlyTerminate } from '../../../src/calls/ports.ts'
import { personAt } from '../../../src/contract/person.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { startMs, timing } from './driver.ts'

const now = new Date(startMs)
/** Of the provider's clock, relative to our arrival. */
const told = (ms: number): Date => new Date(startMs + ms)

const parties = {
  ...{
    workspaceId: newId('workspace'),
    numberId: newId('number'),
    number: '+15550001111',
    phoneNumberId: 'pn',
  },
  ...{ contactId: newId('conversation'), conversationId: newId('conversation'), address: '15551230000' },
  ...{ userId: null, username: null },
}

const begun = (at: Date) =>
  inboundCall(
    parties,
    {
      ...{ type: 'callConnect', wacid: 'wacid.1', phoneNumberId: 'pn', at, opaque: null, session: null },
      ...{ direction: 'INBOUND', person: personAt('15551230000') },
    },
    now,
    timing,
  )

const timesOf = (body: string) => {
  const { sentAt, data } = JSON.parse(body)
  return [sentAt, data.occurredAt]
}

describe('an inbound call', () => {
  test('rings since the provider says so, however late its connect comes', () => {
    const { row, body } = begun(told(-40_000)).ringing
    assert.deepEqual([row.ringingAt, row.createdAt], [told(-40_000), now])
    assert.deepEqual(timesOf(body), [now.toISOString(), told(-40_000).toISOString()])
  })

  test('rings since now where its connect is of this second, or of a clock that is ahead', () => {
    for (const ms of [-999, 0, 30_000]) assert.deepEqual(begun(told(ms)).ringing.row.ringingAt, now)
  })
})

describe('a call that ended before its connect was handled', () => {
  const ended = (connectMs: number, end: Partial<EarlyTerminate> | null) =>
    endedCall(
      begun(told(connectMs)).ringing,
      end && { durationSeconds: null, error: null, toldAt: told(-500), endedAt: told(-500), ...end },
      timing,
    )

  test('has the times of the provider, and a timeline by our clock', () => {
    const { row, body, notes } = ended(-70_000, { endedAt: told(-50_000) })
    assert.deepEqual([row.status, row.ringingAt, row.endedAt], ['MISSED', told(-70_000), told(-50_000)])
    assert.deepEqual(timesOf(body), [now.toISOString(), told(-50_000).toISOString()])
    assert.deepEqual(
      notes.map(({ kind, at }) => [kind, at]),
      [
        ['provider.connect', now],
        ['provider.terminate', told(-500)],
        ['status', now],
      ],
    )
  })

  test('was answered as long before its end as it took', () => {
    const { row } = ended(-70_000, { endedAt: told(-50_000), durationSeconds: 9 })
    assert.deepEqual([row.status, row.acceptedAt, row.endedAt], ['COMPLETED', told(-59_000), told(-50_000)])
  })

  test('has rung for a minute where nobody told its end', () => {
    const { row } = ended(-7_200_000, null)
    assert.deepEqual([row.status, row.endedAt], ['MISSED', told(-7_140_000)])
  })

  test('does not end before it rang where both came within a second, nor in the future', () => {
    for (const ms of [-900, 5_000]) {
      const { row } = ended(-900, { endedAt: told(ms) })
      assert.deepEqual([row.ringingAt, row.endedAt], [now, now])
    }
  })
})
