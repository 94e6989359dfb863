// Sends malformed and hostile input to every external interface. Each input must get its documented answer,
// and nothing may break or leak.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { provider } from '../../src/dev/provider.ts'
import { after, before } from '../support/harness.ts'
import { ok } from './clients.ts'
import { bodies, callCases, paths, queries, refusals } from './hostile-api.ts'
import { campaign, campaignCases, foreignCampaignCases } from './hostile-campaigns.ts'
import {
  type Ask,
  assertApiRefused,
  assertRefused,
  type Case,
  raw,
  send,
  type Told,
} from './hostile-client.ts'
import { foreignCases, ownCases } from './hostile-console.ts'
import { answersIn, headsInParts, leaveHalfway, shapes } from './hostile-http.ts'
import { noKeys, routes, withoutScope } from './hostile-keys.ts'
import { foreignAsks, nobodys } from './hostile-strangers.ts'
import { oddWebhooks } from './hostile-webhooks.ts'
import { type HostileWorld, openHostileWorld, sendable } from './hostile-world.ts'
import { logsWith } from './leaks.ts'
import { eventually, scenario } from './scene.ts'

let world: HostileWorld
before(async () => {
  world = await openHostileWorld()
})
after(() => world?.stack.stop())
const step = (title: string, work: () => Promise<void>) => scenario(title, () => world.stack, work)

const asked = (ask: Ask, prefix: string, headers: Readonly<Record<string, string>>): Promise<Told> =>
  send(world.origin, { ...ask, path: prefix + ask.path, headers: { ...headers, ...ask.headers } })

const api = (ask: Ask, key = world.stack.key) => asked(ask, '/api/v1', { 'x-api-key': key })

const inConsole = (ask: Ask, { cookie = world.cookie, workspaceId = world.stack.workspaceId } = {}) =>
  asked(ask, `/console/api/workspaces/${workspaceId}`, { cookie })

type Judge = (told: Told, expected: string, path?: string) => void

/** Runs all cases before failing, so that one run reports every wrong case by its name. */
async function refusesAll(cases: readonly Case[], ask: (ask: Ask) => Promise<Told>, judge: Judge) {
  const wrong: string[] = []
  for (const [what, one, expected, path] of cases)
    await ask(one)
      .then((told) => judge(told, expected, path))
      .catch((error) => wrong.push(`${what}: ${error.message}`))
  assert.deepEqual(wrong, [])
}

step('API: calls refuse what is no session and no action', () =>
  refusesAll(callCases(world.call), api, assertApiRefused),
)

step('API: campaigns refuse what is no plan, no recipient and no choice, and are as they were', async () => {
  const made = await ok(world.stack.api.post('/campaigns', campaign), 201)
  await refusesAll(campaignCases(made.id), api, assertApiRefused)
  await refusesAll(foreignCampaignCases(made.id), (ask) => api(ask, world.stranger.key), assertApiRefused)
  assert.deepEqual(await ok(world.stack.api.get(`/campaigns/${made.id}`)), made)
})

step('API: bodies that are no message are refused by path', () => refusesAll(bodies, api, assertApiRefused))

step('API: queries that no list knows are refused by name', () => refusesAll(queries, api, assertApiRefused))

step('API: paths, ids and methods that are none are refused alike', () =>
  refusesAll(paths, api, assertApiRefused),
)

step('API: sends that cannot be say why', async () => {
  const { sim, sql, numbers } = world.stack
  await ok(sim.post('/handsets/15557000077/messages', { to: numbers[0].number, type: 'text', text: 'STOP' }))
  await eventually('the contact is opted out', async () => {
    const rows = await sql`select from contacts where wa_id = '15557000077' and opt_state = 'opted-out'`
    return rows.length === 1
  })
  await refusesAll(refusals('+15557000077'), api, assertApiRefused)
})

step('API: a used idempotency key gives the first message, or refuses another body', async () => {
  const first = { ...sendable(), idempotencyKey: 'used' }
  const post = (body: object) => api({ method: 'POST', path: '/messages/chat', body })
  const { status, json } = await post(first)
  assert.equal(status, 202)
  const again = await post(first)
  assert.deepEqual([again.status, again.json.id], [200, json.id])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assertApiRefused(await post({ ...first, to: '+15557000002' }), '409 IDEMPOTENCY_KEY_REUSED')
})

step('API: what is no key opens nothing, in whichever header', async () => {
  const { key } = world.stack
  for (const [headers, expected] of noKeys(key))
    assertApiRefused(await send(world.origin, { path: '/api/v1/numbers', headers }), expected)
  const both = { authorization: `Bearer ${key}`, 'x-api-key': 'x' }
  assert.equal((await send(world.origin, { path: '/api/v1/numbers', headers: both })).status, 200)
})

step('API: a request id is taken where it is sane, and replaced where it is not', async () => {
  for (const [given, isTaken] of [
    ['mine-1.2_3', true],
    ['<script>', false],
    ['a'.repeat(129), false],
  ] as const) {
    const told = await api({ path: '/nowhere', headers: { 'x-request-id': given } })
    assertApiRefused(told, '404 NOT_FOUND')
    assert.equal(told.headers['x-request-id'] === given, isTaken, given)
  }
})

step('API: every route names the scope that a key lacks', async () => {
  for (const [scope, method, path] of routes) {
    const { key } = await world.makeKey({ scopes: withoutScope(scope) })
    const told = await api({ method, path }, key)
    assertApiRefused(told, '403 FORBIDDEN')
    assert.match(told.json.error.message, new RegExp(`\\b${scope}\\b`))
  }
})

step('API: a key past its rate, its time or its life is refused', async () => {
  const scopes = ['CATALOG_READ']
  const slow = await world.makeKey({ scopes, requestsPerSecond: 1 })
  const startedMs = performance.now()
  const told = await Promise.all(Array.from({ length: 5 }, () => api({ path: '/numbers' }, slow.key)))
  const late = told.filter(({ status }) => status !== 200)
  // The bucket holds two, and gets one more in each second that the requests take.
  const least = 2 - Math.floor((performance.now() - startedMs) / 1_000)
  assert.ok(late.length >= least && late.length <= 3, `${late.length} of 5 were refused`)
  for (const one of late) assertApiRefused(one, '429 RATE_LIMITED')
  await ok(world.stack.console.delete(`/keys/${slow.id}`))
  assertApiRefused(await api({ path: '/numbers' }, slow.key), '401 INVALID_API_KEY')
  const expiresAt = new Date(Date.now() + 60_000).toISOString()
  const short = await world.makeKey({ scopes, expiresAt })
  assert.equal((await api({ path: '/numbers' }, short.key)).status, 200)
  await world.stack
    .sql`update api_keys set expires_at = now() - interval '1 second' where name = 'hostile' and expires_at is not null`
  assertApiRefused(await api({ path: '/numbers' }, short.key), '401 INVALID_API_KEY')
})

step('API: ids of another workspace do not exist: not a byte tells them from those of nobody', async () => {
  const { call, message, stranger, stack } = world
  const made = await ok(stack.api.post('/campaigns', campaign), 201)
  const { conversationId } = call
  const [template] = (await ok(stack.api.get('/templates'))).data
  const ids = {
    ...{ messages: message.id, conversations: conversationId, calls: call.id, campaigns: made.id },
    ...{ templates: template.id, numbers: call.numberId },
  }
  const before = () =>
    Promise.all(foreignAsks(ids).map((ask) => (ask.method === 'GET' ? api(ask) : undefined)))
  const known = await before()
  const alike = ({ status, headers, text, json }: Told) => {
    const { date, 'x-request-id': requestId, ...others } = headers
    return [status, others, text.replaceAll(json.error.requestId, '')]
  }
  const nobody = foreignAsks(nobodys)
  for (const [index, ask] of foreignAsks(ids).entries()) {
    const told = await api(ask, stranger.key)
    assertApiRefused(told, '404 NOT_FOUND')
    assert.deepEqual(alike(told), alike(await api(nobody[index] ?? ask, stranger.key)), ask.path)
  }
  const texts = (all: readonly (Told | undefined)[]) =>
    all.map((told) => told?.text.replace(/"(fetchedAt|requestId|startsAt|endsAt)":"[^"]*"/g, ''))
  assert.deepEqual(texts(await before()), texts(known))
  const from = { method: 'POST', path: '/messages/chat', body: { ...sendable(), from: stack.numbers[0].id } }
  assertApiRefused(await api(from, stranger.key), '422 NO_SENDER_NUMBER')
  for (const path of [
    '/numbers',
    '/templates',
    `/messages/chat?conversationId=${message.conversationId}`,
    `/messages/chat?campaignId=${made.id}`,
    `/calls?numberId=${call.numberId}`,
    `/conversations?numberId=${call.numberId}`,
  ])
    assert.deepEqual((await api({ path }, stranger.key)).json, { data: [], nextCursor: null }, path)
})

step('API: a suspended workspace is told so before anything else', async () => {
  await ok(world.stack.console.post('/suspend'))
  const { key } = world.stack
  for (const [, method, path] of routes)
    assertApiRefused(await api({ method, path }, key), '403 TENANT_SUSPENDED')
  await ok(world.stack.console.post('/resume'))
  assert.equal((await api({ path: '/numbers' })).status, 200)
})

step('provider webhooks: only what is signed is read, and nothing that is breaks it', async () => {
  const sign = (body: string) =>
    `sha256=${createHmac('sha256', provider.appSecret).update(body).digest('hex')}`
  const path = '/provider/webhooks'
  const post = (body: string, signature?: string) =>
    send(world.origin, {
      ...{ method: 'POST', path, body },
      headers: signature === undefined ? {} : { 'x-hub-signature-256': signature },
    })
  for (const signature of [
    undefined,
    '',
    'sha256=',
    `sha256=${'0'.repeat(64)}`,
    sign('{} '),
    sign('{}').slice(7),
  ])
    assert.deepEqual([(await post('{}', signature)).status, signature], [401, signature])
  for (const body of oddWebhooks) assert.equal((await post(body, sign(body))).status, 200, body.slice(0, 80))
  const large = { method: 'POST', path, announcedBytes: 4 * 1024 * 1024 + 1 }
  assert.equal((await send(world.origin, large)).status, 401, 'without a signature the body is not read')
  const signed = { ...large, headers: { 'x-hub-signature-256': sign('{}') } }
  assertRefused(await send(world.origin, signed), '413 PAYLOAD_TOO_LARGE')
  for (const token of ['', 'x', `${provider.verifyToken}x`]) {
    const query = `hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=7`
    const told = await send(world.origin, { path: `${path}?${query}` })
    assert.deepEqual([told.status, told.text], [403, ''])
  }
})

step('console: its owner cannot break it', () =>
  refusesAll(ownCases(world), (ask) => inConsole(ask), assertRefused),
)

step("console: a workspace's ids mean nothing in another, and its paths nothing to a stranger", async () => {
  const { stranger } = world
  await refusesAll(foreignCases(world), (ask) => inConsole(ask, stranger), assertRefused)
  await refusesAll(foreignCases(world), (ask) => inConsole(ask, { cookie: stranger.cookie }), assertRefused)
})

step('console: without a session there is nothing', async () => {
  for (const cookie of ['', 'switchboard_session=', `switchboard_session=${'a'.repeat(43)}`])
    for (const path of ['/keys', '/endpoints', '/audit'])
      assertRefused(await inConsole({ path }, { cookie }), '401 UNAUTHORIZED')
})

step('HTTP: what two readers could read differently is not served, a head in parts is one head', async () => {
  const texts = await Promise.all(
    shapes.map(async ([what, bytes]) => [what, await raw(world.origin, bytes)] as const),
  )
  for (const [what, text] of texts) {
    const { count, served } = answersIn(text)
    assert.ok(count <= 1 && !served, `${what}: ${text.slice(0, 400)}`)
  }
  const [small, large] = await Promise.all(headsInParts.map((parts) => raw(world.origin, ...parts)))
  assert.match(
    `${small} then ${large}`,
    /^HTTP\/1.1 200 [\s\S]* then HTTP\/1.1 431 [\s\S]*"HEADERS_TOO_LARGE"/,
  )
})

step('HTTP: 3,000 callers who leave halfway leave nothing behind', async () => {
  const { origin, stack } = world
  const residentBytes = async () => {
    const { text } = await send(stack.gateway(0).internalOrigin, { path: '/metrics' })
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
  }
  const beforeBytes = await residentBytes()
  // In total, the half bodies exceed the body bytes that a process may hold at once.
  await leaveHalfway({ origin, key: stack.key, size: 3_000 })
  assert.equal((await send(origin, { path: '/healthz' })).status, 200)
  assertApiRefused(
    await api({ method: 'POST', path: '/messages/chat', body: 'x'.repeat(200_000) }),
    '400 MALFORMED_JSON',
  )
  await eventually(
    'the memory is given back',
    async () => (await residentBytes()) - beforeBytes < 160 * 1024 * 1024,
  )
})

// Keep this after every step that signs in: afterwards, sign-in from this address is refused for a while.
step('console: guessing a password is refused for what it is, then slowed down', async () => {
  const { origin, owner } = world
  const signIn = (body: unknown, headers = {}) =>
    send(origin, { method: 'POST', path: '/console/api/session', body, headers })
  assertRefused(await signIn(owner, { origin: 'https://evil.example' }), '403 FORBIDDEN')
  assertRefused(await signIn({ ...owner, password: 'x'.repeat(1_025) }), '400 VALIDATION_ERROR', 'password')
  assertRefused(await signIn({ ...owner, email: 'a\0' }), '400 VALIDATION_ERROR', 'email')
  assertRefused(await signIn([]), '400 VALIDATION_ERROR', 'body')
  for (let guess = 1; guess <= 5; guess += 1)
    assertRefused(await signIn({ ...owner, password: `guess ${guess}` }), '401 UNAUTHORIZED')
  assertRefused(await signIn({ ...owner, password: 'guess 6' }), '429 RATE_LIMITED')
  assertRefused(await signIn(owner), '429 RATE_LIMITED')
})

step('afterwards the gateway runs, found nothing unforeseen, and kept every secret', async () => {
  const { stack, cookie, owner } = world
  const gateway = stack.gateway(0).process
  assert.ok(gateway.isRunning)
  const faults = gateway
    .lines()
    .filter(({ level, code }) => level === 'error' || level === 'fatal' || code === 'INTERNAL')
  assert.deepEqual(faults, [])
  const secrets = [stack.key.split('_').at(-1) ?? '', cookie.split('=')[1] ?? '', owner.password, 'a=ice-pwd']
  for (const secret of secrets) assert.deepEqual(logsWith(stack.logFiles(), secret), [])
})
