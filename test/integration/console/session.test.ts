import assert from 'node:assert/strict'
import { hashToken } from '../../../src/accounts/random-token.ts'
import { createTotpSeed, totpCode, totpStep, writeTotpState } from '../../../src/accounts/totp.ts'
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
      reply.headers.get('set-cookie') ?? '',
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
    assert.match(reply.headers.get('set-cookie') ?? '', /^__Host-switchboard_session=.*; Path=\/;.*; Secure$/)
    const me = (cookie: string) => secure.request('GET', '/me', { headers: { cookie } })
    assert.equal((await me(cookieOf(reply))).status, 200)
    assert.equal((await me(cookieOf(reply).replace('__Host-', ''))).status, 401)
  })
})

describe('second factor', () => {
  test('is asked for after the password, and a code works once', async () => {
    const seed = createTotpSeed()
    const id = await world.addOperator('tot@example.com')
    const sealed = world.services.secrets.seal(writeTotpState({ seed, lastStep: 0 }))
    await world.services.operators.setTotp({ operatorId: id, by: null, ip: null }, sealed)
    const without = await signIn('tot@example.com')
    assert.equal(without.status, 401)
    assert.equal(without.body.error.details[0].path, 'totp')
    const code = totpCode(seed, totpStep(world.clock.now()))
    assert.equal((await signIn('tot@example.com', { totp: code })).status, 200)
    assert.equal((await signIn('tot@example.com', { totp: code })).status, 401)
  })

  test('of two sign-ins with one code at once, one succeeds', async () => {
    const seed = createTotpSeed()
    const id = await world.addOperator('two@example.com')
    const sealed = world.services.secrets.seal(writeTotpState({ seed, lastStep: 0 }))
    await world.services.operators.setTotp({ operatorId: id, by: null, ip: null }, sealed)
    const totp = totpCode(seed, totpStep(world.clock.now()))
    const replies = await Promise.all([1, 2].map(() => signIn('two@example.com', { totp })))
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401])
  })

  test('is turned on with a code that proves the app has the seed, and off with the password', async () => {
    await world.addOperator('own@example.com')
    const cookie = cookieOf(await signIn('own@example.com'))
    const ask = (method: string, body: object) =>
      world.request(method, '/me/totp', { body, headers: { cookie } })
    // Lets the failures of the earlier tests expire.
    await world.clock.advance(120_000)
    const { seed } = (await ask('POST', {})).body
    const code = totpCode(seed, totpStep(world.clock.now()))
    const wrong = code === '000000' ? '000001' : '000000'
    assert.equal((await ask('PUT', { password: PASSWORD, seed, code: wrong })).status, 400)
    assert.equal((await ask('PUT', { password: 'not it', seed, code })).status, 403)
    const added = await ask('PUT', { password: PASSWORD, seed, code })
    assert.deepEqual([added.status, added.body.recoveryCodes.length], [200, 10])
    assert.equal((await me(cookie)).body.operator.totp, true)
    const [row] = await world.sql<{ totpSeed: Buffer }[]>`
      select totp_seed from operators where email = 'own@example.com'`
    assert.equal(row?.totpSeed.includes(seed), false)
    assert.equal((await ask('DELETE', { password: PASSWORD })).status, 204)
    assert.equal((await me(cookie)).body.operator.totp, false)
  })
})

describe('guessing', () => {
  test('after five failures in a minute even the right password has to wait', async () => {
    await world.clock.advance(120_000)
    await world.addOperator('hal@example.com')
    const wrong = () => signIn('hal@example.com', { password: 'not it' })
    for (let failure = 0; failure < 5; failure += 1) assert.equal((await wrong()).status, 401)
    const refused = await signIn('hal@example.com')
    assert.equal(refused.status, 429)
    assert.equal(refused.body.error.code, 'RATE_LIMITED')
    const waitSeconds = Number(refused.headers.get('retry-after'))
    assert.ok(waitSeconds > 0 && waitSeconds <= 12, `${waitSeconds}`)
    await world.clock.advance(waitSeconds * 1000)
    assert.equal((await signIn('hal@example.com')).status, 200)
  })

  test('signing in often is no failure', async () => {
    await world.clock.advance(120_000)
    await world.addOperator('ivy@example.com')
    for (let time = 0; time < 8; time += 1) assert.equal((await signIn('ivy@example.com')).status, 200)
  })

  test('a body that is no sign-in is refused before anything is looked up', async () => {
    const reply = await world.request('POST', '/session', { body: { email: 'x@example.com' } })
    assert.equal(reply.status, 400)
    assert.equal(reply.body.error.details[0].path, 'password')
  })
})

describe('changing the password', () => {
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
