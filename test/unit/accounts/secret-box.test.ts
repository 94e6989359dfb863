import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { createSecretBox, SecretBoxError } from '../../../src/accounts/secret-box.ts'
import { describe, test } from '../../support/harness.ts'

const key = (id: string) => ({ id, bytes: randomBytes(32) })

describe('secret box', () => {
  test('what was sealed opens again, and sealing twice gives different bytes', () => {
    const box = createSecretBox([key('1')])
    const sealed = box.seal('whsec_ä€')
    assert.equal(box.open(sealed), 'whsec_ä€')
    assert.equal(box.open(new Uint8Array(sealed)), 'whsec_ä€')
    assert.notDeepEqual(box.seal('whsec_ä€'), sealed)
    assert.equal(sealed.includes('whsec_'), false)
  })

  test('an empty text survives', () => {
    const box = createSecretBox([key('1')])
    assert.equal(box.open(box.seal('')), '')
  })

  test('after a rotation the new key seals and the old one still opens', () => {
    const [old, fresh] = [key('a'), key('b')]
    const before = createSecretBox([old]).seal('token')
    const box = createSecretBox([fresh, old])
    assert.equal(box.open(before), 'token')
    assert.equal(createSecretBox([fresh]).open(box.seal('token')), 'token')
  })

  test('two keys without an id of their own rotate as well', () => {
    const [old, fresh] = [key('1'), key('1')]
    assert.equal(createSecretBox([fresh, old]).open(createSecretBox([old]).seal('token')), 'token')
  })

  test('a key that was taken away no longer opens', () => {
    const sealed = createSecretBox([key('a')]).seal('token')
    assert.throws(() => createSecretBox([key('b')]).open(sealed), SecretBoxError)
    assert.throws(() => createSecretBox([key('a')]).open(sealed), SecretBoxError)
  })

  test('what another key sealed is sealed again under the first, whether the keys have ids or not', () => {
    for (const [old, fresh] of [
      [key('a'), key('b')],
      [key('1'), key('1')],
    ] as const) {
      const box = createSecretBox([fresh, old])
      const resealed = box.reseal(createSecretBox([old]).seal('token'))
      assert.ok(resealed)
      assert.equal(createSecretBox([fresh]).open(resealed), 'token')
      assert.equal(box.reseal(resealed), undefined)
      assert.throws(() => createSecretBox([old]).reseal(resealed), SecretBoxError)
    }
  })

  test('a failure says which key is missing', () => {
    const sealed = createSecretBox([key('a')]).seal('token')
    assert.throws(() => createSecretBox([key('b')]).open(sealed), { fault: 'unknownKey', keyId: 'a' })
    assert.throws(() => createSecretBox([key('a')]).open(sealed), { fault: 'damaged', keyId: 'a' })
    assert.throws(() => createSecretBox([key('a')]).open(Buffer.from('plain')), {
      fault: 'damaged',
      keyId: undefined,
    })
  })

  test('every changed or missing byte is refused', () => {
    const box = createSecretBox([key('1')])
    const sealed = box.seal('token')
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed)
      changed.writeUInt8(sealed.readUInt8(at) ^ 1, at)
      assert.throws(() => box.open(changed), SecretBoxError, `byte ${at}`)
      assert.throws(() => box.open(sealed.subarray(0, at)), SecretBoxError, `cut at ${at}`)
    }
  })

  test('a box without keys or with a short one is not made', () => {
    assert.throws(() => createSecretBox([]), TypeError)
    assert.throws(() => createSecretBox([{ id: '1', bytes: randomBytes(16) }]), TypeError)
    assert.throws(() => createSecretBox([{ id: '', bytes: randomBytes(32) }]), TypeError)
  })
})
