// The metrics that the delivery engine reports while it delivers.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type EndpointId, newId } from '../../src/shared/ids.ts'
import { after, before } from '../support/harness.ts'
import { addTenant, emitEvent } from '../support/rows.ts'
import { client, type Json, ok } from './clients.ts'
import { write } from './message-steps.ts'
import { eventually, openScene, type Scene, stepsOf } from './scene.ts'

let scene: Scene
let workerUrl: string
before(async () => {
  scene = await openScene({
    env: {
      WEBHOOK_RETRY_DELAYS: '100ms,100ms,100ms,100ms,100ms',
      WEBHOOK_TIMEOUT: '4s',
      WORKER_PORT: '0',
    },
  })
  const [worker] = scene.stack.workers
  const line = await worker?.line(({ event }) => event === 'worker.serving', 'serving')
  workerUrl = `http://127.0.0.1:${String(line?.['port'])}`
})
after(() => scene?.close())
const step = stepsOf(() => scene.stack)

type Sample = (name: string, labels?: Readonly<Record<string, string>>) => number

/** Sums the samples that have these labels. */
const sampler =
  (text: string): Sample =>
  (name, labels = {}) =>
    text
      .split('\n')
      .filter((line) => new RegExp(`^switchboard_${name}[{ ]`).test(line))
      .filter((line) => Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`)))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)

const scrape = async (origin: string): Promise<string> => (await client(origin).get('/metrics')).body
const gateway = async (): Promise<Sample> => sampler(await scrape(scene.stack.gateway(0).internalOrigin))
const worker = async (): Promise<Sample> => sampler(await scrape(workerUrl))

const until = (what: string, from: () => Promise<Sample>, isTrue: (sample: Sample) => boolean) =>
  eventually(what, async () => isTrue(await from()))

const testEvent = (id: string, event: string): Promise<Json> =>
  ok(scene.stack.console.post(`/endpoints/${id}/test`, { event }), 202)

step('deliveries on every lane and transport are counted and timed', async () => {
  const { https, socket, httpsEndpoint, socketEndpoint } = scene
  const startedAt = performance.now()
  https.answer = ({ headers }) => (headers['x-communication-attempt'] === '1' ? 500 : 200)
  await write(scene, '15557000701', 'counted')
  await https.inbox.take('attempts', 2, ({ data }) => data?.text === 'counted')
  await socket.inbox.first('frame', ({ data }) => data?.text === 'counted')
  https.answer = () => 200
  for (const { id } of [httpsEndpoint, socketEndpoint]) await testEvent(id, 'call.ringing')
  https.answer = () => 404
  await testEvent(httpsEndpoint.id, 'call.accepted')
  https.answer = () => 200
  const attempts = { lane: 'first', outcome: 'refused', code: '5xx' }
  await until('the frame is settled', gateway, (sample) => sample('attempts_total', { code: 'frame' }) === 1)
  const sample = await gateway()
  assert.equal(sample('attempts_total', attempts), 1)
  assert.equal(sample('attempts_total', { lane: 'retry', outcome: 'delivered', code: '2xx' }), 1)
  assert.equal(sample('attempts_total', { lane: 'direct', outcome: 'delivered' }), 2)
  assert.equal(sample('attempts_total', { lane: 'direct', outcome: 'failed', code: '4xx' }), 1)
  for (const [lane, count] of [
    ['first', 2],
    ['retry', 1],
    ['direct', 3],
  ] as const) {
    assert.equal(sample('delivery_wait_seconds_count', { lane }), count, lane)
    assert.equal(sample('delivery_parked_seconds_count', { lane }), count, lane)
    // None can have waited for longer than all of it took, unless something else was measured.
    const most = (count * (performance.now() - startedAt)) / 1000
    assert.ok(sample('delivery_wait_seconds_sum', { lane }) < most, lane)
  }
  assert.equal(sample('receiver_seconds_count'), 4)
  assert.equal(sample('retry_timers_total', { result: 'set' }), 1)
  assert.equal(sample('dials_total', { transport: 'socket', result: 'open' }), 1)
  assert.equal(sample('webhook_sockets'), 1)
  const dials = sample('dials_total', { transport: 'https', result: 'open' })
  const [requests, reuses] = [sample('connection_requests_total'), sample('connection_reuses_total')]
  assert.equal(requests, 4)
  assert.equal(reuses, requests - dials)
  assert.ok(reuses >= 1)
})

step('what is under way and what waits behind it are shown while they do', async () => {
  const { https } = scene
  https.answer = ({ headers }) => (headers['x-communication-attempt'] === '1' ? 'hang' : 200)
  const before = (await gateway())('delivery_parked_seconds_sum', { lane: 'first' })
  // Both texts belong to one conversation, so the second waits for the first attempt of the first.
  await write(scene, '15557000702', 'hangs')
  await https.inbox.first('hangs', ({ data }) => data?.text === 'hangs')
  await write(scene, '15557000702', 'waits')
  await until('one hangs and one waits', gateway, (sample) => {
    const [inFlight, parked] = ['attempts_in_flight', 'deliveries_parked'].map((name) =>
      sample(name, { lane: 'first' }),
    )
    return inFlight === 1 && parked === 1
  })
  await https.inbox.take('attempts', 2, ({ data }) => data?.text === 'waits')
  await until('nothing is under way', gateway, (sample) => {
    return sample('attempts_in_flight') === 0 && sample('deliveries_parked') === 0
  })
  const sample = await gateway()
  assert.equal(sample('attempts_total', { lane: 'first', outcome: 'timedOut', code: 'TIMEOUT' }), 2)
  assert.ok(sample('delivery_parked_seconds_sum', { lane: 'first' }) - before > 0.5, 'the wait is its own')
})

step('refused addresses and dials that fail are counted by their reason', async () => {
  const { stack } = scene
  const urls = {
    blocked: 'https://user:word@127.0.0.1:1/',
    refused: 'https://127.0.0.1:1/',
    socket: 'wss://127.0.0.1:1/',
  }
  for (const [name, url] of Object.entries(urls)) {
    const { id } = await stack.addEndpoint({ name, url: 'https://127.0.0.1:1/', events: ['call.status'] })
    await stack.sql`update endpoints set url = ${url} where name = ${name}`
    await testEvent(id, 'call.status')
  }
  await until('all are counted', gateway, (sample) => {
    const refused = { result: 'CONNECT_REFUSED' }
    return (
      sample('blocked_addresses_total', { code: 'URL_FORBIDDEN' }) === 1 &&
      sample('attempts_total', { outcome: 'blocked' }) === 1 &&
      sample('dials_total', { transport: 'https', ...refused }) === 6 &&
      sample('dials_total', { transport: 'socket', ...refused }) >= 1
    )
  })
})

step('a switch-off, its warnings and what is held are counted', async () => {
  const { https } = scene
  https.answer = () => 500
  for (let index = 0; index < 5; index += 1) await write(scene, `1555700071${index}`, `failure ${index}`)
  await until('it is off', gateway, (sample) => sample('endpoints_switched_off_total') === 1)
  const warnings = (await gateway())('endpoint_warnings_total')
  assert.ok(warnings >= 1 && warnings <= 3, `${warnings} warnings`)
  // On a slow machine the first of them has had its six attempts before the last one is written.
  const heldRows = async () =>
    (await scene.stack.sql`select from deliveries where state = 'HELD' limit 10`).count
  await eventually('the worker knows', async () => {
    const [sample, held] = [await worker(), await heldRows()]
    return (
      held >= 2 &&
      sample('deliveries_held') === held &&
      sample('endpoints_disabled', { by: 'failures' }) === 1
    )
  })
})

step('rows that nobody attempts grow old, and the sweeper wakes their owner', async () => {
  const { stack } = scene
  const { workspaceId } = await addTenant(stack.sql)
  const endpointId: EndpointId = newId('endpoint')
  // The secret cannot be decrypted, so no owner can load the endpoint.
  await stack.sql`
    insert into endpoints (id, workspace_id, name, url, events, secret)
    values (${endpointId}, ${workspaceId}, 'orphan', 'https://127.0.0.1:1/', '{message.status}', '\\x00')`
  await emitEvent(stack.sql, workspaceId)
  await until('it is old', worker, (sample) => {
    const oldest = sample('oldest_waiting_seconds', { lane: 'first' })
    return oldest > 4 && oldest < 30 && sample('sweeper_wakeups_total') > 1
  })
})

step('the series are those that src/platform/README.md lists, and no other', async () => {
  const page = readFileSync(new URL('../../src/platform/README.md', import.meta.url), 'utf8')
  const table = /<!-- metrics -->(.*?)<!-- \/metrics -->/s.exec(page)?.[1] ?? ''
  const listed = [...table.matchAll(/^\| `(switchboard_\w+)` \| (.*?) \|/gm)].map(([, name, labels]) => ({
    name,
    labels: [...(labels ?? '').matchAll(/`(\w+)`/g)].map((match) => match[1]),
  }))
  const texts = [await scrape(scene.stack.gateway(0).internalOrigin), await scrape(workerUrl)]
  const shown = texts.flatMap((text) =>
    [...text.matchAll(/^# TYPE (switchboard_\w+)/gm)].map((match) => match[1]),
  )
  assert.deepEqual([...new Set(shown)].toSorted(), listed.map(({ name }) => name).toSorted())
  for (const { name, labels } of listed) {
    const lines = texts.join('\n').match(new RegExp(`^${name}(_count|_sum)?\\{.*\\}`, 'gm')) ?? []
    for (const line of lines)
      assert.deepEqual([...line.matchAll(/(\w+)="/g)].map((match) => match[1]).toSorted(), labels.toSorted())
  }
  // Ids as labels would create an unlimited number of series.
  assert.doesNotMatch(texts.join('\n'), /\b(whe|wsp|msg|dlv)_[0-9a-z]{20}/)
})
