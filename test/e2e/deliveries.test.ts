import assert from 'node:assert/strict'
import { after, before } from '../support/harness.ts'
import { type Json, ok, refused } from './clients.ts'
import type { Received } from './inbox.ts'
import { write } from './message-steps.ts'
import { postMessages } from './provider-webhook.ts'
import { eventually, openScene, type Scene, stepsOf } from './scene.ts'

let scene: Scene
before(async () => {
  scene = await openScene({
    gateways: 2,
    env: {
      WEBHOOK_RETRY_DELAYS: '200ms,200ms,200ms,200ms,200ms',
      WEBHOOK_TIMEOUT: '4s',
      WEBHOOK_FAILURE_PAUSE: '50ms',
    },
  })
})
after(() => scene?.close())

const step = stepsOf(() => scene.stack)

const bodyIs =
  (text: string) =>
  (body: Json): boolean =>
    body.data?.text === text

const posts = (text: string): Received[] => scene.https.inbox.all(bodyIs(text))

const deliveryId = (post: Received | undefined): string => String(post?.headers['x-communication-delivery'])

/** Waits until the delivery has this state; returns it. */
async function settled(id: string, state: string): Promise<Json> {
  await eventually(`${id} ${state}`, async () => (await scene.stack.delivery(id)).state === state)
  return scene.stack.delivery(id)
}

const endpoint = async (): Promise<Json> =>
  ok(scene.stack.console.get(`/endpoints/${scene.httpsEndpoint.id}`))

const act = (action: string, body?: unknown, status = 200): Promise<Json> =>
  ok(scene.stack.console.post(`/endpoints/${scene.httpsEndpoint.id}/${action}`, body), status)

step(
  'a receiver that fails is tried six times with the same bytes, and the delivery has failed',
  async () => {
    const { https } = scene
    https.answer = () => 500
    await write(scene, '15557000301', 'to nobody')
    const attempts = await https.inbox.take('attempts', 6, bodyIs('to nobody'))
    assert.deepEqual(
      attempts.map(({ headers }) => headers['x-communication-attempt']),
      ['1', '2', '3', '4', '5', '6'],
    )
    for (const { raw, headers } of attempts) {
      assert.deepEqual(raw, attempts[0]?.raw)
      assert.equal(headers['x-communication-delivery'], deliveryId(attempts[0]))
    }
    const { attempts: log, ...delivery } = await settled(deliveryId(attempts[0]), 'FAILED')
    assert.deepEqual([delivery.attemptCount, delivery.nextAttemptAt], [6, null])
    assert.equal(delivery.body, attempts[0]?.raw.toString())
    assert.deepEqual(
      log.map(({ number, statusCode, responseBody }: Json) => [number, statusCode, responseBody]),
      [1, 2, 3, 4, 5, 6].map((number) => [number, 500, 'answered 500']),
    )
    assert.equal(log[0].responseHeaders['content-type'], 'text/plain')
    assert.equal(https.forged, 0)
  },
)

step('a replay sends the same bytes once more, signed with the secret of now', async () => {
  const { https, stack } = scene
  const [first] = posts('to nobody')
  https.answer = () => 200
  https.secret = (await act('rotate')).secret
  await ok(stack.console.post(`/deliveries/${deliveryId(first)}/replay`), 202)
  const { attempts } = await settled(deliveryId(first), 'DELIVERED')
  assert.deepEqual([attempts.length, attempts.at(-1).statusCode], [7, 200])
  assert.deepEqual(posts('to nobody').at(-1)?.raw, first?.raw)
  assert.equal(posts('to nobody').length, 7)
  assert.equal(https.forged, 0)
  assert.equal((await endpoint()).consecutiveFailures, 0)
})

step('a receiver that hangs, hangs up and does not know the way gets it at last', async () => {
  const { https } = scene
  https.answer = ({ headers }) => {
    const answers = ['hang', 'close', 404] as const
    return answers[Number(headers['x-communication-attempt']) - 1] ?? 204
  }
  await write(scene, '15557000302', 'at last')
  const attempts = await https.inbox.take('attempts', 4, bodyIs('at last'))
  const { attempts: log } = await settled(deliveryId(attempts[0]), 'DELIVERED')
  assert.deepEqual(
    log.map(({ statusCode, error }: Json) => statusCode ?? error.split(':')[0]),
    ['TIMEOUT', 'CONNECTION_RESET', 404, 204],
  )
})

step('twenty failures in a row switch an endpoint off, once, and nothing goes out after them', async () => {
  const { https, stack, httpsEndpoint } = scene
  https.answer = () => 500
  const before = https.inbox.received.length
  // In one webhook, and so many that no text fails for good, which takes six attempts, before the endpoint is off.
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const failures = Array.from({ length: 10 }, (_, index) => ({
    ...{ id: `wamid.failure${index}`, from: `1555700031${index}`, timestamp },
    ...{ type: 'text', text: { body: `failure ${index}` } },
  }))
  await postMessages(stack, '15557000310', failures)
  await eventually('the endpoint is off', async () => !(await endpoint()).enabled)
  await write(scene, '15557000320', 'while it is off')
  await eventually('all are held', async () => (await endpoint()).heldCount === 11)
  const off = await endpoint()
  assert.equal(off.consecutiveFailures, 20)
  assert.equal(https.inbox.received.length - before, 20)
  const open = (await stack.deliveries({ endpointId: httpsEndpoint.id })).filter(({ state }) =>
    ['PENDING', 'RETRYING'].includes(state),
  )
  assert.deepEqual(open, [])
  const { data: audit } = await ok(stack.console.get('/audit?limit=200'))
  const switched = audit.filter(({ action }: Json) => action === 'endpoint.switched_off')
  assert.deepEqual(
    switched.map(({ subjectId, after }: Json) => [subjectId, after.consecutiveFailures]),
    [[httpsEndpoint.id, 20]],
  )
  assert.equal(posts('while it is off').length, 0)
})

step('turned on again it sends nothing by itself; what was held is counted, then replayed', async () => {
  const { https, stack } = scene
  https.answer = () => 200
  const before = https.inbox.received.length
  assert.deepEqual(await act('enable').then(({ enabled, heldCount }) => [enabled, heldCount]), [true, 11])
  await write(scene, '15557000321', 'after it is on')
  await https.inbox.first('the new text', bodyIs('after it is on'))
  assert.equal(https.inbox.received.length - before, 1)
  assert.deepEqual(await act('replay', { states: ['HELD'], dryRun: true }), { count: 11 })
  assert.equal(https.inbox.received.length - before, 1)
  assert.deepEqual(await act('replay', { states: ['HELD'] }), { count: 11 })
  await https.inbox.until('eleven replays', () => https.inbox.received.length - before === 12)
  await eventually('nothing is held or failed', async () => {
    const states = await stack.deliveries({ endpointId: scene.httpsEndpoint.id })
    return states.every(({ state }) => state === 'DELIVERED')
  })
  assert.equal(https.forged, 0)
})

/** A handset writes the text; returns the frame that carries it. */
async function frame(from: string, text: string): Promise<Received> {
  await write(scene, from, text)
  return scene.socket.inbox.first(text, bodyIs(text))
}

// The product promises one second; the rest is for a busy machine.
const DROPPED_MS = 5_000

/** Changes the endpoint, and asserts that its open socket is closed in time. */
async function drops(change: () => Promise<unknown>): Promise<void> {
  const { socket } = scene
  const open = await socket.connected()
  await change()
  const changedAt = Date.now()
  await socket.inbox.until('close', () => open.closed !== undefined)
  const tookMs = (open.closed?.at ?? Number.POSITIVE_INFINITY) - changedAt
  assert.ok(tookMs < DROPPED_MS, `closed after ${tookMs} ms`)
}

const ofSocket = () => `/endpoints/${scene.socketEndpoint.id}`

step('a rotated secret drops the socket, and the next handshake is signed with it', async () => {
  const { socket, stack } = scene
  await frame('15557000330', 'under the first secret')
  await drops(async () => {
    socket.secret = (await ok(stack.console.post(`${ofSocket()}/rotate`))).secret
  })
  const before = socket.connections.length
  const { connection } = await frame('15557000330', 'under the second secret')
  assert.equal(connection, before + 1)
  assert.deepEqual(
    socket.connections.map(({ isGenuine }) => isGenuine),
    socket.connections.map(() => true),
  )
  const nonces = socket.connections.map(({ headers }) => headers['nonce'])
  assert.equal(new Set(nonces).size, nonces.length)
})

step('another address drops the socket, and the next event goes there', async () => {
  const { socket, stack } = scene
  await drops(() => ok(stack.console.patch(ofSocket(), { url: `${socket.url}/v2` })))
  const before = socket.connections.length
  const { connection } = await frame('15557000330', 'at the second address')
  assert.equal(connection, before + 1)
  assert.equal(socket.connections[before]?.path, '/events/v2')
})

step(
  'a receiver that refuses the handshake with 1008 gets the frame when it has thought better of it',
  async () => {
    const { socket, stack } = scene
    await drops(() => ok(stack.console.patch(ofSocket(), { url: socket.url })))
    const before = socket.connections.length
    socket.refuseWith = 1008
    await write(scene, '15557000330', 'refused at first')
    await socket.inbox.until('connection', () => socket.connections.length > before)
    socket.refuseWith = undefined
    await socket.inbox.first('the frame', bodyIs('refused at first'))
    const [delivery] = await stack.deliveries({
      endpointId: scene.socketEndpoint.id,
      event: 'message.received',
    })
    const { attempts } = await settled(delivery.id, 'DELIVERED')
    assert.match(attempts[0].error, /^SOCKET_REJECTED_SIGNATURE/)
    assert.ok(attempts.length > 1, 'it was tried again')
  },
)

step('a deleted endpoint closes its socket and is gone', async () => {
  const { stack } = scene
  await drops(() => ok(stack.console.delete(ofSocket()), 204))
  assert.equal(await refused(stack.console.get(ofSocket()), 404), 'NOT_FOUND')
  const sockets = scene.socket.connections.length
  await write(scene, '15557000330', 'for the other one')
  await scene.https.inbox.first('the text', bodyIs('for the other one'))
  assert.equal(scene.socket.connections.length, sockets)
})
