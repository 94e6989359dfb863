import assert from 'node:assert/strict'
import { hashToken } from '../../../src/accounts/random-token.ts'
import { totpCode, totpStep } from '../../../src/accounts/totp.ts'
import { decodeId, encodeId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { cookieOf, type Json, openWorld, PASSWORD, type Reply } from './console-world.ts'

const world = await openWorld()
const owner = await world.as('OWNER')
const here = `/workspaces/${world.ws}`
const mine = 'a password of my own'

const invite = async (email: string, role = 'AGENT'): Promise<Json> => {
  const reply = await owner('POST', `${here}/invitations`, { email, role })
  assert.equal(reply.status, 201, JSON.stringify(reply.body))
  return reply.body
}
const listed = async (): Promise<Json[]> => (await owner('GET', `${here}/invitations`)).body.data
const look = (token: string) => world.request('POST', '/invitation', { body: { token } })
const accept = (body: object, headers: Record<string, string> = {}) =>
  world.request('POST', '/invitation/accept', { body, headers })
const join = (token: string, name = 'Ada Marlow') => accept({ account: 'NEW', token, name, password: mine })
const me = async (reply: Reply): Promise<Json> =>
  (await world.request('GET', '/me', { headers: { cookie: cookieOf(reply) } })).body
const audited = async (action: string): Promise<Json[]> =>
  (await owner('GET', `${here}/audit?action=${action}`)).body.data
const membership = (email: string) => world.sql`
  select m.role from memberships m
  join operators o on o.id = m.operator_id
  where o.email = ${email} and m.workspace_id = ${world.workspaceId}`

describe('an invitation', () => {
  test('is shown once, stored as a hash, listed without its token, and lets a new operator in', async () => {
    const { token, ...shown } = await invite('Ada@example.com')
    const { id, email, role, invitedBy, createdAt, expiresAt } = shown
    assert.deepEqual([email, role], ['Ada@example.com', 'AGENT'])
    assert.equal(invitedBy.id, encodeId('operator', owner.operatorId))
    assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 7 * 86_400_000)
    assert.deepEqual(await listed(), [shown])
    const [row] = await world.sql`select * from invitations`
    assert.deepEqual(row?.['tokenHash'], hashToken(token))
    assert.equal(JSON.stringify(row).includes(token), false)

    const looked = await look(token)
    assert.deepEqual(
      [looked.status, looked.body],
      [200, { ...{ workspace: 'Acme', email, role, expiresAt }, invitedBy: invitedBy.name }],
    )
    const joined = await join(token)
    assert.deepEqual([joined.status, joined.body], [200, { workspaceId: world.ws }])
    const { operator, workspaces } = await me(joined)
    assert.deepEqual(
      [operator.email, operator.name, operator.platformOwner],
      ['Ada@example.com', 'Ada Marlow', false],
    )
    const own = { id: world.ws, name: 'Acme', status: 'ACTIVE', role: 'AGENT' }
    assert.deepEqual(workspaces, [{ ...own, secondFactorFrom: null, barrier: null }])
    assert.deepEqual(await listed(), [])
    const signedIn = await world.request('POST', '/session', {
      body: { email: 'ada@example.com', password: mine },
    })
    assert.equal(signedIn.status, 200)

    const [created, accepted] = [await audited('invitation.created'), await audited('invitation.accepted')]
    assert.deepEqual([created[0].before, created[0].after], [null, { email, role, expiresAt }])
    assert.deepEqual(
      [accepted[0].subjectId, accepted[0].before, accepted[0].after, accepted[0].operator.id],
      [id, { email, role: null }, { email, role }, operator.id],
    )
    const [made] = await world.sql`
      select operator_id from audit
      where action = 'operator.created' and subject_id = ${decodeId('operator', operator.id) ?? ''}`
    assert.equal(made?.['operatorId'], decodeId('operator', operator.id))
  })

  test('of two who accept it at once, one is let in', async () => {
    const { token } = await invite('two@example.com')
    const replies = await Promise.all([join(token, 'One'), join(token, 'Two')])
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 404])
    assert.equal((await membership('two@example.com')).count, 1)
  })

  test('to the same address takes the place of the one before', async () => {
    const first = await invite('again@example.com', 'VIEWER')
    const second = await invite('AGAIN@example.com', 'ADMIN')
    assert.deepEqual(
      (await listed()).map(({ id }) => id),
      [second.id],
    )
    assert.equal((await join(first.token)).status, 404)
    const [entry] = await audited('invitation.created')
    assert.deepEqual([entry.before.role, entry.after.role], ['VIEWER', 'ADMIN'])
    assert.equal((await join(second.token)).status, 200)
    const [row] = await membership('AGAIN@example.com')
    assert.equal(row?.['role'], 'ADMIN')
  })

  test('that is unknown, used, revoked or expired gets one and the same answer', async () => {
    await world.clock.advance(120_000)
    const used = await invite('used@example.com')
    await join(used.token)
    const revoked = await invite('revoked@example.com')
    assert.equal((await owner('DELETE', `${here}/invitations/${revoked.id}`)).status, 204)
    assert.equal((await owner('DELETE', `${here}/invitations/${revoked.id}`)).status, 404)
    const expired = await invite('expired@example.com')
    await world.sql`update invitations set expires_at = now() - interval '1 second' where email = 'expired@example.com'`
    assert.deepEqual(
      (await listed()).map(({ email }) => email),
      ['expired@example.com'],
    )
    for (const token of [used.token, revoked.token, expired.token, 'x', ''])
      for (const ask of [look, join]) {
        await world.clock.advance(60_000)
        const { status, body } = await ask(token)
        const { code, message } = body.error
        assert.deepEqual(
          [status, code, message],
          [404, 'NOT_FOUND', 'This invitation is used, revoked or expired. Ask for a new one.'],
        )
      }
    await owner('DELETE', `${here}/invitations/${expired.id}`)
  })

  test('cannot be guessed: tokens that are tried out are slowed down like passwords', async () => {
    await world.clock.advance(120_000)
    const { token } = await invite('guessed@example.com')
    for (let guess = 0; guess < 20; guess += 1) assert.equal((await look(`guess ${guess}`)).status, 404)
    assert.equal((await look(token)).status, 429)
    const waiting = await join(token)
    assert.deepEqual([waiting.status, waiting.body.error.code], [429, 'RATE_LIMITED'])
    await world.clock.advance(120_000)
    assert.equal((await join(token)).status, 200)
  })

  test('takes the passwords that are taken elsewhere', async () => {
    const { token } = await invite('short@example.com')
    const short = await accept({ account: 'NEW', token, name: 'Short', password: 'short' })
    assert.deepEqual([short.status, short.body.error.details[0].path], [400, 'password'])
    const nameless = await accept({ account: 'NEW', token, name: ' ', password: mine })
    assert.deepEqual([nameless.status, nameless.body.error.details[0].path], [400, 'name'])
    assert.equal((await join(token)).status, 200)
  })

  test('needs the password of whoever makes it within the last minutes', async () => {
    const second = await world.as('OWNER')
    await world.sql`
      update sessions set proved_at = now() - interval '11 minutes' where operator_id = ${second.operatorId}`
    const reply = await second('POST', `${here}/invitations`, { email: 'late@example.com', role: 'VIEWER' })
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'CONFIRMATION_REQUIRED'])
  })
})

describe('an invitation of somebody who has an account', () => {
  test('is accepted with the password of that account, and keeps who has taken the address out', async () => {
    await world.clock.advance(120_000)
    await world.addOperator('Eve@example.com')
    const { token } = await invite('eve@example.com', 'ADMIN')
    const anew = await join(token)
    assert.deepEqual([anew.status, anew.body.error.code], [401, 'UNAUTHORIZED'])
    const [entry] = await audited('invitation.refused')
    assert.deepEqual([entry.before.email, entry.operator], ['eve@example.com', null])
    const wrong = await accept({ account: 'EXISTING', token, password: 'not it' })
    assert.deepEqual([wrong.status, wrong.body.error.code], [401, 'UNAUTHORIZED'])
    assert.equal((await membership('Eve@example.com')).count, 0)
    const joined = await accept({ account: 'EXISTING', token, password: PASSWORD })
    assert.deepEqual([joined.status, joined.body], [200, { workspaceId: world.ws }])
    assert.equal((await me(joined)).workspaces[0].role, 'ADMIN')
    assert.equal((await look(token)).status, 404)
  })

  test('asks for the second factor, and is used up by the right code alone', async () => {
    await world.clock.advance(120_000)
    const seed = await world.giveTotp(await world.addOperator('tot@example.com'))
    const { token } = await invite('tot@example.com')
    const given = { account: 'EXISTING', token, password: PASSWORD }
    const without = await accept(given)
    assert.deepEqual([without.status, without.body.error.details[0].path], [401, 'totp'])
    const totp = totpCode(seed, totpStep(world.clock.now()))
    assert.equal((await accept({ ...given, totp })).status, 200)
  })

  test('in the moment in which it is accepted with a new one is refused and stays open', async () => {
    await world.clock.advance(120_000)
    const { token } = await invite('race@example.com')
    const stand = world.services.invitations
    await world.addOperator('race@example.com')
    const taken = await stand.accept(
      hashToken(token),
      { name: 'Race', passwordHash: 'x' },
      { ip: '127.0.0.1' },
    )
    assert.equal(taken.type, 'taken')
    assert.equal((await accept({ account: 'EXISTING', token, password: PASSWORD })).status, 200)
  })

  test('is refused where the account is a member, and takes no role away from who became one', async () => {
    await world.clock.advance(120_000)
    const { token } = await invite('lee@example.com', 'VIEWER')
    await world.addOperator('lee@example.com')
    const grant = { workspaceId: world.workspaceId, operatorId: null, ip: null }
    await world.services.members.grant(grant, 'lee@example.com', 'ADMIN')
    const again = await owner('POST', `${here}/invitations`, { email: 'LEE@example.com', role: 'VIEWER' })
    assert.deepEqual([again.status, again.body.error.code], [409, 'INVALID_STATE'])
    const joined = await accept({ account: 'EXISTING', token, password: PASSWORD })
    assert.equal((await me(joined)).workspaces[0].role, 'ADMIN')
    const [entry] = await audited('invitation.accepted')
    assert.deepEqual([entry.before.role, entry.after.role], ['ADMIN', 'ADMIN'])
  })
})

describe('whether an address has an account', () => {
  test('is told neither by the answer to the invitation, nor by its link, nor by a wrong password', async () => {
    await world.clock.advance(120_000)
    await world.addOperator('has@example.com')
    const seen = async (email: string) => {
      const { token, ...made } = await invite(email)
      const [looked, wrong] = [
        await look(token),
        await accept({ account: 'EXISTING', token, password: 'not it at all' }),
      ]
      assert.deepEqual([looked.status, wrong.status], [200, 401])
      await owner('DELETE', `${here}/invitations/${made.id}`)
      const { message, code } = wrong.body.error
      return { keys: [Object.keys(made), Object.keys(looked.body)], message, code }
    }
    assert.deepEqual(await seen('has@example.com'), await seen('has-not@example.com'))
  })
})

describe('an account that came by an invitation', () => {
  test('is not verified, and says so to its owner and to the members', async () => {
    await world.clock.advance(120_000)
    const { token } = await invite('new@example.com')
    const joined = await join(token)
    assert.equal((await me(joined)).operator.verified, false)
    const { data } = (await owner('GET', `${here}/members`)).body
    const verified = new Map(data.map((member: Json) => [member.email, member.verified]))
    assert.equal(verified.get('new@example.com'), false)
    assert.equal([...verified.values()].includes(true), true)
  })

  test('refuses a password that is guessed first', async () => {
    const { token } = await invite('weak@example.com')
    const weak = await accept({ account: 'NEW', token, name: 'Weak', password: 'qwertyuiop123' })
    assert.deepEqual([weak.status, weak.body.error.details[0].path], [400, 'password'])
    assert.equal((await join(token)).status, 200)
  })
})

describe('invitations of a workspace', () => {
  test('are of no use to another one', async () => {
    const workspaceId = await world.addWorkspace('Other')
    const stranger = await world.as('OWNER', { workspaceId })
    const other = `/workspaces/${encodeId('workspace', workspaceId)}/invitations`
    const { id } = await invite('ours@example.com')
    assert.deepEqual((await stranger('GET', other)).body.data, [])
    assert.equal((await stranger('DELETE', `${other}/${id}`)).status, 404)
    // Both workspaces may invite the same address.
    const reply = await stranger('POST', other, { email: 'ours@example.com', role: 'OWNER' })
    assert.equal(reply.status, 201)
    assert.equal((await listed()).length, 1)
    await owner('DELETE', `${here}/invitations/${id}`)
  })

  test('end with the ownership of whoever made them', async () => {
    for (const end of ['PATCH', 'DELETE']) {
      await world.clock.advance(120_000)
      const second = await world.as('OWNER')
      const made = await second('POST', `${here}/invitations`, { email: 'me2@example.com', role: 'OWNER' })
      const path = `${here}/members/${encodeId('operator', second.operatorId)}`
      assert.ok((await owner(end, path, end === 'PATCH' ? { role: 'AGENT' } : undefined)).status < 300)
      assert.equal((await join(made.body.token)).status, 404)
      const [entry] = await audited('invitation.revoked')
      const { email, role, expiresAt } = made.body
      assert.deepEqual([entry.subjectId, entry.before], [made.body.id, { email, role, expiresAt }])
    }
  })

  test('are bounded', async () => {
    await world.sql`
      insert into invitations (id, workspace_id, email, role, token_hash, invited_by, expires_at)
      select new_uuid(), ${world.workspaceId}, 'i' || n || '@example.com', 'VIEWER', n::text::bytea,
        ${owner.operatorId}, now()
      from generate_series(1, 100) n`
    const full = await owner('POST', `${here}/invitations`, { email: 'one-more@example.com', role: 'VIEWER' })
    assert.deepEqual([full.status, full.body.error.code], [409, 'INVALID_STATE'])
    await invite('i1@example.com')
  })
})
