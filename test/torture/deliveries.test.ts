// 500 events a second for twenty seconds, with TORTURE=full for a minute, while gateways and workers are
// killed and Redis is emptied, one after the other, again and again. Every provider webhook that was answered
// 200 must arrive.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { bounded, closeRedis, connectRedis } from '../../src/platform/redis/client.ts'
import { decodeId } from '../../src/shared/ids.ts'
import { ok } from '../e2e/clients.ts'
import { calm, openCrashScene } from '../e2e/crashes.ts'
import type { Inbox } from '../e2e/inbox.ts'
import type { Scene } from '../e2e/scene.ts'
import { type TestContext, test } from '../support/harness.ts'

/** Events a second of each number: one is routed to the HTTPS receiver, the other to the socket. */
const RATE = 250
const SECONDS = process.env['TORTURE'] === 'full' ? 60 : 20
const SLICE_SECONDS = 10
const HANDSETS = 100
/** Processes restart all the time on a busy machine, so the backlog of the first seconds drains last. */
const CALM_MS = 120_000

type Harm = readonly [name: string, (scene: Scene) => Promise<void>]

const killGateway = (index: number): Harm => [
  `kill gateway ${index}`,
  async ({ stack }) => {
    await stack.gateway(index).process.kill()
    await stack.restartGateway(index)
  },
]

const killWorker = (index: number): Harm => [
  `kill worker ${index}`,
  async ({ stack }) => {
    await stack.workers[index]?.kill()
    await stack.restartWorker(index)
  },
]

const flushRedis: Harm = [
  'flush Redis',
  async ({ stack }) => {
    const redis = await connectRedis({ url: stack.redis.url, role: 'commands', onError: () => undefined })
    await bounded(redis.flushAll())
    await closeRedis(redis)
  },
]

const harms = [killGateway(0), flushRedis, killWorker(0), killGateway(1), flushRedis, killWorker(1)]

/** Does one harm after the other at random instants; returns how many there were. */
async function harmUntil(scene: Scene, deadline: AbortSignal, t: TestContext): Promise<number> {
  for (let count = 0; ; count += 1) {
    await sleep(500 + randomInt(2_000))
    if (deadline.aborted) return count
    const [name, harm] = harms[count % harms.length] as Harm
    t.diagnostic(`${new Date().toISOString()} ${name}`)
    await harm(scene)
  }
}

/** Texts to one of the numbers at a steady rate. The simulator repeats them until they are answered. */
async function load({ stack }: Scene, number: 0 | 1): Promise<number> {
  const texts = {
    kind: 'texts',
    to: stack.numbers[number].phoneNumberId,
    from: `1555${number}000600`,
    handsets: HANDSETS,
    rate: RATE,
    seconds: SLICE_SECONDS,
  }
  let count = 0
  // In slices, because the answer comes at the end of a slice.
  for (let seconds = 0; seconds < SECONDS; seconds += SLICE_SECONDS)
    count += (await ok(stack.sim.post('/load', texts))).sent
  return count
}

/** Ids of the messages, in the order of their first arrival. */
const arrivals = ({ received }: Inbox): string[] => [
  ...new Set(
    received.filter(({ body }) => body.event === 'message.received').map(({ body }) => body.data.messageId),
  ),
]

test('nothing is lost of what was answered 200, whoever is killed and whatever Redis forgets', async (t) => {
  const scene = await openCrashScene({ gateways: 2, workers: 2 })
  try {
    const over = AbortSignal.timeout(SECONDS * 1_000)
    const [first, second, harmed] = await Promise.all([
      load(scene, 0),
      load(scene, 1),
      harmUntil(scene, over, t),
    ])
    await calm(scene, CALM_MS)
    await assertAllThere(scene, t, [first, second])
    t.diagnostic(`${harmed} times harmed`)
  } catch (error) {
    for (const line of scene.stack.logs().split('\n')) t.diagnostic(line)
    throw error
  } finally {
    await scene.close()
  }
})

/** The receivers have everything that the database has: the same bytes, in order within conversations. */
async function assertAllThere(scene: Scene, t: TestContext, sent: readonly [number, number]): Promise<void> {
  const { https, socket, stack } = scene
  assert.deepEqual(sent, [RATE * SECONDS, RATE * SECONDS])
  assert.deepEqual(
    [...(await stack.sql`select state, count(*)::int from deliveries group by state`)],
    [{ state: 'DELIVERED', count: 2 * RATE * SECONDS }],
  )
  for (const [name, inbox, endpoint] of [
    ['https', https.inbox, scene.httpsEndpoint],
    ['socket', socket.inbox, scene.socketEndpoint],
  ] as const) {
    const stored = await eventsOf(scene, endpoint.id)
    const ids = arrivals(inbox)
    assert.equal(ids.length, stored.size, `${name}: every event`)
    for (const { body, raw } of inbox.received) assert.deepEqual(raw, stored.get(body.data.messageId)?.body)
    assert.equal(inversions(ids, stored), 0, `${name}: in order within each conversation`)
    t.diagnostic(`${name}: ${ids.length} texts, ${inbox.received.length - ids.length} copies`)
  }
  assert.equal(https.forged, 0)
  assert.ok(socket.connections.every(({ isGenuine }) => isGenuine))
}

interface Stored {
  readonly id: string
  readonly key: string
  readonly body: Buffer
}

/** The stored events by the id of their message, oldest delivery first. */
async function eventsOf({ stack }: Scene, endpointId: string): Promise<Map<string, Stored>> {
  const rows = await stack.sql<Stored[]>`
    select d.id, d.key, e.body
    from deliveries d
    join events e on e.id = d.event_id
    where d.endpoint_id = ${decodeId('endpoint', endpointId) ?? ''}
    order by d.id`
  return new Map(rows.map((row) => [JSON.parse(row.body.toString()).data.messageId, row]))
}

/** How many messages first arrived after a newer one of the same conversation. */
function inversions(arrived: readonly string[], stored: ReadonlyMap<string, Stored>): number {
  const latest = new Map<string, string>()
  let count = 0
  for (const messageId of arrived) {
    const { id, key } = stored.get(messageId) as Stored
    if (id < (latest.get(key) ?? '')) count += 1
    else latest.set(key, id)
  }
  return count
}
