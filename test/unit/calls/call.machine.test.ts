import assert from 'node:assert/strict'
import { hasEnded, mayBecome } from '../../../src/calls/call.machine.ts'
import { callStatuses, liveCallStatuses } from '../../../src/contract/records/call.ts'
import { describe, test } from '../../support/harness.ts'

const allowed = {
  INBOUND: ['RINGING>ACCEPTED', 'RINGING>MISSED', 'RINGING>DECLINED', 'RINGING>FAILED'],
  OUTBOUND: [
    ...['INITIATED>RINGING', 'INITIATED>ACCEPTED', 'INITIATED>REJECTED', 'INITIATED>NO_ANSWER'],
    ...['INITIATED>CANCELLED', 'INITIATED>FAILED'],
    ...['RINGING>ACCEPTED', 'RINGING>REJECTED', 'RINGING>NO_ANSWER', 'RINGING>CANCELLED', 'RINGING>FAILED'],
  ],
}
const answered = ['ACCEPTED>COMPLETED', 'ACCEPTED>FAILED']

for (const direction of ['INBOUND', 'OUTBOUND'] as const) {
  describe(`${direction} calls`, () => {
    const table = new Set([...allowed[direction], ...answered])
    for (const from of callStatuses)
      for (const to of callStatuses) {
        const isAllowed = table.has(`${from}>${to}`)
        test(`${from} ${isAllowed ? 'leaves' : 'does not leave'} to ${to}`, () => {
          assert.equal(mayBecome({ direction, status: from }, to), isAllowed)
        })
      }
  })
}

test('exactly the statuses that are not live are ends', () => {
  const live = callStatuses.filter((status) => !hasEnded({ direction: 'OUTBOUND', status }))
  assert.deepEqual(live, [...liveCallStatuses])
})
