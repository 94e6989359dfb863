import assert from 'node:assert/strict'
import { createSignInLimit, type Guesser } from '../../../src/console/sign-in-limit.ts'
import { AppError } from '../../../src/contract/errors.ts'
import { newId } from '../../../src/shared/ids.ts'
import { guessBuckets } from '../../support/guess-buckets.ts'
import { describe, test } from '../../support/harness.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

function world() {
  const clock = new SimulatedClock()
  const { limiter, keys } = guessBuckets(clock)
  return { clock, keys, limit: createSignInLimit(limiter) }
}

type Limit = ReturnType<typeof world>['limit']

const isRefused = (error: unknown) => error instanceof AppError && error.code === 'RATE_LIMITED'
const right = async () => true
const wrong = async () => false

const ann = newId('operator')
const stranger = (email: string, address: string): Guesser => ({ email, address })
const annMail = 'ann@example.com'

/** Wrong guesses until one is refused. */
async function exhaust(limit: Limit, guesser: Guesser): Promise<number> {
  for (let guesses = 0; ; guesses += 1)
    try {
      assert.equal(await limit.password(guesser, wrong), false)
    } catch (error) {
      assert.ok(isRefused(error), String(error))
      return guesses
    }
}

describe('sign-in limit', () => {
  test('a stranger has five wrong guesses at an account, then waits twelve seconds for the next', async () => {
    const { limit, clock } = world()
    const mallory = stranger(annMail, '203.0.113.9')
    assert.equal(await exhaust(limit, mallory), 5)
    await assert.rejects(limit.password(mallory, right), { code: 'RATE_LIMITED', retryAfterSeconds: 12 })
    await clock.advance(12_000)
    assert.equal(await limit.password(mallory, right), true)
  })

  test('whoever guesses keeps nobody out but his own network', async () => {
    const { limit } = world()
    for (let host = 0; host < 100; host += 1) await exhaust(limit, stranger(annMail, `203.0.113.${host}`))
    assert.equal(await limit.password(stranger(annMail, '198.51.100.7'), right), true)
    assert.equal(await limit.password({ deviceId: 'known' }, right), true)
    assert.equal(await limit.password({ sessionId: newId('session') }, right), true)
    assert.equal(await limit.factor({ deviceId: 'known' }, ann, right), true)
  })

  test('a known device is not held back by its network, nor by guesses at its account from there', async () => {
    const { limit } = world()
    for (let account = 0; account < 10; account += 1)
      await exhaust(limit, stranger(`${account}@example.com`, '203.0.113.9'))
    await assert.rejects(limit.password(stranger(annMail, '203.0.113.9'), right), isRefused)
    assert.equal(await limit.password({ deviceId: 'known' }, right), true)
  })

  test('a known device and a session have five guesses of their own', async () => {
    const { limit } = world()
    assert.equal(await exhaust(limit, { deviceId: 'one' }), 5)
    assert.equal(await exhaust(limit, { deviceId: 'two' }), 5)
    assert.equal(await exhaust(limit, { sessionId: newId('session') }), 5)
  })

  test('an IPv6 network is one guesser, whichever of its addresses it uses', async () => {
    const { limit } = world()
    await exhaust(limit, stranger(annMail, '2001:db8:1:2::1'))
    await assert.rejects(limit.password(stranger(annMail, '2001:db8:1:2:ffff:0:0:9'), right), isRefused)
    assert.equal(await limit.password(stranger(annMail, '2001:db8:1:3::1'), right), true)
  })

  test('an address without an account is counted however it is spelt, and is in no key', async () => {
    const { limit, keys } = world()
    await exhaust(limit, stranger('Nobody@Example.com', '203.0.113.9'))
    await assert.rejects(limit.password(stranger(' ｎobody@example.COM ', '203.0.113.9'), right), isRefused)
    for (const key of keys) assert.doesNotMatch(key, /nobody/i)
  })

  test('one network has twenty wrong guesses a minute for all accounts together', async () => {
    const { limit } = world()
    let guesses = 0
    for (let account = 0; account < 10; account += 1)
      guesses += await exhaust(limit, stranger(`${account}@example.com`, '203.0.113.9'))
    assert.equal(guesses, 20)
  })

  test('right answers and faults of our own cost nothing', async () => {
    const { limit } = world()
    const mallory = stranger(annMail, '203.0.113.9')
    const fault = async () => {
      throw new Error('no turn')
    }
    for (let n = 0; n < 50; n += 1) {
      assert.equal(await limit.password(mallory, right), true)
      await assert.rejects(limit.password(mallory, fault), /no turn/)
    }
    assert.equal(await exhaust(limit, mallory), 5)
    // Refused guesses take nothing from the network either: fifteen of its twenty are left.
    let others = 0
    for (let account = 0; account < 10; account += 1)
      others += await exhaust(limit, stranger(`${account}@example.com`, '203.0.113.9'))
    assert.equal(others, 15)
  })

  test('of guesses sent side by side, five are looked at', async () => {
    const { limit } = world()
    let looked = 0
    const answers = await Promise.allSettled(
      Array.from({ length: 30 }, () =>
        limit.password(stranger(annMail, '203.0.113.9'), async () => {
          looked += 1
          await new Promise(setImmediate)
          return false
        }),
      ),
    )
    assert.equal(looked, 5)
    assert.equal(answers.filter(({ status }) => status === 'rejected').length, 25)
  })

  test('strangers who know the password share twenty wrong codes an hour, from all networks together', async () => {
    const { limit } = world()
    let guesses = 0
    for (let host = 0; host < 20; host += 1)
      for (let guess = 0; guess < 5; guess += 1)
        guesses += await limit.factor(stranger(annMail, `203.0.113.${host}`), ann, wrong).then(
          () => 1,
          () => 0,
        )
    assert.equal(guesses, 20)
    await assert.rejects(limit.factor(stranger(annMail, '198.51.100.7'), ann, right), isRefused)
    assert.equal(await limit.factor({ deviceId: 'known' }, ann, right), true)
    assert.equal(await limit.password(stranger(annMail, '198.51.100.7'), right), true)
  })
})
