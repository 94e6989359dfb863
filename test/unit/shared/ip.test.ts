import assert from 'node:assert/strict'
import { networkOf } from '../../../src/shared/ip.ts'
import { test } from '../../support/harness.ts'

for (const [address, network] of [
  ['203.0.113.9', '203.0.113.9'],
  ['::ffff:203.0.113.9', '203.0.113.9'],
  ['0000:0000:0000:0000:0000:ffff:cb00:7109', '203.0.113.9'],
  ['2001:db8:1:2::1', '20010db800010002/64'],
  ['2001:0DB8:0001:0002:ffff:ffff:ffff:ffff', '20010db800010002/64'],
  ['2001:db8:1:3::1', '20010db800010003/64'],
  ['::1', '0000000000000000/64'],
  ['unknown', 'unknown'],
  ['', ''],
  ['x'.repeat(100), 'x'.repeat(64)],
] as const)
  test(`the network of ${address} is ${network}`, () => assert.equal(networkOf(address), network))
