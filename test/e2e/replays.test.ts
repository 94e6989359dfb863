// Replays and test events, over real requests and sockets.
import assert from 'node:assert/strict'
import { eventKinds } from '../../src/contract/events.ts'
import { decodeId, newId } from '../../src/shared/ids.ts'
import { after, before } from '../support/harness.ts'
import { addEndpoint, addTenant } from '../support/rows.ts'
import { type Json, ok } from './clients.ts'
import { attemptOf, openCrashScene, textIs } from './crashes.ts'
import type { Received } from './inbox.ts'
import { write } from './message-steps.ts'
import { eventually, type Scene, stepsOf } from './scene.ts'

let scene: Scene
before(async () => {
  scene = await openCrashScene({ env: { WEBHOOK_RETRY_DELAYS: '100ms,100ms,100ms,100ms,100ms' } })
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

const idOf = ({ headers }: Received): string => String(headers['x-communication-delivery'])
const replay = (id: string, status = 202): Promise<Json> =>
  ok(scene.stack.console.post(`/deliveries/${id}/replay`), status)
const bulk = (action: string, body: object): Promise<Json> =>
  ok(scene.stack.console.post(`/endpoints/${scene.httpsEndpoint.id}/${action}`, body))
const endpoint = (): Promise<Json> => ok(scene.stack.console.get(`/endpoints/${scene.httpsEndpoint.id}`))

async function settled(id: string, state: string, attempts: number): Promise<Json> {
  let delivery: Json
  await eventually(`${id} ${state} after ${attempts}`, async () => {
    delivery = await scene.stack.delivery(id)
    return delivery.state === state && delivery.attemptCount === attempts
  })
  return delivery
}

step('a replay that fails is one attempt, is not counted and leaves the delivery delivered', async () => {
  const { https } = scene
  await write(scene, '15557000601', 'again')
  const first = await https.inbox.first('again', textIs('again'))
  await settled(idOf(first), 'DELIVERED', 1)
  https.answer = () => 503
  await replay(idOf(first))
  const { attempts, finishedAt, nextAttemptAt } = await settled(idOf(first), 'DELIVERED', 2)
  assert.deepEqual([attempts[1].statusCode, nextAttemptAt], [503, null])
  assert.ok(finishedAt)
  assert.equal((await endpoint()).consecutiveFailures, 0)
  https.answer = () => 200
  await replay(idOf(first))
  await settled(idOf(first), 'DELIVERED', 3)
  const copies = https.inbox.all(textIs('again'))
  assert.deepEqual(
    copies.map(attemptOf),
    [1, 2, 3].map((number) => `${idOf(first)} ${number}`),
  )
  for (const { raw } of copies) assert.deepEqual(raw, first.raw)
})

step('a replay outlives the gateway that was making it', async () => {
  const { https, stack } = scene
  await write(scene, '15557000602', 'survivor')
  const first = await https.inbox.first('survivor', textIs('survivor'))
  await settled(idOf(first), 'DELIVERED', 1)
  https.answer = () => 'hang'
  await replay(idOf(first))
  await https.inbox.take('attempts', 2, textIs('survivor'))
  await stack.gateway(0).process.kill()
  https.answer = () => 200
  await stack.restartGateway(0)
  await settled(idOf(first), 'DELIVERED', 2)
  const copies = https.inbox.all(textIs('survivor'))
  assert.deepEqual(copies.map(attemptOf).slice(-2), [`${idOf(first)} 2`, `${idOf(first)} 2`])
})

step('an event past its retention is refused, and says so', async () => {
  const { https, stack } = scene
  await write(scene, '15557000603', 'forgotten')
  const first = await https.inbox.first('forgotten', textIs('forgotten'))
  await settled(idOf(first), 'DELIVERED', 1)
  await stack.sql`
    delete from events
    where id = (select event_id from deliveries where id = ${decodeId('delivery', idOf(first)) ?? ''})`
  const { body } = await stack.console.post(`/deliveries/${idOf(first)}/replay`)
  assert.equal(body.error.code, 'INVALID_STATE')
  assert.match(body.error.message, /past its retention/)
})

const MANY = 10_000

/** Inserts failed deliveries of an endpoint, each with its own event. */
async function addFailed(workspaceId: string, endpointId: string, count: number): Promise<void> {
  await scene.stack.sql`
    with made as (
      select new_uuid() as event_id, n from generate_series(1, ${count}) n
    ),
    event as (
      insert into events (id, workspace_id, kind, key, body)
      select event_id, ${workspaceId}, 'call.status', ${newId('call')}::uuid,
        convert_to('{"event":"call.status","n":' || n || '}', 'utf8')
      from made
    )
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, attempt_count, finished_at)
    select new_uuid(), ${workspaceId}, event_id, ${endpointId}, 'call.status', new_uuid(), 'FAILED', 6, now()
    from made`
}

step('ten thousand are replayed once each, in batches, and new events do not wait for them', async () => {
  const { https, stack, httpsEndpoint } = scene
  const workspaceId = decodeId('workspace', stack.workspaceId) ?? assert.fail()
  await addFailed(workspaceId, decodeId('endpoint', httpsEndpoint.id) ?? '', MANY)
  const stranger = await addTenant(stack.sql)
  const strange = await addEndpoint(stack.sql, stranger.workspaceId)
  await addFailed(stranger.workspaceId, strange, 3)
  const before = https.inbox.received.length
  assert.deepEqual(await bulk('replay', { states: ['FAILED'], dryRun: true }), { count: MANY })
  const path = `/endpoints/${httpsEndpoint.id}/replay`
  const answers = await Promise.all(
    [1, 2].map(() => stack.console.post(path, { states: ['FAILED', 'HELD'] })),
  )
  const counts = answers.map(({ status, body }) => (status === 200 ? body.count : 0))
  for (const { status, body } of answers)
    assert.ok(status === 200 || body.error.code === 'INVALID_STATE', JSON.stringify(body))
  assert.equal(counts[0] + counts[1], MANY)
  await https.inbox.until('the first replays', () => https.inbox.received.length - before > 500)
  await write(scene, '15557000604', 'in between')
  await https.inbox.first('in between', textIs('in between'))
  const already = https.inbox.received.length - before
  assert.ok(already < MANY / 2, `it came after ${already} of ${MANY}`)
  await eventually(
    'all are delivered',
    async () => {
      const rows = await stack.sql`
        select from deliveries where workspace_id = ${workspaceId} and state <> 'DELIVERED' limit 1`
      return rows.count === 0
    },
    180_000,
  )
  const replayed = https.inbox.all(({ n }) => n !== undefined)
  assert.equal(replayed.length, MANY)
  assert.equal(new Set(replayed.map(idOf)).size, MANY)
  assert.deepEqual(new Set(replayed.map(({ headers }) => headers['x-communication-attempt'])), new Set(['7']))
  const theirs = await stack.sql`select from deliveries where endpoint_id = ${strange} and state = 'FAILED'`
  assert.equal(theirs.count, 3)
  const { data } = await ok(stack.console.get('/audit?limit=200'))
  const audited = data.filter(({ action }: Json) => action === 'endpoint.deliveries_replayed')
  assert.equal(
    audited.reduce((sum: number, one: Json) => sum + one.after.count, 0),
    MANY,
  )
  assert.equal(audited[0].subjectId, httpsEndpoint.id)
})

step('a test event of every kind arrives signed at its endpoint alone, over both transports', async () => {
  const { https, socket, stack, httpsEndpoint, socketEndpoint } = scene
  for (const event of eventKinds) {
    for (const [{ id }, { inbox }, other] of [
      [httpsEndpoint, https, socket],
      [socketEndpoint, socket, https],
    ] as const) {
      const [before, elsewhere] = [inbox.received.length, other.inbox.received.length]
      const sent: Json = await ok(stack.console.post(`/endpoints/${id}/test`, { event }), 202)
      await inbox.until(event, () => inbox.received.length > before)
      assert.equal(inbox.received.at(-1)?.body.event, event)
      if (event === 'call.ringing' || event === 'call.accepted')
        assert.deepEqual(sent, { event, outcome: { type: 'delivered' } })
      else await settled(sent.deliveryId, 'DELIVERED', 1)
      assert.equal(other.inbox.received.length, elsewhere)
    }
  }
  https.answer = () => 500
  const failed = await ok(
    stack.console.post(`/endpoints/${httpsEndpoint.id}/test`, { event: 'call.ringing' }),
    202,
  )
  assert.deepEqual([failed.outcome.type, failed.outcome.code], ['failed', 'HTTP_500'])
  assert.equal((await endpoint()).consecutiveFailures, 0)
  assert.equal(https.forged, 0)
  assert.ok(socket.connections.every(({ isGenuine }) => isGenuine))
})
