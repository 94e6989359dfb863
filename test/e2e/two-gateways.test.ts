import assert from 'node:assert/strict'
import { decodeId } from '../../src/shared/ids.ts'
import { after, before } from '../support/harness.ts'
import { askPermission, decline, miss, place, ring, ringing, simCall, statuses, talk } from './call-steps.ts'
import { client, type Json, ok } from './clients.ts'
import { optOut, receive, route, sendAndFollow, sendInVain, write } from './message-steps.ts'
import { eventually, openScene, type Scene, stepsOf } from './scene.ts'
import { session } from './sdp.ts'

let scene: Scene
before(async () => {
  // The last step counts the lines of webhooks.
  scene = await openScene({ gateways: 2, env: { LOG_LEVEL: 'debug' } })
})
after(() => scene?.close())

const step = stepsOf(() => scene.stack)

/** The bodies of the requests that the provider got about a call, in order. */
async function asked(wacid: string): Promise<Json[]> {
  const { data } = await ok(scene.stack.sim.get('/requests?limit=10000'))
  return data.map((request: Json) => request.body).filter((body: Json) => body?.call_id === wacid)
}

/** Posts a different answer at each gateway at the same time; returns both replies. */
async function race(from: string): Promise<{ wacid: string; call: Json; answers: Json[]; replies: Json[] }> {
  const wacid = await ring(scene, from)
  const call = await ringing(scene, wacid, from)
  const answers = [session('answer'), session('answer')]
  const replies = await Promise.all(
    answers.map((answer, index) =>
      scene.stack.gateway(index).api.post(`/calls/${call.id}/answer`, { session: answer }),
    ),
  )
  return { wacid, call, answers, replies }
}

/** The gateway that forwards a call which rings now. */
async function forwarder(from: string): Promise<number> {
  const { gateways, sim } = scene.stack
  const wacid = await ring(scene, from)
  const { id } = await ringing(scene, wacid, from)
  const callId = decodeId('call', id)
  const forwarded = (line: Json) =>
    line.event === 'call.forwarded' && line.callId === callId && line.eventType === 'call.ringing'
  const index = () => gateways.findIndex(({ process }) => process.lines().some(forwarded))
  await eventually(`${id} is forwarded`, async () => index() >= 0)
  await ok(sim.post(`/calls/${encodeURIComponent(wacid)}/hangup`))
  return index()
}

/** Of each gateway, whether it holds the socket. */
const holders = () =>
  Promise.all(
    scene.stack.gateways.map(async ({ internalOrigin }) => {
      const { body } = await client(internalOrigin).get('/metrics')
      return /^switchboard_webhook_sockets 1$/m.test(body)
    }),
  )

step('messages are sent at one gateway and reported by the provider at either', async () => {
  await Promise.all([sendAndFollow(scene), sendAndFollow(scene, '15557010055'), sendInVain(scene)])
})
step('texts that come in at either gateway reach both receivers', async () => {
  for (const from of ['15557000101', '15557000111', '15557000121']) await receive(scene, from)
})
step('STOP at one gateway keeps messages back at the other', () => optOut(scene))
step('a number assigned at one gateway is routed so at the other', () => route(scene))
step('a call rings once, whichever gateway hears of it and whichever answers', async () => {
  await talk(scene)
  await talk(scene, '15557010021')
})
step('of two answers on two gateways at once exactly one reaches the provider', async () => {
  for (const from of ['15557000201', '15557000202', '15557000203']) {
    const { wacid, call, answers, replies } = await race(from)
    const winner = replies.findIndex(({ status }) => status === 200)
    const loser = replies[1 - winner]
    assert.deepEqual([loser.status, loser.body.error.code], [409, 'CALL_ALREADY_ANSWERED'])
    const requests = await asked(wacid)
    assert.deepEqual(
      requests.map(({ action, session: given }) => [action, given.sdp]),
      ['pre_accept', 'accept'].map((action) => [action, answers[winner].sdp]),
    )
    await ok(scene.stack.sim.post(`/calls/${encodeURIComponent(wacid)}/hangup`))
    assert.equal((await simCall(scene, wacid)).state, 'ended')
    await statuses(scene, call, 'INBOUND', ['RINGING', 'ACCEPTED', 'COMPLETED'])
  }
})
step('a ringing call is declined at either gateway', () => decline(scene))
step('a caller who gives up leaves a missed call', () => miss(scene))
step('a call placed at one gateway is answered over the socket and hung up at the other', () => place(scene))
step('calls come to live in the gateway that holds the socket', async () => {
  const holder = (await holders()).indexOf(true)
  // The webhooks of two calls that begin at once go to both gateways, and the first calls tell each whose the endpoint is.
  await eventually('both are forwarded by the holder', async () => {
    const both = await Promise.all(['15557000301', '15557000302'].map(forwarder))
    return both.every((index) => index === holder)
  })
})
step('permission that comes in at one gateway allows a call at the other', () => askPermission(scene))
step(
  'messages of a number come to be written by the gateway that holds the socket of its endpoint',
  async () => {
    const holder = (await holders()).indexOf(true)
    const taken = async () => {
      const { body } = await client(scene.stack.gateway(holder).internalOrigin).get('/metrics')
      return Number(/_updates_taken_total\{kind="inboundMessage"\} (\d+)/.exec(body)?.[1] ?? 0)
    }
    const before = await taken()
    await eventually('the other one hands texts over', async () => {
      await write(scene, '15557000131', 'for the holder')
      return (await taken()) > before
    })
  },
)
step('both gateways together held one socket', async () => {
  assert.equal(scene.socket.connections.length, 1)
  assert.equal(scene.socket.connections[0]?.closed, undefined)
})
step('both gateways took part', async () => {
  for (const { process } of scene.stack.gateways) {
    const taken = process.lines().filter(({ event }) => event === 'ingest.received')
    assert.ok(taken.length > 5, `${process.name} took in ${taken.length} webhooks`)
  }
})
