import assert from 'node:assert/strict'
import { addressOf, isUserId, phoneOf, spellingsOf, userIdOf } from '../../../src/shared/address.ts'
import { describe, test } from '../../support/harness.ts'

describe('an address', () => {
  test('is a number in international format or a user id, and nothing else', () => {
    assert.equal(addressOf('+15551230000'), '15551230000')
    for (const id of ['US.13491208655302741918', 'PT.ENT.7719', 'BR.aZ9']) {
      assert.equal(addressOf(id), id)
      assert.equal(userIdOf(id), id)
      assert.equal(phoneOf(id), null, 'an id is no number, whatever digits it has')
    }
    const neither = [
      '15551230000',
      'us.1',
      'US.',
      'US.1.2',
      'US.ENT.',
      `US.${'1'.repeat(129)}`,
      'USA.1',
      '',
      ' ',
    ]
    for (const text of neither) assert.equal(addressOf(text), undefined, text)
    assert.equal(isUserId('PT.1\n'), false)
  })

  test('of some countries is written in two ways', () => {
    const pairs = [
      ['5551987654321', '555187654321'],
      ['5215512345678', '525512345678'],
      ['5491123456789', '541123456789'],
    ] as const
    for (const [long, short] of pairs) {
      assert.deepEqual(spellingsOf(long), [short])
      assert.deepEqual(spellingsOf(short), [long])
    }
    // A landline of Brazil has no ninth digit.
    for (const address of ['551133334444', '15551230000', 'BR.5551987654321', '52551234567'])
      assert.deepEqual(spellingsOf(address), [], address)
  })
})
