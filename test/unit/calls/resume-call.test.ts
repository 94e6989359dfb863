import assert from 'node:assert/strict'
import { callActor } from '../../../src/calls/call.actor.ts'
import type { CallState } from '../../../src/calls/call.messages.ts'
import type { CallRow } from '../../../src/calls/call.ts'
import { describe, test } from '../../support/harness.ts'
import {
  answer,
  callAnswered,
  connect,
  Drive,
  decline,
  endpointId,
  forwardingRow,
  offer,
  ok,
  placedRow,
  ringingRow,
  sdpAnswer,
  startMs,
  status,
  timing,
} from './driver.ts'

const wake = { type: 'wake' } as const
const restarted = 'gateway restarted during forwarding'

/** A call as a new owner loads it, `ageMs` after it began to ring. */
const taken = (row: CallRow, ageMs: number, patch: Partial<CallState> = {}) =>
  new Drive(row, { session: offer, isResumed: false, ...patch }).wait(ageMs)

const pending = (pendingAction: CallRow['pendingAction'], patch: Partial<CallRow> = {}) =>
  ringingRow({ pendingAction, actionId: 'left', actionAt: new Date(startMs), ...patch })

const leftSdp = { ownSdp: 'A', waiting: [], notes: [], isRepeat: true }

describe('a forward that a crash cut off', () => {
  test('is repeated once with the same call id', () => {
    const call = taken(forwardingRow(), 5_000).tell(wake)
    assert.equal(call.forwards.length, 1)
    call.tell(wake).tell({ type: 'forwarded', outcome: { type: 'delivered' } })
    assert.deepEqual([call.forwards.length, call.state.row.lastForwardError], [1, null])
    assert.deepEqual(call.events, [])
  })

  test('is not repeated a third time after a second crash', () => {
    const first = taken(forwardingRow(), 5_000).tell(wake)
    const second = taken(first.state.row, 10_000).tell(wake)
    assert.deepEqual(second.forwards, [])
    assert.equal(second.state.row.lastForwardError?.message, restarted)
    assert.equal(second.state.row.forwardState, 'FAILED')
  })

  test('is left alone for half a second, while the former owner may be handing over', () => {
    const call = taken(forwardingRow(), 400).tell(wake)
    assert.deepEqual(call.forwards, [])
    const timer = call.effects.findLast((effect) => effect.type === 'setTimer')
    assert.ok(timer?.type === 'setTimer' && timer.delayMs === 100)
    call.wait(100).tell(wake)
    assert.equal(call.forwards.length, 1)
  })

  test('is given up when the ring is nearly over', () => {
    const call = taken(forwardingRow(), 20_001).tell(wake)
    const at = new Date(startMs + 20_001).toISOString()
    const error = { code: 'RESTARTED', message: restarted, endpointId, at }
    assert.deepEqual([call.forwards, call.state.row.lastForwardError], [[], error])
  })

  test('of a call that has ended is given up for that reason', () => {
    const row = forwardingRow({ status: 'MISSED', endedAt: new Date(startMs + 100) })
    const call = taken(row, 600, { session: null }).tell(wake)
    assert.deepEqual([call.forwards, call.state.row.lastForwardError?.code], [[], 'CALL_ENDED'])
  })

  test('is given up where the setting forbids it', () => {
    const definition = callActor({ ...timing, reforwardOnCrash: false })
    const { state } = taken(forwardingRow(), 0)
    const at = new Date(startMs + 5_000)
    const step = definition.handle(state, { message: wake, at, replyTo: undefined })
    assert.equal(step.state.row.lastForwardError?.message, restarted)
    assert.ok(!step.effects.some((effect) => effect.type === 'forward'))
  })

  test('waits for the offer, which the provider repeats where we never confirmed it', () => {
    const call = taken(forwardingRow(), 5_000, { session: null }).tell(wake)
    assert.deepEqual([call.forwards, call.state.row.lastForwardError], [[], null])
    call.wait(2_000).tell(connect(ringingRow(), offer))
    assert.equal(call.forwards.length, 1)
    const silent = taken(forwardingRow(), 5_000, { session: null }).tell(wake).wait(15_000).tell(wake)
    assert.equal(silent.state.row.lastForwardError?.message, restarted)
  })

  test('is not repeated beside the first forward of a call that was begun here but loaded by a repeat', () => {
    const repeatFirst = taken(forwardingRow(), 5, { session: null }).tell(connect(ringingRow(), offer))
    repeatFirst.tell({ type: 'ringing', session: offer }).wait(1_000).tell(wake)
    assert.equal(repeatFirst.forwards.length, 1)
    const beginFirst = taken(forwardingRow(), 5, { session: null }).tell({ type: 'ringing', session: offer })
    beginFirst.tell(connect(ringingRow(), offer)).wait(1_000).tell(wake)
    assert.equal(beginFirst.forwards.length, 1)
  })

  test('is not taken for one that a crash cut off where the call was begun here but loaded by a message', () => {
    const loaded = taken(forwardingRow(), 5).tell(wake)
    loaded.tell({ type: 'ringing', session: offer }).wait(1_000).tell(wake)
    assert.deepEqual([loaded.forwards.length, loaded.kinds, loaded.state.row.lastForwardError], [1, [], null])
    const late = taken(forwardingRow(), 600).tell(wake).tell({ type: 'ringing', session: offer })
    assert.equal(late.forwards.length, 1)
  })

  test('rings with the offer that was saved where the message with the offer has none', () => {
    const call = taken(forwardingRow(), 5).tell({ type: 'ringing', session: null })
    assert.match(call.forwards[0]?.body ?? '', /v=0 offer/)
  })

  test('of a call that was answered meanwhile needs nothing', () => {
    const row = forwardingRow({ status: 'ACCEPTED', acceptedAt: new Date(startMs) })
    const call = taken(row, 5_000, { session: null }).tell(wake)
    assert.deepEqual([call.state.row.forwardState, call.state.row.lastForwardError], ['OK', null])
  })

  test('of a placed call is repeated with the answer that was kept', () => {
    const row = placedRow({ status: 'ACCEPTED', acceptedAt: new Date(startMs), forwardState: 'ATTEMPTING' })
    const left = { ...row, forwardStartedAt: new Date(startMs) }
    const call = taken(left, 5_000, { session: sdpAnswer }).tell(wake)
    assert.equal(call.forwards[0]?.event, 'call.accepted')
  })
})

describe('a command, while a forward is left alone because the former owner may be handing over', () => {
  const handOver = (call: Drive) => call.wait(600).tell(wake)

  test('that the new owner begins is not taken for one that was cut off', () => {
    const call = taken(forwardingRow(), 100)
    const asked = call.ask(answer('A'))
    handOver(call)
    assert.deepEqual([call.requests, call.forwards], [['preAccept'], []])
    call.provider(ok).provider(ok)
    assert.deepEqual([call.reply(asked), call.requests], [{ type: 'done' }, ['preAccept', 'accept']])
  })

  test('to decline, which the new owner begins, is put to the provider once', () => {
    const call = taken(forwardingRow(), 100)
    const asked = call.ask(decline)
    handOver(call)
    assert.deepEqual([call.requests, call.forwards], [['reject'], []])
    call.provider(ok)
    assert.deepEqual([call.reply(asked), call.status], [{ type: 'done' }, 'DECLINED'])
  })

  test('that was cut off is taken up at once, and who repeats it hears of the outcome', () => {
    for (const [action, message, requests] of [
      ['DECLINE', decline, ['reject']],
      ['ANSWER', answer('A', 'again'), ['preAccept', 'accept']],
    ] as const) {
      const left = pending(action, action === 'ANSWER' ? { answerHash: 'hash-A' } : {})
      const row = {
        ...forwardingRow(),
        ...left,
        forwardState: 'ATTEMPTING',
        forwardStartedAt: new Date(startMs),
      }
      const call = taken(row as CallRow, 100, action === 'ANSWER' ? { command: leftSdp } : {})
      const asked = call.ask(message)
      handOver(call)
      for (const _ of requests) call.provider(ok)
      assert.deepEqual([call.reply(asked), call.requests], [{ type: 'done' }, requests])
      assert.deepEqual(call.forwards, [])
    }
  })

  test('that was answered needs no second ring, even where its SDP is lost', () => {
    const row = forwardingRow({
      pendingAction: 'ANSWER',
      actionId: 'left',
      actionAt: new Date(startMs),
      answerHash: 'hash-A',
    })
    const call = handOver(taken(row, 100).tell(wake))
    assert.deepEqual([call.forwards, call.state.row.forwardState], [[], 'OK'])
    assert.deepEqual([call.state.row.pendingAction, call.state.row.doubtHash], [null, 'hash-A'])
  })

  test('that was reserved by a pre-accept needs no second ring', () => {
    const call = taken(forwardingRow({ answerHash: 'hash-A' }), 5_000).tell(wake)
    assert.deepEqual([call.forwards, call.state.row.forwardState], [[], 'OK'])
  })
})

describe('a command that a crash cut off', () => {
  test('an answer is put to the provider again, and its being in progress means that it had succeeded', () => {
    const row = pending('ANSWER', { answerHash: 'hash-A' })
    const call = taken(row, 5_000, { command: leftSdp }).tell(wake)
    call.provider(callAnswered).provider(callAnswered)
    assert.deepEqual([call.requests, call.events], [['preAccept', 'accept'], ['ACCEPTED']])
  })

  test('the caller who repeats it hears of the outcome', () => {
    const row = pending('ANSWER', { answerHash: 'hash-A' })
    const call = taken(row, 5_000, { command: leftSdp })
    const asked = call.ask(answer('A', 'again'))
    call.provider(ok).provider(ok)
    assert.deepEqual([call.reply(asked), call.requests], [{ type: 'done' }, ['preAccept', 'accept']])
  })

  test('an answer whose SDP is lost frees the call', () => {
    const call = taken(pending('ANSWER', { answerHash: 'hash-A' }), 5_000).tell(wake)
    assert.deepEqual(
      [call.requests, call.state.row.pendingAction, call.state.row.answerHash],
      [[], null, null],
    )
    call.ask(answer('B'))
    assert.deepEqual(call.requests, ['preAccept'])
  })

  for (const [action, request, status] of [
    ['DECLINE', 'reject', 'DECLINED'],
    ['HANG_UP', 'terminate', 'COMPLETED'],
  ] as const)
    test(`${action} is put to the provider again`, () => {
      const talking = { status: 'ACCEPTED', acceptedAt: new Date(startMs) } as const
      const call = taken(pending(action, action === 'HANG_UP' ? talking : {}), 5_000).tell(wake)
      assert.deepEqual(call.requests, [request])
      call.provider(ok)
      assert.deepEqual(call.events, [status])
    })

  test('nothing is repeated on a call that has ended', () => {
    const row = pending('HANG_UP', { status: 'COMPLETED' })
    assert.deepEqual(taken(row, 5_000).tell(status('RINGING')).requests, [])
  })
})
