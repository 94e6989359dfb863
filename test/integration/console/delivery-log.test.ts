import assert from 'node:assert/strict'
import { type AttemptReport, failure } from '../../../src/delivery/attempt.ts'
import { reportOf } from '../../../src/delivery/endpoint-work.ts'
import { createAttemptStore } from '../../../src/delivery/store/attempts.store.ts'
import { type DeliveryId, decodeId, type EndpointId, encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { addEndpoint, emitEvent } from '../../support/rows.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const viewer = await world.as('VIEWER')
const attempts = createAttemptStore(world.sql)
const ws = `/workspaces/${world.ws}`

const answered: AttemptReport = {
  ...reportOf({ type: 'refused', statusCode: 500 }, 31.4),
  timings: { dnsMs: 1.5, connectMs: 2, tlsMs: 8, firstByteMs: 19 },
  responseHeaders: { 'content-type': 'text/plain' },
  remoteAddress: '203.0.113.7',
}

async function newDelivery(key?: string): Promise<{ endpointId: EndpointId; deliveryId: DeliveryId }> {
  const endpointId = await addEndpoint(world.sql, world.workspaceId)
  const [written] = await emitEvent(world.sql, world.workspaceId, {
    routedTo: endpointId,
    ...(key && { key }),
  })
  return { endpointId, deliveryId: written?.deliveryId ?? assert.fail() }
}

/** Writes the attempt as the recorder does; returns it as the console shows it. */
async function shown(report: AttemptReport): Promise<Json> {
  const { endpointId, deliveryId } = await newDelivery()
  await attempts.record([
    {
      item: {
        deliveryId,
        kind: 'message.status',
        key: newId('call'),
        body: '{}',
        eventId: newId('event'),
        after: null,
        attemptNumber: 1,
        replay: false,
      },
      workspaceId: world.workspaceId,
      endpointId,
      startedAt: new Date(),
      endedAt: new Date(),
      report,
      verdict: { type: 'failed' },
      counts: 'nothing',
    },
  ])
  const reply = await viewer('GET', `${ws}/deliveries/${encodeId('delivery', deliveryId)}`)
  return reply.body.attempts[0]
}

const bodyOf = async (bytes: Uint8Array) => {
  const { responseBody, responseBodyEncoding } = await shown({ ...answered, responseBody: bytes })
  return [responseBodyEncoding, responseBody]
}

describe('an attempt in the log', () => {
  test('says how long each part took, where it went and what was answered', async () => {
    const { at, ...rest } = await shown({ ...answered, responseBody: Buffer.from('no') })
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
    assert.deepEqual(rest, {
      number: 1,
      statusCode: 500,
      error: null,
      errorDetail: null,
      durationMs: 31,
      timings: answered.timings,
      remoteAddress: '203.0.113.7',
      reusedConnection: false,
      responseHeaders: { 'content-type': 'text/plain' },
      responseBody: 'no',
      responseBodyEncoding: 'utf8',
    })
  })

  test('without an answer has its error and nothing else', async () => {
    const { at: _, ...rest } = await shown(reportOf(failure('ADDRESS_FORBIDDEN'), 4))
    assert.deepEqual(rest, {
      number: 1,
      statusCode: null,
      error: 'ADDRESS_FORBIDDEN',
      errorDetail: null,
      durationMs: 4,
      timings: {},
      remoteAddress: null,
      reusedConnection: null,
      responseHeaders: null,
      responseBody: null,
      responseBodyEncoding: null,
    })
  })

  test('says why a certificate was rejected', async () => {
    const detail = 'the certificate has expired'
    const { error, errorDetail } = await shown(reportOf(failure('TLS_CERTIFICATE_REJECTED', detail), 4))
    assert.deepEqual([error, errorDetail], ['TLS_CERTIFICATE_REJECTED', detail])
  })

  test('shows text as it came, and bytes that are no text as base64', async () => {
    assert.deepEqual(await bodyOf(Buffer.from('Grüße\u0000\n👋')), ['utf8', 'Grüße\u0000\n👋'])
    assert.deepEqual(await bodyOf(Buffer.alloc(0)), ['utf8', ''])
    assert.deepEqual(await bodyOf(Buffer.from([0xff, 0xfe, 0])), ['base64', '//4A'])
    assert.deepEqual(await bodyOf(Buffer.from('👋').subarray(0, 3)), ['base64', '8J+R'])
  })

  test('cut at 16 KiB within a character is still text', async () => {
    const whole = 'a'.repeat(16_382)
    const [encoding, text] = await bodyOf(Buffer.from(`${whole}👋`).subarray(0, 16_384))
    assert.deepEqual([encoding, text], ['utf8', whole])
  })
})

describe('the list', () => {
  const list = async (query: string): Promise<Json> => (await viewer('GET', `${ws}/deliveries?${query}`)).body

  test('filters by everything at once', async () => {
    const key = newId('conversation')
    const { endpointId, deliveryId } = await newDelivery(key)
    const [since, until] = [new Date(Date.now() - 60_000), new Date(Date.now() + 60_000)]
    const fits: Record<string, string> = {
      endpointId: encodeId('endpoint', endpointId),
      event: 'message.status',
      state: 'PENDING',
      key: encodeId('conversation', key),
      since: since.toISOString(),
      until: until.toISOString(),
    }
    const found = async (patch: Record<string, string> = {}) =>
      (await list(String(new URLSearchParams({ ...fits, ...patch })))).data.map(({ id }: Json) => id)
    assert.deepEqual(await found(), [encodeId('delivery', deliveryId)])
    for (const [name, value] of Object.entries({
      endpointId: encodeId('endpoint', newId('endpoint')),
      event: 'call.status',
      state: 'FAILED',
      key: encodeId('conversation', newId('conversation')),
      since: until.toISOString(),
      until: since.toISOString(),
    }))
      assert.deepEqual(await found({ [name]: value }), [], name)
  })

  test('takes several states at once, and looks rows up by their ids', async () => {
    const { endpointId, deliveryId } = await newDelivery()
    const other = (await newDelivery()).deliveryId
    await world.sql`update deliveries set state = 'FAILED' where id = ${deliveryId}`
    const of = encodeId('endpoint', endpointId)
    const ids = async (query: string) => (await list(query)).data.map(({ id }: Json) => id)
    const id = encodeId('delivery', deliveryId)
    assert.deepEqual(await ids(`endpointId=${of}&state=FAILED,PENDING`), [id])
    assert.deepEqual(await ids(`endpointId=${of}&state=HELD,PENDING`), [])
    assert.deepEqual(await ids(`ids=${id},${encodeId('delivery', other)}`), [encodeId('delivery', other), id])
    const refused = async (query: string) => (await viewer('GET', `${ws}/deliveries?${query}`)).status
    assert.equal(await refused('state=FAILED,NEW'), 400)
    assert.equal(await refused('ids=msg_1'), 400)
    const many = Array.from({ length: 51 }, () => encodeId('delivery', newId('delivery')))
    assert.equal(await refused(`ids=${many}`), 400)
  })

  test('says how the last attempt ended', async () => {
    const { endpointId, deliveryId } = await newDelivery()
    const row = async () => (await list(`ids=${encodeId('delivery', deliveryId)}`)).data[0]
    assert.equal((await row()).lastAttempt, null)
    const attempt = (number: number, statusCode: number | null, error: string | null) => world.sql`
      with counted as (update deliveries set attempt_count = ${number} where id = ${deliveryId})
      insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, error, duration_ms)
      values (new_uuid(), ${world.workspaceId}, ${deliveryId}, ${endpointId}, ${number}, now(), ${statusCode},
        ${error}, ${number * 10})`
    await attempt(1, 503, null)
    await attempt(2, null, 'TIMEOUT')
    const { at, ...last } = (await row()).lastAttempt
    assert.ok(Math.abs(Date.parse(at) - Date.now()) < 60_000)
    assert.deepEqual(last, { statusCode: null, error: 'TIMEOUT', durationMs: 20 })
  })

  test('pages once through what was there when it began, while more is written', async () => {
    const { endpointId } = await newDelivery()
    const more = () => emitEvent(world.sql, world.workspaceId, { routedTo: endpointId })
    for (let index = 0; index < 6; index += 1) await more()
    const base = `endpointId=${encodeId('endpoint', endpointId)}&limit=2`
    const before = (await list(base.replace('limit=2', 'limit=200'))).data.map(({ id }: Json) => id)
    const seen: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Json = await list(`${base}${cursor && `&cursor=${cursor}`}`)
      seen.push(...page.data.map(({ id }: Json) => id))
      cursor = page.nextCursor
      await more()
    }
    assert.deepEqual(seen, before)
    assert.equal(seen.length, 7)
  })

  test('shows nothing of another workspace, whatever is asked of it', async () => {
    const { endpointId, deliveryId } = await newDelivery()
    const other = await world.addWorkspace('Other')
    const stranger = await world.as('OWNER', { workspaceId: other })
    const theirs = `/workspaces/${encodeId('workspace', other)}`
    const id = encodeId('delivery', deliveryId)
    const endpoint = encodeId('endpoint', endpointId)
    assert.deepEqual((await stranger('GET', `${theirs}/deliveries?endpointId=${endpoint}`)).body.data, [])
    assert.equal((await stranger('GET', `${theirs}/deliveries/${id}`)).status, 404)
    assert.equal((await stranger('POST', `${theirs}/deliveries/${id}/replay`)).status, 404)
    const many = await stranger('POST', `${theirs}/endpoints/${endpoint}/replay`, { states: ['FAILED'] })
    assert.equal(many.status, 404)
    const [row] = await world.sql`select state from deliveries where id = ${decodeId('delivery', id) ?? ''}`
    assert.equal(row?.['state'], 'PENDING')
  })
})

describe('bodies', () => {
  test('are stored once an event, however many endpoints and attempts it has', async () => {
    const tenant = await world.addWorkspace('Bodies')
    const endpoints = await Promise.all([1, 2, 3, 4].map(() => addEndpoint(world.sql, tenant)))
    const size = 64 * 1024
    // Random, so that compression does not make it small.
    const noise = Array.from({ length: size }, () => 33 + Math.floor(Math.random() * 90))
    const written = await emitEvent(world.sql, tenant, { body: Buffer.from(noise).toString() })
    assert.equal(written.length, endpoints.length)
    for (const attemptNumber of [1, 2, 3])
      await attempts.record(
        written.map(({ deliveryId, endpointId, kind, key }) => ({
          item: {
            deliveryId,
            kind,
            key,
            eventId: newId('event'),
            after: null,
            body: '',
            attemptNumber,
            replay: false,
          },
          workspaceId: tenant,
          endpointId,
          startedAt: new Date(),
          endedAt: new Date(),
          report: answered,
          verdict: { type: 'retry', delayMs: 0 },
          counts: 'nothing',
        })),
      )
    const [stored] = await world.sql<{ events: number; deliveries: number; attempts: number }[]>`
      select
        (select sum(pg_column_size(e.*))::int from events e where workspace_id = ${tenant}) as events,
        (select sum(pg_column_size(d.*))::int from deliveries d where workspace_id = ${tenant}) as deliveries,
        (select sum(pg_column_size(a.*))::int from attempts a where workspace_id = ${tenant}) as attempts`
    assert.ok(stored && stored.events > size && stored.events < size * 1.1, JSON.stringify(stored))
    assert.ok(stored.deliveries < 4 * 500 && stored.attempts < 12 * 500, JSON.stringify(stored))
  })
})
