// Kills the gateway at each step of a delivery and starts another one.
import assert from 'node:assert/strict'
import { after, before } from '../support/harness.ts'
import { assertArrived, attemptOf, deliveriesOf, dieAt, openCrashScene, textIs } from './crashes.ts'
import { write } from './message-steps.ts'
import { eventually, type Scene, stepsOf } from './scene.ts'

let scene: Scene
before(async () => {
  scene = await openCrashScene({ env: { WEBHOOK_RETRY_DELAYS: '1s,1s,1s,1s,1s' } })
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

const rowOf = async (text: string) =>
  (await deliveriesOf(scene, text)).map(({ state, attemptCount }) => `${state} ${attemptCount}`)

/** Kills the gateway while its insert waits for a lock; the insert does not happen. */
async function dieBeforeCommit(work: () => Promise<unknown>): Promise<void> {
  const { stack } = scene
  const waiting = () => stack.sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and application_name = 'switchboard-gateway' and wait_event_type = 'Lock'`
  await stack.sql.begin(async (sql) => {
    await sql`lock table messages in access exclusive mode`
    await work()
    await eventually('the insert waits', async () => (await waiting()).length > 0)
    await stack.gateway(0).process.kill()
    // The backend has not noticed that its client died, and would complete the insert.
    for (const { pid } of await waiting()) await sql`select pg_terminate_backend(${pid})`
  })
}

step('a text outlives a kill at every step of its way to an HTTPS receiver', async () => {
  const text = 'over HTTPS'
  const { https } = scene
  const posts = () => https.inbox.all(textIs(text))

  await dieBeforeCommit(() => write(scene, '15557000401', text))
  assert.deepEqual(await rowOf(text), [])

  // The provider got no answer, so it repeats the text. This time it is committed, but not handed over.
  await dieAt(scene, 'after_commit_before_handoff')
  assert.deepEqual(await rowOf(text), ['PENDING 0'])
  assert.equal(posts().length, 0)

  // The sweep finds the delivery and the receiver accepts it, but the attempt is not recorded.
  await dieAt(scene, 'after_send_before_record')
  assert.deepEqual(await rowOf(text), ['PENDING 0'])
  assert.equal(posts().length, 1)

  // The same attempt is made again. Its failure is recorded, but its retry timer is not set.
  https.answer = () => 500
  await dieAt(scene, 'after_record_before_timer')
  assert.deepEqual(await rowOf(text), ['RETRYING 1'])
  assert.equal(posts().length, 2)

  https.answer = () => 200
  await scene.stack.restartGateway(0)
  await https.inbox.take(text, 3, textIs(text))
  await assertArrived(scene, text, posts())
  const [first, second, third, ...more] = posts()
  assert.ok(first && second && third && more.length === 0, 'three times and no more')
  assert.equal(attemptOf(first), attemptOf(second))
  assert.equal(attemptOf(third), attemptOf(second).replace(/1$/, '2'))
  assert.ok(third.at - second.at >= 1_000, 'the second attempt keeps its distance')
})

step('a text outlives a kill at every step of its way to a socket', async () => {
  const text = 'over a socket'
  const { socket } = scene
  const frames = () => socket.inbox.all(textIs(text))

  await dieAt(scene, 'after_commit_before_handoff', () => write(scene, '15557000402', text, 1))
  assert.deepEqual(await rowOf(text), ['PENDING 0'])
  assert.equal(frames().length, 0)

  await dieAt(scene, 'after_send_before_record')
  assert.deepEqual(await rowOf(text), ['PENDING 0'])
  assert.equal(frames().length, 1)

  await scene.stack.restartGateway(0)
  await socket.inbox.take(text, 2, textIs(text))
  await assertArrived(scene, text, frames())
  assert.equal(frames().length, 2)
})

step('a text that was committed and not handed over arrives once', async () => {
  const text = 'once'
  await dieAt(scene, 'after_commit_before_handoff', () => write(scene, '15557000403', text))
  await scene.stack.restartGateway(0)
  await scene.https.inbox.first(text, textIs(text))
  await assertArrived(scene, text, scene.https.inbox.all(textIs(text)))
  assert.equal(scene.https.inbox.all(textIs(text)).length, 1)
})
