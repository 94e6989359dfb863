// Steps that a workspace takes with calls. They work with one gateway and with several.
import assert from 'node:assert/strict'
import { type Json, ok, refused } from './clients.ts'
import { assertDirect, assertQueued } from './expectations.ts'
import { hello } from './message-steps.ts'
import { atBoth, eventually, type Scene } from './scene.ts'
import { type Session, session, startPeer } from './sdp.ts'

/** A handset calls a number of the stack, by default the first; returns the provider's id of the call. */
export async function ring({ stack }: Scene, from: string, number = 0): Promise<string> {
  const to = stack.numbers[number]?.phoneNumberId
  const { wacid } = await ok(stack.sim.post(`/handsets/${from}/calls`, { to }))
  return wacid
}

export const simCall = ({ stack }: Scene, wacid: string): Promise<Json> =>
  ok(stack.sim.get(`/calls/${encodeURIComponent(wacid)}`))

const hangUpAtHandset = ({ stack }: Scene, wacid: string): Promise<Json> =>
  ok(stack.sim.post(`/calls/${encodeURIComponent(wacid)}/hangup`))

/** Waits for the ringing frame on the socket and checks it field by field; returns the call in it. */
export async function ringing({ stack, socket }: Scene, wacid: string, from: string): Promise<Json> {
  const { body } = await socket.inbox.first('call.ringing', ({ call }) => call?.wacid === wacid)
  const { id, conversationId, fromName, userId, username, session: offer } = body.call
  assert.deepEqual(Object.keys(offer).sort(), ['sdp', 'sdpType'])
  assert.equal(offer.sdpType, 'offer')
  assert.match(offer.sdp, /^v=0\r\n.*a=ice-lite/s)
  assertDirect(body, 'call.ringing', {
    ...{ id, wacid, direction: 'INBOUND', status: 'RINGING', from, fromName, userId, username },
    to: stack.numbers[0].number,
    phoneNumberId: stack.numbers[0].phoneNumberId,
    ...{ conversationId, durationSeconds: null, session: offer },
  })
  return body.call
}

/** Both receivers must get exactly these call.status events of the call, in this order. */
export async function statuses(
  scene: Scene,
  { id, conversationId }: Json,
  direction: string,
  expected: readonly string[],
): Promise<void> {
  const mine = (status?: string) => (body: Json) =>
    body.event === 'call.status' && body.data.callId === id && (!status || body.data.status === status)
  for (const status of expected) {
    const both = await atBoth(scene, `${status} of ${id}`, mine(status))
    const { wacid, contactWaId, userId, username, durationSeconds } = both.post.body.data
    assert.equal(Number.isInteger(durationSeconds), status === 'COMPLETED', `durationSeconds of ${status}`)
    assertQueued(scene, both, {
      event: 'call.status',
      data: {
        ...{ callId: id, conversationId, wacid, direction, status, contactWaId, userId, username },
        durationSeconds,
      },
    })
  }
  for (const { inbox } of [scene.https, scene.socket])
    assert.deepEqual(
      inbox.all(mine()).map(({ body }) => body.data.status),
      expected,
    )
}

/** A call with a real peer at both ends: it rings at the socket, is answered, carries audio and ends. */
export async function talk(scene: Scene, from = '15557000021'): Promise<void> {
  // On a busy machine the peers may not find each other: then the handset calls again, as somebody would.
  for (let tries = 5; tries > 0; tries -= 1) if ((await talkOnce(scene, from)) !== '') return
  assert.fail('no echo was heard')
}

/** Resolves with what was heard, empty where nothing was. */
async function talkOnce(scene: Scene, from: string): Promise<string> {
  const { api } = scene.stack
  const wacid = await ring(scene, from)
  const call = await ringing(scene, wacid, from)
  const offered = await ok(api.get(`/calls/${call.id}/offer`))
  assert.deepEqual(
    { callId: offered.callId, session: offered.session },
    { callId: call.id, session: call.session },
  )
  const heard = await answerWithPeer(scene, { call, wacid })
  assert.match(heard, /^(frame \d+)?$/)
  assert.equal(await refused(api.get(`/calls/${call.id}/offer`), 409), 'OFFER_UNAVAILABLE')
  await hangUpAtHandset(scene, wacid)
  await statuses(scene, call, 'INBOUND', ['RINGING', 'ACCEPTED', 'COMPLETED'])
  assert.equal(await refused(api.get(`/calls/${call.id}/offer`), 409), 'CALL_ENDED')
  const ended = await ok(api.get(`/calls/${call.id}`))
  assert.equal(ended.status, 'COMPLETED')
  assert.ok(Number.isInteger(ended.durationSeconds), 'whole seconds')
  return heard
}

async function answerWithPeer(
  scene: Scene,
  { call, wacid }: { readonly call: Json; readonly wacid: string },
): Promise<string> {
  const peer = startPeer()
  try {
    const answer = await peer.answer(call.session.sdp)
    await answerOnce(scene, call, answer)
    assert.equal((await simCall(scene, wacid)).remoteSdp, answer.sdp)
    return await peer.hearEcho()
  } finally {
    await peer.close()
  }
}

/** The first answer wins: its repeat changes nothing, and a different answer is refused. */
async function answerOnce({ stack, ...scene }: Scene, { id, wacid }: Json, answer: Session): Promise<void> {
  const post = (given: Session) => stack.api.post(`/calls/${id}/answer`, { session: given })
  const answered = await ok(post(answer))
  assert.deepEqual([answered.id, answered.status], [id, 'ACCEPTED'])
  assert.equal((await simCall({ stack, ...scene }, wacid)).state, 'accepted')
  assert.equal(await refused(post(session('answer')), 409), 'CALL_ALREADY_ANSWERED')
  assert.equal((await ok(post(answer))).status, 'ACCEPTED')
}

export async function decline(scene: Scene, from = '15557000104'): Promise<void> {
  const { api } = scene.stack
  const wacid = await ring(scene, from)
  const call = await ringing(scene, wacid, from)
  const act = () => api.post(`/calls/${call.id}/action`, { action: 'DECLINE' })
  assert.equal((await ok(act())).status, 'DECLINED')
  assert.equal((await ok(act())).status, 'DECLINED')
  assert.deepEqual(await simCall(scene, wacid).then(({ state, endReason }) => [state, endReason]), [
    'ended',
    'rejected-by-business',
  ])
  await statuses(scene, call, 'INBOUND', ['RINGING', 'DECLINED'])
}

/** The caller hangs up before the call is answered. */
export async function miss(scene: Scene, from = '15557000105'): Promise<void> {
  const { api } = scene.stack
  const wacid = await ring(scene, from)
  const call = await ringing(scene, wacid, from)
  await hangUpAtHandset(scene, wacid)
  await statuses(scene, call, 'INBOUND', ['RINGING', 'MISSED'])
  assert.equal((await ok(api.get(`/calls/${call.id}`))).endReason, 'CALLER_GAVE_UP')
  const late = api.post(`/calls/${call.id}/answer`, { session: session('answer') })
  assert.equal(await refused(late, 409), 'CALL_ENDED')
}

/** The HTTPS receiver refuses the ring: the call reports it and rings on; nothing is repeated or logged. */
export async function ringInVain(scene: Scene, from = '15557000106'): Promise<void> {
  const { stack, https, httpsEndpoint } = scene
  await stack.assignNumber(stack.numbers[1], { endpointId: httpsEndpoint.id, forwardCalls: true })
  https.answer = ({ body }) => (body.event === 'call.ringing' ? 500 : 200)
  const wacid = await ring(scene, from, 1)
  const isRing = ({ event, call }: Json) => event === 'call.ringing' && call.wacid === wacid
  const { body, headers } = await https.inbox.first('call.ringing', isRing)
  assert.equal(headers['x-communication-event'], 'call.ringing')
  assert.deepEqual([body.channel, body.call.session.sdpType], ['CHAT', 'offer'])
  const read = () => ok(stack.api.get(`/calls/${body.call.id}`))
  await eventually('the call tells of it', async () => (await read()).lastForwardError !== null)
  const { code, endpointId } = (await read()).lastForwardError
  assert.deepEqual([code, endpointId], ['HTTP_500', httpsEndpoint.id])
  const declined = await ok(stack.api.post(`/calls/${body.call.id}/action`, { action: 'DECLINE' }))
  assert.equal(declined.status, 'DECLINED')
  await statuses(scene, body.call, 'INBOUND', ['RINGING', 'DECLINED'])
  assert.equal(https.inbox.all(isRing).length, 1)
  assert.equal(https.forged, 0)
  assert.deepEqual(await stack.deliveries({ event: 'call.ringing' }), [])
  https.answer = () => 200
}

const conversationWith = async ({ stack }: Scene, to: string): Promise<string> =>
  (await ok(stack.api.post('/messages/chat', hello(`+${to}`)), 202)).conversationId

/** A call to a handset that picks up by itself: the answer arrives on the socket, and the test hangs up. */
export async function place(scene: Scene, to = '15557010021'): Promise<void> {
  const { stack, socket } = scene
  const conversationId = await conversationWith(scene, to)
  const offer = session('offer')
  const placed = await ok(stack.api.post(`/conversations/${conversationId}/call`, { session: offer }), 202)
  assert.deepEqual([placed.status, placed.direction, 'session' in placed], ['INITIATED', 'OUTBOUND', false])
  const { body } = await socket.inbox.first('call.accepted', ({ event, call }) => {
    return event === 'call.accepted' && call.id === placed.id
  })
  const { wacid, fromName, userId, username, session: answer } = body.call
  assert.deepEqual(Object.keys(answer).sort(), ['sdp', 'sdpType'])
  assert.equal(answer.sdpType, 'answer')
  assertDirect(body, 'call.accepted', {
    ...{
      id: placed.id,
      wacid,
      direction: 'OUTBOUND',
      status: 'ACCEPTED',
      from: to,
      fromName,
      userId,
      username,
    },
    to: stack.numbers[0].number,
    phoneNumberId: stack.numbers[0].phoneNumberId,
    ...{ conversationId, durationSeconds: null, session: answer },
  })
  const answering = stack.api.post(`/calls/${placed.id}/answer`, { session: session('answer') })
  assert.equal(await refused(answering, 409), 'CALL_NOT_RINGING')
  const seen = await simCall(scene, wacid)
  assert.deepEqual([seen.remoteSdp, seen.localSdp], [offer.sdp, answer.sdp])
  const hangUp = () => stack.api.post(`/calls/${placed.id}/action`, { action: 'HANG_UP' })
  assert.equal((await ok(hangUp())).status, 'COMPLETED')
  assert.equal((await simCall(scene, wacid)).state, 'ended')
  await statuses(scene, placed, 'OUTBOUND', ['INITIATED', 'RINGING', 'ACCEPTED', 'COMPLETED'])
}

/** A call needs the contact's permission. After a permission request by message, it goes through. */
export async function askPermission(scene: Scene, to = '15557000025'): Promise<void> {
  const { stack, socket } = scene
  const conversationId = await conversationWith(scene, to)
  const call = () => stack.api.post(`/conversations/${conversationId}/call`, { session: session('offer') })
  assert.equal(await refused(call(), 422), 'CALL_PERMISSION_REQUIRED')
  const ask = { to: `+${to}`, template: { name: 'call_permission', language: 'en_US' } }
  await ok(stack.api.post('/messages/chat', ask), 202)
  const { body } = await socket.inbox.first('the permission', ({ data }) => {
    return data?.from === to && data.details?.callPermission !== undefined
  })
  const { expiresAt, ...permission } = body.data.details.callPermission
  assert.deepEqual(permission, {
    ...{ response: 'accept', granted: true, isPermanent: false, source: 'user_action' },
  })
  assert.ok(Date.parse(expiresAt) > Date.now(), 'granted for a while')
  const placed = await ok(call(), 202)
  await eventually('the call is in the hands of the provider', async () => {
    const { data } = await ok(stack.api.get(`/calls?contact=${to}`))
    return data[0].id === placed.id && data[0].wacid !== null
  })
  assert.equal(
    (await ok(stack.api.post(`/calls/${placed.id}/action`, { action: 'HANG_UP' }))).status,
    'CANCELLED',
  )
}
