import assert from 'node:assert/strict'
import { scryptSync } from 'node:crypto'
import { createPasswordHasher } from '../../../src/accounts/password.ts'
import { AppError } from '../../../src/contract/errors.ts'
import { describe, test } from '../../support/harness.ts'

describe('password hashing', () => {
  test('by default a hash names N=2^17, r=8, p=1 and is what scrypt says it is', async () => {
    const hasher = createPasswordHasher()
    const stored = await hasher.hash('correct horse battery')
    const match = /^\$scrypt\$ln=17,r=8,p=1\$([\w+/]{22})\$([\w+/]{43})$/.exec(stored)
    assert.ok(match, stored)
    const expected = scryptSync('correct horse battery', Buffer.from(match[1] ?? '', 'base64'), 32, {
      N: 2 ** 17,
      r: 8,
      p: 1,
      maxmem: 2 ** 28,
    })
    assert.deepEqual(Buffer.from(match[2] ?? '', 'base64'), expected)
    assert.equal(await hasher.verify('correct horse battery', stored), true)
  })

  test('another password, and an operator who does not exist, are refused', async () => {
    const hasher = createPasswordHasher({ logN: 4 })
    const stored = await hasher.hash('correct horse battery')
    assert.equal(await hasher.verify('correct horse batterY', stored), false)
    assert.equal(await hasher.verify('correct horse battery', undefined), false)
  })

  test('a hash made with other parameters still verifies', async () => {
    const stored = await createPasswordHasher({ logN: 5 }).hash('secret')
    assert.equal(await createPasswordHasher({ logN: 4 }).verify('secret', stored), true)
  })

  test('a composed and a decomposed umlaut are the same password', async () => {
    const hasher = createPasswordHasher({ logN: 4 })
    assert.equal(await hasher.verify('u\u0308ber', await hasher.hash('\u00fcber')), true)
  })

  test('two hashes of one password differ', async () => {
    const hasher = createPasswordHasher({ logN: 4 })
    assert.notEqual(await hasher.hash('secret'), await hasher.hash('secret'))
  })

  test('a malformed stored hash is an error, not a wrong password', async () => {
    await assert.rejects(createPasswordHasher({ logN: 4 }).verify('x', '$scrypt$ln=4$a$b'), TypeError)
  })

  test('past the places at work and in the queue it refuses at once, and works again later', async () => {
    const hasher = createPasswordHasher({ logN: 10, maxWaiting: 2 })
    const results = await Promise.allSettled(Array.from({ length: 5 }, () => hasher.hash('secret')))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'rejected'],
    )
    const refused = results[4]?.status === 'rejected' ? results[4].reason : undefined
    assert.ok(refused instanceof AppError)
    assert.equal(refused.code, 'OVERLOADED')
    assert.equal(await hasher.verify('secret', await hasher.hash('secret')), true)
  })

  test('strangers who fill their line keep nobody waiting who is known here', async () => {
    const hasher = createPasswordHasher({ logN: 10, maxWaiting: 2 })
    const stored = await hasher.hash('secret')
    // Three of these take a hundred times as long as the one of who is known.
    const costly = await createPasswordHasher({ logN: 15 }).hash('other')
    const order: string[] = []
    const strangers = Array.from({ length: 4 }, () =>
      hasher.verify('guess', costly).then(
        () => order.push('stranger'),
        () => order.push('refused'),
      ),
    )
    assert.equal(await hasher.verify('secret', stored, 'known'), true)
    order.push('known')
    await Promise.all(strangers)
    assert.equal(order[0], 'refused')
    assert.ok(order.indexOf('known') < order.lastIndexOf('stranger'), order.join())
  })
})
