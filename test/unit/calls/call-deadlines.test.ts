import assert from 'node:assert/strict'
import { callActor } from '../../../src/calls/call.actor.ts'
import { describe, test } from '../../support/harness.ts'
import {
  answer,
  connect,
  Drive,
  decline,
  forwardingRow,
  hangUp,
  offer,
  ok,
  placedRow,
  refused,
  ringingRow,
  startMs,
  status,
  terminate,
  timing,
} from './driver.ts'

const wake = { type: 'wake' } as const
const hour = 3_600_000
const wakeAfter = (call: Drive): number => (call.state.row.wakeAt?.getTime() ?? Number.NaN) - startMs

function timerOf(call: Drive): number | undefined {
  const last = call.effects.findLast((effect) => effect.type === 'setTimer' || effect.type === 'clearTimer')
  return last?.type === 'setTimer' ? last.delayMs : undefined
}

describe('silence', () => {
  test('of a ringing inbound call ends it after the ring timeout, here and at the provider', () => {
    const call = new Drive(ringingRow(), { session: offer }).wait(89_999).tell(wake)
    assert.deepEqual(call.events, [])
    call.wait(1).tell(wake)
    assert.deepEqual([call.events, call.state.row.endReason], [['MISSED'], 'TIMEOUT'])
    assert.deepEqual([call.requests, call.state.row.wakeAt, timerOf(call)], [['terminate'], null, undefined])
    call.provider(ok).tell(wake)
    assert.equal(call.events.length, 1)
  })

  test('of an inbound call whose connect came late counts from when we heard of it', () => {
    const ringingAt = new Date(startMs - 50_000)
    const call = new Drive(ringingRow({ ringingAt }), { session: offer }).wait(89_999).tell(wake)
    assert.deepEqual([call.events, wakeAfter(call)], [[], 90_000])
  })

  test('of a placed call is NO_ANSWER, counted anew from when it rings', () => {
    const call = new Drive(placedRow()).wait(60_000).tell(status('RINGING')).wait(60_000).tell(wake)
    assert.deepEqual(call.events, ['RINGING'])
    call.wait(30_000).tell(wake)
    assert.deepEqual([call.events, call.state.row.endReason], [['RINGING', 'NO_ANSWER'], 'TIMEOUT'])
  })

  test('of an accepted call completes it after four hours with its duration', () => {
    const call = new Drive(placedRow(), { route: [] })
      .tell(status('ACCEPTED'))
      .wait(4 * hour)
      .tell(wake)
    assert.deepEqual(call.events, ['ACCEPTED', 'COMPLETED'])
    assert.deepEqual([call.state.row.durationSeconds, call.state.row.endReason], [4 * 3_600, 'TIMEOUT'])
    assert.deepEqual(call.requests, ['terminate'])
  })
})

test('four hours of silence count from the last update, and what we do ourselves is none', () => {
  const call = new Drive(placedRow(), { route: [] }).tell(status('ACCEPTED')).wait(3 * hour)
  call.tell(status('RINGING')).wait(3 * hour)
  call.ask(hangUp)
  call
    .provider(refused)
    .wait(hour - 1)
    .tell(wake)
  assert.equal(call.status, 'ACCEPTED')
  call.wait(1).tell(wake)
  assert.deepEqual([call.status, call.state.row.durationSeconds], ['COMPLETED', 7 * 3_600])
})

test('repeats of the connect do not make it ring longer', () => {
  const call = new Drive(ringingRow(), { session: offer }).wait(60_000)
  call.tell(connect(ringingRow(), offer)).wait(30_000).tell(wake)
  assert.deepEqual(call.events, ['MISSED'])
})

describe('wake_at', () => {
  test('is the ring timeout, and sooner while a crash would leave something undone', () => {
    const plain = new Drive(ringingRow(), { session: offer }).tell(wake)
    assert.equal(wakeAfter(plain), 90_000)
    assert.equal(wakeAfter(new Drive(forwardingRow()).tell({ type: 'ringing', session: offer })), 2_000)
    plain.ask(decline)
    assert.equal(wakeAfter(plain), 5_000)
    assert.equal(plain.changes.at(-1)?.row.wakeAt?.getTime(), startMs + 5_000)
    plain.provider(ok)
    assert.equal(plain.changes.at(-1)?.row.wakeAt, null)
  })

  test('of a crash check does not make the owner itself look early', () => {
    const call = new Drive(ringingRow(), { session: offer })
    call.ask(answer('A'))
    assert.equal(timerOf(call), 90_000)
    call.wait(5_000).tell(wake)
    assert.deepEqual([call.requests, timerOf(call)], [['preAccept'], 85_000])
  })
})

describe('leaving memory', () => {
  const idle = (call: Drive) => callActor(timing).idleAfterMs(call.state)

  test('a ringing call stays, an accepted one leaves after two minutes, one that the provider ended at once', () => {
    const call = new Drive(placedRow(), { route: [] })
    assert.equal(idle(call), undefined)
    assert.equal(idle(call.tell(status('ACCEPTED'))), 120_000)
    assert.equal(call.count('passivate'), 0)
    assert.equal(call.tell(terminate({ durationSeconds: 1 })).count('passivate'), 1)
  })

  test('one that we ended waits five seconds for the terminate of the provider', () => {
    const call = new Drive(ringingRow(), { session: offer })
    call.ask(decline)
    call.provider(ok)
    assert.deepEqual([call.status, idle(call), call.count('passivate')], ['DECLINED', 5_000, 0])
    assert.equal(call.tell(terminate()).count('passivate'), 1)
  })

  test('one whose caller hung up while it was answered waits for the outcome, which is taken back', () => {
    const call = new Drive(ringingRow(), { session: offer })
    call.ask(answer('A'))
    call.provider(ok).tell(terminate())
    assert.deepEqual([call.status, idle(call), call.count('passivate')], ['MISSED', 5_000, 0])
    call.provider(ok)
    assert.equal(call.requests.at(-1), 'terminate')
  })

  test('one that rang out waits for the update that tells whether the contact declined', () => {
    const call = new Drive(placedRow(), { route: [] }).tell(status('RINGING')).tell(terminate())
    assert.deepEqual([call.status, call.count('passivate')], ['RINGING', 0])
    call.tell(status('REJECTED'))
    assert.deepEqual([call.status, call.count('passivate')], ['REJECTED', 1])
  })

  test('one that ended while it was forwarded leaves with the outcome', () => {
    const call = new Drive(forwardingRow()).tell({ type: 'ringing', session: offer }).tell(terminate())
    assert.equal(call.count('passivate'), 0)
    call.tell({ type: 'forwarded', outcome: { type: 'delivered' } })
    assert.deepEqual([call.count('noteForwarded'), call.count('passivate')], [1, 1])
    const note = call.effects.find((effect) => effect.type === 'noteForwarded')
    assert.equal(note?.isLast, true, 'and its row is released with the note')
  })

  test('a late connect of an ended call is answered in its turn, because the call may leave with it', () => {
    const call = new Drive(ringingRow({ status: 'MISSED' }), { isResumed: false })
    const asked = call.ask(connect(ringingRow(), offer))
    assert.deepEqual(call.reply(asked), { type: 'done' })
    const again = call.tell(terminate()).ask(connect(ringingRow(), offer))
    assert.deepEqual([call.reply(again), call.events], [{ type: 'done' }, []])
  })

  test('one that ended while it was forwarded stays for the outcome, which a crash does not lose', () => {
    const call = new Drive(forwardingRow()).tell({ type: 'ringing', session: offer }).tell(terminate())
    assert.deepEqual([call.status, idle(call), wakeAfter(call)], ['MISSED', undefined, 2_000])
    const next = new Drive(call.state.row, { isResumed: false }).wait(5_000).tell(wake)
    assert.equal(next.state.row.lastForwardError?.code, 'CALL_ENDED')
    assert.deepEqual([next.forwards, next.events, next.state.row.wakeAt, idle(next)], [[], [], null, 5_000])
    call.tell({ type: 'forwarded', outcome: { type: 'delivered' } })
    assert.deepEqual([idle(call), call.state.row.forwardState, call.state.row.wakeAt], [5_000, 'OK', null])
  })

  test('one that ended before its SDP answer came says that nothing was forwarded', () => {
    const call = new Drive(placedRow()).tell(status('ACCEPTED')).tell(terminate({ durationSeconds: 1 }))
    call.wait(19_999).tell(wake)
    assert.equal(idle(call), undefined)
    call.wait(1).tell(wake)
    assert.deepEqual([call.state.row.lastForwardError?.code, idle(call)], ['CALL_ENDED', 5_000])
  })

  test('a process that leaves finishes what is under way first', () => {
    const call = new Drive(ringingRow(), { session: offer })
    call.ask(answer('A'))
    call.tell({ type: 'drain' })
    assert.equal(call.count('passivate'), 0)
    call.provider(ok)
    assert.equal(call.count('passivate'), 0)
    call.provider(ok)
    assert.equal(call.count('passivate'), 1)
    assert.equal(call.status, 'ACCEPTED')
  })
})
