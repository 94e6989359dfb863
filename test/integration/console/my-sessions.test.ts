import assert from 'node:assert/strict'
import { totpCode, totpStep } from '../../../src/accounts/totp.ts'
import { consoleRoutes } from '../../../src/console/console.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { cookieOf, type Json, openWorld, PASSWORD } from './console-world.ts'

const world = await openWorld()
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

const signIn = (email: string, extra: object = {}, userAgent = firefox) =>
  world.request('POST', '/session', {
    body: { email, password: PASSWORD, ...extra },
    headers: { 'user-agent': userAgent },
  })

const browser = (cookie: string) => (method: string, path: string, body?: unknown) =>
  world.request(method, path, { body, headers: { cookie } })

async function signedIn(email: string) {
  const operatorId = await world.addOperator(email)
  return Object.assign(browser(cookieOf(await signIn(email))), { operatorId })
}

/** Backdates the proof, by default so far that it is no longer valid. */
const age = (operatorId: string, interval = '11 minutes') => world.sql`
  update sessions set proved_at = now() - ${interval}::interval where operator_id = ${operatorId}`

const audited = async (subjectId: string, action: string) => {
  const rows = await world.sql`
    select before, after, operator_id, ip from audit where subject_id = ${subjectId} and action = ${action}`
  return [...rows]
}

/** An operator with the second factor on, and an app that shows its codes. */
async function withTotp(email: string) {
  const ann = await signedIn(email)
  const seed = await world.giveTotp(ann.operatorId)
  return Object.assign(ann, { code: () => totpCode(seed, totpStep(world.clock.now())) })
}

describe('the sessions of an operator', () => {
  test('are listed with device, address and use, and which of them is this one', async () => {
    const ann = await signedIn('ann@example.com')
    await signIn('ann@example.com', {}, 'curl/8.5.0')
    const { data } = (await ann('GET', '/me/sessions')).body
    assert.deepEqual(data.map(({ device, current }: Json) => [device, current]).sort(), [
      ['Firefox on Linux', true],
      ['curl', false],
    ])
    for (const session of data) {
      assert.equal(session.address, '127.0.0.1')
      assert.match(session.id, /^ses_/)
      assert.ok(Date.parse(session.lastUsedAt) <= Date.parse(session.expiresAt))
    }
  })

  test('one is ended, and is out from the next request on', async () => {
    const ben = await signedIn('ben@example.com')
    const other = browser(cookieOf(await signIn('ben@example.com', {}, 'curl/8.5.0')))
    const { data } = (await ben('GET', '/me/sessions')).body
    const { id } = data.find(({ current }: Json) => !current)
    assert.equal((await ben('DELETE', `/me/sessions/${id}`)).status, 204)
    assert.equal((await other('GET', '/me')).status, 401)
    assert.equal((await ben('GET', '/me')).status, 200)
    assert.equal((await ben('DELETE', `/me/sessions/${id}`)).status, 404)
    const [row] = await world.sql`
      select before from audit where action = 'session.ended' and operator_id = ${ben.operatorId}`
    assert.deepEqual(row?.['before'], { device: 'curl', address: '127.0.0.1' })
  })

  test('all others are ended at once, with a word of how many', async () => {
    const cat = await signedIn('cat@example.com')
    for (let more = 0; more < 3; more += 1) await signIn('cat@example.com')
    assert.deepEqual((await cat('DELETE', '/me/sessions')).body, { ended: 3 })
    assert.equal((await cat('GET', '/me/sessions')).body.data.length, 1)
  })

  test('those of somebody else do not exist', async () => {
    const dan = await signedIn('dan@example.com')
    const eve = await signedIn('eve@example.com')
    const [{ id }] = (await dan('GET', '/me/sessions')).body.data
    assert.equal((await eve('DELETE', `/me/sessions/${id}`)).status, 404)
    assert.equal((await eve('DELETE', `/me/sessions/${encodeId('session', newId('session'))}`)).status, 404)
    assert.equal((await dan('GET', '/me')).status, 200)
  })
})

describe('what shows or changes a secret', () => {
  test('needs a recent proof on every such route, and nothing else does', () => {
    const proven = (kind: string) =>
      consoleRoutes
        .filter(({ needsProof }) => needsProof === kind)
        .map(({ method, path }) => `${method} ${path}`)
        .sort()
    assert.deepEqual(proven('always'), [
      'DELETE /me/totp',
      'POST /me/recovery-codes',
      'POST /me/totp',
      'POST /workspaces/:ws/conversations/:id/erasure',
      'POST /workspaces/:ws/endpoints',
      'POST /workspaces/:ws/endpoints/:id/rotate',
      'POST /workspaces/:ws/invitations',
      'POST /workspaces/:ws/keys',
      'PUT /me/totp',
    ])
    assert.deepEqual(proven('sometimes'), [
      'PATCH /workspaces/:ws',
      'PATCH /workspaces/:ws/endpoints/:id',
      'PATCH /workspaces/:ws/keys/:id',
      'PATCH /workspaces/:ws/members/:id',
      'PATCH /workspaces/:ws/numbers/:id',
      'POST /workspaces/:ws/deliveries/:id/replay',
      'POST /workspaces/:ws/deliveries/replay',
      'POST /workspaces/:ws/endpoints/:id/replay',
    ])
  })

  test('is refused ten minutes after the password, and taken once it is confirmed', async () => {
    const owner = await world.as('OWNER')
    const key = { name: 'k', scopes: ['CATALOG_READ'] }
    const make = () => owner('POST', `/workspaces/${world.ws}/keys`, key)
    assert.equal((await make()).status, 201)
    await age(owner.operatorId, '9 minutes')
    assert.equal((await make()).status, 201)
    await age(owner.operatorId)
    const refused = await make()
    assert.deepEqual([refused.status, refused.body.error.code], [403, 'CONFIRMATION_REQUIRED'])
    assert.equal((await owner('POST', '/me/confirm', { password: 'not it' })).status, 403)
    assert.equal((await make()).status, 403)
    const confirmed = await owner('POST', '/me/confirm', { password: PASSWORD })
    assert.deepEqual([confirmed.status, confirmed.body], [200, { confirmedForSeconds: 600 }])
    assert.equal((await make()).status, 201)
  })

  test('a proof is of one session: another of the same operator has none', async () => {
    const fay = await signedIn('fay@example.com')
    const other = browser(cookieOf(await signIn('fay@example.com')))
    await age(fay.operatorId)
    assert.equal((await fay('POST', '/me/confirm', { password: PASSWORD })).status, 200)
    assert.equal((await fay('POST', '/me/totp')).status, 200)
    assert.equal((await other('POST', '/me/totp')).body.error.code, 'CONFIRMATION_REQUIRED')
  })

  test('with a second factor the proof takes its code, too', async () => {
    const gil = await withTotp('gil@example.com')
    await age(gil.operatorId)
    const without = await gil('POST', '/me/confirm', { password: PASSWORD })
    assert.deepEqual([without.status, without.body.error.details[0].path], [401, 'totp'])
    const confirm = () => gil('POST', '/me/confirm', { password: PASSWORD, totp: gil.code() })
    const [first, again] = [await confirm(), await confirm()]
    assert.equal(first.status, 200)
    assert.deepEqual([again.status, again.body.error.details[0].path], [403, 'totp'])
  })
})

describe('recovery codes', () => {
  test('are ten, shown once, kept as hashes, and each signs in once in place of a code', async () => {
    const hal = await withTotp('hal@example.com')
    const made = await hal('POST', '/me/recovery-codes', { password: PASSWORD })
    const codes: string[] = made.body.recoveryCodes
    assert.equal(new Set(codes).size, 10)
    for (const code of codes) assert.match(code, /^([2-9A-HJ-NP-Z]{4}-){3}[2-9A-HJ-NP-Z]{4}$/)
    const stored = await world.sql<{ codeHash: Buffer }[]>`
      select code_hash from recovery_codes where operator_id = ${hal.operatorId}`
    assert.ok(stored.every(({ codeHash }) => codeHash.length === 32))
    assert.equal((await hal('GET', '/me')).body.operator.recoveryCodesLeft, 10)
    const [first = '', second = ''] = codes
    const used = await signIn('hal@example.com', { recoveryCode: first })
    assert.deepEqual([used.status, used.body], [200, { signedIn: true, recoveryCodesLeft: 9 }])
    assert.equal((await signIn('hal@example.com', { recoveryCode: first })).status, 401)
    // As a person may type it.
    const typed = second.toLowerCase().replaceAll('-', ' ')
    assert.equal((await signIn('hal@example.com', { recoveryCode: typed })).body.recoveryCodesLeft, 8)
    assert.deepEqual(
      (await audited(hal.operatorId, 'operator.recovery_code_used')).map(({ before, after }) => [
        before,
        after,
      ]),
      [
        [{ left: 10 }, { left: 9 }],
        [{ left: 9 }, { left: 8 }],
      ],
    )
  })

  test('of sign-ins with one code at once, one succeeds', async () => {
    await world.clock.advance(120_000)
    const ivy = await withTotp('ivy@example.com')
    const { recoveryCodes } = (await ivy('POST', '/me/recovery-codes', { password: PASSWORD })).body
    const replies = await Promise.all(
      [1, 2, 3, 4].map(() => signIn('ivy@example.com', { recoveryCode: recoveryCodes[0] })),
    )
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 401, 401, 401])
  })

  test('new ones void the former, and turning the second factor off voids all', async () => {
    await world.clock.advance(120_000)
    const jon = await withTotp('jon@example.com')
    const renew = async () => (await jon('POST', '/me/recovery-codes', { password: PASSWORD })).body
    const former = (await renew()).recoveryCodes[0]
    await renew()
    assert.equal((await signIn('jon@example.com', { recoveryCode: former })).status, 401)
    assert.equal((await jon('DELETE', '/me/totp', { password: PASSWORD })).status, 204)
    assert.equal((await jon('GET', '/me')).body.operator.recoveryCodesLeft, 0)
    assert.equal((await renew()).error.code, 'INVALID_STATE')
    assert.deepEqual(
      (await audited(jon.operatorId, 'operator.totp_removed')).map(({ before, after }) => [before, after]),
      [[{ totp: true }, { totp: false }]],
    )
  })

  test('those of somebody else, and guesses, are refused like a wrong code', async () => {
    await world.clock.advance(120_000)
    const kim = await withTotp('kim@example.com')
    await withTotp('lou@example.com')
    const { recoveryCodes } = (await kim('POST', '/me/recovery-codes', { password: PASSWORD })).body
    const stranger = await signIn('lou@example.com', { recoveryCode: recoveryCodes[0] })
    const guessed = await signIn('lou@example.com', { recoveryCode: 'AAAA-AAAA-AAAA-AAAA' })
    assert.deepEqual([stranger.status, guessed.status], [401, 401])
    assert.equal((await kim('GET', '/me')).body.operator.recoveryCodesLeft, 10)
  })
})
