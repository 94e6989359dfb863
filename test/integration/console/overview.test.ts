import assert from 'node:assert/strict'
import { bucketOf, quarterMs } from '../../../src/delivery/attempt-tally.ts'
import { createAttemptRateStore } from '../../../src/delivery/store/attempt-rates.store.ts'
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
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, failed_at, created_at)
      values (${idAt(atMs)}, ${rows.workspaceId}, ${conversationId}, ${rows.numberId}, ${contactId}, 'OUTBOUND', 'TEMPLATE',
        ${failedAt === null ? 'SENT' : 'FAILED'}, ${failedAt}, ${new Date(atMs)})`,
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

describe('the health of an endpoint', () => {
  const attempt = (
    of: { workspaceId: string; endpointId: string },
    at: number,
    given: { status?: number | null; error?: string | null; ms?: number } = {},
  ) => sql`
    insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, error, duration_ms)
    values (${idAt(at)}, ${of.workspaceId}, ${newId('delivery')}, ${of.endpointId}, 1, ${new Date(at)},
      ${given.status === undefined ? 200 : given.status}, ${given.error ?? null}, ${given.ms ?? 10})`

  /** Its attempt is in the row of the delivery. */
  const deliveredAtOnce = (of: { workspaceId: string; endpointId: string }, at: number, ms: number) => sql`
    insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state, attempt_count, first_attempt_at,
      first_status_code, first_duration_ms)
    values (${idAt(at)}, ${of.workspaceId}, ${newId('event')}, ${of.endpointId}, 'message.received',
      ${newId('conversation')}, 'DELIVERED', 1, ${new Date(at)}, 200, ${ms})`

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
    await deliveredAtOnce(of, hour - 2 * 3_600_000, 5)
    await deliveredAtOnce({ workspaceId, endpointId: neighbour }, hour - 2 * 3_600_000, 1)
    const path = `${ws}/endpoints/${encodeId('endpoint', endpointId)}/health`
    const { hours } = (await owner('GET', path)).body
    assert.equal(hours.length, 24)
    const shown = (ago: number, figures: object) =>
      assert.deepEqual(hours[23 - ago], { at: new Date(hour - ago * 3_600_000).toISOString(), ...figures })
    shown(0, { attempts: 20, failures: 0, p50Ms: 10, p95Ms: 19, capped: false })
    shown(1, { attempts: 3, failures: 2, p50Ms: 7, p95Ms: 10_000, capped: false })
    shown(2, { attempts: 1, failures: 0, p50Ms: 5, p95Ms: 5, capped: false })
    shown(23, { attempts: 0, failures: 0, p50Ms: null, p95Ms: null, capped: false })
    const stranger = await tenant()
    assert.equal((await stranger.owner('GET', path.replace(ws, stranger.ws))).status, 404)
  })
})

describe('the overview', () => {
  test('of a workspace in which nothing goes on is empty', async () => {
    const { overview, workspaceId } = await tenant()
    await addEndpoint(sql, workspaceId)
    assert.deepEqual(await overview(), {
      calls: { live: 0 },
      messages: { perMinute: Array(60).fill(0), failedLastDay: 0 },
      deliveries: { pending: 0, retrying: 0, held: 0, failedLastDay: 0 },
      attempts: [],
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

  test('counts what lives, waits and failed within a day, of this workspace alone, as the lists do', async () => {
    const { overview, workspaceId, message, call, owner, ws } = await tenant()
    const { call: callElsewhere } = await tenant()
    for (const status of ['RINGING', 'ACCEPTED', 'COMPLETED']) await call(status)
    await callElsewhere('RINGING')
    const now = world.clock.now()
    const since = Math.floor((now - 86_400_000) / minuteMs) * minuteMs
    await message(now, new Date(now))
    await message(since, new Date(since + 1))
    // It failed within the span, but was made before.
    await message(since - 1, new Date(now))
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
    assert.equal(shown.messages.failedLastDay, 2)
    const listed = await owner('GET', `${ws}/messages?status=FAILED&since=${new Date(since).toISOString()}`)
    assert.equal(listed.body.data.length, 2)
    assert.deepEqual(shown.deliveries, { pending: 2, retrying: 1, held: 0, failedLastDay: 1 })
    assert.equal(shown.campaignsRunning, 1)
  })

  test('tells what an endpoint that fails or is off last answered, since when, and what is held', async () => {
    const { overview, workspaceId, owner } = await tenant()
    const endpointId = await addEndpoint(sql, workspaceId, { failures: 2 })
    const id = encodeId('endpoint', endpointId)
    const problems = async () =>
      (await overview()).attention
        .filter(({ kind }: Json) => kind.startsWith('ENDPOINT') || kind === 'DELIVERIES_HELD')
        .map(({ kind, severity, subject, since, facts }: Json) => ({ kind, severity, subject, since, facts }))
    assert.deepEqual(await problems(), [], 'two failures are nothing yet')
    const at = new Date(world.clock.now() - 5_000)
    await sql`
      insert into attempts (id, workspace_id, delivery_id, endpoint_id, number, at, status_code, duration_ms)
      values (${idAt(at.getTime())}, ${workspaceId}, ${newId('delivery')}, ${endpointId}, 1, ${at}, 503, 12)`
    const lastAttempt = { at: at.toISOString(), statusCode: 503, error: null }
    const subject = { id, name: 'orders' }
    await sql`update endpoints set consecutive_failures = 10 where id = ${endpointId}`
    const failing = { kind: 'ENDPOINT_FAILING', severity: 'WARNING', subject, since: lastAttempt.at }
    assert.deepEqual(await problems(), [{ ...failing, facts: { failures: 10, limit: 20, lastAttempt } }])
    await sql`update endpoints set consecutive_failures = 14 where id = ${endpointId}`
    assert.equal((await problems())[0].severity, 'CRITICAL')
    await emitEvent(sql, workspaceId)
    await sql`update deliveries set state = 'HELD' where endpoint_id = ${endpointId}`
    const offAt = new Date(world.clock.now() - 1_000)
    await sql`
      update endpoints
      set enabled = false, consecutive_failures = 20, disabled_reason = 'FAILURES', disabled_at = ${offAt}
      where id = ${endpointId}`
    const facts = { byFailures: true, by: null, failures: 20, lastAttempt, held: 1 }
    const since = offAt.toISOString()
    assert.deepEqual(await problems(), [
      { kind: 'ENDPOINT_OFF', severity: 'CRITICAL', subject, since, facts },
    ])
    const shown = await overview()
    assert.equal(shown.deliveries.held, 1)
    assert.deepEqual(shown.endpointsOff, [{ id, name: 'orders' }])
    const other = await tenant()
    assert.deepEqual((await other.overview()).deliveries.held, 0)
    await owner('POST', `/workspaces/${encodeId('workspace', workspaceId)}/endpoints/${id}/enable`)
    assert.deepEqual(
      (await problems()).map(({ kind, facts: known }: Json) => [kind, known]),
      [['DELIVERIES_HELD', { held: 1 }]],
    )
    await owner('POST', `/workspaces/${encodeId('workspace', workspaceId)}/endpoints/${id}/disable`)
    const [off] = await problems()
    assert.equal(off.facts.byFailures, false)
    assert.ok(off.facts.by, 'it says who turned it off')
  })

  test('names numbers that nobody hears, that are not connected, and a workspace without a default', async () => {
    const { kinds, workspaceId, numberId } = await tenant()
    assert.deepEqual(await kinds(), ['NUMBER_UNROUTED'])
    await sql`update numbers set is_default = false where id = ${numberId}`
    const endpointId = await addEndpoint(sql, workspaceId, { events: ['call.status'] })
    assert.deepEqual(await kinds(), ['NO_DEFAULT_NUMBER', 'NUMBER_UNROUTED'])
    await sql`update numbers set endpoint_id = ${endpointId}, status = 'FLAGGED' where id = ${numberId}`
    assert.deepEqual(await kinds(), ['NUMBER_STOPPED', 'NO_DEFAULT_NUMBER'])
  })

  test('names numbers whose calls nobody takes, until the latest one is taken', async () => {
    const { overview, workspaceId, numberId, call } = await tenant()
    const endpointId = await addEndpoint(sql, workspaceId, { events: ['call.ringing', 'message.received'] })
    await sql`update numbers set endpoint_id = ${endpointId}, forward_calls = true where id = ${numberId}`
    await call('COMPLETED')
    await call('MISSED')
    const at = new Date(world.clock.now()).toISOString()
    const error = { code: 'TIMEOUT', message: 'no answer within 10 s', endpointId, at }
    const lost = (given: typeof error | null) => sql`
      update calls set last_forward_error = ${given && sql.json(given)}
      where id = (select id from calls where workspace_id = ${workspaceId} order by id desc limit 1)`
    await lost(error)
    const shown = { id: encodeId('endpoint', endpointId), name: 'orders' }
    const [problem] = (await overview()).attention
    assert.equal(problem.kind, 'CALLS_LOST')
    assert.deepEqual(problem.facts, {
      ...{ calls: 2, lost: 1, endpoint: shown },
      error: { ...error, endpointId: shown.id },
    })
    await call('COMPLETED')
    assert.deepEqual((await overview()).attention, [])
  })

  test('names templates that cannot be sent, and campaigns that stopped or do not know', async () => {
    const { overview, kinds, workspaceId } = await tenant()
    await addEndpoint(sql, workspaceId)
    await sql`
      update templates set status = 'PAUSED', status_reason = 'LOW_QUALITY' where workspace_id = ${workspaceId}`
    // Paused by an operator.
    await campaign(workspaceId, 'PAUSED', null)
    const paused = await campaign(workspaceId, 'PAUSED', 'TEMPLATE_PAUSED')
    const doubtful = await campaign(workspaceId, 'RUNNING')
    for (const [campaignId, status] of [
      [doubtful, 'UNKNOWN'],
      [paused, 'PENDING'],
    ] as const)
      await sql`
        insert into recipients (id, workspace_id, campaign_id, wa_id, status)
        values (${newId('recipient')}, ${workspaceId}, ${campaignId}, '15550000009', ${status})`
    assert.deepEqual(await kinds(), ['CAMPAIGN_PAUSED', 'TEMPLATE_STOPPED', 'CAMPAIGN_UNKNOWN'])
    const [first, second] = (await overview()).attention
    assert.deepEqual(first.facts, { reason: 'TEMPLATE_PAUSED', error: null, pending: 1 })
    assert.deepEqual(second.facts, { language: 'en_US', status: 'PAUSED', reason: 'LOW_QUALITY' })
  })

  test('names keys that expire within 14 days or have just expired, and no revoked one', async () => {
    const { overview, workspaceId } = await tenant()
    await addEndpoint(sql, workspaceId)
    const dayMs = 86_400_000
    const now = world.clock.now()
    const key = (name: string, days: number, revokedAt: Date | null = null) => sql`
      insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes, expires_at, revoked_at)
      values (${newId('key')}, ${workspaceId}, ${name}, ${newId('key')}, ${Buffer.from(name)}, '{}',
        ${new Date(now + days * dayMs)}, ${revokedAt})`
    await key('soon', 13)
    await key('over', -1)
    await key('later', 15)
    await key('long ago', -4)
    await key('revoked', 2, new Date(now))
    assert.deepEqual(
      (await overview()).attention.map(({ kind, severity, subject }: Json) => [kind, severity, subject.name]),
      [
        ['KEY_EXPIRING', 'CRITICAL', 'over'],
        ['KEY_EXPIRING', 'WARNING', 'soon'],
      ],
    )
  })

  test('counts what could not be understood within a day', async () => {
    const { overview, workspaceId } = await tenant()
    await addEndpoint(sql, workspaceId)
    const now = world.clock.now()
    const element = (atMs: number, reason: string | null, appliedAt: Date | null = null) => sql`
      insert into inbound_elements (id, workspace_id, reason, people, body, applied_at)
      values (${idAt(atMs)}, ${workspaceId}, ${reason}, '{}', '{}', ${appliedAt})`
    await element(now - 60_000, 'unknown')
    await element(now - 30_000, 'malformed')
    await element(now - 20_000, 'irrelevant')
    await element(now - 20_000, null)
    await element(now - 10_000, 'unknown', new Date())
    const [problem, ...others] = (await overview()).attention
    assert.deepEqual(others, [])
    assert.deepEqual([problem.kind, problem.facts], ['NOT_UNDERSTOOD', { count: 2 }])
    assert.equal(problem.since, new Date(Math.trunc(now - 30_000)).toISOString())
  })

  test('has the attempts of a day by quarter of an hour, from what gateways tallied', async () => {
    const { overview, workspaceId } = await tenant()
    const rates = createAttemptRateStore(sql)
    const quarter = Math.floor(world.clock.now() / quarterMs) * quarterMs
    const count = (atMs: number, ms: number, attempts: number, failures = 0) => ({
      ...{ workspaceId, atMs, bucket: bucketOf(ms), attempts, failures },
    })
    await rates.add([
      count(quarter, 40, 90),
      count(quarter, 900, 10, 10),
      count(quarter - 96 * quarterMs, 1, 5),
    ])
    await rates.add([count(quarter, 40, 10), count(quarter - 4 * quarterMs, 10, 1)])
    const [earlier, last, ...others] = (await overview()).attempts
    assert.deepEqual(others, [], 'what is a day old is left out')
    assert.equal(earlier.id, new Date(quarter - 4 * quarterMs).toISOString())
    assert.deepEqual([last.attempts, last.failures], [110, 10])
    assert.ok(last.p95Ms >= 810 && last.p95Ms <= 990, `${last.p95Ms} ms`)
    await rates.add([count(quarter, 40, 1)])
    assert.equal((await overview()).attempts[1].attempts, 111, 'the current quarter is read again')
    // The last step of the file: shortly before midnight, rows of this clock would have no partition from here on.
    await world.clock.advance(quarterMs * 97)
    assert.deepEqual((await overview()).attempts, [])
  })
})
