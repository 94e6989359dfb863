import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import {
  connect,
  Drive,
  hangUp,
  notSent,
  ok,
  placedRow,
  placingRow,
  refused,
  sdpAnswer,
  status,
  terminate,
  unknown,
} from './driver.ts'

const place = { type: 'place', sdp: 'v=0 mine' } as const
const placed = { ...ok, wacid: 'wacid.OUT01' }

describe('placing a call', () => {
  test('the provider is asked once, and its id is kept', () => {
    const call = new Drive(placingRow())
    const asked = call.ask(place)
    assert.deepEqual([call.requests, call.reply(asked)], [['place'], undefined])
    call.provider(placed)
    assert.deepEqual([call.reply(asked), call.state.row.wacid], [{ type: 'done' }, 'wacid.OUT01'])
    assert.deepEqual([call.status, call.events], ['INITIATED', []])
  })

  for (const outcome of [refused, notSent])
    test(`one that was ${outcome.type} is FAILED with the code`, () => {
      const call = new Drive(placingRow())
      const asked = call.ask(place)
      call.provider(outcome)
      assert.deepEqual(call.reply(asked), { type: 'refused', error: outcome.error })
      assert.deepEqual([call.events, call.state.row.error?.code], [['FAILED'], outcome.error.code])
    })

  test('a lost outcome is never asked for again; an update that knows our id adopts the call', () => {
    const call = new Drive(placingRow())
    const asked = call.ask(place)
    call.provider(unknown)
    assert.deepEqual([call.reply(asked), call.requests], [{ type: 'done' }, ['place']])
    call.wait(2_000).tell(status('RINGING'))
    assert.deepEqual([call.events, call.state.row.wacid], [['RINGING'], 'wacid.OUT01'])
    call.wait(30_000).tell({ type: 'wake' })
    assert.equal(call.status, 'RINGING')
  })

  test('a lost outcome that nothing follows is FAILED after a grace, and a late call is hung up', () => {
    const call = new Drive(placingRow())
    call.ask(place)
    call.provider(unknown).wait(19_000).tell({ type: 'wake' })
    assert.equal(call.status, 'INITIATED')
    call.wait(1_000).tell({ type: 'wake' })
    assert.deepEqual([call.events, call.state.row.endReason], [['FAILED'], 'OUTCOME_UNKNOWN'])
    call.provider(placed)
    const last = call.asked.at(-1)
    assert.ok(last?.request === 'terminate' && last.wacid === 'wacid.OUT01')
  })

  for (const update of [status('RINGING'), status('ACCEPTED'), connect(placedRow(), sdpAnswer)])
    test(`a call that was given up and lives at the provider is hung up there: ${update.type}`, () => {
      const call = new Drive(placingRow())
      call.ask(place)
      call.provider(unknown).wait(20_000).tell({ type: 'wake' })
      call.tell(update)
      const last = call.asked.at(-1)
      assert.ok(last?.request === 'terminate' && last.wacid === 'wacid.OUT01')
      assert.deepEqual([call.events, call.forwards], [['FAILED'], []])
      call.tell(terminate())
      assert.deepEqual(call.requests, ['place', 'terminate'])
    })

  test('an update that overtakes the answer of the provider answers the caller', () => {
    const call = new Drive(placingRow())
    const asked = call.ask(place)
    call.tell(status('RINGING'))
    assert.deepEqual(call.reply(asked), { type: 'done' })
    call.provider(placed)
    assert.deepEqual([call.events, call.requests], [['RINGING'], ['place']])
    call.ask(hangUp)
    assert.equal(call.requests.at(-1), 'terminate')
  })

  test('a new owner never places it again', () => {
    const call = new Drive(placingRow(), { isResumed: false, mayPlace: false })
    call.ask(place)
    assert.deepEqual(call.requests, [])
    call.wait(20_000).tell({ type: 'wake' })
    assert.deepEqual(call.events, ['FAILED'])
  })
})
