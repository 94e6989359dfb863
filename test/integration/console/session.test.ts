import assert from 'node:assert/strict'
import { hashToken } from '../../../src/accounts/random-token.ts'
import { createTotpSeed, totpCode, totpStep } from '../../../src/accounts/totp.ts'
import { encodeId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { cookieOf, openWorld, PASSWORD } from './console-world.ts'

const world = await openWorld()
const secure = await openWorld({ publicUrl: 'https://console.example' })

const signIn = (email: string, extra: object = {}, headers: Record<string, string> = {}) =>
  world.request('POST', '/session', { body: { email, password: PASSWORD, ...extra }, headers })

const me = (cookie: string) => world.request('GET', '/me', { headers: { cookie } })

describe('signing in', () => {
  test('gives a session cookie, of which only the hash is stored', async () => {
    const operatorId = await world.addOperator('Ann@Example.com')
    const reply = await signIn('ann@example.com')
    assert.equal(reply.status, 200)
    assert.match(
      reply.headers.getSetCookie()[0] ?? '',
      /^switchboard_session=[\w-]{43}; Path=\/console; Max-Age=604800; HttpOnly; SameSite=Strict$/,
    )
    const token = cookieOf(reply).split('=')[1] ?? ''
    const rows = await world.sql`select token_hash, ip from sessions where operator_id = ${operatorId}`
    assert.deepEqual(rows[0]?.['tokenHash'], hashToken(token))
    assert.equal(rows[0]?.['ip'], '127.0.0.1')
    const shown = await me(cookieOf(reply))
    assert.equal(shown.status, 200)
    assert.equal(shown.body.operator.email, 'Ann@Example.com')
    assert.deepEqual(shown.body.workspaces, [])
  })

  test('a wrong password and an unknown e-mail get the same answer', async () => {
    await world.addOperator('bob@example.com')
    const wrong = await signIn('bob@example.com', { password: 'not it' })
    const unknown = await signIn('nobody@example.com', { password: 'not it' })
    assert.equal(wrong.status, 401)
    assert.equal(wrong.body.error.code, 'UNAUTHORIZED')
    assert.equal(unknown.status, 401)
    assert.equal(unknown.body.error.message, wrong.body.error.message)
  })

  test('signing in again rotates the session: the one before ends', async () => {
    await world.addOperator('cat@example.com')
    const first = cookieOf(await signIn('cat@example.com'))
    const second = cookieOf(await signIn('cat@example.com', {}, { cookie: first }))
    assert.notEqual(second, first)
    assert.equal((await me(first)).status, 401)
    assert.equal((await me(second)).status, 200)
  })

  test('a page of another operator is refused: what it sends is not done in the name of the cookie', async () => {
    const ids = await Promise.all(
      ['eli@example.com', 'ola@example.com'].map((email) => world.addOperator(email)),
    )
    const [eli = '', ola = ''] = ids.map((id) => encodeId('operator', id))
    const cookie = cookieOf(await signIn('ola@example.com'))
    const sessions = (operator: string) =>
      world.request('GET', '/me/sessions', { headers: { cookie, 'x-operator': operator } })
    const refused = await sessions(eli)
    assert.equal(refused.status, 401)
    assert.equal(refused.body.error.code, 'UNAUTHORIZED')
    assert.equal((await sessions(ola)).status, 200)
  })

  test('signing out ends the session and clears the cookie, twice without harm', async () => {
    await world.addOperator('dan@example.com')
    const cookie = cookieOf(await signIn('dan@example.com'))
    const out = await world.request('DELETE', '/session', { headers: { cookie } })
    assert.equal(out.status, 204)
    assert.match(out.headers.get('set-cookie') ?? '', /^switchboard_session=; .*Max-Age=0/)
    assert.equal((await me(cookie)).status, 401)
    assert.equal((await world.request('DELETE', '/session', { headers: { cookie } })).status, 204)
  })

  test('use lengthens a session to at most seven days after sign-in, and silence ends it', async () => {
    const operatorId = await world.addOperator('eve@example.com')
    const cookie = cookieOf(await signIn('eve@example.com'))
    const age = (created: string, seen: string, expires: string) => world.sql`
      update sessions
      set created_at = now() - ${created}::interval, last_seen_at = now() - ${seen}::interval,
        expires_at = now() + ${expires}::interval
      where operator_id = ${operatorId}`
    const hoursLeft = async () => {
      const [row] = await world.sql<{ hours: number }[]>`
        select extract(epoch from expires_at - now())::float8 / 3600 as hours
        from sessions
        where operator_id = ${operatorId}`
      return Math.round(row?.hours ?? -1)
    }
    await age('3 hours', '2 hours', '10 hours')
    assert.equal((await me(cookie)).status, 200)
    assert.equal(await hoursLeft(), 12)
    await age('6 days 20 hours', '2 hours', '1 hour')
    assert.equal((await me(cookie)).status, 200)
    assert.equal(await hoursLeft(), 4)
    await age('13 hours', '13 hours', '-1 second')
    assert.equal((await me(cookie)).status, 401)
  })

  test('an operator keeps twenty sessions; the oldest goes', async () => {
    const operatorId = await world.addOperator('fay@example.com')
    const first = cookieOf(await signIn('fay@example.com'))
    for (let more = 0; more < 20; more += 1) await signIn('fay@example.com')
    const rows = await world.sql`select from sessions where operator_id = ${operatorId}`
    assert.equal(rows.count, 20)
    assert.equal((await me(first)).status, 401)
  })

  test('behind TLS the cookie is for encrypted connections alone', async () => {
    await secure.addOperator('gil@example.com')
    const reply = await secure.request('POST', '/session', {
      body: { email: 'gil@example.com', password: PASSWORD },
    })
    const cookies = reply.headers.getSetCookie()
    assert.equal(cookies.length, 2)
    for (const cookie of cookies) assert.match(cookie, /; Secure$/)
    const session = cookies[0]?.split(';')[0] ?? ''
    assert.match(cookies[0] ?? '', /^__Host-switchboard_session=.*; Path=\/; /)
    const me = (cookie: string) => secure.request('GET', '/me', { headers: { cookie } })
    assert.equal((await me(session)).status, 200)
    assert.equal((await me(session.replace('__Host-', ''))).status, 401)
  })
})

describe('second factor', () => {
  test('is asked for after the password, and a code works once', async () => {
    const seed = await world.giveTotp(await world.addOperator('tot@example.com'))
    const without = await signIn('tot@example.com')
    assert.equal(without.status, 401)
    assert.equal(without.body.error.details[0].path, 'totp')
    const code = totpCode(seed, totpStep(world.clock.now()))
    assert.equal((await signIn('tot@example.com', { totp: code })).status, 200)
    assert.equal((await signIn('tot@example.com', { totp: code })).status, 401)
  })

  test('of two sign-ins with one code at once, one succeeds', async () => {
    const seed = await world.giveTotp(await world.addOperator('two@example.com'))
    const totp = totpCode(seed, totpStep(world.clock.now()))
    const replies = await Promise.all([1, 2].map(() => signIn('two@example.com', { totp })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
  })

  test('is turned on with a code that proves the app has the seed, and off with the password', async () => {
    await world.addOperator('own@example.com')
    const elsewhere = cookieOf(await signIn('own@example.com'))
    const cookie = cookieOf(await signIn('own@example.com'))
    const ask = (method: string, body: object) =>
      world.request(method, '/me/totp', { body, headers: { cookie } })
    const early = await ask('PUT', { password: PASSWORD, code: '000000' })
    assert.deepEqual([early.status, early.body.error.code], [409, 'INVALID_STATE'])
    const { seed } = (await ask('POST', {})).body
    const code = totpCode(seed, totpStep(world.clock.now()))
    const wrong = code === '000000' ? '000001' : '000000'
    assert.equal((await ask('PUT', { password: PASSWORD, code: wrong })).status, 400)
    assert.equal((await ask('PUT', { password: 'not it', code })).status, 403)
    const added = await ask('PUT', { password: PASSWORD, code })
    assert.deepEqual([added.status, added.body.recoveryCodes.length], [200, 10])
    assert.equal((await me(cookie)).body.operator.totp, true)
    assert.equal((await me(elsewhere)).status, 401)
    assert.equal((await ask('PUT', { password: PASSWORD, code })).status, 409)
    const [row] = await world.sql<{ totpSeed: Buffer }[]>`
      select totp_seed from operators where email = 'own@example.com'`
    assert.equal(row?.totpSeed.includes(seed), false)
    assert.equal((await ask('DELETE', { password: PASSWORD })).status, 204)
    assert.equal((await me(cookie)).body.operator.totp, false)
  })
})

describe('the seed of a second factor', () => {
  test('is the one that this session was offered last: a request cannot choose it', async () => {
    await world.addOperator('sid@example.com')
    const cookie = cookieOf(await signIn('sid@example.com'))
    const other = cookieOf(await signIn('sid@example.com'))
    const ask = (method: string, body: object, as = cookie) =>
      world.request(method, '/me/totp', { body, headers: { cookie: as } })
    const step = totpStep(world.clock.now())
    const chosen = createTotpSeed()
    const code = totpCode(chosen, step)
    await ask('POST', {})
    assert.equal((await ask('PUT', { password: PASSWORD, seed: chosen, code })).status, 400)
    assert.equal((await ask('PUT', { password: PASSWORD, code })).status, 400)
    const first = (await ask('POST', {})).body.seed
    const second = (await ask('POST', {})).body.seed
    const elsewhere = await ask('PUT', { password: PASSWORD, code: totpCode(second, step) }, other)
    assert.equal(elsewhere.status, 409)
    assert.equal((await ask('PUT', { password: PASSWORD, code: totpCode(first, step) })).status, 400)
    const rows = await world.sql<{ totpOffer: Buffer | null }[]>`
      select totp_offer from sessions where totp_offer is not null`
    for (const { totpOffer } of rows) assert.equal(totpOffer?.includes(second), false)
    assert.equal((await ask('PUT', { password: PASSWORD, code: totpCode(second, step) })).status, 200)
  })
})

describe('changing the password', () => {
  test('takes the second factor, too, where the account has one', async () => {
    await world.clock.advance(120_000)
    const id = await world.addOperator('oda@example.com')
    const cookie = cookieOf(await signIn('oda@example.com'))
    const seed = await world.giveTotp(id)
    const change = (factor: object) =>
      world.request('PUT', '/me/password', {
        body: { password: PASSWORD, newPassword: 'another fine password', ...factor },
        headers: { cookie },
      })
    const without = await change({})
    assert.deepEqual([without.status, without.body.error.details[0].path], [401, 'totp'])
    const code = totpCode(seed, totpStep(world.clock.now()))
    const wrong = await change({ totp: code === '000000' ? '000001' : '000000' })
    assert.deepEqual([wrong.status, wrong.body.error.details[0].path], [403, 'totp'])
    assert.equal((await me(cookie)).status, 200)
    assert.equal((await change({ totp: code })).status, 204)
  })

  test('refuses a password that is guessed first', async () => {
    await world.addOperator('pia@example.com')
    const cookie = cookieOf(await signIn('pia@example.com'))
    const reply = await world.request('PUT', '/me/password', {
      body: { password: PASSWORD, newPassword: 'Password2026!' },
      headers: { cookie },
    })
    assert.deepEqual(
      [reply.status, reply.body.error.code, reply.body.error.details[0].path],
      [400, 'VALIDATION_ERROR', 'newPassword'],
    )
  })

  test('ends every session, gives this browser a new one, and is audited', async () => {
    await world.clock.advance(120_000)
    const id = await world.addOperator('jon@example.com')
    const [here, elsewhere] = [
      cookieOf(await signIn('jon@example.com')),
      cookieOf(await signIn('jon@example.com')),
    ]
    const body = { password: PASSWORD, newPassword: 'another fine password' }
    const change = (given: object) =>
      world.request('PUT', '/me/password', { body: given, headers: { cookie: here } })
    assert.equal((await change({ ...body, password: 'not it' })).status, 403)
    assert.equal((await change({ ...body, newPassword: 'short' })).status, 400)
    const changed = await change(body)
    assert.equal(changed.status, 204)
    assert.equal((await me(here)).status, 401)
    assert.equal((await me(elsewhere)).status, 401)
    assert.equal((await me(cookieOf(changed))).status, 200)
    assert.equal((await signIn('jon@example.com')).status, 401)
    assert.equal((await signIn('jon@example.com', { password: body.newPassword })).status, 200)
    const rows = await world.sql`
      select action, operator_id from audit
      where subject_id = ${id} and action like 'operator.%' order by id`
    assert.deepEqual(
      [...rows].map(({ action, operatorId }) => [action, operatorId]),
      [
        ['operator.created', null],
        ['operator.password_changed', id],
      ],
    )
  })
})
