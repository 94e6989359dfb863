import assert from 'node:assert/strict'
import { describe, test } from '../../support/harness.ts'
import { cookieOf, openWorld, PASSWORD, type Reply } from './console-world.ts'

const world = await openWorld()

const signIn = (email: string, extra: object = {}, headers: Record<string, string> = {}) =>
  world.request('POST', '/session', { body: { email, password: PASSWORD, ...extra }, headers })

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

describe('wrong guesses of somebody else', () => {
  const device = (reply: Reply) =>
    reply.headers
      .getSetCookie()
      .find((cookie) => cookie.startsWith('switchboard_device='))
      ?.split(';', 1)[0] ?? assert.fail()

  test('keep neither a known device out, nor an open session from confirming', async () => {
    await world.clock.advance(120_000)
    await world.addOperator('kim@example.com')
    const open = cookieOf(await signIn('kim@example.com'))
    let last = await signIn('kim@example.com')
    for (let guess = 0; guess < 37; guess += 1) {
      await signIn('kim@example.com', { password: 'not it' })
      last = await signIn('KIM@example.com ', {}, { cookie: `${cookieOf(last)}; ${device(last)}` })
      assert.equal(last.status, 200, `after ${guess + 1} guesses`)
    }
    assert.equal((await signIn('kim@example.com')).status, 429)
    const confirmed = await world.request('POST', '/me/confirm', {
      body: { password: PASSWORD },
      headers: { cookie: open },
    })
    assert.equal(confirmed.status, 200)
  })

  test('a known device may fail five times of its own, and its cookie is of no use at another account', async () => {
    await world.clock.advance(120_000)
    await world.addOperator('lea@example.com')
    await world.addOperator('max@example.com')
    const cookie = device(await signIn('lea@example.com'))
    for (let guess = 0; guess < 5; guess += 1)
      assert.equal((await signIn('lea@example.com', { password: 'not it' }, { cookie })).status, 401)
    assert.equal((await signIn('lea@example.com', {}, { cookie })).status, 429)
    assert.equal((await signIn('lea@example.com')).status, 200)
    for (let guess = 0; guess < 5; guess += 1)
      await signIn('max@example.com', { password: 'not it' }, guess % 2 ? { cookie } : {})
    assert.equal((await signIn('max@example.com', {}, { cookie })).status, 429)
  })

  test('an unknown address is slowed down after as many guesses as an account, with the same answers', async () => {
    await world.clock.advance(120_000)
    await world.addOperator('Nea@example.com')
    const answers = async (spellings: readonly string[]) => {
      const all: [number, ...unknown[]][] = []
      for (let guess = 0; guess < 7; guess += 1) {
        const spelling = spellings[guess % spellings.length] ?? ''
        const { status, body, headers } = await signIn(spelling, { password: 'not it' })
        const { code, message } = body.error
        all.push([status, code, message, headers.get('retry-after'), headers.getSetCookie()])
      }
      return all
    }
    // The last one, of a wide letter, finds no account.
    const known = await answers([
      'nea@example.com',
      'NEA@example.com',
      ' nea@Example.com ',
      '\uff4eea@example.com',
    ])
    const unknown = await answers([
      'neb@example.com',
      'NEB@example.com',
      ' neb@Example.com ',
      '\uff4eeb@example.com',
    ])
    assert.deepEqual(unknown, known)
    assert.deepEqual(
      known.map(([status]) => status),
      [401, 401, 401, 401, 401, 429, 429],
    )
  })
})
