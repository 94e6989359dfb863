import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import {
  connect,
  Drive,
  offer,
  placedRow,
  ringingRow,
  sdpAnswer,
  startMs,
  status,
  terminate,
} from './driver.ts'

const mediaError = { code: '138021', title: 'Media receive timeout' }
const placed = () => new Drive(placedRow())
const ringing = () => new Drive(ringingRow(), { session: offer })

describe('a placed call', () => {
  test('rings, is accepted and completed, each with one event of the next version', () => {
    const call = placed().tell(status('RINGING')).tell(status('ACCEPTED')).wait(12_000)
    call.tell(terminate({ durationSeconds: 11 }))
    assert.deepEqual(call.events, ['RINGING', 'ACCEPTED', 'COMPLETED'])
    assert.deepEqual([call.state.row.version, call.state.row.durationSeconds], [4, 11])
    assert.equal(call.state.row.endReason, 'HUNG_UP')
  })

  for (const [when, toldMs, expectedMs] of [
    ['ten minutes ago', 12_000, 12_000],
    ['before it was accepted, by a clock that is behind', -5_000, 2_000],
    ['in the future', 900_000, 612_000],
  ] as const)
    test(`that ended ${when}, as a late terminate tells, has ended no earlier and no later than that`, () => {
      const call = placed().tell(status('RINGING')).wait(2_000).tell(status('ACCEPTED')).wait(610_000)
      const toldAt = new Date(startMs + toldMs).toISOString()
      call.tell(terminate({ durationSeconds: 10, toldAt }))
      const endedAt = new Date(startMs + expectedMs)
      assert.deepEqual([call.status, call.state.row.endedAt], ['COMPLETED', endedAt])
      assert.equal(call.bodies.at(-1)?.occurredAt, endedAt.toISOString())
    })

  test('a terminate with a duration tells of an answer too: two transitions, two events', () => {
    const call = placed()
      .wait(40_000)
      .tell(terminate({ durationSeconds: 30 }))
    assert.deepEqual(call.events, ['ACCEPTED', 'COMPLETED'])
    assert.equal(call.changes.length, 2)
    assert.deepEqual(
      call.changes.map(({ row }) => row.version),
      [2, 3],
    )
    assert.equal(call.state.row.acceptedAt?.getTime(), startMs + 10_000)
    assert.deepEqual(call.forwards, [])
  })

  test('is REJECTED whichever of decline and terminate comes first', () => {
    const declined = placed().tell(status('REJECTED')).tell(terminate())
    const overtaken = placed().tell(terminate()).wait(1_000).tell(status('REJECTED'))
    assert.deepEqual([declined.events, overtaken.events], [['REJECTED'], ['REJECTED']])
    assert.equal(overtaken.state.row.endReason, 'CUSTOMER_DECLINED')
  })

  test('rang out when nothing says otherwise within a moment', () => {
    const call = placed().tell(status('RINGING')).tell(terminate())
    assert.deepEqual(call.events, ['RINGING'])
    const timer = call.effects.findLast((effect) => effect.type === 'setTimer')
    assert.ok(timer?.type === 'setTimer' && timer.delayMs === 1_500)
    call.wait(1_500).tell({ type: 'wake' })
    assert.deepEqual([call.events.at(-1), call.state.row.endReason], ['NO_ANSWER', 'RANG_OUT'])
    assert.equal(call.state.row.endedAt?.getTime(), startMs)
  })

  test('fails with the code of the provider', () => {
    const call = placed()
      .tell(terminate({ error: mediaError }))
      .wait(1_500)
      .tell({ type: 'wake' })
    assert.deepEqual([call.events, call.state.row.error], [['FAILED'], mediaError])
    assert.equal(call.state.row.endedAt?.getTime(), startMs)
    const talking = placed().tell(status('ACCEPTED'))
    talking.tell(terminate({ durationSeconds: 20, error: mediaError }))
    assert.deepEqual(talking.events, ['ACCEPTED', 'FAILED'])
  })

  test('that failed has a line of its own in the timeline where it was the audio', () => {
    const kinds = (code: string) => placed().tell(terminate({ error: { code, title: 'no' } })).kinds
    assert.deepEqual(kinds('138021'), ['provider.terminate', 'media.failed'])
    assert.deepEqual(kinds('131000'), ['provider.terminate'])
  })
})

describe('an inbound call', () => {
  test('is MISSED when the caller gives up', () => {
    const call = ringing().tell(terminate())
    assert.deepEqual([call.events, call.state.row.endReason], [['MISSED'], 'CALLER_GAVE_UP'])
  })

  test('is MISSED for want of a receiver when the forward had failed', () => {
    const lastForwardError = { code: 'TIMEOUT', message: 'no answer', endpointId: null, at: '' }
    const call = new Drive(ringingRow({ forwardState: 'FAILED', lastForwardError })).tell(terminate())
    assert.equal(call.state.row.endReason, 'FORWARD_FAILED')
  })

  test('fails with the code of the provider', () => {
    assert.deepEqual(ringing().tell(terminate({ error: mediaError })).events, ['FAILED'])
  })

  test('was answered when its terminate has a duration, even if our request is still open', () => {
    assert.deepEqual(ringing().tell(terminate({ durationSeconds: 4 })).events, ['ACCEPTED', 'COMPLETED'])
  })

  test('has no statuses: such an update is noted and changes nothing', () => {
    const call = ringing().tell(status('ACCEPTED'))
    assert.deepEqual([call.events, call.kinds], [[], ['provider.accepted']])
  })
})

describe('what comes late', () => {
  test('is noted in the timeline and changes nothing', () => {
    const call = placed()
      .tell(status('ACCEPTED'))
      .tell(terminate({ durationSeconds: 1 }))
    const { version } = call.state.row
    call
      .tell(status('RINGING'))
      .tell(status('REJECTED'))
      .tell(terminate())
      .tell(connect(call.state.row, sdpAnswer))
    assert.deepEqual([call.events, call.state.row.version], [['ACCEPTED', 'COMPLETED'], version])
    assert.deepEqual(call.kinds.slice(-4), [
      'provider.ringing',
      'provider.rejected',
      'provider.terminate',
      'provider.connect',
    ])
    assert.equal(call.state.session, null)
  })

  test('no change, note or event ever carries SDP', () => {
    const call = ringing().tell(connect(ringingRow(), offer)).tell(terminate())
    assert.doesNotMatch(JSON.stringify(call.changes), /v=0/)
  })
})
