import assert from 'node:assert/strict'
import { totpCode, totpStep } from '../../../src/accounts/totp.ts'
import { liveLimits } from '../../../src/console/live/live.ts'
import { encodeId, newId, type OperatorId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { watchLive } from '../../support/live-client.ts'
import { type Client, cookieOf, type Json, openWorld, PASSWORD } from './console-world.ts'

const world = await openWorld()
const { sql } = world

type Member = Client & { operatorId: OperatorId; cookie: string }

/** Two workspaces, and an owner with a second factor who is the first member of the first. */
async function tenant() {
  const [here, there] = [await world.addWorkspace('Here'), await world.addWorkspace('There')]
  const owner = await world.as('OWNER', { workspaceId: here })
  await world.giveTotp(owner.operatorId)
  const path = `/workspaces/${encodeId('workspace', here)}`
  return {
    ...{ here, there, owner, path, elsewhere: `/workspaces/${encodeId('workspace', there)}` },
    /** A member of both workspaces, without a second factor. */
    async member(platformOwner = false): Promise<Member> {
      const client = await world.as('ADMIN', { workspaceId: here, platformOwner })
      await sql`
        insert into memberships (workspace_id, operator_id, role) values (${there}, ${client.operatorId}, 'ADMIN')`
      return client
    },
    change: (body: object) => owner('PATCH', path, body),
    watch: ({ cookie }: Member) => watchLive(world.origin, encodeId('workspace', here), { cookie }),
  }
}

const codeOf = ({ status, body }: { status: number; body: Json }) => [status, body.error?.code]
const barred = [403, 'SECOND_FACTOR_REQUIRED']
const expired = [401, 'SESSION_EXPIRED']
const barriers = async (client: Client) =>
  Object.fromEntries(
    (await client('GET', '/me')).body.workspaces.map(({ name, barrier }: Json) => [name, barrier]),
  )

async function enrol(client: Client): Promise<void> {
  const { seed } = (await client('POST', '/me/totp')).body
  const code = totpCode(seed, totpStep(world.clock.now()))
  const reply = await client('PUT', '/me/totp', { password: PASSWORD, code })
  assert.equal(reply.status, 200, JSON.stringify(reply.body))
}

const emailOf = async (client: Client): Promise<string> => (await client('GET', '/me')).body.operator.email

async function signInAgain(client: Client): Promise<Client> {
  const body = { email: await emailOf(client), password: PASSWORD }
  const cookie = cookieOf(await world.request('POST', '/session', { body }))
  return (method, path, given) => world.request(method, path, { body: given, headers: { cookie } })
}

/** As if the session had last been used, or been opened, so long ago. */
const age = {
  use: ({ operatorId }: Member, interval: string) =>
    sql`update sessions set last_seen_at = now() - ${interval}::interval where operator_id = ${operatorId}`,
  signIn: ({ operatorId }: Member, interval: string) =>
    sql`update sessions set created_at = now() - ${interval}::interval where operator_id = ${operatorId}`,
}

describe('a required second factor', () => {
  test('keeps members without one out of every route of the workspace, and of no other', async () => {
    const { change, member, path, elsewhere, owner } = await tenant()
    const ann = await member()
    assert.equal((await ann('GET', path)).status, 200)
    const changed = await change({ secondFactor: { required: true } })
    assert.equal(changed.status, 200)
    assert.ok(Date.parse(changed.body.secondFactorFrom) <= Date.now() + 60_000)
    const routes = world.routes.filter(({ access }) => access.type === 'workspace')
    assert.ok(routes.length > 50)
    for (const route of routes) {
      const [, id] = [path, encodeId('key', newId('key'))]
      const at = route.path.replace('/workspaces/:ws', path).replace(':id', id)
      const reply = await ann(route.method, at, route.method === 'GET' ? undefined : {})
      assert.deepEqual(codeOf(reply), barred, `${route.method} ${route.path}`)
      assert.match(reply.body.error.message, /\/me\/totp/)
    }
    assert.equal((await ann('GET', elsewhere)).status, 200)
    assert.equal((await owner('GET', path)).status, 200)
    assert.deepEqual(await barriers(ann), { Here: 'SECOND_FACTOR_REQUIRED', There: null })
  })

  test('is met by turning it on, and lost again with it', async () => {
    const { change, member, path } = await tenant()
    const ben = await member()
    await change({ secondFactor: { required: true } })
    await enrol(ben)
    assert.equal((await ben('GET', path)).status, 200)
    const refused = await ben('DELETE', '/me/totp', { password: PASSWORD })
    assert.deepEqual(codeOf(refused), [409, 'IN_USE'])
    assert.match(refused.body.error.message, /^Here requires/)
    // As the command remove-totp does for a lost phone.
    await world.services.operators.removeTotp({ operatorId: ben.operatorId, by: null, ip: null })
    assert.deepEqual(codeOf(await ben('GET', path)), barred)
  })

  test('is required of platform owners, members or not', async () => {
    const { change, here, path } = await tenant()
    const platform = await world.as('OWNER', { platformOwner: true })
    await change({ secondFactor: { required: true } })
    assert.deepEqual(codeOf(await platform('POST', `${path}/suspend`)), barred)
    await world.giveTotp(platform.operatorId)
    assert.equal((await platform('POST', `${path}/suspend`)).status, 200)
    const [row] = await sql`select status from workspaces where id = ${here}`
    assert.equal(row?.['status'], 'SUSPENDED')
  })

  test('is switched on by an owner who has one, and has just given the password', async () => {
    const { here, path, owner } = await tenant()
    const admin = await world.as('ADMIN', { workspaceId: here })
    const bare = await world.as('OWNER', { workspaceId: here })
    const ask = { secondFactor: { required: true } }
    assert.deepEqual(codeOf(await admin('PATCH', path, ask)), [403, 'FORBIDDEN'])
    assert.deepEqual(codeOf(await bare('PATCH', path, ask)), barred)
    assert.equal((await bare('GET', path)).body.secondFactorFrom, null)
    await sql`update sessions set proved_at = now() - interval '1 hour' where operator_id = ${owner.operatorId}`
    for (const body of [ask, { sessionMinutes: 60 }, { idleMinutes: null }])
      assert.deepEqual(codeOf(await owner('PATCH', path, body)), [403, 'CONFIRMATION_REQUIRED'])
    assert.equal((await owner('PATCH', path, { name: 'Here and now' })).status, 200)
  })

  test('lets members in while the days of grace last, and tells them when it ends', async () => {
    const { change, member, path, here } = await tenant()
    const cat = await member()
    const { body } = await change({ secondFactor: { required: true, graceDays: 7 } })
    const days = (Date.parse(body.secondFactorFrom) - Date.now()) / 86_400_000
    assert.ok(days > 6.9 && days < 7.1, body.secondFactorFrom)
    assert.equal((await cat('GET', path)).status, 200)
    const [shown] = (await cat('GET', '/me')).body.workspaces
    assert.deepEqual([shown.secondFactorFrom, shown.barrier], [body.secondFactorFrom, null])
    await sql`update workspaces set second_factor_from = now() where id = ${here}`
    assert.deepEqual(codeOf(await cat('GET', path)), barred)
    assert.equal((await change({ secondFactor: { required: false } })).body.secondFactorFrom, null)
    assert.equal((await cat('GET', path)).status, 200)
  })

  test('lets somebody who joins by an invitation do nothing but enrol', async () => {
    const { change, owner, path } = await tenant()
    await change({ secondFactor: { required: true } })
    const invited = await owner('POST', `${path}/invitations`, { email: 'ivy@example.com', role: 'ADMIN' })
    const joining = { account: 'NEW', token: invited.body.token, name: 'Ivy', password: PASSWORD }
    const joined = await world.request('POST', '/invitation/accept', { body: joining })
    const headers = { cookie: cookieOf(joined) }
    const ivy: Client = (method, at, body) => world.request(method, at, { body, headers })
    assert.deepEqual(codeOf(await ivy('GET', path)), barred)
    await enrol(ivy)
    assert.equal((await ivy('GET', path)).status, 200)
  })

  test('closes the sockets that are open, and those to come', async () => {
    const { change, member, watch, owner } = await tenant()
    const dan = await member()
    const [open, others] = [await watch(dan), await watch(owner)]
    await change({ secondFactor: { required: true } })
    await world.clock.advance(liveLimits.recheckMs)
    assert.equal(await open.closed(), 4402)
    assert.equal(await (await watch(dan)).closed(), 4402)
    assert.equal(others.socket.readyState, others.socket.OPEN)
    others.socket.terminate()
  })

  test('shows administrators, and nobody else, who has none', async () => {
    const { here, member, path, owner } = await tenant()
    const eve = await member()
    const viewer = await world.as('VIEWER', { workspaceId: here })
    const factors = async (client: Client) =>
      Object.fromEntries(
        (await client('GET', `${path}/members`)).body.data.map(({ operatorId, secondFactor }: Json) => [
          operatorId,
          secondFactor,
        ]),
      )
    const [mine, hers] = [owner, eve].map(({ operatorId }) => encodeId('operator', operatorId))
    const seen = await factors(eve)
    assert.deepEqual([seen[mine ?? ''], seen[hers ?? '']], [true, false])
    assert.deepEqual(new Set(Object.values(await factors(viewer))), new Set([null]))
  })
})

describe('how long a workspace takes a session', () => {
  test('is counted from the sign-in, for each workspace by its own rule', async () => {
    const { change, member, path, elsewhere } = await tenant()
    const fay = await member()
    await change({ sessionMinutes: 60 })
    await age.signIn(fay, '59 minutes')
    assert.equal((await fay('GET', path)).status, 200)
    await age.signIn(fay, '61 minutes')
    assert.deepEqual(codeOf(await fay('GET', path)), expired)
    assert.equal((await fay('GET', elsewhere)).status, 200)
    assert.deepEqual(await barriers(fay), { Here: 'SESSION_EXPIRED', There: null })
    assert.equal((await (await signInAgain(fay))('GET', path)).status, 200)
    assert.deepEqual(codeOf(await fay('GET', path)), expired)
  })

  test('ends with a pause, which work elsewhere in the same session does not undo', async () => {
    const { change, member, path, elsewhere } = await tenant()
    const gil = await member()
    await change({ idleMinutes: 30 })
    await age.use(gil, '29 minutes')
    assert.equal((await gil('GET', path)).status, 200)
    await age.use(gil, '31 minutes')
    assert.equal((await gil('GET', '/me')).status, 200)
    assert.equal((await gil('GET', elsewhere)).status, 200)
    assert.deepEqual(codeOf(await gil('GET', path)), expired)
    assert.deepEqual(codeOf(await gil('POST', `${path}/messages`, {})), expired)
    assert.equal((await (await signInAgain(gil))('GET', path)).status, 200)
  })

  test('is not prolonged by a page that asks by itself, nor by its socket', async () => {
    const { change, member, path, watch } = await tenant()
    const hal = await member()
    await change({ idleMinutes: 30 })
    const unattended = () =>
      world.request('GET', path, { headers: { cookie: hal.cookie, 'x-unattended': '1' } })
    await age.use(hal, '20 minutes')
    assert.equal((await unattended()).status, 200)
    const client = await watch(hal)
    client.subscribe('calls')
    await client.until('the snapshot', () => client.frames.length === 1)
    const [row] = await sql`
      select last_seen_at < now() - interval '19 minutes' as unused from sessions where operator_id = ${hal.operatorId}`
    assert.equal(row?.['unused'], true)
    await age.use(hal, '31 minutes')
    assert.deepEqual(codeOf(await unattended()), expired)
    await world.clock.advance(liveLimits.recheckMs)
    assert.equal(await client.closed(), 4401)
    assert.equal(await (await watch(hal)).closed(), 4401)
  })

  test('has bounds, and leaves an entry in the audit', async () => {
    const { change, owner, path } = await tenant()
    for (const body of [
      { sessionMinutes: 14 },
      { sessionMinutes: 10_081 },
      { idleMinutes: 4 },
      { idleMinutes: 721 },
      { idleMinutes: 30.5 },
      { secondFactor: { required: true, graceDays: 91 } },
      { secondFactor: { required: false, graceDays: 1 } },
    ])
      assert.deepEqual(codeOf(await change(body)), [400, 'VALIDATION_ERROR'], JSON.stringify(body))
    await change({ sessionMinutes: 600, idleMinutes: 15 })
    const { body } = await change({ sessionMinutes: null, secondFactor: { required: true } })
    assert.deepEqual([body.sessionMinutes, body.idleMinutes], [null, 15])
    const { data } = (await owner('GET', `${path}/audit?action=workspace`)).body
    assert.deepEqual(
      data.map(({ action, before, after }: Json) => [action, before, after]),
      [
        [
          'workspace.edited',
          { secondFactorFrom: null, sessionMinutes: 600 },
          { secondFactorFrom: body.secondFactorFrom, sessionMinutes: null },
        ],
        [
          'workspace.edited',
          { sessionMinutes: null, idleMinutes: null },
          { sessionMinutes: 600, idleMinutes: 15 },
        ],
      ],
    )
  })
})
