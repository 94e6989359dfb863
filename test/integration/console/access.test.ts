import assert from 'node:assert/strict'
import { type Role, roles } from '../../../src/accounts/roles.ts'
import { limits } from '../../../src/contract/limits.ts'
import { encodeId, type IdKind, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { openWorld } from './console-world.ts'

const world = await openWorld()
const { routes: consoleRoutes } = world
const other = await world.addWorkspace('Other')
const clients = new Map(await Promise.all(roles.map(async (role) => [role, await world.as(role)] as const)))
const stranger = await world.as('OWNER', { workspaceId: other })
const platform = await world.as('OWNER', { workspaceId: other, platformOwner: true })

const kinds: Record<string, IdKind> = {
  keys: 'key',
  endpoints: 'endpoint',
  deliveries: 'delivery',
  numbers: 'number',
  calls: 'call',
  members: 'operator',
  invitations: 'invitation',
  messages: 'message',
  conversations: 'conversation',
  campaigns: 'campaign',
  erasures: 'erasure',
  exports: 'export',
}

/** The path with this workspace and an id that does not exist. */
const pathOf = (pattern: string, ws = world.ws): string =>
  pattern
    .replace(':ws', ws)
    .replace(/\/(\w+)\/:id/, (_, kind: string) => `/${kind}/${encodeId(kinds[kind] ?? 'key', newId('key'))}`)

const inWorkspace = consoleRoutes.filter(({ access }) => access.type === 'workspace')
const ask = (client: typeof stranger, route: (typeof consoleRoutes)[number], ws?: string) =>
  client(route.method, pathOf(route.path, ws), route.method === 'GET' ? undefined : {})

describe('access to a workspace', () => {
  test('the table holds every path that other tools rely on', () => {
    const rows = new Set(consoleRoutes.map(({ method, path }) => `${method} ${path}`))
    const ws = '/workspaces/:ws'
    const expected = [
      'POST /session',
      'DELETE /session',
      'GET /me',
      ...['GET', 'POST'].flatMap((method) => [`${method} ${ws}/keys`, `${method} ${ws}/endpoints`]),
      ...['PATCH', 'DELETE'].flatMap((method) => [
        `${method} ${ws}/keys/:id`,
        `${method} ${ws}/endpoints/:id`,
      ]),
      ...['rotate', 'enable', 'disable', 'test', 'replay'].map((verb) => `POST ${ws}/endpoints/:id/${verb}`),
      `GET ${ws}/deliveries`,
      `GET ${ws}/deliveries/:id`,
      `POST ${ws}/deliveries/:id/replay`,
      `POST ${ws}/deliveries/:id/retry`,
      `GET ${ws}/numbers`,
      `PATCH ${ws}/numbers/:id`,
      `GET ${ws}/templates`,
      `POST ${ws}/templates`,
      ...['calls', 'conversations', 'messages', 'campaigns', 'audit'].map((list) => `GET ${ws}/${list}`),
    ]
    assert.deepEqual(
      expected.filter((row) => !rows.has(row)),
      [],
    )
  })

  for (const route of inWorkspace) {
    const needed: Role = route.access.type === 'workspace' ? route.access.role : 'OWNER'
    test(`${route.method} ${route.path} is for ${needed} and above`, async () => {
      const allowed: Role[] = []
      for (const [role, client] of clients) {
        const reply = await ask(client, route)
        if (reply.status !== 403) allowed.push(role)
        else assert.equal(reply.body.error.code, 'FORBIDDEN')
      }
      assert.deepEqual(allowed, roles.slice(roles.indexOf(needed)))
    })

    test(`${route.method} ${route.path} does not exist for others`, async () => {
      const reply = await ask(stranger, route)
      assert.equal(reply.status, 404)
      assert.equal(reply.body.error.code, 'NOT_FOUND')
      const unknown = await ask(stranger, route, encodeId('workspace', newId('workspace')))
      assert.equal(unknown.body.error.message, reply.body.error.message)
      assert.equal((await ask(stranger, route, 'wsp_nonsense')).status, 404)
      const anonymous = await world.request(route.method, pathOf(route.path), { body: undefined })
      assert.equal(anonymous.status, 401)
    })
  }

  test('reading needs no more than VIEWER, acting on customers AGENT, changing no less than ADMIN', () => {
    const ofAgents = inWorkspace.filter(
      ({ access }) => access.type === 'workspace' && access.role === 'AGENT',
    )
    assert.deepEqual(
      ofAgents.map(({ method, path }) => `${method} ${path.slice('/workspaces/:ws'.length)}`).sort(),
      [
        'POST /calls/:id/action',
        'POST /conversations/:id/files',
        'POST /conversations/:id/read',
        'POST /conversations/:id/reply',
        'POST /media',
        'POST /messages',
        'POST /messages/:id/read',
        'POST /messages/preview',
        'POST /templates/preview',
      ],
    )
    for (const route of inWorkspace.filter((one) => !ofAgents.includes(one))) {
      const { method, path, access } = route
      const role = access.type === 'workspace' ? access.role : undefined
      // What is known of one person, all at once, is for those who may have it erased.
      if (method === 'GET' && !/\/(exports|erasures)\//.test(path)) assert.equal(role, 'VIEWER', path)
      else assert.ok(role === 'ADMIN' || role === 'OWNER', path)
    }
  })

  test('whatever is not in a workspace is one’s own, or of whoever runs the installation', () => {
    const elsewhere = consoleRoutes.filter(({ access }) => access.type !== 'workspace')
    assert.deepEqual(elsewhere.map(({ method, path, access }) => `${access.type} ${method} ${path}`).sort(), [
      'operator DELETE /me/sessions',
      'operator DELETE /me/sessions/:id',
      'operator DELETE /me/totp',
      'operator GET /accounts/audit',
      'operator GET /me',
      'operator GET /me/audit',
      'operator GET /me/sessions',
      'operator POST /me/confirm',
      'operator POST /me/recovery-codes',
      'operator POST /me/totp',
      'operator PUT /me/password',
      'operator PUT /me/totp',
      'platform POST /workspaces/:ws/members/:id/disable',
      'platform POST /workspaces/:ws/members/:id/enable',
      'platform POST /workspaces/:ws/resume',
      'platform POST /workspaces/:ws/suspend',
      'public DELETE /session',
      'public POST /invitation',
      'public POST /invitation/accept',
      'public POST /session',
    ])
  })

  test('a suspended workspace reaches no customers, and goes on reading', async () => {
    const admin = await world.as('ADMIN', { workspaceId: other })
    const ws = encodeId('workspace', other)
    const stopped = consoleRoutes.filter(({ reachesCustomers }) => reachesCustomers)
    assert.equal(stopped.length, 8)
    await platform('POST', `/workspaces/${ws}/suspend`)
    for (const route of stopped) {
      const reply = await ask(admin, route, ws)
      assert.deepEqual([reply.status, reply.body.error.code], [403, 'TENANT_SUSPENDED'], route.path)
    }
    assert.equal((await admin('GET', `/workspaces/${ws}/messages`)).status, 200)
    await platform('POST', `/workspaces/${ws}/resume`)
    for (const route of stopped) assert.notEqual((await ask(admin, route, ws)).status, 403, route.path)
  })

  test('the settings of a workspace are its owner’s to change, with before and after in the audit', async () => {
    const owner = await world.as('OWNER', { workspaceId: other })
    const path = `/workspaces/${encodeId('workspace', other)}`
    const renamed = await owner('PATCH', path, { name: ' Harbour ' })
    assert.deepEqual([renamed.status, renamed.body.name], [200, 'Harbour'])
    assert.deepEqual((await owner('GET', path)).body, renamed.body)
    const { endpointsPerWorkspace: endpoints, bodyBytes, recipientsPerCall } = limits
    assert.deepEqual(
      [renamed.body.retentionDays, renamed.body.limits],
      [30, { endpoints, bodyBytes, recipientsPerCall }],
    )
    const [row] = (await owner('GET', `${path}/audit`)).body.data
    assert.deepEqual(
      [row.action, row.before, row.after],
      ['workspace.edited', { name: 'Other' }, { name: 'Harbour' }],
    )
  })

  test('whoever runs the installation suspends a workspace and reads none of it', async () => {
    const owner = clients.get('OWNER') ?? assert.fail()
    assert.equal((await owner('POST', `/workspaces/${world.ws}/suspend`)).status, 404)
    const suspended = await platform('POST', `/workspaces/${world.ws}/suspend`)
    assert.deepEqual(suspended.body, { id: world.ws, status: 'SUSPENDED' })
    assert.equal((await owner('GET', '/me')).body.workspaces[0].status, 'SUSPENDED')
    assert.equal((await platform('GET', `/workspaces/${world.ws}/messages`)).status, 404)
    assert.equal((await platform('POST', `/workspaces/${world.ws}/resume`)).body.status, 'ACTIVE')
    const { data } = (await owner('GET', `/workspaces/${world.ws}/audit?action=workspace`)).body
    const audit = data.slice(0, 2)
    assert.deepEqual(
      audit.map((row: { action: string }) => row.action),
      ['workspace.resumed', 'workspace.suspended'],
    )
    assert.equal(audit[0].operator.id, encodeId('operator', platform.operatorId))
    assert.equal(audit[0].ip, '127.0.0.1')
  })

  test('a lost role applies from the next request on', async () => {
    const admin = await world.as('ADMIN')
    const path = `/workspaces/${world.ws}/keys`
    assert.equal((await admin('GET', path)).status, 200)
    await world.sql`delete from memberships where operator_id = ${admin.operatorId}`
    assert.equal((await admin('GET', path)).status, 404)
  })
})

describe('requests of other sites', () => {
  const from = (headers: Record<string, string>) =>
    world.request('POST', '/session', { body: { email: 'x@example.com', password: 'x' }, headers })

  test('are refused before anything else happens', async () => {
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const reply = await from(headers as Record<string, string>)
      assert.equal(reply.status, 403, JSON.stringify(headers))
      assert.equal(reply.body.error.code, 'FORBIDDEN')
    }
  })

  test('the console’s own pages and programs without a browser pass', async () => {
    for (const headers of [{ 'sec-fetch-site': 'same-origin', origin: 'http://x' }, {}])
      assert.equal((await from(headers as Record<string, string>)).status, 401)
  })
})
