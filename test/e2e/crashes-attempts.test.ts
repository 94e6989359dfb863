// Gateways that die during an attempt, and at the failure that switches an endpoint off.
import assert from 'node:assert/strict'
import { after, before } from '../support/harness.ts'
import { type Json, ok } from './clients.ts'
import { assertArrived, attemptOf, calm, dieAt, openCrashScene, textIs } from './crashes.ts'
import { write } from './message-steps.ts'
import { eventually, type Scene, stepsOf } from './scene.ts'

let scene: Scene
before(async () => {
  scene = await openCrashScene({
    env: { WEBHOOK_RETRY_DELAYS: '1s,1s,1s,1s,1s', WEBHOOK_FAILURE_PAUSE: '50ms' },
  })
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

step('an attempt that a kill cuts off, be it the first or a later one, is made again', async () => {
  const { https, stack } = scene
  const text = 'cut off twice'
  const posts = () => https.inbox.all(textIs(text))
  const cutOff = async (count: number) => {
    await https.inbox.take(text, count, textIs(text))
    await stack.gateway(0).process.kill()
    await stack.restartGateway(0)
  }
  // The first attempt hangs and is cut off, then fails; the second hangs and is cut off, then succeeds.
  const answers = ['hang', 500, 'hang', 200] as const
  https.answer = () => answers[posts().length - 1] ?? 200
  await write(scene, '15557000411', text)
  await cutOff(1)
  await cutOff(3)
  await https.inbox.take(text, 4, textIs(text))
  await assertArrived(scene, text, posts())
  assert.deepEqual(
    posts().map((post) => attemptOf(post).slice(-1)),
    ['1', '1', '2', '2'],
  )
})

const endpoint = (): Promise<Json> => ok(scene.stack.console.get(`/endpoints/${scene.httpsEndpoint.id}`))

step('after the twentieth failure not one request follows, though its owner died untold', async () => {
  const { https, stack } = scene
  await calm(scene)
  const before = https.inbox.received.length
  https.answer = () => 500
  await dieAt(scene, 'after_switch_off_before_owner', async () => {
    for (let index = 0; index < 22; index += 1) await write(scene, '15557000412', `failure ${index}`)
  })
  assert.equal(https.inbox.received.length - before, 20)
  https.answer = () => 200
  await stack.restartGateway(0)
  await write(scene, '15557000412', 'while it is off')
  await eventually('everything is held', async () => (await endpoint()).heldCount === 23)
  await calm(scene)
  const { enabled, consecutiveFailures } = await endpoint()
  assert.deepEqual([enabled, consecutiveFailures], [false, 20])
  assert.equal(https.inbox.received.length - before, 20)
})
