import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import {
  answer,
  callAnswered,
  callGone,
  Drive,
  decline,
  hangUp,
  notSent,
  offer,
  ok,
  placedRow,
  preAccept,
  refused,
  ringingRow,
  terminate,
  unknown,
} from './driver.ts'

const ringing = () => new Drive(ringingRow(), { session: offer })

describe('answering', () => {
  test('an answer is pre-accepted, then accepted with the same SDP, and only then replied to', () => {
    const call = ringing()
    const asked = call.ask(answer('A'))
    assert.equal(call.state.row.pendingAction, 'ANSWER')
    call.provider(ok)
    assert.deepEqual(call.requests, ['preAccept', 'accept'])
    assert.deepEqual(
      call.asked.map((effect) => 'sdp' in effect && effect.sdp),
      ['A', 'A'],
    )
    assert.equal(call.reply(asked), undefined)
    call.provider(ok)
    assert.deepEqual(call.reply(asked), { type: 'done' })
    assert.deepEqual(call.events, ['ACCEPTED'])
    assert.deepEqual(
      [call.state.session, call.state.command, call.state.row.pendingAction],
      [null, null, null],
    )
    assert.equal(call.count('dropSdp'), 1)
  })

  test('the intent is committed before the provider is asked', () => {
    const call = ringing()
    call.ask(answer('A'))
    assert.equal(call.changes.length, 1)
    assert.equal(call.changes[0]?.row.answerHash, 'hash-A')
    assert.deepEqual(call.kinds, ['answer.posted'])
  })

  test('another SDP loses while the first is under way, and after it', () => {
    const call = ringing()
    call.ask(answer('A'))
    const during = call.ask(answer('B'))
    assert.deepEqual(call.reply(during), { type: 'alreadyAnswered' })
    call.provider(ok).provider(ok)
    assert.deepEqual(call.reply(call.ask(answer('B'))), { type: 'alreadyAnswered' })
    assert.deepEqual(call.requests, ['preAccept', 'accept'])
  })

  test('the same SDP joins while it is under way and succeeds again afterwards', () => {
    const call = ringing()
    const first = call.ask(answer('A'))
    const second = call.ask(answer('A', 'again'))
    call.provider(ok).provider(ok)
    assert.deepEqual([call.reply(first), call.reply(second)], [{ type: 'done' }, { type: 'done' }])
    assert.deepEqual(call.reply(call.ask(answer('A', 'third'))), { type: 'done' })
    assert.deepEqual(call.requests, ['preAccept', 'accept'])
  })

  for (const outcome of [refused, notSent])
    test(`an accept that was ${outcome.type} frees the call for another answer`, () => {
      const call = ringing()
      const asked = call.ask(answer('A'))
      call.provider(ok).provider(outcome)
      assert.equal(call.reply(asked)?.type, 'refused')
      assert.equal(call.status, 'RINGING')
      assert.deepEqual(call.events, [])
      const second = call.ask(answer('B'))
      call.provider(ok).provider(ok)
      assert.deepEqual(call.reply(second), { type: 'done' })
    })

  test('a lost outcome is asked for once more, and a call in progress means that it had succeeded', () => {
    const call = ringing()
    const asked = call.ask(answer('A'))
    call.provider(ok).provider(unknown).provider(callAnswered)
    assert.deepEqual(call.requests, ['preAccept', 'accept', 'accept'])
    assert.deepEqual(call.reply(asked), { type: 'done' })
    assert.equal(call.status, 'ACCEPTED')
  })

  describe('after two lost outcomes of an accept', () => {
    const doubtful = () => {
      const call = ringing()
      const asked = call.ask(answer('A'))
      call.provider(ok).provider(unknown).provider(unknown)
      assert.equal(call.reply(asked)?.type, 'refused')
      assert.deepEqual([call.status, call.state.row.pendingAction], ['RINGING', null])
      return call
    }

    test('the same SDP finds that it had been taken', () => {
      const call = doubtful()
      const again = call.ask(answer('A', 'again'))
      call.provider(callAnswered).provider(callAnswered)
      assert.deepEqual([call.reply(again), call.events], [{ type: 'done' }, ['ACCEPTED']])
    })

    test('another SDP is free to answer, and is taken where the first was not', () => {
      const call = doubtful()
      const other = call.ask(answer('B'))
      call.provider(ok).provider(ok)
      assert.deepEqual([call.reply(other), call.events], [{ type: 'done' }, ['ACCEPTED']])
      assert.deepEqual([call.state.row.answerHash, call.state.row.doubtHash], ['hash-B', null])
    })

    for (const outcomes of [[callAnswered], [unknown, callAnswered]])
      test(`another SDP brings to light that the first was taken, after ${outcomes.length} requests`, () => {
        const call = doubtful()
        const other = call.ask(answer('B'))
        for (const outcome of outcomes) call.provider(outcome)
        assert.deepEqual([call.reply(other), call.events], [{ type: 'alreadyAnswered' }, ['ACCEPTED']])
        assert.equal(call.state.row.answerHash, 'hash-A')
        assert.deepEqual(call.reply(call.ask(answer('A', 'again'))), { type: 'done' })
      })

    test('a decline brings it to light too', () => {
      const call = doubtful()
      const declined = call.ask(decline)
      call.provider(callAnswered)
      assert.deepEqual([call.reply(declined)?.type, call.status], ['notRinging', 'ACCEPTED'])
    })
  })

  test('two lost outcomes of a pre-accept free the call: nothing was accepted', () => {
    const call = ringing()
    const asked = call.ask(answer('A'))
    call.provider(unknown).provider(unknown)
    assert.equal(call.reply(asked)?.type, 'refused')
    assert.equal(call.state.row.doubtHash, null)
    call.ask(answer('B'))
    assert.equal(call.requests.at(-1), 'preAccept')
  })

  test('a first accept that finds the call in progress is a refusal, not a success', () => {
    const call = ringing()
    const asked = call.ask(answer('A'))
    call.provider(ok).provider(callAnswered)
    assert.equal(call.reply(asked)?.type, 'refused')
    assert.equal(call.status, 'RINGING')
  })

  test('a caller who hangs up meanwhile ends it, and a late success is hung up', () => {
    const call = ringing()
    const asked = call.ask(answer('A'))
    call.provider(ok)
    call.tell(terminate())
    assert.deepEqual(call.reply(asked), { type: 'ended' })
    assert.deepEqual(call.events, ['MISSED'])
    call.tell({ type: 'providerAnswered', request: 'accept', actionId: 'answer-A', outcome: ok })
    assert.equal(call.requests.at(-1), 'terminate')
    assert.equal(call.status, 'MISSED')
  })

  test('a provider that says the call is gone means CALL_ENDED for the caller', () => {
    const call = ringing()
    const asked = call.ask(answer('A'))
    call.provider(callGone)
    assert.deepEqual(call.reply(asked), { type: 'ended' })
  })

  test('ended, placed and declining calls cannot be answered', () => {
    const ended = ringing().tell(terminate())
    assert.deepEqual(ended.reply(ended.ask(answer('A'))), { type: 'ended' })
    const placed = new Drive(placedRow())
    assert.deepEqual(placed.reply(placed.ask(answer('A'))), { type: 'notRinging' })
    const declining = ringing()
    declining.ask(decline)
    assert.equal(declining.reply(declining.ask(answer('A')))?.type, 'wrongState')
    assert.deepEqual(declining.requests, ['reject'])
  })
})

describe('pre-accepting', () => {
  test('a pre-accept succeeds without a transition, and the answer then only accepts', () => {
    const call = ringing()
    const warm = call.ask(preAccept('A'))
    call.provider(ok)
    assert.deepEqual(call.reply(warm), { type: 'done' })
    assert.deepEqual(call.events, [])
    assert.deepEqual(call.reply(call.ask(preAccept('A'))), { type: 'done' })
    const asked = call.ask(answer('A'))
    call.provider(ok)
    assert.deepEqual(call.requests, ['preAccept', 'accept'])
    assert.deepEqual(call.reply(asked), { type: 'done' })
  })

  test('a pre-accepted call is held against every other SDP', () => {
    const call = ringing()
    call.ask(preAccept('A'))
    call.provider(ok)
    assert.deepEqual(call.reply(call.ask(answer('B'))), { type: 'alreadyAnswered' })
  })

  test('a refused pre-accept frees the call', () => {
    const call = ringing()
    const warm = call.ask(preAccept('A'))
    call.provider(refused)
    assert.equal(call.reply(warm)?.type, 'refused')
    call.ask(answer('B'))
    assert.equal(call.requests.at(-1), 'preAccept')
  })
})

describe('the offer', () => {
  test('is given while it rings, and gone once answered or ended', () => {
    const call = ringing()
    assert.deepEqual(call.reply(call.ask({ type: 'offer' })), { type: 'offer', session: offer })
    call.ask(answer('A'))
    call.provider(ok).provider(ok)
    assert.deepEqual(call.reply(call.ask({ type: 'offer' })), { type: 'offerUnavailable' })
    call.ask(hangUp)
    call.provider(ok)
    assert.deepEqual(call.reply(call.ask({ type: 'offer' })), { type: 'ended' })
  })

  test('a placed call has none to give', () => {
    const call = new Drive(placedRow())
    assert.deepEqual(call.reply(call.ask({ type: 'offer' })), { type: 'offerUnavailable' })
  })
})
