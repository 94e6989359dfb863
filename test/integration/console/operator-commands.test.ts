import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type OperatorCommand, runOperatorCommand } from '../../../src/accounts/host/operator-commands.ts'
import { describe, test } from '../../support/harness.ts'
import { cookieOf, openWorld } from './console-world.ts'

const world = await openWorld()
let passwords = 0

const run = (words: string[], options: Partial<OperatorCommand> = {}) => {
  passwords += 1
  return runOperatorCommand(
    { sql: world.sql, makePassword: () => `generated-${passwords}-password`, logN: 4 },
    {
      words,
      name: undefined,
      waba: undefined,
      platformOwner: false,
      force: false,
      password: undefined,
      ...options,
    },
  )
}

const signIn = (email: string, password: string) =>
  world.request('POST', '/session', { body: { email, password } })

describe('npm run operator', () => {
  test('an operator is created with a password that is printed, gets a role, and is listed', async () => {
    const [created, password] = await run(['create', 'ann@example.com'], { name: 'Ann', platformOwner: true })
    assert.match(created ?? '', /^created ann@example\.com \(opr_/)
    assert.equal(password, 'password: generated-1-password')
    const [workspace = ''] = await run(['workspace', 'Fresh'], { waba: '42' })
    const id = /\((wsp_\w+)\)$/.exec(workspace)?.[1] ?? assert.fail(workspace)
    await run(['grant', 'ann@example.com', id, 'OWNER'])
    const reply = await signIn('ann@example.com', 'generated-1-password')
    const me = await world.request('GET', '/me', { headers: { cookie: cookieOf(reply) } })
    const shown = { id, name: 'Fresh', status: 'ACTIVE', role: 'OWNER' }
    assert.deepEqual(me.body.workspaces, [{ ...shown, secondFactorFrom: null, barrier: null }])
    assert.equal(me.body.operator.platformOwner, true)
    assert.deepEqual(await run(['list']), [
      'ann@example.com  Ann  platform owner',
      `  OWNER of Fresh (${id})`,
    ])
  })

  test('a reset ends the sessions and the old password; a given password is not printed', async () => {
    await run(['create', 'bob@example.com'], { password: 'the first password' })
    const cookie = cookieOf(await signIn('bob@example.com', 'the first password'))
    const lines = await run(['reset', 'bob@example.com'], { password: 'the second password' })
    assert.equal(lines.join().includes('the second password'), false)
    assert.equal((await world.request('GET', '/me', { headers: { cookie } })).status, 401)
    assert.equal((await signIn('bob@example.com', 'the first password')).status, 401)
    assert.equal((await signIn('bob@example.com', 'the second password')).status, 200)
  })

  test('a disabled operator is signed out and listed as such, until enabled', async () => {
    await run(['create', 'gil@example.com'], { password: 'the only password' })
    const cookie = cookieOf(await signIn('gil@example.com', 'the only password'))
    await run(['disable', 'gil@example.com'])
    assert.equal((await world.request('GET', '/me', { headers: { cookie } })).status, 401)
    assert.equal((await signIn('gil@example.com', 'the only password')).status, 401)
    assert.ok((await run(['list'])).includes('gil@example.com  gil@example.com  disabled'))
    await run(['enable', 'gil@example.com'])
    assert.equal((await signIn('gil@example.com', 'the only password')).status, 200)
  })

  test('an account that came by an invitation gets a role only once it is verified, or by force', async () => {
    const mallory = await world.as('OWNER')
    const [inviter] = await world.sql`select name, email from operators where id = ${mallory.operatorId}`
    const { token } = (
      await mallory('POST', `/workspaces/${world.ws}/invitations`, {
        email: 'vic@example.com',
        role: 'AGENT',
      })
    ).body
    const body = { account: 'NEW', token, name: 'Vic', password: 'chosen by Mallory' }
    assert.equal((await world.request('POST', '/invitation/accept', { body })).status, 200)
    const [workspace = ''] = await run(['workspace', 'Elsewhere'])
    const id = /\((wsp_\w+)\)$/.exec(workspace)?.[1] ?? assert.fail(workspace)
    const day = new Date().toISOString().slice(0, 8)
    const origin = (standing: string) =>
      new RegExp(
        `^vic@example\\.com came on ${day}\\d\\d by an invitation of ${inviter?.['name']} \\(${inviter?.['email']}\\) to Acme \\(${world.ws}\\), ${standing}`,
      )
    await assert.rejects(run(['grant', 'vic@example.com', id, 'OWNER']), { message: origin('not verified') })
    assert.equal((await run(['list'])).includes('vic@example.com  Vic  not verified'), true)
    const [said] = await run(['grant', 'VIC@example.com', id, 'VIEWER'], { force: true })
    assert.match(said ?? '', /not verified$/)
    assert.match((await run(['verify', 'vic@example.com'])).join('\n'), /\nvic@example\.com is verified$/)
    assert.match((await run(['verify', 'vic@example.com'])).join('\n'), /verified already$/)
    const [granted, done] = await run(['grant', 'vic@example.com', id, 'OWNER'])
    assert.match(granted ?? '', origin(`verified on ${day}\\d\\d$`))
    assert.equal(done, `vic@example.com is OWNER of ${id}`)
    const [entry] = await world.sql`
      select before, after, operator_id from audit where action = 'operator.verified'`
    assert.deepEqual(
      { ...entry },
      { before: { verified: false }, after: { verified: true }, operatorId: null },
    )
  })

  test('a grant says that the operator command made the account', async () => {
    await run(['create', 'own@example.com'])
    const [origin] = await run(['grant', 'own@example.com', world.ws, 'VIEWER'])
    assert.match(origin ?? '', /^own@example\.com was created by the operator command on .*, verified on /)
  })

  test('what cannot be done is said in a sentence', async () => {
    await run(['create', 'cat@example.com'])
    const refused: [string[], RegExp][] = [
      [['create', 'CAT@example.com'], /already/],
      [['create', 'nonsense'], /no e-mail/],
      [['reset', 'ghost@example.com'], /no operator/],
      [['verify', 'ghost@example.com'], /no operator/],
      [['grant', 'ghost@example.com', world.ws, 'OWNER'], /no operator/],
      [['grant', 'cat@example.com', 'wsp_x', 'OWNER'], /no workspace/],
      [['grant', 'cat@example.com', world.ws, 'BOSS'], /no role/],
      [['dance'], /npm run operator/],
      [['reset'], /npm run operator/],
    ]
    for (const [words, message] of refused) await assert.rejects(run(words), { message })
    await assert.rejects(run(['reset', 'cat@example.com'], { password: 'short' }), /12 to 256 characters/)
    await assert.rejects(run(['reset', 'cat@example.com'], { password: 'Password1234!' }), /guessed first/)
  })

  test('the command itself runs against the database of the settings', async () => {
    const root = fileURLToPath(new URL('../../../', import.meta.url))
    const ask = (args: string[]) =>
      new Promise<{ code: number | string | null; out: string }>((resolve) => {
        execFile(
          process.execPath,
          ['--import', 'tsx', 'src/accounts/host/operator-main.ts', ...args],
          { cwd: root, env: { PATH: process.env['PATH'], DATABASE_URL: world.databaseUrl } },
          (error, stdout, stderr) => resolve({ code: error?.code ?? 0, out: stdout + stderr }),
        )
      })
    const created = await ask(['create', 'dan@example.com'])
    assert.equal(created.code, 0, created.out)
    const password = /^password: (\S{24})$/m.exec(created.out)?.[1] ?? assert.fail(created.out)
    assert.match((await ask(['list'])).out, /dan@example\.com/)
    assert.equal((await ask(['--nonsense'])).code, 1)
    const { passwordHash } = (await world.services.operators.findByEmail('dan@example.com')) ?? assert.fail()
    assert.match(passwordHash, /^\$scrypt\$ln=17,r=8,p=1\$/)
    assert.equal(await world.services.passwords.verify(password, passwordHash), true)
  })
})
