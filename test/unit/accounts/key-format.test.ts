import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { hashSecret, isSecret, keyEnvironment, makeKey, parseKey } from '../../../src/accounts/key-format.ts'
import { describe, test } from '../../support/harness.ts'

describe('keys', () => {
  test('a new key has the form of the contract and reads back as its parts', () => {
    for (const environment of ['live', 'test'] as const) {
      const { key, prefix, secretHash } = makeKey(environment)
      assert.match(key, /^ck_(live|test)_[0-9A-Za-z]{10}_[0-9A-Za-z]{43}$/)
      const parsed = parseKey(key)
      assert.equal(parsed?.environment, environment)
      assert.equal(parsed?.prefix, prefix)
      assert.ok(isSecret(parsed?.secret ?? '', secretHash))
    }
  })

  test('no two keys are alike, in neither part', () => {
    const keys = Array.from({ length: 500 }, () => makeKey('test'))
    assert.equal(new Set(keys.map(({ prefix }) => prefix)).size, 500)
    assert.equal(new Set(keys.map(({ secretHash }) => secretHash.toString('hex'))).size, 500)
  })

  test('what is stored is the SHA-256 of the secret alone', () => {
    const { key, secretHash } = makeKey('test')
    const secret = key.split('_')[3] ?? ''
    assert.deepEqual(secretHash, createHash('sha256').update(secret).digest())
  })

  test('another secret, or a hash of another length, does not fit', () => {
    const { key, secretHash } = makeKey('test')
    const secret = key.split('_')[3] ?? ''
    const last = secret.endsWith('a') ? 'b' : 'a'
    assert.ok(!isSecret(secret.slice(0, -1) + last, secretHash))
    assert.ok(!isSecret(secret, secretHash.subarray(0, 31)))
    assert.ok(!isSecret('', hashSecret(secret)))
  })

  test('whatever is not exactly of the form is no key', () => {
    const { key } = makeKey('test')
    const bad = [
      '',
      key.slice(0, -1),
      `${key}a`,
      ` ${key}`,
      `${key}\n`,
      key.replace('test', 'prod'),
      key.toUpperCase(),
    ]
    for (const text of bad) assert.equal(parseKey(text), undefined, JSON.stringify(text))
    fc.assert(fc.property(fc.string(), (text) => parseKey(text) === undefined))
  })

  test('production makes live keys, everything else test keys [authentication 2]', () => {
    assert.deepEqual(['production', 'development', 'test'].map(keyEnvironment), ['live', 'test', 'test'])
  })
})
