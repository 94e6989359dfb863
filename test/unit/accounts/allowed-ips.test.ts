import assert from 'node:assert/strict'
import { isAllowedIp, isIpRange } from '../../../src/accounts/allowed-ips.ts'
import { describe, test } from '../../support/harness.ts'

const allowed = ['203.0.113.0/24', '198.51.100.7', '2001:db8:1::/48', '::1']

describe('the addresses that may use a key', () => {
  for (const [address, isRight] of [
    ['203.0.113.0', true],
    ['203.0.113.255', true],
    ['203.0.114.0', false],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['2001:db8:1:ffff::5', true],
    ['2001:DB8:1:0:0:0:0:5', true],
    ['2001:db8:2::5', false],
    ['::1', true],
    ['0000:0000:0000:0000:0000:0000:0000:0001', true],
    ['::ffff:203.0.113.9', true],
    ['::ffff:203.0.114.9', false],
    ['', false],
    ['unknown', false],
  ] as const)
    test(`${address || 'no address'}: ${isRight ? 'allowed' : 'refused'}`, () => {
      for (let time = 0; time < 2; time += 1) assert.equal(isAllowedIp(allowed, address), isRight)
    })

  test('an empty list allows every address', () => {
    for (const address of ['203.0.113.0', '::1', 'unknown']) assert.ok(isAllowedIp([], address))
  })

  test('a range of IPv4 addresses within IPv6 holds these addresses, in both forms', () => {
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7'])
      for (const range of ['::ffff:203.0.113.0/120', '::ffff:203.0.113.7'])
        assert.equal(isAllowedIp([range], address), true)
    assert.equal(isAllowedIp(['::ffff:203.0.113.0/120'], '203.0.114.7'), false)
  })

  test('a range of one family holds no address of the other', () => {
    assert.equal(isAllowedIp(['0.0.0.0/0'], '2001:db8::1'), false)
    assert.equal(isAllowedIp(['::/0'], '203.0.113.1'), false)
  })

  test('only addresses and whole ranges can be entered', () => {
    for (const text of allowed) assert.ok(isIpRange(text), text)
    for (const text of [
      '',
      '203.0.113.1/24',
      '203.0.113.0/33',
      '203.0.113',
      'example.com',
      '::/129',
      '1.2.3.4/',
    ])
      assert.equal(isIpRange(text), false, text)
  })
})
