import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { judgeAddress, judgeUrl, policyOf } from '../../../src/delivery/address-rule.ts'
import { describe, test } from '../../support/harness.ts'
import { isPublicAddress, rangesIn } from './address-oracle.ts'
import { dotted, embeddings, type Octets, oddSpellings } from './address-spellings.ts'

const octet = fc.oneof(fc.constantFrom(0, 1, 10, 16, 31, 100, 127, 168, 169, 192, 254), fc.nat(255))
const octets: fc.Arbitrary<Octets> = fc.tuple(octet, octet, octet, octet)
const spell4 = fc.tuple(octets, fc.constantFrom(dotted, ...Object.values(oddSpellings)))
const spell6 = fc.tuple(octets, fc.constantFrom(...Object.values(embeddings)))
const localZones = `localhost localdomain local internal home.arpa lan corp onion test invalid example
  svc cluster.local`.split(/\s+/)

const label = fc.constantFrom(
  'a',
  'hooks',
  'xn--bcher-kva',
  'bücher',
  'LOCAL',
  'ｌocal',
  '127',
  '0x7f',
  'a-b',
  'a_b',
  '例え',
)
const name = fc
  .tuple(
    fc.array(label, { maxLength: 3 }),
    fc.oneof(fc.constantFrom('org', 'com', 'ORG'), fc.constantFrom(...localZones, '1', '0x1')),
  )
  .map(([labels, zone]) => [...labels, zone].join('.'))
const host = fc.oneof(
  name,
  spell4.map(([ip, spell]) => spell(ip)),
  spell6.map(([ip, spell]) => `[${spell(ip)}]`),
  octets.map((ip) => `[2a00:${ip[0]}::${ip[1]}]`),
)
/** Text that URL parsers disagree about, for any position. */
const oddity = fc.constantFrom(
  ...['@', 'a@', 'a:b@', '\\', '/', '//', ':', ':0', ':00', ':443', ':65536', ' ', '\t', '\n', '\0'],
  ...[
    '#',
    '?',
    '%2e',
    '%00',
    '%40',
    '.',
    '..',
    '。',
    '\u00ad',
    '\u200d',
    '\ufeff',
    '\ud800',
    '[',
    ']',
    '\u2044',
  ],
)
const mischief = fc.oneof({ weight: 6, arbitrary: fc.constant('') }, { weight: 1, arbitrary: oddity })
const url = fc
  .tuple(
    fc.constantFrom('https', 'wss', 'HTTPS', 'http', 'ftp'),
    fc.constantFrom('://', '://', '://', ':/', ':', ':///'),
  )
  .chain(([scheme, slashes]) =>
    fc
      .tuple(
        mischief,
        host,
        mischief,
        fc.constantFrom('', ':8443', ':1'),
        fc.constantFrom('', '/', '/p?q=1', '?q'),
        mischief,
      )
      .map((parts) => `${scheme}${slashes}${parts.join('')}`),
  )

describe('an address of any spelling that is taken', () => {
  test('means to every parser the public host that it says', () => {
    let taken = 0
    fc.assert(
      fc.property(url, (text) => {
        const verdict = judgeUrl(text, 'public')
        if (verdict.type === 'refused') return
        taken += 1
        const { target } = verdict
        const parsed = new URL(text)
        assert.match(parsed.protocol, /^(https|wss):$/)
        assert.equal(target.scheme, parsed.protocol.slice(0, -1))
        assert.equal(`${parsed.username}${parsed.password}${parsed.hash}`, '')
        assert.equal(target.host, parsed.hostname.replace(/\.$/, '').replace(/^\[|\]$/g, ''))
        assert.equal(target.port, parsed.port === '' ? 443 : Number(parsed.port))
        assert.notEqual(target.port, 0)
        assert.doesNotMatch(text, /[\0-\x20\x7f\\#]/)
        assert.match(target.url, /^[!-~]+$/)
        if (isIP(target.host) !== 0) return assert(isPublicAddress(target.host), text)
        assert.equal(target.isLiteral, false)
        assert.match(target.host, /\./)
        for (const zone of localZones) assert(!`.${target.host}`.endsWith(`.${zone}`), text)
      }),
      { numRuns: 20_000 },
    )
    // The property would prove nothing if every URL were refused.
    assert(taken > 500, `${taken} were taken`)
  })

  test('is the same when it is judged again as it is stored', () => {
    fc.assert(
      fc.property(url, (text) => {
        const first = judgeUrl(text, 'public')
        if (first.type === 'refused') return
        assert.deepEqual(judgeUrl(first.target.url, 'public'), first)
      }),
      { numRuns: 5_000 },
    )
  })
})

describe('an IP address', () => {
  const words = fc.array(
    fc.oneof(fc.constantFrom(0, 0x64, 0x2000, 0x2001, 0x2002, 0x3fff, 0x4000, 0x5efe), fc.nat(0xffff)),
    {
      minLength: 8,
      maxLength: 8,
    },
  )
  const ip = fc.oneof(
    octets.map(dotted),
    words.map((all) => all.map((word) => word.toString(16)).join(':')),
    spell6.map(([four, spell]) => spell(four)),
  )

  test('is public where the platform’s matcher says so', () => {
    fc.assert(
      fc.property(ip, (text) => {
        assert.equal(judgeAddress(text).type, isPublicAddress(text) ? 'ok' : 'refused', text)
      }),
      { numRuns: 5_000 },
    )
  })

  test('behind NAT64 is judged by the IPv4 address inside, only where the network has one', () => {
    const nat64 = policyOf({ targets: 'public', nat64: true, allow: [] })
    fc.assert(
      fc.property(octets, (four) => {
        const text = `64:ff9b::${dotted(four)}`
        assert.equal(judgeAddress(text, nat64).type, isPublicAddress(dotted(four)) ? 'ok' : 'refused', text)
        assert.equal(judgeAddress(text).type, 'refused')
        for (const [form, embed] of Object.entries(embeddings)) {
          if (form !== 'NAT64') assert.equal(judgeAddress(embed(four), nat64).type, 'refused', form)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('is exempt exactly within the ranges an operator lists', () => {
    const allow = ['10.20.0.0/16', '127.0.0.1', 'fd12:3456::/32', '172.16.0.0/12', 'hooks.internal']
    const policy = policyOf({ targets: 'public', nat64: false, allow })
    const listed = rangesIn('10.20.0.0/16 127.0.0.1/32 fd12:3456::/32 172.16.0.0/12')
    const near = fc.oneof(
      ip,
      fc.tuple(fc.constantFrom(19, 20, 21), octet, octet).map(([b, c, d]) => `10.${b}.${c}.${d}`),
      fc.constantFrom('127.0.0.0', '127.0.0.1', '127.0.0.2', '::ffff:10.20.0.1', '::ffff:127.0.0.1', '::1'),
      fc
        .tuple(fc.constantFrom('fd12:3455', 'fd12:3456', 'fd12:3457'), octet)
        .map(([net, d]) => `${net}::${d}`),
    )
    fc.assert(
      fc.property(near, (text) => {
        // The matcher unwraps IPv4-mapped addresses. The rule does not, so that an exempt address does not
        // exempt its mapped form.
        const isMapped = isIP(text) === 6 && new URL(`http://[${text}]`).hostname.startsWith('[::ffff:')
        const isListed = !isMapped && listed.check(text, isIP(text) === 6 ? 'ipv6' : 'ipv4')
        assert.equal(
          judgeAddress(text, policy).type,
          isListed || isPublicAddress(text) ? 'ok' : 'refused',
          text,
        )
      }),
      { numRuns: 5_000 },
    )
  })

  test('and a local name that are exempt may be written in an address, still encrypted and in their plain form', () => {
    const policy = policyOf({
      targets: 'public',
      nat64: false,
      allow: ['10.20.0.0/16', 'Receiver', 'hooks.internal'],
    })
    const verdicts = {
      'https://10.20.0.9/': 'ok',
      'wss://receiver:8443/': 'ok',
      'https://HOOKS.internal./x': 'ok',
      'https://10.21.0.9/': 'PRIVATE_ADDRESS',
      'https://other.internal/': 'LOCAL_NAME',
      'https://a.hooks.internal/': 'LOCAL_NAME',
      'https://localhost/': 'LOCAL_NAME',
      'http://10.20.0.9/': 'SCHEME',
      'ws://receiver/': 'SCHEME',
      'https://0x0a140009/': 'SPELLING',
      'https://a@receiver/': 'CREDENTIALS',
    }
    for (const [text, expected] of Object.entries(verdicts)) {
      const verdict = judgeUrl(text, policy)
      assert.equal(verdict.type === 'ok' ? 'ok' : verdict.reason, expected, text)
    }
  })
})
