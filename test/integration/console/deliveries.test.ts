import assert from 'node:assert/strict'
import { type EventKind, queuedBody } from '../../../src/contract/events.ts'
import type { DeliveryState } from '../../../src/contract/records/delivery.ts'
import { decodeId, encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { openWorld } from './console-world.ts'

const world = await openWorld()
const admin = await world.as('ADMIN')
const ws = `/workspaces/${world.ws}`

const hook = {
  name: 'Receiver',
  url: 'https://bot.example.com/',
  events: ['message.received', 'call.status'],
}

async function addEndpoint(): Promise<string> {
  await world.sql`update endpoints set deleted_at = now()`
  return (await admin('POST', `${ws}/endpoints`, hook)).body.id
}

interface Given {
  state: DeliveryState
  kind?: EventKind
  key?: string
  body?: Uint8Array
}

async function addDelivery(endpointId: string, given: Given): Promise<string> {
  const { state, kind = 'call.status', key = newId('call'), body = Buffer.from('{}') } = given
  const eventId = newId('event')
  await world.sql`
    insert into events (id, workspace_id, kind, key, body)
    values (${eventId}, ${world.workspaceId}, ${kind}, ${key}, ${Buffer.from(body)})`
  const [row] = await world.sql<{ id: string }[]>`
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, attempt_count, next_attempt_at,
      finished_at)
    values (new_uuid(), ${world.workspaceId}, ${eventId}, ${decodeId('endpoint', endpointId) ?? ''}, ${kind}, ${key},
      ${state}, 6, ${state === 'PENDING' || state === 'RETRYING' ? new Date() : null},
      ${state === 'FAILED' || state === 'DELIVERED' ? new Date() : null})
    returning id`
  return encodeId('delivery', row?.id ?? '')
}

const add = (endpointId: string, states: DeliveryState[]) =>
  Promise.all(states.map((state) => addDelivery(endpointId, { state })))

async function stateOf(id: string) {
  const [row] = await world.sql<{ state: DeliveryState; replay: boolean; nextAttemptAt: Date | null }[]>`
    select state, replay, next_attempt_at from deliveries where id = ${decodeId('delivery', id) ?? ''}`
  return row ?? assert.fail(`no delivery ${id}`)
}

const states = async (ids: string[]) => Promise.all(ids.map(async (id) => (await stateOf(id)).state))
const post = (endpointId: string, verb: string, body?: object) =>
  admin('POST', `${ws}/endpoints/${endpointId}/${verb}`, body)

describe('delivery log', () => {
  test('lists newest first and filters by endpoint, event, state, key and time', async () => {
    const endpoint = await addEndpoint()
    const key = newId('conversation')
    const first = await addDelivery(endpoint, { state: 'DELIVERED' })
    const second = await addDelivery(endpoint, { state: 'FAILED', kind: 'message.received', key })
    const list = async (query: string) => {
      const reply = await admin('GET', `${ws}/deliveries?endpointId=${endpoint}${query}`)
      assert.equal(reply.status, 200, JSON.stringify(reply.body))
      return reply.body.data.map(({ id }: { id: string }) => id)
    }
    assert.deepEqual(await list(''), [second, first])
    assert.deepEqual(await list('&state=DELIVERED'), [first])
    assert.deepEqual(await list('&event=message.received'), [second])
    assert.deepEqual(await list(`&key=${encodeId('conversation', key)}`), [second])
    assert.deepEqual(await list(`&since=${new Date(Date.now() + 60_000).toISOString()}`), [])
    assert.deepEqual(await list(`&until=${new Date(Date.now() + 60_000).toISOString()}`), [second, first])
    assert.deepEqual(await list('&limit=1'), [second])
    for (const bad of ['state=NEW', 'key=!!', 'since=yesterday', 'limit=0', 'colour=red'])
      assert.equal((await admin('GET', `${ws}/deliveries?${bad}`)).status, 400, bad)
  })

  test('shows one with the exact body and every attempt in order', async () => {
    const endpoint = await addEndpoint()
    const body = queuedBody('call.status', new Date(), { callId: 'é' } as never)
    const id = await addDelivery(endpoint, { state: 'FAILED', body })
    for (const number of [1, 2])
      await world.sql`
        insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, error, duration_ms,
          response_headers, response_body)
        values (new_uuid(), ${world.workspaceId}, ${decodeId('delivery', id) ?? ''},
          ${decodeId('endpoint', endpoint) ?? ''}, ${number}, now(), ${number === 1 ? 500 : null},
          ${number === 1 ? null : 'TIMEOUT'}, ${number * 10}, ${world.sql.json({ 'x-trace': 'a' })},
          ${Buffer.from('oops')})`
    const reply = await admin('GET', `${ws}/deliveries/${id}`)
    assert.equal(reply.body.body, body.toString())
    const shown = {
      errorDetail: null,
      timings: {},
      remoteAddress: null,
      reusedConnection: null,
      responseHeaders: { 'x-trace': 'a' },
      responseBody: 'oops',
      responseBodyEncoding: 'utf8',
    }
    assert.deepEqual(
      reply.body.attempts.map(({ at, ...rest }: { at: string }) => rest),
      [
        { ...shown, number: 1, statusCode: 500, error: null, durationMs: 10 },
        { ...shown, number: 2, statusCode: null, error: 'TIMEOUT', durationMs: 20 },
      ],
    )
  })
})

describe('replaying', () => {
  test('a finished or held delivery becomes due once more, marked as a replay', async () => {
    const endpoint = await addEndpoint()
    const ids = await add(endpoint, ['DELIVERED', 'FAILED', 'HELD', 'DISCARDED', 'BLOCKED'])
    for (const id of ids) {
      const reply = await admin('POST', `${ws}/deliveries/${id}/replay`)
      assert.deepEqual([reply.status, reply.body], [202, { id, state: 'PENDING' }])
      const row = await stateOf(id)
      assert.deepEqual([row.state, row.replay], ['PENDING', true])
      assert.ok(row.nextAttemptAt && row.nextAttemptAt.getTime() <= Date.now() + 1_000)
    }
    assert.equal(world.hints.woken.at(-1), decodeId('endpoint', endpoint))
    assert.equal((await admin('GET', `${ws}/audit?limit=1`)).body.data[0].action, 'delivery.replayed')
  })

  test('of two clicks at once one replays; what still waits is refused', async () => {
    const [id = ''] = await add(await addEndpoint(), ['FAILED'])
    const replies = await Promise.all([1, 2].map(() => admin('POST', `${ws}/deliveries/${id}/replay`)))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [202, 409])
    const refused = replies.find(({ status }) => status === 409)
    assert.match(refused?.body.error.message, /is PENDING/)
  })

  test('a waiting retry is hurried once, and stays the attempt that it was', async () => {
    const [id = ''] = await add(await addEndpoint(), ['RETRYING'])
    const retry = () => admin('POST', `${ws}/deliveries/${id}/retry`)
    assert.equal((await retry()).status, 409, 'it is due already')
    const uuid = decodeId('delivery', id) ?? ''
    await world.sql`update deliveries set next_attempt_at = now() + interval '2 hours' where id = ${uuid}`
    const replies = await Promise.all([retry(), retry()])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [202, 409])
    const { state, replay, nextAttemptAt } = await stateOf(id)
    assert.deepEqual([state, replay, Number(nextAttemptAt) <= Date.now()], ['RETRYING', false, true])
    assert.equal((await admin('GET', `${ws}/audit?limit=1`)).body.data[0].action, 'delivery.retried')
    const [done = ''] = await add(await addEndpoint(), ['DELIVERED'])
    assert.equal((await admin('POST', `${ws}/deliveries/${done}/retry`)).body.error.code, 'INVALID_STATE')
    assert.equal(
      (await admin('POST', `${ws}/deliveries/${encodeId('delivery', newId('delivery'))}/retry`)).status,
      404,
    )
  })

  test('a retry is hurried once for each attempt, whatever its time is', async () => {
    const [id = ''] = await add(await addEndpoint(), ['RETRYING'])
    const uuid = decodeId('delivery', id) ?? ''
    const later = world.sql`next_attempt_at = now() + interval '2 hours'`
    const retry = async () => (await admin('POST', `${ws}/deliveries/${id}/retry`)).status
    await world.sql`update deliveries set ${later} where id = ${uuid}`
    assert.equal(await retry(), 202)
    // As for a click whose transaction began before the first one and waited for it.
    await world.sql`update deliveries set ${later} where id = ${uuid}`
    assert.equal(await retry(), 409)
    await world.sql`update deliveries set ${later}, attempt_count = attempt_count + 1 where id = ${uuid}`
    assert.equal(await retry(), 202)
  })

  test('nothing is replayed to an endpoint that is off or deleted', async () => {
    const endpoint = await addEndpoint()
    const [id = ''] = await add(endpoint, ['FAILED'])
    await post(endpoint, 'disable')
    const off = await admin('POST', `${ws}/deliveries/${id}/replay`)
    assert.match(off.body.error.message, /is off/)
    assert.equal((await post(endpoint, 'replay', { states: ['FAILED'] })).status, 409)
    await admin('DELETE', `${ws}/endpoints/${endpoint}`)
    assert.match((await admin('POST', `${ws}/deliveries/${id}/replay`)).body.error.message, /was deleted/)
    assert.equal((await stateOf(id)).state, 'FAILED')
  })

  test('many: counts first, then replays what was asked for and nothing else', async () => {
    const endpoint = await addEndpoint()
    const ids = await add(endpoint, ['FAILED', 'FAILED', 'HELD', 'DELIVERED', 'BLOCKED'])
    const ask = (body: object) => post(endpoint, 'replay', { states: ['FAILED'], ...body })
    assert.deepEqual((await ask({ dryRun: true })).body, { count: 2 })
    assert.deepEqual((await ask({ dryRun: true, since: new Date(Date.now() + 60_000) })).body, { count: 0 })
    assert.deepEqual((await ask({})).body, { count: 2 })
    assert.deepEqual(await states(ids), ['PENDING', 'PENDING', 'HELD', 'DELIVERED', 'BLOCKED'])
    assert.deepEqual((await ask({})).body, { count: 0 })
    assert.equal((await ask({ states: ['DELIVERED'] })).status, 400)
    const [entry] = (await admin('GET', `${ws}/audit?limit=1`)).body.data
    assert.deepEqual([entry.action, entry.after.states], ['endpoint.deliveries_replayed', ['FAILED']])
  })

  test('many: none whose event was deleted, with a customer or after its time', async () => {
    const endpoint = await addEndpoint()
    const [erased = '', kept = ''] = await add(endpoint, ['FAILED', 'FAILED'])
    await world.sql`
      delete from events
      where id = (select event_id from deliveries where id = ${decodeId('delivery', erased) ?? ''})`
    assert.deepEqual((await post(endpoint, 'replay', { states: ['FAILED'] })).body, { count: 1 })
    assert.deepEqual(await states([erased, kept]), ['FAILED', 'PENDING'])
  })

  test('many: more than one batch, each delivery once', async () => {
    const endpoint = await addEndpoint()
    const [id = ''] = await add(endpoint, ['FAILED'])
    await world.sql`
      insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state)
      select new_uuid(), workspace_id, event_id, endpoint_id, kind, key, state
      from deliveries, generate_series(1, 2300)
      where id = ${decodeId('delivery', id) ?? ''}`
    assert.deepEqual((await post(endpoint, 'replay', { states: ['FAILED'] })).body, { count: 2301 })
    const rows = await world.sql`
      select state, replay, count(*)::int as count
      from deliveries
      where endpoint_id = ${decodeId('endpoint', endpoint) ?? ''}
      group by state, replay`
    assert.deepEqual([...rows], [{ state: 'PENDING', replay: true, count: 2301 }])
  })

  test('many: what was held and what failed, with the count of both in the audit', async () => {
    const endpoint = await addEndpoint()
    const ids = await add(endpoint, ['FAILED', 'HELD', 'HELD', 'DISCARDED'])
    const both = { states: ['HELD', 'FAILED', 'HELD'] }
    assert.deepEqual((await post(endpoint, 'replay', { ...both, dryRun: true })).body, { count: 3 })
    assert.deepEqual((await post(endpoint, 'replay', both)).body, { count: 3 })
    assert.deepEqual(await states(ids), ['PENDING', 'PENDING', 'PENDING', 'DISCARDED'])
    // Each batch leaves its own entry: no entry is changed by the next batch.
    const { data } = (await admin('GET', `${ws}/audit?limit=2`)).body
    assert.deepEqual(
      data.map(({ subjectId, after }: { subjectId: string; after: { count: number } }) => [
        subjectId,
        after.count,
      ]),
      [
        [endpoint, 1],
        [endpoint, 2],
      ],
    )
  })

  test('one replay of an endpoint at a time', async () => {
    const endpoint = await addEndpoint()
    await add(endpoint, ['FAILED'])
    const id = decodeId('endpoint', endpoint) ?? ''
    await world.sql.begin(async (sql) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`bulk:${id}`}, 0))`
      const busy = await post(endpoint, 'replay', { states: ['FAILED'] })
      assert.equal(busy.body.error.code, 'INVALID_STATE')
    })
    assert.deepEqual((await post(endpoint, 'replay', { states: ['FAILED'] })).body, { count: 1 })
  })
})

describe('what waits for an endpoint', () => {
  test('is held when it is turned off, shown as a count, and stays held when it is on again', async () => {
    const endpoint = await addEndpoint()
    const ids = await add(endpoint, ['PENDING', 'RETRYING', 'DELIVERED', 'FAILED'])
    assert.equal((await post(endpoint, 'disable')).body.heldCount, 2)
    assert.deepEqual(await states(ids), ['HELD', 'HELD', 'DELIVERED', 'FAILED'])
    const on = await post(endpoint, 'enable')
    assert.deepEqual([on.body.enabled, on.body.heldCount], [true, 2])
    assert.deepEqual((await post(endpoint, 'replay', { states: ['HELD'] })).body, { count: 2 })
  })

  test('can be discarded while it is off, with the count first', async () => {
    const endpoint = await addEndpoint()
    const ids = await add(endpoint, ['PENDING', 'FAILED'])
    await post(endpoint, 'disable')
    assert.deepEqual((await post(endpoint, 'discard', { dryRun: true })).body, { count: 1 })
    assert.deepEqual(await states(ids), ['HELD', 'FAILED'])
    assert.deepEqual((await post(endpoint, 'discard')).body, { count: 1 })
    assert.deepEqual(await states(ids), ['DISCARDED', 'FAILED'])
    assert.equal((await admin('GET', `${ws}/endpoints/${endpoint}`)).body.heldCount, 0)
  })

  test('is discarded when it is deleted', async () => {
    const endpoint = await addEndpoint()
    const ids = await add(endpoint, ['PENDING', 'RETRYING', 'HELD', 'FAILED'])
    await admin('DELETE', `${ws}/endpoints/${endpoint}`)
    assert.deepEqual(await states(ids), ['DISCARDED', 'DISCARDED', 'DISCARDED', 'FAILED'])
  })
})

describe('test events', () => {
  test('a queued one is a delivery of its own, to this endpoint alone', async () => {
    const endpoint = await addEndpoint()
    for (const event of ['message.status', 'message.received', 'call.status']) {
      const reply = await post(endpoint, 'test', { event })
      assert.equal(reply.status, 202)
      const shown = (await admin('GET', `${ws}/deliveries/${reply.body.deliveryId}`)).body
      assert.deepEqual([shown.state, shown.event, shown.endpointId], ['PENDING', event, endpoint])
      assert.equal(JSON.parse(shown.body).event, event)
    }
    assert.equal((await admin('GET', `${ws}/deliveries?endpointId=${endpoint}`)).body.data.length, 3)
    assert.equal((await post(endpoint, 'test')).body.event, 'message.received')
  })

  test('a direct one is sent at once, leaves no row and answers what came of it', async () => {
    const endpoint = await addEndpoint()
    world.direct.outcome = { type: 'failed', code: 'TIMEOUT', message: 'no answer came in time' }
    const reply = await post(endpoint, 'test', { event: 'call.ringing' })
    assert.deepEqual(reply.body, { event: 'call.ringing', outcome: world.direct.outcome })
    const sent = world.direct.sent.at(-1)
    assert.equal(sent.endpointId, decodeId('endpoint', endpoint))
    const body = JSON.parse(Buffer.from(sent.body).toString())
    assert.deepEqual([body.event, body.channel, body.call.session.sdpType], ['call.ringing', 'CHAT', 'offer'])
    assert.equal((await admin('GET', `${ws}/deliveries?endpointId=${endpoint}`)).body.data.length, 0)
  })

  test('none is sent to an endpoint that is off', async () => {
    const endpoint = await addEndpoint()
    await post(endpoint, 'disable')
    assert.equal((await post(endpoint, 'test')).body.error.code, 'INVALID_STATE')
    assert.equal((await post(endpoint, 'test', { event: 'call.hungup' })).status, 400)
  })
})
