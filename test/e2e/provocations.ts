import type { ErrorCode } from '../../src/contract/errors.ts'
import { decodeId } from '../../src/shared/ids.ts'
import { ok } from './clients.ts'
import { ringing, sendable } from './hostile-world.ts'
import {
  answering,
  api,
  ask,
  asks,
  chat,
  conversationWith,
  inbound,
  inConsole,
  MAX_REQUESTS,
  optedOut,
  type Provocation,
  type Provoked,
  placing,
  post,
  sendOf,
  waitingCallers,
  whileStopped,
} from './provoking.ts'
import { eventually } from './scene.ts'

export const provocations: Readonly<Record<ErrorCode, Provocation>> = {
  VALIDATION_ERROR: asks(post(chat, {})),
  MALFORMED_JSON: asks(post(chat, '{')),
  UNAUTHORIZED: (world) => ask(world, { path: '/numbers' }),
  INVALID_API_KEY: (world) => api(world, { path: '/numbers' }, `${world.stack.key}x`),
  async TENANT_SUSPENDED(world) {
    await ok(world.stack.console.post('/suspend'))
    const provoked = await api(world, { path: '/numbers' })
    await ok(world.stack.console.post('/resume'))
    return provoked
  },
  async IP_NOT_ALLOWED(world) {
    const { key } = await world.makeKey({ scopes: ['CATALOG_READ'], allowedIps: ['203.0.113.0/24'] })
    return api(world, { path: '/numbers' }, key)
  },
  async FORBIDDEN(world) {
    const { key } = await world.makeKey({ scopes: ['CATALOG_READ'] })
    return api(world, { path: '/calls' }, key)
  },
  async CONFIRMATION_REQUIRED(world) {
    const { sql } = world.stack
    await sql`update sessions set proved_at = now() - interval '1 hour'`
    const provoked = await inConsole(world, post('/keys', { name: 'late', scopes: ['CATALOG_READ'] }))
    await sql`update sessions set proved_at = now()`
    return provoked
  },
  async SECOND_FACTOR_REQUIRED(world) {
    const { sql } = world.stack
    await sql`update workspaces set second_factor_from = now()`
    const provoked = await inConsole(world, { path: '/keys' })
    await sql`update workspaces set second_factor_from = null`
    return provoked
  },
  async SESSION_EXPIRED(world) {
    const { sql } = world.stack
    await sql`update workspaces set idle_minutes = 5`
    await sql`update sessions set longest_pause = interval '1 hour'`
    const provoked = await inConsole(world, { path: '/keys' })
    await sql`update workspaces set idle_minutes = null`
    await sql`update sessions set longest_pause = '0'`
    return provoked
  },
  NOT_FOUND: asks({ path: `${chat}/msg_00000000000000000000000000` }),
  METHOD_NOT_ALLOWED: asks({ method: 'PUT', path: chat }),
  async BODY_TOO_SLOW(world) {
    const template = { name: 'hello_world', language: 'en_US' }
    const draft = await ok(world.stack.api.post('/campaigns', { name: 'Slow', template }), 201)
    const headers = { 'content-type': 'text/csv' }
    // The body never comes.
    const path = `/campaigns/${draft.id}/recipients`
    return api(world, { method: 'POST', path, headers, announcedBytes: 1_000 })
  },
  PAYLOAD_TOO_LARGE: asks({ method: 'POST', path: chat, announcedBytes: 256 * 1_024 + 1 }),
  UNSUPPORTED_MEDIA_TYPE: asks({ ...post(chat, sendable()), headers: { 'content-type': 'text/plain' } }),
  HEADERS_TOO_LARGE: asks({ path: chat, headers: { 'x-long': 'a'.repeat(16 * 1_024) } }),
  async RANGE_NOT_SATISFIABLE(world) {
    const file = { type: 'image', mimeType: 'image/png', mediaBase64: 'AAAA' }
    const { id } = await inbound(world, '15557000081', file)
    return api(world, { path: `${chat}/${id}/media`, headers: { range: 'bytes=3-' } })
  },
  async IDEMPOTENCY_KEY_REUSED(world) {
    const idempotencyKey = 'provoked'
    await ok(world.stack.api.post(chat, { ...sendable(), idempotencyKey }), 202)
    return api(world, post(chat, { ...sendable('+15557000002'), idempotencyKey }))
  },
  async INVALID_STATE(world) {
    // This contact has not written yet.
    const conversationId = await conversationWith(world, '15557001082')
    return api(world, { method: 'POST', path: `/conversations/${conversationId}/typing` })
  },
  async ACCOUNT_RESTRICTED(world) {
    const template = { name: 'hello_world', language: 'en_US' }
    const { id } = await ok(world.stack.api.post('/campaigns', { name: 'Stopped', template }), 201)
    await ok(world.stack.api.post(`/campaigns/${id}/recipients`, { recipients: [{ to: '+15557001086' }] }))
    return whileStopped(world, 'CAMPAIGNS', () => api(world, post(`/campaigns/${id}/start`, {})))
  },
  async CALLING_RESTRICTED(world) {
    const conversationId = await conversationWith(world, '15557001087')
    return whileStopped(world, 'PLACING_CALLS', () => api(world, placing(conversationId)))
  },
  async CALL_NOT_RINGING(world) {
    const conversationId = await conversationWith(world, '15557001083')
    const placed = await ok(
      world.stack.api.post(`/conversations/${conversationId}/call`, placing('').body),
      202,
    )
    return api(world, answering(placed))
  },
  async CALL_ALREADY_ANSWERED(world) {
    const call = await ringing(world.stack, '15557001084')
    await api(world, answering(call))
    return api(world, answering(call))
  },
  async CALL_ENDED(world) {
    const call = await ringing(world.stack, '15557001085')
    await ok(world.stack.api.post(`/calls/${call.id}/action`, { action: 'DECLINE' }))
    return api(world, answering(call))
  },
  async OFFER_UNAVAILABLE(world) {
    const call = await ringing(world.stack, '15557001086')
    await api(world, answering(call))
    return api(world, { path: `/calls/${call.id}/offer` })
  },
  async IN_USE(world) {
    const { stack } = world
    // A literal address. No contact writes to the second number, so nothing is ever sent there.
    const endpoint = await stack.addEndpoint({ url: 'https://1.1.1.1/hook', events: ['message.received'] })
    await stack.assignNumber(stack.numbers[1], { endpointId: endpoint.id })
    const provoked = await inConsole(world, { method: 'DELETE', path: `/endpoints/${endpoint.id}` })
    await stack.assignNumber(stack.numbers[1], { endpointId: null })
    await ok(stack.console.delete(`/endpoints/${endpoint.id}`), 204)
    return provoked
  },
  TEMPLATE_NOT_FOUND: sendOf('no such template'),
  TEMPLATE_NOT_APPROVED: sendOf('not approved'),
  TEMPLATE_VARIABLES_MISMATCH: sendOf('other variables'),
  async RECIPIENT_OPTED_OUT(world) {
    await inbound(world, optedOut, { type: 'text', text: 'STOP' })
    return sendOf('opted out')(world)
  },
  WINDOW_CLOSED: asks(post(chat, { to: '+15557001087', text: { body: 'Hello?' } })),
  async MEDIA_NOT_FOUND(world) {
    await inbound(world, '15557000087', { type: 'text', text: 'Hi' })
    const media = { kind: 'image', id: 'med_00000000000000000000000000' }
    return api(world, post(chat, { to: '+15557000087', media }))
  },
  async MEDIA_UNSUITABLE(world) {
    await inbound(world, '15557000087', { type: 'text', text: 'Hi' })
    const headers = { 'content-type': 'text/plain' }
    const { told } = await api(world, { method: 'POST', path: '/media', headers, body: 'a file' })
    return api(world, post(chat, { to: '+15557000087', media: { kind: 'image', id: told.json.id } }))
  },
  async MESSAGE_NOT_FOUND(world) {
    await inbound(world, '15557000087', { type: 'text', text: 'Hi' })
    const replyTo = 'msg_00000000000000000000000000'
    return api(world, post(chat, { to: '+15557000087', text: { body: 'Hello' }, replyTo }))
  },
  async MARKETING_OPTED_OUT(world) {
    const { sql } = world.stack
    const workspaceId = decodeId('workspace', world.stack.workspaceId) ?? ''
    const to = 'US.13491208655302741919'
    await sql`
      insert into templates (id, workspace_id, name, language, category, status, components)
      values (new_uuid(), ${workspaceId}, 'spring_news', 'en_US', 'MARKETING', 'APPROVED',
        ${sql.json([{ type: 'BODY', text: 'It is spring.' }])})`
    await sql`
      insert into contacts (id, workspace_id, wa_id, user_id, marketing_opt_out_at)
      values (new_uuid(), ${workspaceId}, ${to}, ${to}, now())`
    return api(world, post(chat, { to, template: { name: 'spring_news', language: 'en_US' } }))
  },
  async RECIPIENT_NEEDS_PHONE(world) {
    const { sql } = world.stack
    const workspaceId = decodeId('workspace', world.stack.workspaceId) ?? ''
    const components = sql.json([{ type: 'BODY', text: '*{{1}}* is your code.' }])
    await sql`
      insert into templates (id, workspace_id, name, language, category, status, components)
      values (new_uuid(), ${workspaceId}, 'login_code', 'en_US', 'AUTHENTICATION', 'APPROVED', ${components})`
    const template = { name: 'login_code', language: 'en_US', variables: { 1: '1234' } }
    return api(world, post(chat, { to: 'US.13491208655302741918', template }))
  },
  async CALL_PERMISSION_REQUIRED(world) {
    return api(world, placing(await conversationWith(world, '15557000025')))
  },
  INVALID_SDP: (world) =>
    api(world, post(`/calls/${world.call.id}/answer`, { session: { sdpType: 'answer', sdp: 'v=0' } })),
  NO_SENDER_NUMBER: sendOf('another number'),
  ADDRESS_NOT_ALLOWED: (world) =>
    inConsole(world, post('/endpoints', { name: 'x', url: 'https://127.0.0.1/', events: ['call.status'] })),
  async RATE_LIMITED(world) {
    const { key } = await world.makeKey({ scopes: ['CATALOG_READ'], requestsPerSecond: 1 })
    const all = await Promise.all(Array.from({ length: 5 }, () => api(world, { path: '/numbers' }, key)))
    return all.find(({ told }) => told.status !== 200) ?? (await api(world, { path: '/numbers' }, key))
  },
  async INTERNAL(world) {
    const { sql } = world.stack
    await sql`alter table templates rename to templates_of_nobody`
    const provoked = await api(world, { path: '/templates' })
    await sql`alter table templates_of_nobody rename to templates`
    return provoked
  },
  async PROVIDER_ERROR(world) {
    const { id } = await inbound(world, '15557000087', { type: 'text', text: 'Hello?' })
    await ok(world.stack.sim.put('/faults', { api: [{ match: 'messages', status: 400, code: 100 }] }))
    const provoked = await api(world, { method: 'POST', path: `${chat}/${id}/read` })
    await ok(world.stack.sim.put('/faults', {}))
    return provoked
  },
  async OVERLOADED(world) {
    let provoked: Provoked | undefined
    // The gateway may not have read them all yet, and then the question takes the room of one of them.
    await eventually('there is no room', async () => {
      const leave = await waitingCallers(world, MAX_REQUESTS)
      provoked = await api(world, { path: '/numbers' })
      leave()
      return provoked.told.status !== 200
    })
    await eventually('there is room again', async () => {
      return (await api(world, { path: '/numbers' })).told.status === 200
    })
    return provoked ?? (await api(world, { path: '/numbers' }))
  },
  UNAVAILABLE: ({ stack, ...world }) =>
    // Holds the lock for longer than the gateway waits for any answer of Postgres.
    stack.sql.begin(async (transaction) => {
      await transaction`set local idle_in_transaction_session_timeout = '20s'`
      await transaction`lock table templates in access exclusive mode`
      return api({ stack, ...world }, { path: '/templates' })
    }),
}
