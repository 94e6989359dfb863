import assert from 'node:assert/strict'
import { answeringPeer, offeringPeer } from '../../../../src/simulator/real-peer.ts'
import { after, before, describe, test } from '../../../support/harness.ts'
import { account, type Circle, NUMBER, startCircle } from './circle.ts'

let circle: Circle
before(async () => {
  circle = await startCircle()
})
after(() => circle.close())

const done = { type: 'ok', value: null }

async function ring(waId: string) {
  const { wacid } = await circle.control('POST', `handsets/${waId}/calls`, { to: NUMBER, media: 'template' })
  return circle.expect('callConnect', (one) => one.wacid === wacid)
}

async function answerTo(offer: string): Promise<string> {
  const peer = await answeringPeer(offer)
  peer.close()
  return peer.sdp
}

async function offer(): Promise<string> {
  const peer = await offeringPeer()
  peer.close()
  return peer.sdp.replaceAll('a=ice-lite\r\n', '')
}

describe('a call from a handset', () => {
  test('rings with an offer, is taken, accepted and ended, and its length comes back', async () => {
    const call = await ring('351910060001')
    assert.deepEqual(
      [call.direction, call.person?.phone, call.session?.sdpType],
      ['INBOUND', '351910060001', 'offer'],
    )
    const sdp = await answerTo(call.session?.sdp ?? '')
    assert.deepEqual(await circle.api.preAccept(account, call.wacid, sdp), done)
    assert.deepEqual(await circle.api.accept(account, call.wacid, sdp, 'call_1'), done)
    const again = await circle.api.accept(account, call.wacid, sdp)
    assert.equal(again.type === 'refused' && again.error.class, 'callAnswered')
    assert.deepEqual(await circle.api.terminate(account, call.wacid), done)
    const end = await circle.expect('callTerminate', ({ wacid }) => wacid === call.wacid)
    assert.deepEqual([end.outcome, end.opaque, typeof end.durationSeconds], ['COMPLETED', 'call_1', 'number'])
    const over = await circle.api.terminate(account, call.wacid)
    assert.equal(over.type === 'refused' && over.error.class, 'callGone')
  })

  test('cannot be taken with an SDP that is none', async () => {
    const call = await ring('351910060002')
    const result = await circle.api.accept(account, call.wacid, 'v=0\r\n')
    assert.equal(result.type === 'refused' && result.error.class, 'invalidSdp')
  })

  test('can be rejected, and ends without a length', async () => {
    const call = await ring('351910060003')
    assert.deepEqual(await circle.api.reject(account, call.wacid), done)
    const end = await circle.expect('callTerminate', ({ wacid }) => wacid === call.wacid)
    assert.equal(end.durationSeconds, null)
  })

  test('that was given up tells its end before its beginning', async () => {
    const { wacid } = await circle.control('POST', 'handsets/351910060022/calls', {
      to: NUMBER,
      media: 'template',
    })
    await circle.expect('callConnect', (one) => one.wacid === wacid)
    const kinds = circle.updates.flatMap((one) => ('wacid' in one && one.wacid === wacid ? [one.type] : []))
    assert.deepEqual(kinds, ['callTerminate', 'callConnect'])
  })
})

describe('a call to a handset', () => {
  test('rings and is declined', async () => {
    const placed = await circle.api.placeCall(account, {
      to: '+351910060024',
      sdp: await offer(),
      opaque: 'call_2',
    })
    if (placed.type !== 'ok') throw new Error(placed.error.details ?? placed.error.code)
    const { wacid } = placed.value
    await circle.expect('callStatus', (one) => one.wacid === wacid && one.status === 'RINGING')
    const answer = await circle.expect('callConnect', (one) => one.wacid === wacid)
    assert.deepEqual(
      [answer.direction, answer.session?.sdpType, answer.opaque],
      ['OUTBOUND', 'answer', 'call_2'],
    )
    await circle.expect('callStatus', (one) => one.wacid === wacid && one.status === 'REJECTED')
    await circle.expect('callTerminate', (one) => one.wacid === wacid)
  })

  test('without permission is refused, and can be asked for', async () => {
    const waId = '351910060025'
    const sdp = await offer()
    const refused = await circle.api.placeCall(account, { to: waId, sdp, opaque: 'call_3' })
    assert.equal(refused.type === 'refused' && refused.error.class, 'callPermission')
    const none = await circle.api.callPermission(account, waId)
    assert.deepEqual(none.type === 'ok' && [none.value.status, none.value.mayCall], ['NONE', false])
    await circle.control('POST', `handsets/${waId}/messages`, { to: NUMBER, type: 'text', text: 'call me' })
    const asked = await circle.api.requestCallPermission(account, { to: waId, opaque: 'msg_4' })
    assert.equal(asked.type, 'ok')
    const reply = await circle.expect(
      'inboundMessage',
      (one) => one.details?.callPermission !== undefined && one.from.phone === waId,
    )
    assert.deepEqual(
      [reply.messageType, reply.details?.callPermission?.granted],
      ['CALL_PERMISSION_REPLY', true],
    )
    const granted = await circle.api.callPermission(account, waId)
    assert.deepEqual(granted.type === 'ok' && [granted.value.status, granted.value.mayCall], [
      'TEMPORARY',
      true,
    ])
    const placed = await circle.api.placeCall(account, { to: waId, sdp, opaque: 'call_3' })
    assert.equal(placed.type, 'ok')
  })

  test('that is going on already is busy', async () => {
    const call = { to: '351910060023', sdp: await offer(), opaque: 'call_5' }
    const first = await circle.api.placeCall(account, call)
    const second = await circle.api.placeCall(account, call)
    assert.equal(second.type === 'refused' && second.error.class, 'callBusy')
    if (first.type === 'ok') await circle.api.terminate(account, first.value.wacid)
  })
})
