// Rotation of signing secrets, and the Standard Webhooks headers, verified by that project's own library.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { after, before } from '../support/harness.ts'
import { type Json, ok } from './clients.ts'
import type { Received } from './inbox.ts'
import { write } from './message-steps.ts'
import { eventually, openScene, type Scene, stepsOf } from './scene.ts'

let scene: Scene
before(async () => {
  // The retry must come more than a second later: the timestamps of attempts are in whole seconds.
  scene = await openScene({ gateways: 2, env: { WEBHOOK_RETRY_DELAYS: '1200ms,1s,1s,1s,1s' } })
})
after(() => scene?.close())

const step = stepsOf(() => scene.stack)

const PREVIOUS = 'x-communication-signature-256-previous'
const ofHttps = () => `/endpoints/${scene.httpsEndpoint.id}`

function verifies(secret: string, { raw, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(raw, headers as Record<string, string>)
    return true
  } catch {
    return false
  }
}

const entries = ({ headers }: Received): string[] => String(headers['webhook-signature']).split(' ')
const hex = (secret: string, raw: Buffer) =>
  `sha256=${createHmac('sha256', secret).update(raw).digest('hex')}`

let texts = 0

/** A handset writes; returns the POST of the event. */
async function post(): Promise<Received> {
  texts += 1
  const text = `text ${texts}`
  await write(scene, '15557000501', text)
  return scene.https.inbox.first(text, ({ data }) => data?.text === text)
}

const NOTICED_MS = 3_000

/** Rotates the secret; the receiver expects the new one from the next event on. */
async function rotate(overlapHours?: number): Promise<{ before: string; now: string }> {
  const before = scene.https.secret
  const { secret } = await ok(
    scene.stack.console.post(`${ofHttps()}/rotate`, overlapHours && { overlapHours }),
  )
  scene.https.secret = secret
  // The change hint to the owner on the other gateway may come too late; the owner also polls every second.
  await sleep(NOTICED_MS)
  return { before, now: secret }
}

step(
  'attempts, retries and replays verify with the library: one id, a fresh timestamp each time',
  async () => {
    const { https, stack } = scene
    https.answer = ({ headers }) => (headers['x-communication-attempt'] === '1' ? 500 : 200)
    const first = await post()
    const id = first.headers['x-communication-delivery']
    const [, second] = await https.inbox.take('attempts', 2, (_, { headers }) => headers['webhook-id'] === id)
    const settled = async () => (await stack.delivery(String(id))).state === 'DELIVERED'
    await eventually('it is delivered', settled)
    await sleep(1_000) // The timestamp is in whole seconds.
    await ok(stack.console.post(`/deliveries/${id}/replay`), 202)
    const [, , third] = await https.inbox.take(
      'attempts',
      3,
      (_, { headers }) => headers['webhook-id'] === id,
    )
    assert.ok(second && third)
    for (const one of [first, second, third]) {
      assert.ok(verifies(https.secret, one))
      assert.deepEqual(one.raw, first.raw)
      assert.equal(entries(one).length, 1)
    }
    const times = [first, second, third].map(({ headers }) => Number(headers['webhook-timestamp']))
    assert.equal(new Set(times).size, 3, String(times))
    for (const [index, one] of [first, second, third].entries())
      assert.ok(Math.abs(Number(times[index]) - one.at / 1000) < 10, 'the timestamp is that of the attempt')
    assert.equal(verifies(https.secret, { ...third, raw: Buffer.from('{}') }), false)
    https.answer = () => 200
  },
)

step('without an overlap the old secret ends at once, for replays of old events too', async () => {
  const { https, stack } = scene
  const old = await post()
  await eventually('it is delivered', async () => {
    return (await stack.delivery(String(old.headers['x-communication-delivery']))).state === 'DELIVERED'
  })
  const { before, now } = await rotate()
  await ok(stack.console.post(`/deliveries/${old.headers['x-communication-delivery']}/replay`), 202)
  const [, replay] = await https.inbox.take(
    'attempts',
    2,
    (_, { headers }) => headers['webhook-id'] === old.headers['webhook-id'],
  )
  const next = await post()
  for (const one of [replay ?? assert.fail(), next]) {
    assert.ok(verifies(now, one))
    assert.equal(verifies(before, one), false)
    assert.equal(PREVIOUS in one.headers, false)
  }
})

step('with an overlap both secrets verify, ours and the library’s way', async () => {
  const { before, now } = await rotate(1)
  const one = await post()
  assert.ok(verifies(now, one) && verifies(before, one))
  assert.equal(entries(one).length, 2)
  assert.equal(one.headers['x-communication-signature-256'], hex(now, one.raw))
  assert.equal(one.headers[PREVIOUS], hex(before, one.raw))
  // The signature of the newest secret comes first.
  const firstAlone = { ...one, headers: { ...one.headers, 'webhook-signature': entries(one)[0] } }
  assert.deepEqual([verifies(now, firstAlone), verifies(before, firstAlone)], [true, false])
})

step('a second rotation within it ends the first secret, and off and on keeps the overlap', async () => {
  const first = await rotate(1)
  const second = await rotate(1)
  for (const action of ['disable', 'enable']) await ok(scene.stack.console.post(`${ofHttps()}/${action}`))
  const one = await post()
  assert.deepEqual(
    [second.now, second.before, first.before].map((secret) => verifies(secret, one)),
    [true, true, false],
  )
  assert.equal(entries(one).length, 2)
  assert.equal(one.headers[PREVIOUS], hex(second.before, one.raw))
})

const OVERLAP_MS = 12_000

step('an overlap ends at its time on every node, without a restart', async () => {
  const { stack, https } = scene
  const { before, now } = await rotate(OVERLAP_MS / 3_600_000)
  assert.ok(verifies(before, await post()), 'while it lasts')
  await sleep(OVERLAP_MS) // Waits for the end of the overlap.
  for (const index of [0, 1]) {
    // The stop makes the other gateway the owner of the endpoint.
    await stack.gateway(index).process.stop()
    const one = await post()
    assert.deepEqual([verifies(now, one), verifies(before, one)], [true, false])
    assert.deepEqual([entries(one).length, PREVIOUS in one.headers], [1, false])
    await stack.restartGateway(index)
  }
  assert.equal(https.forged, 0)
})

step(
  'on a socket an overlap changes nothing: it is dropped, and dialled with the new secret alone',
  async () => {
    const { socket, stack, socketEndpoint } = scene
    await post()
    const open = await socket.connected()
    const rotated: Json = await ok(
      stack.console.post(`/endpoints/${socketEndpoint.id}/rotate`, { overlapHours: 1 }),
    )
    socket.secret = rotated.secret
    await socket.inbox.until('close', () => open.closed !== undefined)
    const count = socket.connections.length
    const { raw } = await post()
    await socket.inbox.until('frame', () => socket.inbox.received.some((frame) => frame.raw.equals(raw)))
    const next = socket.connections[count]
    assert.ok(next?.isGenuine, 'signed with the new secret')
    assert.equal(PREVIOUS in (socket.inbox.received.at(-1)?.headers ?? {}), false)
  },
)
