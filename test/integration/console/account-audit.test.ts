// Sign-ins and account events are in the audit with address and device, each account's own for its operator.
import assert from 'node:assert/strict'
import { hashRecoveryCode } from '../../../src/accounts/recovery-codes.ts'
import { totpCode, totpStep } from '../../../src/accounts/totp.ts'
import { limits } from '../../../src/contract/limits.ts'
import { encodeId, type OperatorId } from '../../../src/shared/ids.ts'
import { test } from '../../support/harness.ts'
import { addTenant } from '../../support/rows.ts'
import { cookieOf, type Json, openWorld, PASSWORD } from './console-world.ts'

const world = await openWorld()
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const signIn = (email: string, more: object = {}, userAgent = firefox) =>
  world.request('POST', '/session', {
    body: { email, password: PASSWORD, ...more },
    headers: { 'user-agent': userAgent },
  })

const browser =
  (cookie: string) =>
  (method: string, path: string, body?: unknown): Promise<Json> =>
    world.request(method, path, { body, headers: { cookie, 'user-agent': firefox } })

const administrator = async () => {
  const email = `root${Math.random()}@example.com`
  await world.addOperator(email, true)
  return browser(cookieOf(await signIn(email)))
}

const events = ({ body }: Json): Json[] =>
  body.data.map(({ action, after }: Json) => [action, after?.reason ?? null])

/** Lets the limit of failures of the minute before end. */
const rest = () => world.clock.advance(120_000)

test('sign-ins, refused and blocked ones and sign-outs are on the page of the account', async () => {
  await world.addOperator('ann@example.com')
  assert.equal((await signIn('ann@example.com', { password: 'a mistyped password' })).status, 401)
  const ann = browser(cookieOf(await signIn(' Ann@example.com'.trim())))
  assert.equal((await ann('POST', '/me/confirm', { password: 'a mistyped password' })).status, 403)
  assert.equal((await ann('POST', '/me/confirm', { password: PASSWORD })).status, 200)
  await ann('DELETE', '/session')
  for (let more = 0; more < 4; more += 1) await signIn('ann@example.com', { password: 'a mistyped password' })
  for (let more = 0; more < 3; more += 1) assert.equal((await signIn('ann@example.com')).status, 429)
  await rest()
  const again = browser(cookieOf(await signIn('ann@example.com')))
  const reply = await again('GET', '/me/audit')
  assert.deepEqual(events(reply), [
    ['session.opened', null],
    ['session.refused', 'BLOCKED'],
    ...Array(4).fill(['session.refused', 'PASSWORD']),
    ['session.ended', null],
    ['session.confirmed', null],
    ['session.confirmation_refused', 'PASSWORD'],
    ['session.opened', null],
    ['session.refused', 'PASSWORD'],
    ['operator.created', null],
  ])
  assert.deepEqual(
    [...new Set(reply.body.data.map(({ did }: { did: string }) => did))],
    [
      ...['Signed in', 'Sign-in refused', 'Signed out', 'Confirmed the password'],
      ...['Entered a wrong password to confirm', 'Created the account'],
    ],
  )
  for (const { ip, device, userAgent } of reply.body.data.slice(0, -1))
    assert.deepEqual([ip, device, userAgent], ['127.0.0.1', 'Firefox on Linux', firefox])
  assert.equal(JSON.stringify(reply.body).includes('a mistyped password'), false)
})

test('a missing or wrong second factor is told apart from a wrong password, in the audit alone', async () => {
  await rest()
  const operatorId = await world.addOperator('tot@example.com')
  const seed = await world.giveTotp(operatorId)
  await signIn('tot@example.com')
  const wrongFactor = await signIn('tot@example.com', { totp: '000000' })
  const wrongPassword = await signIn('tot@example.com', { password: 'a mistyped password' })
  assert.equal(wrongFactor.body.error.message, wrongPassword.body.error.message)
  const totp = totpCode(seed, totpStep(world.clock.now()))
  const tot = browser(cookieOf(await signIn('tot@example.com', { totp })))
  const reply = await tot('GET', '/me/audit')
  assert.deepEqual(events(reply), [
    ['session.opened', null],
    ['session.refused', 'PASSWORD'],
    ['session.refused', 'FACTOR'],
    ['session.refused', 'FACTOR_MISSING'],
    ['operator.created', null],
  ])
  assert.deepEqual(reply.body.data[0].after, { secondFactor: true })
})

test('whoever runs the installation sees all accounts and unknown addresses, others only themselves', async () => {
  await rest()
  const bob = await world.addOperator('bob@example.com')
  const guest = browser(cookieOf(await signIn('bob@example.com')))
  await signIn('nobody@example.com')
  const root = await administrator()
  const all = await root('GET', '/accounts/audit?limit=200')
  const unknown = all.body.data.find(({ subjectId }: Json) => subjectId === null)
  assert.deepEqual([unknown.action, unknown.operator], ['session.refused', null])
  assert.equal(JSON.stringify(all.body).includes('nobody@example.com'), false)
  const ofBob = await root('GET', `/accounts/audit?operatorId=${encodeId('operator', bob)}`)
  assert.deepEqual(ofBob.body.data, (await guest('GET', '/me/audit')).body.data)
  assert.equal(ofBob.body.data.length, 2)
  assert.equal((await root('GET', '/me/audit')).body.data.length, 2)
  assert.equal((await guest('GET', '/accounts/audit')).status, 404)
  const first = await root('GET', '/accounts/audit?limit=1&action=session')
  const next = encodeURIComponent(first.body.nextCursor)
  const second = await root('GET', `/accounts/audit?limit=1&action=session&cursor=${next}`)
  assert.notEqual(first.body.data[0].id, second.body.data[0].id)
})

test('refusals are recorded up to a bound, and what is beyond it is counted', async () => {
  await rest()
  const from = { ip: '203.0.113.7', userAgent: null }
  const refused = { reason: 'PASSWORD', email: undefined, operator: undefined, from } as const
  for (let more = 0; more < 150; more += 1) await world.services.refusals.note(refused)
  const counted = async () =>
    (await world.sql`select after from audit where ip = ${from.ip} order by id`).map(({ after }) => after)
  assert.equal((await counted()).length, 120)
  await rest()
  await world.services.refusals.note(refused)
  assert.deepEqual((await counted()).at(-1), { reason: 'PASSWORD', notRecordedBefore: 30 })
})

test('a user agent is kept up to 300 characters', async () => {
  await rest()
  await world.addOperator('long@example.com')
  const cookie = cookieOf(await signIn('long@example.com', {}, 'x'.repeat(2_000)))
  const [{ userAgent }] = (await browser(cookie)('GET', '/me/audit')).body.data
  assert.equal(userAgent, 'x'.repeat(300))
})

test('addresses and devices of others are for admins', async () => {
  const { workspaceId } = await addTenant(world.sql)
  const ws = `/workspaces/${encodeId('workspace', workspaceId)}`
  const admin = await world.as('ADMIN', { workspaceId })
  const viewer = await world.as('VIEWER', { workspaceId })
  assert.equal((await admin('POST', `${ws}/keys`, { name: 'k', scopes: ['CHAT_SEND'] })).status, 201)
  const [seen] = (await admin('GET', `${ws}/audit`)).body.data
  assert.equal(seen.ip, '127.0.0.1')
  assert.notEqual(seen.userAgent, null)
  const [hidden] = (await viewer('GET', `${ws}/audit`)).body.data
  assert.deepEqual(hidden, { ...seen, ip: null, device: null, userAgent: null })
})

test('one entry is read by its id as in the list, by whoever may read it there', async () => {
  const { workspaceId } = await addTenant(world.sql)
  const ws = `/workspaces/${encodeId('workspace', workspaceId)}`
  const admin = await world.as('ADMIN', { workspaceId })
  const viewer = await world.as('VIEWER', { workspaceId })
  await admin('POST', `${ws}/keys`, { name: 'k', scopes: ['CHAT_SEND'] })
  await admin('POST', '/me/confirm', { password: 'a wrong password' })
  const { data } = (await admin('GET', `${ws}/audit`)).body
  const visible = (await viewer('GET', `${ws}/audit`)).body.data
  assert.ok(data.length > visible.length && visible.length > 0)
  for (const entry of data) assert.deepEqual((await admin('GET', `${ws}/audit/${entry.id}`)).body, entry)
  for (const entry of visible) assert.deepEqual((await viewer('GET', `${ws}/audit/${entry.id}`)).body, entry)
  const ids = new Set(visible.map(({ id }: Json) => id))
  for (const { id } of data)
    if (!ids.has(id)) assert.equal((await viewer('GET', `${ws}/audit/${id}`)).status, 404)
  // A search finds by its id what the list has.
  const search = async (as: typeof viewer, id: string): Promise<Json[]> =>
    (await as('GET', `${ws}/search?q=${id}`)).body.data.map((found: Json) => found.id)
  for (const { id } of data) {
    assert.deepEqual(await search(admin, id), [id])
    assert.deepEqual(await search(viewer, id), ids.has(id) ? [id] : [])
  }
  const other = await addTenant(world.sql)
  const foreign = await world.as('OWNER', { workspaceId: other.workspaceId })
  const elsewhere = `/workspaces/${encodeId('workspace', other.workspaceId)}/audit/${data[0].id}`
  assert.equal((await foreign('GET', elsewhere)).status, 404)
})

test('what the query of an endpoint holds is for admins, also in the audit', async () => {
  const { workspaceId } = await addTenant(world.sql)
  const ws = `/workspaces/${encodeId('workspace', workspaceId)}`
  const admin = await world.as('ADMIN', { workspaceId })
  const url = 'https://hooks.acme.com/in?token=a-secret&b'
  const given = { name: 'hook', url, events: ['message.received'] }
  const { id } = (await admin('POST', `${ws}/endpoints`, given)).body
  await admin('PATCH', `${ws}/endpoints/${id}`, { name: 'renamed' })
  const paths = ['/endpoints', `/endpoints/${id}`, '/audit']
  for (const role of ['VIEWER', 'AGENT'] as const) {
    const member = await world.as(role, { workspaceId })
    for (const path of paths) {
      const text = JSON.stringify((await member('GET', ws + path)).body)
      assert.equal(text.includes('a-secret'), false, path)
      assert.ok(text.includes('https://hooks.acme.com/in?***'), path)
    }
  }
  for (const path of paths)
    assert.ok(JSON.stringify((await admin('GET', ws + path)).body).includes(url), path)
})

test('an exported report and a downloaded file are in the audit of the workspace', async () => {
  const { workspaceId, numberId } = await addTenant(world.sql)
  const ws = `/workspaces/${encodeId('workspace', workspaceId)}`
  const owner = await world.as('OWNER', { workspaceId })
  const template = { name: 'hello', language: 'en_US' }
  const plan = { name: 'Report', template, numberId: encodeId('number', numberId) }
  const { id } = (await owner('POST', `${ws}/campaigns`, plan)).body
  const agent = await world.as('AGENT', { workspaceId })
  const report = async (accept: string, { cookie } = owner) => {
    const path = `${world.origin}/console/api${ws}/campaigns/${id}/recipients`
    const reply = await fetch(path, { headers: { cookie, accept } })
    await reply.text()
    return reply.status
  }
  assert.equal(await report('application/json', agent), 200)
  // More often than there are places: a refused report keeps none.
  for (let count = 0; count <= limits.downloadsAtOnce.perWorkspace; count += 1)
    assert.equal(await report(count % 2 === 0 ? 'text/csv' : 'application/x-ndjson', agent), 403)
  for (const accept of ['application/json', 'text/csv', 'application/x-ndjson'])
    assert.equal(await report(accept), 200)
  const exports = await owner('GET', `${ws}/audit?action=campaign.exported`)
  assert.deepEqual(
    exports.body.data.map(({ after, subjectId }: Json) => [after.form, subjectId]),
    [
      ['NDJSON', id],
      ['CSV', id],
    ],
  )
})

/** Of the account, the newest first: what was done, where from, and what was before and after. */
const told = async (operatorId: OperatorId, action: string): Promise<Json[]> => {
  const root = await administrator()
  const path = `/accounts/audit?operatorId=${encodeId('operator', operatorId)}&action=${action}`
  return (await root('GET', path)).body.data
}
const firefoxHere = { device: 'Firefox on Linux', address: '127.0.0.1' }

test('a change of an account says on which device it was made', async () => {
  await rest()
  const root = await administrator()
  const { workspaceId } = await addTenant(world.sql)
  const agent = await world.as('AGENT', { workspaceId })
  const id = encodeId('operator', agent.operatorId)
  const member = `/workspaces/${encodeId('workspace', workspaceId)}/members/${id}`
  const { email } = (await agent('GET', '/me')).body.operator
  for (const verb of ['disable', 'enable'])
    assert.equal((await root('POST', `${member}/${verb}`)).status, 200)
  const [enabled, disabled] = await told(agent.operatorId, 'operator')
  assert.deepEqual(
    [enabled, disabled].map(({ action, device, after }) => [action, device, after]),
    [
      ['operator.enabled', 'Firefox on Linux', null],
      ['operator.disabled', 'Firefox on Linux', { sessionsEnded: 1 }],
    ],
  )
  // The account itself is told who it was, but not where from.
  const own = await browser(cookieOf(await signIn(email)))('GET', '/me/audit?action=operator')
  assert.deepEqual(
    own.body.data.slice(0, 2).map(({ operator, ip, device }: Json) => [operator !== null, ip, device]),
    [1, 2].map(() => [true, null, null]),
  )
  const eve = await world.addOperator('eve@example.com')
  await world.giveTotp(eve)
  const codeHash = hashRecoveryCode('2222-2222-2222-2222')
  await world.sql`insert into recovery_codes (operator_id, code_hash) values (${eve}, ${codeHash})`
  assert.equal((await signIn('eve@example.com', { recoveryCode: '2222-2222-2222-2222' })).status, 200)
  const [used] = await told(eve, 'operator.recovery_code_used')
  assert.deepEqual([used.ip, used.device], ['127.0.0.1', 'Firefox on Linux'])
})

test('each session that ends before its time has an entry, whatever ended it', async () => {
  await rest()
  const [fay, gus] = [await world.addOperator('fay@example.com'), await world.addOperator('gus@example.com')]
  const ends = async (operatorId: OperatorId) =>
    (await told(operatorId, 'session.ended')).map(({ operator, before }) => [operator.id, before])
  const [byFay, byGus] = [fay, gus].map((id) => [encodeId('operator', id), firefoxHere])
  // Another signs in at the same browser.
  const cookie = cookieOf(await signIn('fay@example.com'))
  const body = { email: 'gus@example.com', password: PASSWORD }
  const headers = { cookie, 'user-agent': firefox }
  const replaced = cookieOf(await world.request('POST', '/session', { body, headers }))
  assert.deepEqual([await ends(fay), await ends(gus)], [[byFay], []])
  // A changed password.
  const changed = { password: PASSWORD, newPassword: 'another fine password' }
  assert.equal((await browser(replaced)('PUT', '/me/password', changed)).status, 204)
  assert.deepEqual(await ends(gus), [byGus])
  // One of somebody else's making has no session of the account: it says how many it ended.
  const change = { operatorId: gus, by: null, ip: null }
  await world.services.operators.setPassword(change, await world.services.passwords.hash(PASSWORD))
  assert.deepEqual((await told(gus, 'operator.password_changed'))[0].after, { sessionsEnded: 1 })
  assert.deepEqual(await ends(gus), [byGus])
  // One more than there may be, and one that was over already.
  for (let more = 0; more < 21; more += 1) assert.equal((await signIn('fay@example.com')).status, 200)
  assert.deepEqual(await ends(fay), [byFay, byFay])
  await world.sql`update sessions set expires_at = now() - interval '1 minute' where operator_id = ${fay}`
  assert.equal((await signIn('fay@example.com')).status, 200)
  assert.deepEqual(await ends(fay), [byFay, byFay])
})
