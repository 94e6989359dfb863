// Gateways that die while they send the provider a request about a call.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before } from '../support/harness.ts'
import { ring, simCall } from './call-steps.ts'
import { type Json, ok, refused } from './clients.ts'
import { asked, calm, dieAt, openCrashScene } from './crashes.ts'
import { hello } from './message-steps.ts'
import { eventually, type Scene, stepsOf } from './scene.ts'
import { type Session, session } from './sdp.ts'

let scene: Scene
before(async () => {
  scene = await openCrashScene()
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

/** Makes a call that rings at the receiver; returns the call as the ring carries it. */
async function rung(from: string): Promise<Json> {
  const wacid = await ring(scene, from)
  const { body } = await scene.https.inbox.first('the ring', ({ event, call }) => {
    return event === 'call.ringing' && call.wacid === wacid
  })
  return body.call
}

const answer = (id: string, given: Session) => scene.stack.api.post(`/calls/${id}/answer`, { session: given })

const requests = (wacid: string, action: string) =>
  asked(scene, (body) => body.call_id === wacid && body.action === action)

const isIdle = async (wacid: string): Promise<boolean> => {
  const rows = await scene.stack.sql`select 1 from calls where wacid = ${wacid} and pending_action is null`
  return rows.length === 1
}

step('an answer that was claimed and not put to the provider is completed, or the call is free', async () => {
  const [claimed, other] = [session('answer'), session('answer')]
  let call: Json
  await dieAt(scene, 'after_intent_before_provider', async () => {
    call = await rung('15557000441')
    await answer(call.id, claimed)
  })
  assert.equal((await simCall(scene, call.wacid)).state, 'ringing')
  assert.equal(await isIdle(call.wacid), false)
  // No client asks again: the sweep must find the call. Backdated, because the sweep waits a few seconds.
  await scene.stack.sql`update calls set wake_at = now() - interval '5 seconds' where wacid = ${call.wacid}`
  await scene.stack.restartGateway(0)
  await eventually('nothing is pending', () => isIdle(call.wacid))
  const late = await answer(call.id, other)
  const winner = late.status === 200 ? other : claimed
  if (winner === claimed) assert.equal(late.body.error.code, 'CALL_ALREADY_ANSWERED')
  assert.equal((await ok(scene.stack.api.get(`/calls/${call.id}`))).status, 'ACCEPTED')
  const { state, remoteSdp } = await simCall(scene, call.wacid)
  assert.deepEqual([state, remoteSdp], ['accepted', winner.sdp])
  assert.equal((await requests(call.wacid, 'accept')).length, 1)
})

step('an answer that the provider was taking is found to have been taken, and wins', async () => {
  const { stack } = scene
  const given = session('answer')
  const call = await rung('15557000442')
  await ok(
    stack.sim.put('/faults', { api: [{ match: 'calls', action: 'accept', delayMs: 1_000, times: 1 }] }),
  )
  const lost = answer(call.id, given).catch(() => undefined)
  await eventually('it is pre-accepted', async () => (await requests(call.wacid, 'pre_accept')).length === 1)
  // The accept follows at once, invisible from outside. The provider completes it when the gateway dies.
  await sleep(200)
  await stack.gateway(0).process.kill()
  await lost
  await stack.restartGateway(0)
  assert.equal((await ok(answer(call.id, given))).status, 'ACCEPTED')
  assert.equal(await refused(answer(call.id, session('answer')), 409), 'CALL_ALREADY_ANSWERED')
  const { state, remoteSdp } = await simCall(scene, call.wacid)
  assert.deepEqual([state, remoteSdp], ['accepted', given.sdp])
  await calm(scene)
  const statuses = scene.socket.inbox.all(({ data }) => data?.callId === call.id)
  // The first status may arrive twice: the kill can hit between sending the frame and recording it.
  const distinct = new Set(statuses.map(({ body }) => body.data.status))
  assert.deepEqual([...distinct], ['RINGING', 'ACCEPTED'])
})

step('a call that was to be placed and perhaps was is not placed again, and fails', async () => {
  const { stack } = scene
  const to = '15557000443'
  const sent = await ok(stack.api.post('/messages/chat', hello(`+${to}`)), 202)
  await calm(scene)
  await dieAt(scene, 'after_intent_before_provider', () =>
    stack.api.post(`/conversations/${sent.conversationId}/call`, { session: session('offer') }),
  )
  // Backdates the request, so that the restarted gateway finds it overdue.
  const rows = await stack.sql`
    update calls
    set action_at = now() - interval '30 seconds', wake_at = now() - interval '30 seconds'
    where direction = 'OUTBOUND' and pending_action = 'PLACE'`
  assert.equal(rows.count, 1)
  await stack.restartGateway(0)
  const placed = async (): Promise<Json> => (await ok(stack.api.get(`/calls?contact=${to}`))).data[0]
  await eventually('it is given up', async () => (await placed()).status === 'FAILED')
  assert.equal((await placed()).endReason, 'OUTCOME_UNKNOWN')
  assert.deepEqual(await asked(scene, (body) => body.action === 'connect'), [])
})
