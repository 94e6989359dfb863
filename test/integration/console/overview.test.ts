import assert from 'node:assert/strict'
import { encodeId, newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'
import { type Json, openWorld } from './console-world.ts'

const world = await openWorld()
const { sql } = world
const minuteMs = 60_000

/** A message id of this time. */
const idAt = (atMs: number): string =>
  `${Math.trunc(atMs)
    .toString(16)
    .padStart(12, '0')
    .replace(/^(.{8})/, '$1-')}-7000-8000-${newId('message').slice(-12)}`

async function tenant() {
  const rows = await addTenant(sql)
  const owner = await world.as('OWNER', { workspaceId: rows.workspaceId })
  const ws = `/workspaces/${encodeId('workspace', rows.workspaceId)}`
  const [contactId, conversationId] = [newId('conversation'), newId('conversation')]
  await sql`
    insert into contacts (id, workspace_id, wa_id) values (${contactId}, ${rows.workspaceId}, '15550000001')`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id)
    values (${conversationId}, ${rows.workspaceId}, ${rows.numberId}, ${contactId})`
  return {
    ...{ ...rows, owner, ws },
    overview: async (): Promise<Json> => (await owner('GET', `${ws}/overview`)).body,
    kinds: async (): Promise<string[]> =>
      (await owner('GET', `${ws}/overview`)).body.attention.map(({ kind }: Json) => kind),
    message: (atMs: number, failedAt: Date | null = null) => sql`
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, failed_at)
      values (${idAt(atMs)}, ${rows.workspaceId}, ${conversationId}, ${rows.numberId}, ${contactId}, 'OUTBOUND', 'TEMPLATE',
        ${failedAt === null ? 'SENT' : 'FAILED'}, ${failedAt})`,
    call: (status: string) => sql`
      insert into calls (id, workspace_id, conversation_id, number_id, contact_id, direction, status)
      values (${newId('call')}, ${rows.workspaceId}, ${conversationId}, ${rows.numberId}, ${contactId}, 'INBOUND', ${status})`,
  }
}

const campaign = (workspaceId: WorkspaceId, status: string, pauseReason: string | null = null) => {
  const id = newId('campaign')
  return sql`
    insert into campaigns (id, workspace_id, name, status, template_name, template_language, pause_reason)
    values (${id}, ${workspaceId}, ${`Spring ${status}`}, ${status}, 'hello', 'en_US', ${pauseReason})`.then(
    () => id,
  )
}

describe('the overview', () => {
  test('of a workspace in which nothing goes on is empty', async () => {
    const { overview, workspaceId } = await tenant()
    await addEndpoint(sql, workspaceId)
    assert.deepEqual(await overview(), {
      calls: { live: 0 },
      messages: { perMinute: Array(60).fill(0), failedToday: 0 },
      deliveries: { pending: 0, retrying: 0, failedToday: 0 },
      endpointsOff: [],
      campaignsRunning: 0,
      attention: [],
    })
  })

  test('counts messages by the minute, and a minute that is over is asked for once', async () => {
    const { overview, message } = await tenant()
    const other = await tenant()
    const minute = Math.floor(world.clock.now() / minuteMs) * minuteMs
    await message(minute)
    await message(minute - 5 * minuteMs)
    await message(minute - 5 * minuteMs + 59_999)
    await message(minute - 60 * minuteMs)
    const expected = Array(60).fill(0)
    expected[59] = 1
    expected[54] = 2
    assert.deepEqual((await overview()).messages.perMinute, expected)
    assert.deepEqual((await other.overview()).messages.perMinute, Array(60).fill(0))
    // One message in the current minute, and one in a past minute whose count is final.
    await message(minute + 1)
    await message(minute - 5 * minuteMs)
    assert.deepEqual((await overview()).messages.perMinute, expected.with(59, 2))
  })

  test('counts what lives, waits and failed today, of this workspace alone', async () => {
    const { overview, workspaceId, message, call } = await tenant()
    const { call: callElsewhere } = await tenant()
    for (const status of ['RINGING', 'ACCEPTED', 'COMPLETED']) await call(status)
    await callElsewhere('RINGING')
    const now = world.clock.now()
    const today = Math.floor(now / 86_400_000) * 86_400_000
    await message(now, new Date(now))
    await message(today - 1_000, new Date(today + 1))
    await message(today - 2_000, new Date(today - 1_000))
    const endpointId = await addEndpoint(sql, workspaceId)
    for (const state of ['PENDING', 'PENDING', 'RETRYING', 'FAILED', 'DELIVERED']) {
      const [written] = await emitEvent(sql, workspaceId)
      await sql`
        update deliveries
        set state = ${state}, finished_at = ${state === 'FAILED' ? new Date(now) : null}
        where id = ${written?.deliveryId ?? ''} and endpoint_id = ${endpointId}`
    }
    await campaign(workspaceId, 'RUNNING')
    await campaign(workspaceId, 'COMPLETED')
    const shown = await overview()
    assert.deepEqual(shown.calls, { live: 2 })
    assert.equal(shown.messages.failedToday, 2)
    assert.deepEqual(shown.deliveries, { pending: 2, retrying: 1, failedToday: 1 })
    assert.equal(shown.campaignsRunning, 1)
  })

  test('names endpoints that are off or about to be, and what is held for them', async () => {
    const { overview, kinds, workspaceId } = await tenant()
    const failing = await addEndpoint(sql, workspaceId, { failures: 10 })
    assert.deepEqual(await kinds(), ['ENDPOINT_FAILING'])
    await emitEvent(sql, workspaceId)
    await sql`update deliveries set state = 'HELD' where endpoint_id = ${failing}`
    await sql`
      update endpoints
      set enabled = false, consecutive_failures = 20, disabled_reason = 'FAILURES'
      where id = ${failing}`
    const shown = await overview()
    const id = encodeId('endpoint', failing)
    assert.deepEqual(shown.endpointsOff, [{ id, name: 'orders' }])
    assert.deepEqual(shown.attention.map(({ kind, text, link }: Json) => [kind, text, link]).slice(0, 2), [
      ['ENDPOINT_OFF', 'Endpoint orders is off after 20 failures in a row.', `/endpoints/${id}`],
      [
        'DELIVERIES_HELD',
        'Endpoint orders has 1 delivery held: replay or discard what is held.',
        `/endpoints/${id}`,
      ],
    ])
    assert.equal(new Set(shown.attention.map((one: Json) => one.id)).size, shown.attention.length)
  })

  test('names numbers that nobody hears, and a workspace without a default', async () => {
    const { kinds, workspaceId, numberId } = await tenant()
    assert.deepEqual(await kinds(), ['NUMBER_UNROUTED'])
    await sql`update numbers set is_default = false where id = ${numberId}`
    const endpointId = await addEndpoint(sql, workspaceId, { events: ['call.status'] })
    assert.deepEqual(await kinds(), ['NO_DEFAULT_NUMBER', 'NUMBER_UNROUTED'])
    await sql`update numbers set endpoint_id = ${endpointId} where id = ${numberId}`
    assert.deepEqual(await kinds(), ['NO_DEFAULT_NUMBER'])
  })

  test('names templates that cannot be sent, and campaigns that stopped or do not know', async () => {
    const { kinds, workspaceId } = await tenant()
    await addEndpoint(sql, workspaceId)
    await sql`update templates set status = 'PAUSED' where workspace_id = ${workspaceId}`
    // Paused by an operator.
    await campaign(workspaceId, 'PAUSED', null)
    await campaign(workspaceId, 'PAUSED', 'TEMPLATE_PAUSED')
    const doubtful = await campaign(workspaceId, 'RUNNING')
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id, status)
      values (${newId('recipient')}, ${workspaceId}, ${doubtful}, '15550000009', 'UNKNOWN')`
    assert.deepEqual(await kinds(), ['CAMPAIGN_UNKNOWN', 'CAMPAIGN_PAUSED', 'TEMPLATE_STOPPED'])
  })
})

describe('the health of an endpoint', () => {
  const attempt = (
    of: { workspaceId: string; endpointId: string },
    at: number,
    given: { status?: number | null; error?: string | null; ms?: number } = {},
  ) => sql`
    insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, error, duration_ms)
    values (${idAt(at)}, ${of.workspaceId}, ${newId('delivery')}, ${of.endpointId}, 1, ${new Date(at)},
      ${given.status === undefined ? 200 : given.status}, ${given.error ?? null}, ${given.ms ?? 10})`

  test('is 24 hours of attempts, failures and percentiles, the running one last', async () => {
    const { owner, ws, workspaceId } = await tenant()
    const endpointId = await addEndpoint(sql, workspaceId)
    const neighbour = await addEndpoint(sql, workspaceId)
    const hour = Math.floor(world.clock.now() / 3_600_000) * 3_600_000
    const of = { workspaceId, endpointId }
    for (let ms = 1; ms <= 20; ms += 1) await attempt(of, hour, { ms })
    await attempt(of, hour - 3_600_000, { status: 503, ms: 7 })
    await attempt(of, hour - 3_600_000, { status: null, error: 'TIMEOUT', ms: 10_000 })
    // An accepted frame has no status.
    await attempt(of, hour - 1, { status: null, ms: 1 })
    await attempt({ workspaceId, endpointId: neighbour }, hour)
    const path = `${ws}/endpoints/${encodeId('endpoint', endpointId)}/health`
    const { hours } = (await owner('GET', path)).body
    assert.equal(hours.length, 24)
    assert.deepEqual(hours[23], {
      at: new Date(hour).toISOString(),
      ...{ attempts: 20, failures: 0, p50Ms: 10, p95Ms: 19, capped: false },
    })
    assert.deepEqual(hours[22], {
      at: new Date(hour - 3_600_000).toISOString(),
      ...{ attempts: 3, failures: 2, p50Ms: 7, p95Ms: 10_000, capped: false },
    })
    assert.deepEqual(hours[0], {
      at: new Date(hour - 23 * 3_600_000).toISOString(),
      ...{ attempts: 0, failures: 0, p50Ms: null, p95Ms: null, capped: false },
    })
    const stranger = await tenant()
    assert.equal((await stranger.owner('GET', path.replace(ws, stranger.ws))).status, 404)
  })
})
