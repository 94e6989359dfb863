import assert from 'node:assert/strict'
import { isParentId, isUserId, numberBehind, userIdOf, waIdOf } from '../../../src/simulator/identity.ts'
import { describe, test } from '../../support/harness.ts'

describe('the identity of users', () => {
  test('a user id is a country, a dot and letters or digits; nothing else is one', () => {
    for (const id of ['PT.44100928', 'US.a1B2', 'PT.ENT.7719', `BR.${'9'.repeat(128)}`])
      assert.ok(isUserId(id), id)
    const not = [
      '44100928',
      'pt.44100928',
      'PT.',
      'PT.44 10',
      'PTX.44',
      `PT.${'9'.repeat(129)}`,
      '+15551230001',
    ]
    for (const id of not) assert.ok(!isUserId(id), id)
    assert.deepEqual([isParentId('PT.ENT.7719'), isParentId('PT.7719')], [true, false])
  })

  test('a number has always the same id, and another one once somebody else has it', () => {
    assert.equal(userIdOf('351911111111', 0), userIdOf('351911111111', 0))
    assert.notEqual(userIdOf('351911111111', 0), userIdOf('351911111111', 1))
    assert.match(userIdOf('351911111111', 0), /^PT\.\d{17}$/)
  })

  test('the number behind an id keeps the ending that selects the behaviour, and is a number of its own', () => {
    for (const country of ['PT', 'BR', 'MX', 'AR', 'US', 'FR']) {
      const number = numberBehind(`${country}.998877000021`)
      assert.match(number, /^\d{11,13}$/)
      assert.ok(number.endsWith('0021'))
      assert.equal(waIdOf(number), number)
    }
  })

  test('the reported number differs from the dialled one where the provider knows better', () => {
    const cases: [dialled: string, reported: string, why: string][] = [
      ['+55 31 98765-4321', '553187654321', 'most of Brazil: without the ninth digit'],
      ['553187654321', '553187654321', 'dialled without it'],
      ['5511987654321', '5511987654321', 'São Paulo keeps it'],
      ['551187654321', '5511987654321', 'São Paulo gets it'],
      ['5215512345678', '5215512345678', 'Mexico with the 1'],
      ['525512345678', '5215512345678', 'Mexico without it'],
      ['5491123456789', '5491123456789', 'Argentina with the 9'],
      ['541123456789', '5491123456789', 'Argentina without it'],
      ['15551230001', '15551230001', 'anywhere else'],
    ]
    for (const [dialled, reported, why] of cases) assert.equal(waIdOf(dialled), reported, why)
  })
})
