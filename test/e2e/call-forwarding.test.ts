// Rings that their receiver does not accept: the call and its timeline show the failure, the ring is never
// repeated, and the delivery log does not contain it.
import assert from 'node:assert/strict'
import { after, before } from '../support/harness.ts'
import { ring } from './call-steps.ts'
import { type Json, ok } from './clients.ts'
import { eventually, openScene, type Scene, stepsOf } from './scene.ts'
import { session } from './sdp.ts'

let scene: Scene
before(async () => {
  scene = await openScene({ gateways: 1, env: { DATABASE_POOL: '2', LOAD_SHEDDING: 'false' } })
  const { stack, httpsEndpoint, socketEndpoint } = scene
  const [first, second] = stack.numbers
  await stack.assignNumber(first, { endpointId: httpsEndpoint.id, forwardCalls: true })
  await stack.assignNumber(second, { endpointId: socketEndpoint.id, forwardCalls: true })
})
after(() => scene?.close())

const step = stepsOf(() => scene.stack)

/** The call as the console shows it, with its timeline; undefined while it is not in the list. */
async function shown(wacid: string): Promise<Json> {
  const [row] = (await ok(scene.stack.console.get('/calls?limit=50'))).data.filter(
    (call: Json) => call.wacid === wacid,
  )
  return row ? ok(scene.stack.console.get(`/calls/${row.id}`)) : undefined
}

/**
 * Waits until the forward has failed; returns the call after checking that its error is complete and names
 * the endpoint.
 */
async function failed(wacid: string, endpoint: Json, code: string): Promise<Json> {
  await eventually('the call tells of it', async () => (await shown(wacid))?.lastForwardError != null)
  const call = await shown(wacid)
  const { message, at, ...error } = call.lastForwardError
  assert.deepEqual(error, { code, endpointId: endpoint.id })
  assert.ok(typeof message === 'string' && message !== '')
  assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  assert.equal(call.status, 'RINGING')
  return call
}

const kindsOf = ({ timeline }: Json): string[] => timeline.map(({ kind }: Json) => kind)
const at = ({ timeline }: Json, kind: string): number =>
  Date.parse(timeline.find((entry: Json) => entry.kind === kind).at)

const forwarded = ['provider.connect', 'forward.attempted', 'forward.failed']

step('a receiver that does not answer has five seconds', async () => {
  const { https, httpsEndpoint } = scene
  https.answer = ({ body }) => (body.event === 'call.ringing' ? 'hang' : 200)
  const wacid = await ring(scene, '15557000601')
  const { headers } = await https.inbox.first('the ring', ({ call }) => call?.wacid === wacid)
  const call = await failed(wacid, httpsEndpoint, 'TIMEOUT')
  const tookMs = at(call, 'forward.failed') - at(call, 'forward.attempted')
  assert.ok(tookMs >= 4_990 && tookMs < 10_000, `${tookMs} ms`)
  assert.deepEqual(kindsOf(call), forwarded)
  // A header tells when the provider stops ringing, because the API contract fixes the fields of the body.
  const answerBy = Date.parse(String(headers['x-communication-answer-by']))
  assert.equal(answerBy - Date.parse(call.ringingAt), 30_000)
})

step('a receiver that refuses it is not asked again, and the call can be answered all the same', async () => {
  const { https, httpsEndpoint, stack } = scene
  https.answer = ({ body }) => (body.event === 'call.ringing' ? 503 : 200)
  const wacid = await ring(scene, '15557000602')
  const { id } = await failed(wacid, httpsEndpoint, 'HTTP_503')
  await ok(stack.api.post(`/calls/${id}/answer`, { session: session('answer') }))
  await ok(stack.api.post(`/calls/${id}/action`, { action: 'HANG_UP' }))
  assert.equal(https.inbox.all(({ event, call }) => event && call?.wacid === wacid).length, 1)
  const call = await shown(wacid)
  assert.deepEqual(kindsOf(call).slice(0, 3), forwarded)
  const told = new Set(kindsOf(call))
  for (const kind of [
    'answer.posted',
    'provider.pre_accepted',
    'provider.accept_confirmed',
    'hang_up.posted',
  ])
    assert.ok(told.has(kind), `${kind} in ${[...told]}`)
  const times = call.timeline.map((entry: Json) => entry.at)
  assert.deepEqual(times, [...times].sort())
  assert.deepEqual(
    call.timeline.flatMap(({ kind, detail }: Json) => (kind === 'status' ? [detail.status] : [])),
    ['ACCEPTED', 'COMPLETED'],
  )
})

step('a receiver that is switched off is told of nothing', async () => {
  const { https, httpsEndpoint, stack } = scene
  await ok(stack.console.post(`/endpoints/${httpsEndpoint.id}/disable`))
  const wacid = await ring(scene, '15557000603')
  const call = await failed(wacid, httpsEndpoint, 'ENDPOINT_OFF')
  assert.deepEqual(
    https.inbox.all(({ call: told }) => told?.wacid === wacid),
    [],
  )
  await ok(stack.console.post(`/endpoints/${httpsEndpoint.id}/enable`))
  await ok(stack.api.post(`/calls/${call.id}/action`, { action: 'DECLINE' }))
})

/** While the test holds `messages`, lists keep every connection that is not for calls. */
async function whileOthersWait(work: (areWaiting: () => Promise<void>) => Promise<void>): Promise<void> {
  const { stack } = scene
  let isOver = false
  const lists = async () => {
    while (!isOver) await stack.api.get('/messages/chat').catch(() => undefined)
  }
  const all: Promise<void>[] = []
  await stack.sql
    .begin(async (tx) => {
      await tx`lock table messages in access exclusive mode`
      all.push(...Array.from({ length: 6 }, lists))
      await work(() =>
        eventually('both connections wait', async () => {
          await tx`select pg_stat_clear_snapshot()`
          const rows = await tx`
            select from pg_stat_activity
            where datname = current_database() and application_name = 'switchboard-gateway'
              and wait_event_type = 'Lock'`
          return rows.count === 2
        }),
      )
    })
    .finally(() => {
      isOver = true
    })
  await Promise.all(all)
}

step('a stranger rings, is answered and hangs up while all other connections wait', async () => {
  const { socket, stack } = scene
  await whileOthersWait(async (areWaiting) => {
    await areWaiting()
    const wacid = await ring(scene, '15557000606', 1)
    const { body } = await socket.inbox.first('the ring', ({ call }) => call?.wacid === wacid)
    await ok(stack.api.post(`/calls/${body.call.id}/answer`, { session: session('answer') }))
    await ok(stack.sim.post(`/calls/${encodeURIComponent(wacid)}/hangup`))
    await socket.inbox.first(
      'its end',
      ({ data }) => data?.callId === body.call.id && data.status === 'COMPLETED',
    )
    await areWaiting()
  })
})

step('a socket takes it, and one that nobody listens at does not', async () => {
  const { socket, stack } = scene
  const wacid = await ring(scene, '15557000604', 1)
  await socket.inbox.first('the ring', ({ call }) => call?.wacid === wacid)
  await eventually('it is noted', async () => kindsOf(await shown(wacid)).includes('forward.delivered'))
  const call = await shown(wacid)
  assert.deepEqual(
    [kindsOf(call), call.lastForwardError],
    [[...forwarded.slice(0, 2), 'forward.delivered'], null],
  )
  const url = 'wss://127.0.0.1:1/nobody'
  const gone = await stack.addEndpoint({ url, events: ['message.received', 'call.ringing'] })
  await stack.assignNumber(stack.numbers[1], { endpointId: gone.id, forwardCalls: true })
  await failed(await ring(scene, '15557000605', 1), gone, 'CONNECT_REFUSED')
})

step('of all this no delivery was written', async () => {
  assert.deepEqual(await scene.stack.deliveries({ event: 'call.ringing' }), [])
  const rows = await scene.stack.sql`select from deliveries where kind in ('call.ringing', 'call.accepted')`
  assert.equal(rows.count, 0)
})
