import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import {
  answer,
  callGone,
  Drive,
  decline,
  hangUp,
  notSent,
  offer,
  ok,
  placedRow,
  placingRow,
  refused,
  ringingRow,
  startMs,
  terminate,
  unknown,
} from './driver.ts'

const ringing = () => new Drive(ringingRow(), { session: offer })
const accepted = () =>
  new Drive(ringingRow({ status: 'ACCEPTED', acceptedAt: new Date(startMs), answerHash: 'hash-A' }))

describe('declining', () => {
  test('a ringing call is DECLINED once the provider has agreed, and again without asking it', () => {
    const call = ringing()
    const asked = call.ask(decline)
    assert.deepEqual([call.requests, call.events, call.reply(asked)], [['reject'], [], undefined])
    call.provider(ok)
    assert.deepEqual([call.events, call.reply(asked)], [['DECLINED'], { type: 'done' }])
    assert.deepEqual(call.reply(call.ask(decline)), { type: 'done' })
    assert.deepEqual(call.requests, ['reject'])
  })

  test('a terminate that overtakes the agreement is our own doing', () => {
    const call = ringing()
    const asked = call.ask(decline)
    call.tell(terminate()).provider(ok)
    assert.deepEqual([call.events, call.reply(asked)], [['DECLINED'], { type: 'done' }])
  })

  test('a refusal leaves the call ringing', () => {
    const call = ringing()
    const asked = call.ask(decline)
    call.provider(refused)
    assert.deepEqual([call.reply(asked)?.type, call.status], ['refused', 'RINGING'])
    call.ask(answer('A'))
    assert.equal(call.requests.at(-1), 'preAccept')
  })

  test('two at once are one request', () => {
    const call = ringing()
    const both = [call.ask(decline), call.ask({ ...decline, actionId: 'decline-2' })]
    call.provider(ok)
    assert.deepEqual(
      both.map((asked) => call.reply(asked)),
      [{ type: 'done' }, { type: 'done' }],
    )
    assert.deepEqual(call.requests, ['reject'])
  })

  test('a call that is being answered, was answered, was placed or has ended is not declined', () => {
    const answering = ringing()
    answering.ask(answer('A'))
    assert.deepEqual(answering.reply(answering.ask(decline)), { type: 'alreadyAnswered' })
    const talking = accepted()
    assert.deepEqual(talking.reply(talking.ask(decline)), { type: 'notRinging', instead: 'HANG_UP' })
    const placed = new Drive(placedRow())
    assert.deepEqual(placed.reply(placed.ask(decline)), { type: 'notRinging', instead: 'HANG_UP' })
    const ended = ringing().tell(terminate())
    assert.deepEqual(ended.reply(ended.ask(decline)), { type: 'ended' })
  })
})

describe('hanging up', () => {
  test('an accepted call is COMPLETED with its seconds once the provider has agreed', () => {
    const call = accepted().wait(65_400)
    const asked = call.ask(hangUp)
    call.provider(ok)
    assert.deepEqual([call.events, call.reply(asked)], [['COMPLETED'], { type: 'done' }])
    assert.deepEqual([call.bodies[0]?.durationSeconds, call.state.row.endReason], [65, 'WORKSPACE_HUNG_UP'])
    assert.deepEqual(call.reply(call.ask(hangUp)), { type: 'done' })
    call.tell(terminate({ durationSeconds: 64 }))
    assert.deepEqual(call.events, ['COMPLETED'])
  })

  test('a terminate that overtakes the agreement brings the duration', () => {
    const call = accepted()
    const asked = call.ask(hangUp)
    call.tell(terminate({ durationSeconds: 64 })).provider(ok)
    assert.deepEqual(call.reply(asked), { type: 'done' })
    assert.deepEqual([call.events, call.state.row.durationSeconds], [['COMPLETED'], 64])
  })

  for (const status of ['INITIATED', 'RINGING'] as const)
    test(`a placed call that is ${status} becomes CANCELLED`, () => {
      const call = new Drive(placedRow({ status }))
      const asked = call.ask(hangUp)
      assert.deepEqual(call.requests, ['terminate'])
      call.provider(ok)
      assert.deepEqual([call.events, call.reply(asked)], [['CANCELLED'], { type: 'done' }])
    })

  test('a lost outcome is asked for once more, and a call that is gone was ended by the first', () => {
    const call = accepted()
    const asked = call.ask(hangUp)
    call.provider(unknown).provider(callGone)
    assert.deepEqual([call.requests, call.reply(asked)], [['terminate', 'terminate'], { type: 'done' }])
    assert.deepEqual(call.events, ['COMPLETED'])
  })

  for (const outcome of [refused, notSent])
    test(`a request that was ${outcome.type} leaves the call up`, () => {
      const call = accepted()
      const asked = call.ask(hangUp)
      call.provider(outcome)
      assert.deepEqual([call.reply(asked)?.type, call.status], ['refused', 'ACCEPTED'])
    })

  test('a call that the provider no longer knows has ended for the caller too', () => {
    const call = accepted()
    const asked = call.ask(hangUp)
    call.provider(callGone)
    assert.deepEqual(call.reply(asked), { type: 'ended' })
  })

  test('a ringing inbound call is declined, not hung up, and one being placed must be placed first', () => {
    const call = ringing()
    const refused = { type: 'wrongState', status: 'RINGING', pending: null, instead: 'DECLINE' }
    assert.deepEqual(call.reply(call.ask(hangUp)), refused)
    const placing = new Drive(placingRow())
    assert.equal(placing.reply(placing.ask(hangUp))?.type, 'wrongState')
    assert.deepEqual([...call.requests, ...placing.requests], [])
  })

  test('a call that the other side ended answers CALL_ENDED', () => {
    const call = accepted().tell(terminate({ durationSeconds: 3 }))
    assert.deepEqual(call.reply(call.ask(hangUp)), { type: 'ended' })
  })
})
