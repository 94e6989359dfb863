// The servers behind the gateway fail: workers die, Redis dies or loses its data, Postgres connections break.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { bounded, closeRedis, connectRedis } from '../../src/platform/redis/client.ts'
import { after, before } from '../support/harness.ts'
import { type Json, ok } from './clients.ts'
import { asked, attemptOf, calm, openCrashScene, textIs } from './crashes.ts'
import { hello, write } from './message-steps.ts'
import { eventually, type Scene, stepsOf } from './scene.ts'

let scene: Scene
before(async () => {
  scene = await openCrashScene({
    isRedisPersistent: true,
    env: { WEBHOOK_RETRY_DELAYS: '2s,2s,2s,2s,2s' },
  })
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

const textsOf = (what: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${what} ${index}`)
const posts = (text: string) => scene.https.inbox.all(textIs(text))

/** Texts whose first attempt has failed and whose second is scheduled. */
async function waitingForRetries(what: string): Promise<string[]> {
  const { https, stack } = scene
  const texts = textsOf(what, 8)
  https.answer = (received) => (attemptOf(received).endsWith(' 1') ? 500 : 200)
  for (const [index, text] of texts.entries()) await write(scene, `1555700050${index}`, text)
  await eventually('all have failed once', async () => {
    const failed = await stack.sql`
      select 1
      from deliveries d
      join events e on e.id = d.event_id
      where d.attempt_count > 0
        and convert_from(e.body, 'utf8')::jsonb -> 'data' ->> 'text' = any(${texts})`
    return failed.length === texts.length
  })
  return texts
}

/** Each text must have arrived exactly twice: by its first attempt and by one retry. */
async function retriedOnce(texts: readonly string[]): Promise<void> {
  await calm(scene)
  scene.https.answer = () => 200
  for (const text of texts)
    assert.deepEqual(
      posts(text).map((post) => attemptOf(post).slice(-1)),
      ['1', '2'],
      text,
    )
}

step('retries that wait outlive the worker that was to ring for them', async () => {
  const { stack } = scene
  const texts = await waitingForRetries('without a worker')
  await stack.workers[0]?.kill()
  await stack.restartWorker(0)
  await retriedOnce(texts)
})

step('retries that wait outlive a Redis that has forgotten everything', async () => {
  const { stack } = scene
  const texts = await waitingForRetries('without a timer')
  const redis = await connectRedis({ url: stack.redis.url, role: 'commands', onError: () => undefined })
  await bounded(redis.flushAll())
  await closeRedis(redis)
  await retriedOnce(texts)
})

/** Writes a text, alternating between the receivers, and sends a message every 50 ms during `disturb`. */
async function flow(what: string, disturb: () => Promise<void>): Promise<{ texts: string[]; sent: Json[] }> {
  const texts = textsOf(what, 60)
  const sends: Promise<Json | undefined>[] = []
  const disturbed = disturb()
  for (const [index, text] of texts.entries()) {
    await write(scene, `155570006${index}`, text, index % 2)
    const body = { ...hello(`+155570007${index}`), idempotencyKey: text }
    sends.push(scene.stack.api.post('/messages/chat', body).catch(() => undefined))
    await sleep(50)
  }
  await disturbed
  const replies = (await Promise.all(sends)).filter((reply) => reply !== undefined)
  for (const { status, body } of replies) assert.ok([202, 503].includes(status), JSON.stringify(body))
  return { texts, sent: replies.filter(({ status }) => status === 202).map(({ body }) => body) }
}

/** Every text reached its receiver, and the provider was asked at most once for each accepted message. */
async function nothingLost({ texts, sent }: { texts: string[]; sent: Json[] }): Promise<void> {
  await eventually('nothing is left to send', async () => {
    const rows = await scene.stack.sql`
      select from messages
      where send_state = 'PENDING' or (send_state = 'ACCEPTED' and status <> 'DELIVERED')
      limit 1`
    return rows.length === 0
  })
  await calm(scene)
  for (const [index, text] of texts.entries()) {
    const { inbox } = index % 2 === 0 ? scene.https : scene.socket
    assert.ok(inbox.all(textIs(text)).length > 0, text)
  }
  // A request that broke off here may still be on its way to the provider, which then tells of its message.
  for (const { id } of sent)
    await eventually(`${id} is told as it is`, async () => {
      const requests = await asked(scene, ({ biz_opaque_callback_data: own }) => own === id)
      const { status } = await ok(scene.stack.api.get(`/messages/chat/${id}`))
      assert.ok(requests.length <= 1, `the provider was asked ${requests.length} times for ${id}`)
      // When the connection breaks as the request starts, it is unknown whether the provider got it.
      return status === (requests.length === 1 ? 'DELIVERED' : 'QUEUED')
    })
}

step('nothing is lost while Redis is dead and comes back', async () => {
  const { redis } = scene.stack
  const flowed = await flow('past Redis', async () => {
    await sleep(500)
    redis.kill()
    await sleep(1_000)
    await redis.restart()
  })
  assert.equal(flowed.sent.length, flowed.texts.length, 'sends need no Redis')
  await nothingLost(flowed)
})

step('nothing is lost while connections to Postgres break again and again', async () => {
  const { sql } = scene.stack
  const flowed = await flow('past Postgres', async () => {
    for (let round = 0; round < 6; round += 1) {
      await sleep(400)
      await sql`
        select pg_terminate_backend(pid)
        from pg_stat_activity
        where datname = current_database() and application_name like 'switchboard-%'`
    }
  })
  await nothingLost(flowed)
})
