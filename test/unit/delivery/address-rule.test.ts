import assert from 'node:assert/strict'
import { BlockList } from 'node:net'
import fc from 'fast-check'
import { judgeAddress, judgeReached, judgeUrl } from '../../../src/delivery/address-rule.ts'
import { describe, test } from '../../support/harness.ts'
import { dotted, embeddings, type Octets, oddSpellings } from './address-spellings.ts'

const reasonOf = (text: string) => {
  const verdict = judgeUrl(text, 'public')
  return verdict.type === 'refused' ? verdict.reason : 'ok'
}
const targetOf = (text: string, policy: 'public' | 'any' = 'public') => {
  const verdict = judgeUrl(text, policy)
  assert.equal(verdict.type, 'ok', text)
  assert(verdict.type === 'ok')
  return verdict.target
}

const octet = fc.integer({ min: 0, max: 255 })
const anyOctets: fc.Arbitrary<Octets> = fc.tuple(octet, octet, octet, octet)
const privateOctets: fc.Arbitrary<Octets> = fc.oneof(
  ...[[127], [10], [192, 168], [169, 254], [172, 16], [100, 64], [0], [224], [255]].map((head) =>
    anyOctets.map(([a, b, c, d]) => [head[0] ?? a, head[1] ?? b, c, d] as const),
  ),
)

describe('an IPv4 address', () => {
  // Node's own range matcher, over the registry of special addresses.
  const special = new BlockList()
  for (const text of `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
    192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4
    240.0.0.0/4 168.63.129.16/32`.split(/\s+/)) {
    const [net = '', length] = text.split('/')
    special.addSubnet(net, Number(length), 'ipv4')
  }
  // Random addresses are seldom near an edge, so edges are drawn on purpose.
  const nearEdges = fc.tuple(
    fc.constantFrom(
      0,
      9,
      10,
      11,
      99,
      100,
      101,
      126,
      127,
      128,
      168,
      169,
      172,
      173,
      191,
      192,
      193,
      198,
      203,
      223,
      224,
      240,
      255,
    ),
    fc.constantFrom(
      0,
      15,
      16,
      17,
      18,
      19,
      20,
      31,
      32,
      51,
      63,
      64,
      88,
      127,
      128,
      167,
      168,
      169,
      253,
      254,
      255,
    ),
    fc.constantFrom(0, 1, 2, 3, 98, 99, 100, 101, 113, 114, 128, 129, 255),
    fc.constantFrom(0, 1, 15, 16, 17, 255),
  )

  test('is public exactly when it lies in no special range', () => {
    fc.assert(
      fc.property(fc.oneof(anyOctets, nearEdges), (octets) => {
        const expected = special.check(dotted(octets), 'ipv4') ? 'refused' : 'ok'
        assert.equal(judgeAddress(dotted(octets)).type, expected, dotted(octets))
        assert.equal(judgeUrl(`https://${dotted(octets)}/`, 'public').type, expected, dotted(octets))
      }),
      { numRuns: 3_000 },
    )
  })

  test('in a URL is taken in its plain form alone, even when it is public', () => {
    for (const [name, spell] of Object.entries(oddSpellings)) {
      fc.assert(
        fc.property(fc.oneof(anyOctets, privateOctets), (octets) => {
          const host = spell(octets)
          fc.pre(host !== dotted(octets))
          for (const scheme of ['https', 'wss']) {
            assert.equal(judgeUrl(`${scheme}://${host}/`, 'public').type, 'refused', `${name}: ${host}`)
          }
        }),
      )
    }
  })

  test('hidden in an IPv6 address is refused in every form', () => {
    for (const [name, embed] of Object.entries(embeddings)) {
      fc.assert(
        fc.property(fc.oneof(anyOctets, privateOctets), (octets) => {
          const ip = embed(octets)
          assert.equal(judgeAddress(ip).type, 'refused', `${name}: ${ip}`)
          assert.equal(reasonOf(`https://[${ip}]/`), 'PRIVATE_ADDRESS', `${name}: ${ip}`)
        }),
      )
    }
  })
})

describe('an IPv6 address', () => {
  const special = new BlockList()
  for (const [net, length] of [
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ] as const) {
    special.addSubnet(net, length, 'ipv6')
  }
  const word = fc.oneof(
    fc.constantFrom(0, 1, 0x1ff, 0x200, 0xdb8, 0xfff, 0x1000, 0x1fff, 0x2000, 0x2001, 0x2002, 0x3fff, 0x4000),
    fc.constantFrom(0x5efe, 0x64, 0xff9b, 0xfc00, 0xfe80, 0xfec0, 0xff02, 0xffff),
    fc.integer({ min: 0, max: 0xffff }),
  )

  test('is public exactly when it is global unicast and no tunnel', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 8, maxLength: 8 }), (words) => {
        const ip = words.map((value) => value.toString(16)).join(':')
        const first = words[0] ?? 0
        const isIsatap = words[5] === 0x5efe && (words[4] === 0 || words[4] === 0x200)
        const isPublic = first >= 0x2000 && first <= 0x3fff && !special.check(ip, 'ipv6') && !isIsatap
        assert.equal(judgeAddress(ip).type, isPublic ? 'ok' : 'refused', ip)
      }),
      { numRuns: 3_000 },
    )
  })

  test('that is local or special is refused', () => {
    for (const ip of [
      '::',
      '::1',
      'fe80::1',
      'fec0::1',
      'fc00::1',
      'fd00:ec2::254',
      'ff02::1',
      '100::1',
      '5f00::1',
    ]) {
      assert.equal(judgeAddress(ip).type, 'refused', ip)
      assert.equal(reasonOf(`wss://[${ip}]:8443/x`), 'PRIVATE_ADDRESS', ip)
    }
  })

  test('that is public is taken, with and without a port', () => {
    assert.deepEqual(judgeAddress('2606:4700:4700::1111'), { type: 'ok', family: 6 })
    const target = targetOf('https://[2606:4700:4700::1111]:8443/hook')
    assert.equal(target.host, '2606:4700:4700::1111')
    assert.equal(target.authority, '[2606:4700:4700::1111]:8443')
    assert.equal(target.isLiteral, true)
  })

  test('with anything around it is no address', () => {
    for (const text of [
      '',
      ' ',
      '::1%lo',
      '[::1]',
      '8.8.8.8 ',
      '8.8.8',
      '08.8.8.8',
      '256.1.1.1',
      '1.1.1.1.',
      '2606::x',
      '::1]/',
    ]) {
      assert.equal(judgeAddress(text).type, 'refused', JSON.stringify(text))
    }
  })
})

test('a connection that was reset before its address could be read has reached no forbidden address', () => {
  for (const policy of ['public', 'any'] as const) assert.equal(judgeReached(undefined, policy), 'reset')
  assert.equal(judgeReached('127.0.0.1', 'public'), 'forbidden')
  assert.equal(judgeReached('', 'any'), 'forbidden')
  assert.equal(judgeReached('93.184.216.34', 'public'), 'ok')
})
