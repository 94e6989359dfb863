// Gateways that die while a call rings at the customer's receiver: the ring is repeated at most once.
import assert from 'node:assert/strict'
import { after, before } from '../support/harness.ts'
import { ring } from './call-steps.ts'
import { type Json, ok } from './clients.ts'
import { asked, calm, dieAt, openCrashScene } from './crashes.ts'
import type { Received } from './inbox.ts'
import { eventually, type Scene, stepsOf } from './scene.ts'
import { session } from './sdp.ts'

let scene: Scene
before(async () => {
  scene = await openCrashScene()
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

const isRinging =
  (wacid: string) =>
  ({ event, call }: Json): boolean =>
    event === 'call.ringing' && call.wacid === wacid
const rings = (wacid: string): Received[] => scene.https.inbox.all(isRinging(wacid))
const read = (id: string): Promise<Json> => ok(scene.stack.api.get(`/calls/${id}`))

/** The statuses of the call at the socket, which gets no other events of calls. */
const statusesOf = (id: string) =>
  scene.socket.inbox.all(({ data }) => data?.callId === id).map(({ body }) => body.data.status)

async function restart(): Promise<void> {
  await scene.stack.gateway(0).process.kill()
  await scene.stack.restartGateway(0)
}

/** Answers, and asserts that the provider accepted the call with exactly this SDP. */
async function answer({ id, wacid }: Json): Promise<void> {
  const given = session('answer')
  assert.equal((await ok(scene.stack.api.post(`/calls/${id}/answer`, { session: given }))).status, 'ACCEPTED')
  const accepts = await asked(scene, (body) => body.call_id === wacid && body.action === 'accept')
  assert.deepEqual(
    accepts.map(({ body }) => body.session.sdp),
    [given.sdp],
  )
}

step('begun, and nobody told: the provider repeats it, it rings, and it can be answered', async () => {
  const from = '15557000431'
  await dieAt(scene, 'after_commit_before_handoff', () => ring(scene, from))
  await scene.stack.restartGateway(0)
  const { body } = await scene.https.inbox.first('the ring', ({ call }) => call?.from === from)
  await answer(body.call)
  await calm(scene)
  const copies = rings(body.call.wacid)
  assert.ok(copies.length <= 2, `it rang ${copies.length} times`)
  assert.deepEqual([...new Set(copies.map((copy) => copy.body.call.id))], [body.call.id])
  assert.deepEqual(statusesOf(body.call.id), ['RINGING', 'ACCEPTED'])
})

step('forwarding, and killed: it is forwarded once more with the same bytes, and answered', async () => {
  const { https } = scene
  https.answer = ({ body }) => (body.event === 'call.ringing' ? 'hang' : 200)
  const wacid = await ring(scene, '15557000432')
  await https.inbox.first('the ring', isRinging(wacid))
  https.answer = () => 200
  await restart()
  const [first, second] = await https.inbox.take('rings', 2, isRinging(wacid))
  assert.deepEqual(second?.raw, first?.raw)
  await answer(second?.body.call)
  await calm(scene)
  assert.equal(rings(wacid).length, 2)
  const { lastForwardError, status } = await read(second?.body.call.id)
  assert.deepEqual([lastForwardError, status], [null, 'ACCEPTED'])
})

step('forwarding, and killed twice: it is not forwarded a third time, and says so', async () => {
  const { https } = scene
  https.answer = ({ body }) => (body.event === 'call.ringing' ? 'hang' : 200)
  const wacid = await ring(scene, '15557000433')
  for (const count of [1, 2]) {
    await https.inbox.take('rings', count, isRinging(wacid))
    await restart()
  }
  https.answer = () => 200
  const { id } = (await https.inbox.first('the ring', isRinging(wacid))).body.call
  await eventually('the forward has failed', async () => {
    const [row] = await scene.stack.sql`select forward_state from calls where wacid = ${wacid}`
    return row?.['forwardState'] === 'FAILED'
  })
  const { lastForwardError, status } = await read(id)
  assert.deepEqual([lastForwardError.code, status], ['RESTARTED', 'RINGING'])
  assert.equal(lastForwardError.endpointId, scene.httpsEndpoint.id)
  assert.equal(rings(wacid).length, 2)
  // A client that finds the call in the call log can still answer it.
  await answer({ id, wacid })
  assert.equal(rings(wacid).length, 2)
})
