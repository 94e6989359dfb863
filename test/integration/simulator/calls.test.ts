import assert from 'node:assert/strict'
import { parse } from 'sdp-transform'
import { sdpProblem } from '../../../src/simulator/sdp.ts'
import { after, before, describe, test } from '../../support/harness.ts'
import { codeOf, detailsOf, NUMBER, type Reply, type Rig, sdp, sdpOf, startRig, wacidOf } from './harness.ts'

let rig: Rig
before(async () => {
  rig = await startRig()
})
after(() => rig.close())

const ANSWER = { sdp_type: 'answer', sdp: sdp('active') }

const act = (action: string, wacid: string, extra: object = {}): Promise<Reply> =>
  rig.provider('calls', { messaging_product: 'whatsapp', call_id: wacid, action, ...extra })

const place = (waId: string, extra: object = {}): Promise<Reply> =>
  rig.provider('calls', {
    messaging_product: 'whatsapp',
    to: waId,
    action: 'connect',
    session: { sdp_type: 'offer', sdp: sdp('actpass') },
    ...extra,
  })

/** The handset calls; returns the call's id once the connect webhook has arrived. */
async function ring(waId: string): Promise<string> {
  const reply = await rig.control('POST', `handsets/${waId}/calls`, { to: `+${NUMBER}` })
  const wacid = String(reply.body['wacid'])
  await rig.expect('call', { id: wacid, event: 'connect' })
  return wacid
}

/** Calls made during `work` ring for this long. */
async function ringingFor<T>(ringTimeoutMs: number, work: () => Promise<T>): Promise<T> {
  await rig.control('PUT', 'config', { ringTimeoutMs })
  try {
    return await work()
  } finally {
    await rig.control('PUT', 'config', { ringTimeoutMs: 45_000 })
  }
}

const ending = async (wacid: string) => {
  const [seen] = await rig.expect('call', { id: wacid, event: 'terminate' })
  return seen?.update ?? {}
}

describe('calls from handsets', () => {
  test('the offer is one of ICE-lite with opus, telephone events and an open DTLS role', async () => {
    const wacid = await ring('15551230200')
    const [connect] = rig.matching('call', { id: wacid, event: 'connect' })
    assert.ok(connect)
    assert.equal(connect.update['direction'], 'USER_INITIATED')
    assert.deepEqual([connect.update['from'], connect.update['to']], ['15551230200', NUMBER])
    const offer = parse(sdpOf(connect))
    const [media] = offer.media
    assert.equal(sdpProblem(sdpOf(connect), 'offer'), undefined)
    assert.equal(offer.icelite, 'ice-lite')
    assert.deepEqual([media?.payloads, media?.setup, media?.mid], ['111 126', 'actpass', 'audio'])
    assert.ok(media?.candidates?.every(({ ip }) => ip === '127.0.0.1'))
    await rig.control('POST', `calls/${wacid}/hangup`)
  })

  test('an answered call that the handset ends has times and a duration', async () => {
    const wacid = await ring('15551230201')
    assert.deepEqual((await act('pre_accept', wacid, { session: ANSWER })).status, 200)
    const accepted = await act('accept', wacid, { session: ANSWER, biz_opaque_callback_data: 'call_1' })
    assert.deepEqual(accepted.body, { messaging_product: 'whatsapp', success: true })
    const { body: call } = await rig.control('GET', `calls/${wacid}`)
    assert.deepEqual([call['state'], call['remoteSdp']], ['accepted', ANSWER.sdp])
    await rig.control('POST', `calls/${wacid}/hangup`)
    const end = await ending(wacid)
    assert.deepEqual([end['status'], end['biz_opaque_callback_data']], ['COMPLETED', 'call_1'])
    assert.equal(end['duration'], Number(end['end_time']) - Number(end['start_time']))
    assert.equal(typeof end['duration'], 'number')
  })

  test('an answered call that the business ends is reported once', async () => {
    const wacid = await ring('15551230202')
    await act('accept', wacid, { session: ANSWER })
    assert.equal((await act('terminate', wacid)).status, 200)
    assert.ok('duration' in (await ending(wacid)))
    const again = await act('terminate', wacid)
    assert.match(detailsOf(again), /already ended/)
    assert.equal(rig.matching('call', { id: wacid, event: 'terminate' }).length, 1)
  })

  test('an unanswered call rings out, a rejected one ends at once, neither with a duration', async () => {
    const rejected = await ring('15551230204')
    assert.equal((await act('reject', rejected)).status, 200)
    const missed = await ringingFor(300, () => ring('15551230203'))
    for (const wacid of [rejected, missed]) {
      const end = await ending(wacid)
      assert.equal('duration' in end || 'start_time' in end, false)
    }
    assert.match(detailsOf(await act('accept', missed, { session: ANSWER })), /already ended/)
  })

  test('0022 hangs up after a second and the end is delivered before the beginning', async () => {
    const reply = await rig.control('POST', 'handsets/15551230022/calls', { to: NUMBER })
    const wacid = String(reply.body['wacid'])
    const [connect] = await rig.expect('call', { id: wacid, event: 'connect' })
    const [end] = rig.matching('call', { id: wacid, event: 'terminate' })
    assert.ok(connect && end && end.post < connect.post)
  })

  test('a busy handset cannot call a second time', async () => {
    const wacid = await ring('15551230205')
    assert.equal((await rig.control('POST', 'handsets/15551230205/calls', { to: NUMBER })).status, 409)
    await rig.control('POST', `calls/${wacid}/hangup`)
  })
})

describe('refusals of an answer', () => {
  test('of two answers at once exactly one is taken', async () => {
    const wacid = await ring('15551230206')
    const replies = await Promise.all([1, 2, 3].map(() => act('accept', wacid, { session: ANSWER })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 400, 400])
    await rig.control('POST', `calls/${wacid}/hangup`)
  })

  test('an accept that differs from the pre_accept, a wrong type, a broken SDP, an unknown call', async () => {
    const wacid = await ring('15551230207')
    await act('pre_accept', wacid, { session: ANSWER })
    const other = { sdp_type: 'answer', sdp: sdp('active', 'b'.repeat(22)) }
    const cases: [reply: Reply, details: RegExp][] = [
      [await act('accept', wacid, { session: other }), /differs from the one in pre_accept/],
      [await act('accept', wacid, { session: { ...ANSWER, sdp_type: 'offer' } }), /sdp_type must be answer/],
      [await act('accept', wacid, { session: { ...ANSWER, sdp: 'v=0' } }), /SDP Validation error/],
      [await act('accept', 'wacid.NONE', { session: ANSWER }), /Invalid call_id/],
      [await act('whistle', wacid), /action/],
    ]
    for (const [reply, details] of cases) {
      assert.deepEqual([reply.status, codeOf(reply)], [400, 100])
      assert.match(detailsOf(reply), details)
    }
    await rig.control('POST', `calls/${wacid}/hangup`)
  })
})

describe('calls to handsets', () => {
  const statuses = (wacid: string) =>
    rig.matching('status', { id: wacid }).map(({ update }) => update['status'])

  test('a handset that waits rings, is answered over the control API and hung up by the business', async () => {
    const wacid = wacidOf(await place('15551230210', { biz_opaque_callback_data: 'call_2' }))
    const [connect] = await rig.expect('call', { id: wacid, event: 'connect' })
    assert.ok(connect)
    assert.equal(connect.update['direction'], 'BUSINESS_INITIATED')
    assert.equal(sdpProblem(sdpOf(connect), 'answer'), undefined)
    await rig.expect('status', { id: wacid, status: 'RINGING' })
    await rig.control('POST', `calls/${wacid}/answer`)
    await rig.expect('status', {
      id: wacid,
      status: 'ACCEPTED',
      biz_opaque_callback_data: 'call_2',
      type: 'call',
    })
    await act('terminate', wacid)
    assert.ok('duration' in (await ending(wacid)))
  })

  test('0024 declines, 0023 rings out, and neither has a duration', async () => {
    const declined = wacidOf(await place('15551230024'))
    const ignored = wacidOf(await ringingFor(500, () => place('15551230023')))
    for (const wacid of [declined, ignored]) assert.equal('duration' in (await ending(wacid)), false)
    await rig.expect('status', { id: declined, status: 'REJECTED' })
    await rig.expect('status', { id: ignored, status: 'RINGING' })
    assert.deepEqual(statuses(ignored), ['RINGING'])
  })

  test('a second call to the same handset is 138003, one with a bad offer 100', async () => {
    const wacid = wacidOf(await place('15551230211'))
    assert.equal(codeOf(await place('15551230211')), 138003)
    await act('terminate', wacid)
    const bad = await place('15551230212', {
      session: { sdp_type: 'offer', sdp: sdp('actpass').replace('opus', 'g729') },
    })
    assert.match(detailsOf(bad), /opus/)
  })

  test('0025 is 138006 until it was asked and allowed calls', async () => {
    const refused = await place('15551230025')
    assert.deepEqual([refused.status, codeOf(refused)], [401, 138006])
    await rig.control('POST', 'handsets/15551230025/messages', { to: NUMBER, type: 'text', text: 'hi' })
    const ask = {
      messaging_product: 'whatsapp',
      to: '15551230025',
      type: 'interactive',
      interactive: {
        type: 'call_permission_request',
        action: { name: 'call_permission_request' },
        body: { text: 'May we call you?' },
      },
    }
    assert.equal((await rig.provider('messages', ask)).status, 200)
    const [reply] = await rig.expect('message', { from: '15551230025', type: 'interactive' })
    assert.match(
      JSON.stringify(reply?.update['interactive']),
      /"response":"accept","is_permanent":false,"expiration/,
    )
    const view = await rig.request('GET', '/v24.0/106540352242922/call_permissions?user_wa_id=15551230025')
    assert.match(JSON.stringify(view.body), /"status":"temporary"/)
    const wacid = wacidOf(await place('15551230025'))
    await act('terminate', wacid)
    assert.equal(codeOf(await rig.provider('messages', ask)), 138009)
  })

  test('with calling switched off every action is 138000', async () => {
    await rig.provider('settings', { calling: { status: 'DISABLED' } })
    assert.equal(codeOf(await place('15551230213')), 138000)
    await rig.provider('settings', { calling: { status: 'ENABLED' } })
    assert.equal((await place('15551230213')).status, 200)
  })
})
