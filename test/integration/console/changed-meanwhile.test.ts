// Credentials that change while somebody is being checked against those before.
import assert from 'node:assert/strict'
import { hashToken } from '../../../src/accounts/random-token.ts'
import { totpCode, totpStep } from '../../../src/accounts/totp.ts'
import type { Sql } from '../../../src/platform/postgres/sql.ts'
import { encodeId } from '../../../src/shared/ids.ts'
import { eventually } from '../../e2e/scene.ts'
import { describe, test } from '../../support/harness.ts'
import { type Client, cookieOf, type Json, openWorld, PASSWORD, type Reply } from './console-world.ts'

const world = await openWorld()
const owner = await world.as('OWNER')
const passwords = world.services.passwords
const newPassword = 'another fine password'

let accounts = 0

/** An operator, signed in at a browser of their own. */
async function someone() {
  accounts += 1
  const email = `someone${accounts}@example.com`
  const id = await world.addOperator(email)
  const send = (method: string, path: string, body: object, headers: Record<string, string> = {}) =>
    world.request(method, path, { body, headers })
  const signIn = (extra: object = {}) => send('POST', '/session', { email, password: PASSWORD, ...extra })
  const browser = async () => {
    const headers = { cookie: cookieOf(await signIn()) }
    return (method: string, path: string, body: object) => send(method, path, body, headers)
  }
  const own = await browser()
  const sessions = () => world.sql`select from sessions where operator_id = ${id}`
  const credentials = () => world.sql`select password_hash, totp_seed from operators where id = ${id}`
  return { id, email, send, signIn, browser, own, sessions, credentials }
}

type Someone = Awaited<ReturnType<typeof someone>>

/** Makes the change after the next password was found right, and before that is acted on. */
async function meanwhile(change: () => Promise<unknown>, act: () => Promise<Reply>): Promise<Reply> {
  const services = world.services as { passwords: typeof passwords }
  services.passwords = {
    ...passwords,
    async verify(...given) {
      services.passwords = passwords
      const isRight = await passwords.verify(...given)
      assert.ok(isRight)
      await change()
      return isRight
    },
  }
  return act()
}

const changePassword = async ({ own }: Someone) => {
  const { status } = await own('PUT', '/me/password', { password: PASSWORD, newPassword })
  assert.equal(status, 204)
}

async function turnOn({ own }: Someone): Promise<void> {
  const { seed } = (await own('POST', '/me/totp', {})).body
  const code = totpCode(seed, totpStep(world.clock.now()))
  assert.equal((await own('PUT', '/me/totp', { password: PASSWORD, code })).status, 200)
}

const changes: readonly [what: string, change: (account: Someone) => Promise<unknown>, sessions: number][] = [
  ['its password is changed', changePassword, 1],
  [
    'its password is reset',
    async ({ id }) =>
      world.services.operators.setPassword(
        { operatorId: id, by: null, ip: null },
        await passwords.hash(newPassword),
      ),
    0,
  ],
  ['its second factor is turned on', turnOn, 1],
  [
    'it is disabled',
    ({ id }) => world.services.operators.setDisabled({ operatorId: id, by: null, ip: null }, true),
    0,
  ],
]

describe('a sign-in that is under way', () => {
  for (const [what, change, sessions] of changes)
    test(`opens no session of an account while ${what}`, async () => {
      const account = await someone()
      const reply = await meanwhile(() => change(account), account.signIn)
      assert.deepEqual([reply.status, reply.headers.get('set-cookie')], [401, null])
      assert.equal((await account.sessions()).count, sessions)
    })

  test('waits for a change that is not committed, and opens none after it', async () => {
    const account = await someone()
    let reply: Promise<Reply> | undefined
    await world.sql.begin(async (sql) => {
      await sql`set local idle_in_transaction_session_timeout = 0`
      await sql`update operators set password_hash = 'other' where id = ${account.id}`
      const [me] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
      reply = account.signIn()
      await eventually('the sign-in waits', async () => {
        const waiting = await world.sql`
          select from pg_stat_activity where ${me?.pid ?? 0}::integer = any(pg_blocking_pids(pid))`
        return waiting.count === 1
      })
      await sql`delete from sessions where operator_id = ${account.id}`
    })
    assert.equal((await reply)?.status, 401)
    assert.equal((await account.sessions()).count, 0)
  })

  test('accepts no invitation with a password that is changed', async () => {
    const account = await someone()
    const { email } = account
    const { token } = (await owner('POST', `/workspaces/${world.ws}/invitations`, { email, role: 'AGENT' }))
      .body
    const join = () =>
      account.send('POST', '/invitation/accept', { account: 'EXISTING', token, password: PASSWORD })
    assert.equal((await meanwhile(() => changePassword(account), join)).status, 401)
    assert.equal((await account.sessions()).count, 1)
    const memberships = await world.sql`select from memberships where operator_id = ${account.id}`
    assert.equal(memberships.count, 0)
    const open = await world.sql`select from invitations where token_hash = ${hashToken(token)}`
    assert.equal(open.count, 1)
  })
})

describe('a change of the account that is under way', () => {
  const refused = ({ status, body }: Reply): Json => [
    status,
    body?.error?.code,
    body?.error?.details?.[0]?.path,
  ]
  const asks: readonly [what: string, method: string, path: string, body: object][] = [
    ['password', 'PUT', '/me/password', { password: PASSWORD, newPassword: 'a third fine password' }],
    ['removed second factor', 'DELETE', '/me/totp', { password: PASSWORD }],
    ['recovery code', 'POST', '/me/recovery-codes', { password: PASSWORD }],
  ]
  for (const [what, method, path, body] of asks)
    test(`leaves no ${what} of somebody whose password is changed`, async () => {
      const account = await someone()
      const other = await account.browser()
      if (path !== '/me/password') await world.giveTotp(account.id)
      const reset = async () =>
        world.services.operators.setPassword(
          { operatorId: account.id, by: null, ip: null },
          await passwords.hash(newPassword),
        )
      let after: Json
      const reply = await meanwhile(
        async () => {
          await reset()
          after = [...(await account.credentials())]
        },
        () => other(method, path, body),
      )
      assert.deepEqual(refused(reply), [403, 'FORBIDDEN', 'password'])
      assert.deepEqual([...(await account.credentials())], after)
      const codes = await world.sql`select from recovery_codes where operator_id = ${account.id}`
      assert.deepEqual([codes.count, (await account.sessions()).count], [0, 0])
    })

  for (const [what, method, path, body] of asks.slice(1))
    test(`leaves no ${what} of somebody who moves the second factor to another app`, async () => {
      const account = await someone()
      const other = await account.browser()
      await world.giveTotp(account.id)
      const state = async () => [
        ...(await account.credentials()),
        ...(await world.sql`select code_hash from recovery_codes where operator_id = ${account.id} order by 1`),
      ]
      let moved: Json
      const reply = await meanwhile(
        async () => {
          await turnOn(account)
          moved = await state()
        },
        () => other(method, path, body),
      )
      assert.deepEqual(refused(reply), [403, 'FORBIDDEN', 'password'])
      assert.deepEqual(await state(), moved)
      assert.equal(moved.length, 11)
    })

  test('goes on where the second factor stays and only its last code is another', async () => {
    const account = await someone()
    const seed = await world.giveTotp(account.id)
    const signInElsewhere = async () => {
      const totp = totpCode(seed, totpStep(world.clock.now()))
      assert.equal((await account.signIn({ totp })).status, 200)
    }
    const renew = () => account.own('POST', '/me/recovery-codes', { password: PASSWORD })
    assert.equal((await meanwhile(signInElsewhere, renew)).status, 200)
  })

  test('keeps the former second factor of somebody whose password is changed', async () => {
    const account = await someone()
    const other = await account.browser()
    const { seed } = (await other('POST', '/me/totp', {})).body
    const code = totpCode(seed, totpStep(world.clock.now()))
    const enrol = () => other('PUT', '/me/totp', { password: PASSWORD, code })
    const reply = await meanwhile(() => changePassword(account), enrol)
    assert.deepEqual(refused(reply).slice(0, 2), [409, 'INVALID_STATE'])
    assert.equal((await account.credentials())[0]?.['totpSeed'], null)
  })
})

describe('a request of a member whose role is taken meanwhile', () => {
  const member = async () => encodeId('operator', (await world.as('VIEWER')).operatorId)
  const key = { name: 'k', scopes: ['CHAT_SEND'] }
  const made = async (path: string, body: object) =>
    (await owner('POST', `/workspaces/${world.ws}${path}`, body)).body.id
  const invitation = { email: 'invited@example.com', role: 'VIEWER' }
  const asks: readonly [what: string, ask: (own: Client, ws: string) => Promise<() => Promise<Reply>>][] = [
    [
      'changes no role',
      async (own, ws) => {
        const id = await member()
        return () => own('PATCH', `${ws}/members/${id}`, { role: 'ADMIN' })
      },
    ],
    [
      'takes nobody out',
      async (own, ws) => {
        const id = await member()
        return () => own('DELETE', `${ws}/members/${id}`)
      },
    ],
    ['changes no setting', async (own, ws) => () => own('PATCH', ws, { name: 'Mine' })],
    ['makes no API key', async (own, ws) => () => own('POST', `${ws}/keys`, key)],
    [
      'changes no API key',
      async (own, ws) => {
        const id = await made('/keys', key)
        return () => own('PATCH', `${ws}/keys/${id}`, { name: 'mine' })
      },
    ],
    [
      'revokes no invitation',
      async (own, ws) => {
        const id = await made('/invitations', invitation)
        return () => own('DELETE', `${ws}/invitations/${id}`)
      },
    ],
  ]
  const takings: readonly [string, (sql: Sql, of: object) => Promise<unknown>][] = [
    ['VIEWER', (sql, of) => sql`update memberships set role = 'VIEWER' where ${isMember(sql, of)}`],
    ['no longer a member', (sql, of) => sql`delete from memberships where ${isMember(sql, of)}`],
  ]
  const isMember = (sql: Sql, of: object) => {
    const { operatorId } = of as { operatorId: string }
    return sql`operator_id = ${operatorId} and workspace_id = ${world.workspaceId}`
  }

  for (const [what, prepare] of asks)
    test(what, async () => {
      for (const [now, take] of takings) {
        const own = await world.as('OWNER')
        const ask = await prepare(own, `/workspaces/${world.ws}`)
        const entries = () =>
          world.sql`select from audit where workspace_id = ${world.workspaceId} and operator_id = ${own.operatorId}
            and action not like 'session.%'`
        let answered = false
        let reply: Promise<Reply> | undefined
        await world.sql.begin(async (sql) => {
          await sql`set local idle_in_transaction_session_timeout = 0`
          await sql`select from workspaces where id = ${world.workspaceId} for no key update`
          await take(sql, own)
          const [me] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`
          reply = ask().finally(() => {
            answered = true
          })
          await eventually('the request waits, or is answered', async () => {
            const waiting = await world.sql`
              select from pg_stat_activity where ${me?.pid ?? 0}::integer = any(pg_blocking_pids(pid))`
            return answered || waiting.count > 0
          })
        })
        const { status, body } = (await reply) ?? {}
        assert.deepEqual([status, body?.error?.code], [403, 'FORBIDDEN'], now)
        assert.ok(body.error.message.includes(now), body.error.message)
        assert.equal((await entries()).count, 0)
      }
    })
})
