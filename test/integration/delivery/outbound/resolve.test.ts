import assert from 'node:assert/strict'
import { policyOf, type TargetPolicy } from '../../../../src/delivery/address-rule.ts'
import { createResolver } from '../../../../src/delivery/outbound/resolve.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { describe, type TestContext, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'
import { type Answer, startNameServer, type Zone } from './name-server.ts'

const GOOD4 = '93.184.215.14'
const GOOD6 = '2606:2800:21f:cb07:6820:80da:af6b:8b2c'
const none: Answer = { addresses: [] }
const forbidden = { type: 'failed', code: 'ADDRESS_FORBIDDEN' } as const

async function setUp(
  t: TestContext,
  zone: Zone,
  { policy = 'public' as TargetPolicy, cacheSize = 100 } = {},
) {
  const server = await startNameServer(t, zone)
  const clock = new SimulatedClock()
  return { server, clock, resolver: createResolver({ policy, clock, servers: [server.address], cacheSize }) }
}

describe('the resolver', () => {
  test('asks for both families and puts IPv4 first', async (t) => {
    const { resolver } = await setUp(t, (_name, family) => ({ addresses: [family === 4 ? GOOD4 : GOOD6] }))
    assert.deepEqual(await resolver.resolve('good.example.org'), {
      type: 'resolved',
      addresses: [
        { address: GOOD4, family: 4 },
        { address: GOOD6, family: 6 },
      ],
    })
  })

  for (const bad of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '::1',
    'fd00::1',
    '::ffff:8.8.8.8',
    '64:ff9b::808:808',
  ]) {
    test(`refuses a name with ${bad} among good answers`, async (t) => {
      const { resolver } = await setUp(t, (_name, family) => {
        const good = family === 4 ? GOOD4 : GOOD6
        return { addresses: bad.includes(':') === (family === 6) ? [good, bad, good] : [good] }
      })
      assert.deepEqual(await resolver.resolve('mixed.example.org'), {
        type: 'failed',
        code: 'ADDRESS_FORBIDDEN',
      })
    })
  }

  test('takes private answers where local targets are allowed', async (t) => {
    const zone: Zone = (_name, family) => (family === 4 ? { addresses: ['10.1.2.3'] } : none)
    const { resolver } = await setUp(t, zone, { policy: 'any' })
    assert.equal((await resolver.resolve('box.example.org')).type, 'resolved')
  })

  test('judges what a rebinding name turns into as soon as its first answer has expired', async (t) => {
    const zone: Zone = (_name, family, count) =>
      family === 4 ? { addresses: [count === 1 ? GOOD4 : '127.0.0.1'], ttl: 5 } : none
    const { resolver, clock } = await setUp(t, zone)
    assert.equal((await resolver.resolve('rebind.example.org')).type, 'resolved')
    await clock.advance(5_000)
    assert.deepEqual(await resolver.resolve('rebind.example.org'), {
      type: 'failed',
      code: 'ADDRESS_FORBIDDEN',
    })
  })

  test('judges literal addresses and localhost without asking', async (t) => {
    const { resolver, server } = await setUp(t, () => assert.fail('asked'))
    assert.equal((await resolver.resolve(GOOD4)).type, 'resolved')
    for (const host of ['127.0.0.1', '::1', 'localhost', 'a.localhost']) {
      assert.deepEqual(await resolver.resolve(host), { type: 'failed', code: 'ADDRESS_FORBIDDEN' }, host)
    }
    const local = createResolver({ policy: 'any', clock: systemClock, servers: [server.address] })
    for (const host of ['127.0.0.1', '::1', 'localhost']) {
      assert.equal((await local.resolve(host)).type, 'resolved', host)
    }
  })

  test('tells an unknown name, one without addresses and a broken zone apart', async (t) => {
    const { resolver } = await setUp(t, (name) => {
      if (name.startsWith('unknown')) return 'unknown name'
      return name.startsWith('broken') ? 'server failure' : none
    })
    assert.deepEqual(await resolver.resolve('unknown.example.org'), { type: 'failed', code: 'DNS_NOT_FOUND' })
    assert.deepEqual(await resolver.resolve('empty.example.org'), { type: 'failed', code: 'DNS_NOT_FOUND' })
    assert.deepEqual(await resolver.resolve('broken.example.org'), { type: 'failed', code: 'DNS_FAILED' })
  })

  test('uses the family that answered when the other fails', async (t) => {
    const zone: Zone = (_name, family) => (family === 4 ? { addresses: [GOOD4] } : 'server failure')
    const { resolver } = await setUp(t, zone)
    assert.equal((await resolver.resolve('half.example.org')).type, 'resolved')
  })

  test('takes a silent or unwilling server for its own fault, and silence about one name for that name’s', async (t) => {
    const dead = await setUp(t, () => 'silence')
    const unwilling = await setUp(t, () => 'refused')
    const alive = await setUp(t, (name, family) => {
      if (name.startsWith('slow')) return 'silence'
      return family === 4 ? { addresses: [GOOD4] } : none
    })
    await alive.resolver.resolve('quick.example.org')
    const asked = [dead, unwilling, alive].map(({ resolver }) => resolver.resolve('slow.example.org'))
    const codes = (await Promise.all(asked)).map((answer) => answer.type === 'failed' && answer.code)
    assert.deepEqual(codes, ['DNS_UNAVAILABLE', 'DNS_UNAVAILABLE', 'DNS_TIMEOUT'])
  })

  test('waits for a slow answer even when the server is used to being quick', async (t) => {
    const zone: Zone = (name, family) => {
      if (family === 6) return none
      return { addresses: [GOOD4], delayMs: name.startsWith('far') ? 1_200 : 0 }
    }
    const { resolver } = await setUp(t, zone)
    for (let count = 0; count < 30; count += 1) await resolver.resolve(`near${count}.example.org`)
    assert.equal((await resolver.resolve('far.example.org')).type, 'resolved')
  })

  test('turns to the second server when the first is silent', async (t) => {
    const silent = await startNameServer(t, () => 'silence')
    const good = await startNameServer(t, (_name, family) => (family === 4 ? { addresses: [GOOD4] } : none))
    const servers = [silent.address, good.address]
    const resolver = createResolver({ policy: 'public', clock: systemClock, servers })
    assert.equal((await resolver.resolve('good.example.org')).type, 'resolved')
  })
})

describe('an answer', () => {
  test('behind a chain of aliases is used and judged like any other', async (t) => {
    const aliases = ['www.example.net', 'edge.example.net', 'node7.example.net']
    const { resolver } = await setUp(t, (name, family) => {
      if (family === 6) return none
      return { aliases, addresses: [name.startsWith('good') ? GOOD4 : '10.0.0.7'] }
    })
    const good = await resolver.resolve('good.example.org')
    assert.deepEqual(good, { type: 'resolved', addresses: [{ address: GOOD4, family: 4 }] })
    assert.deepEqual(await resolver.resolve('inward.example.org'), forbidden)
  })

  test('with aliases alone leads nowhere', async (t) => {
    const { resolver } = await setUp(t, () => ({ aliases: ['gone.example.net'], addresses: [] }))
    assert.deepEqual(await resolver.resolve('a.example.org'), { type: 'failed', code: 'DNS_NOT_FOUND' })
  })

  test('that is cut short is fetched whole over TCP', async (t) => {
    const zone: Zone = (_name, family) => (family === 4 ? { addresses: [GOOD4], truncated: true } : none)
    const { resolver, server } = await setUp(t, zone)
    assert.equal((await resolver.resolve('long.example.org')).type, 'resolved')
    assert.equal(server.asked('long.example.org'), 3)
  })

  test('of thousands of addresses is judged to the last, and a few of them are kept', async (t) => {
    const many = (count: number, last: string) =>
      Array.from({ length: count }, (_, index) =>
        index === count - 1 ? last : `93.184.${index >> 8}.${index & 255}`,
      )
    const { resolver } = await setUp(t, (name, family) => {
      if (family === 6) return none
      return { addresses: many(4_000, name.startsWith('good') ? GOOD4 : '127.0.0.1'), truncated: true }
    })
    const good = await resolver.resolve('good.example.org')
    assert(good.type === 'resolved')
    assert.equal(good.addresses.length, 8)
    assert.deepEqual(await resolver.resolve('bad.example.org'), forbidden)
  })
})

describe('an operator’s exceptions', () => {
  const answers: Record<string, string> = { own: '10.20.1.1', other: '10.21.1.1', nat: '64:ff9b::5db8:d70e' }
  const zone: Zone = (name, family) => {
    const address = answers[name.split('.')[0] ?? ''] ?? '64:ff9b::a00:1'
    return address.includes(':') === (family === 6) ? { addresses: [address] } : none
  }
  const resolve = async (t: TestContext, name: string, nat64: boolean) => {
    const policy = policyOf({ targets: 'public', nat64, allow: ['10.20.0.0/16', 'localhost', '127.0.0.1'] })
    const { resolver } = await setUp(t, zone, { policy })
    return resolver.resolve(name)
  }

  test('are addresses that names may lead to, and no others', async (t) => {
    assert.equal((await resolve(t, 'own.example.org', false)).type, 'resolved')
    assert.deepEqual(await resolve(t, 'other.example.org', false), forbidden)
    // The name is allowed, but it also resolves to ::1, which is not.
    assert.deepEqual(await resolve(t, 'localhost', false), forbidden)
  })

  test('let a NAT64 network reach what is public behind its translator', async (t) => {
    assert.deepEqual(await resolve(t, 'nat.example.org', false), forbidden)
    assert.equal((await resolve(t, 'nat.example.org', true)).type, 'resolved')
    assert.deepEqual(await resolve(t, 'inner.example.org', true), forbidden)
  })
})

describe('what the resolver remembers', () => {
  const steady: Zone = (_name, family) => (family === 4 ? { addresses: [GOOD4], ttl: 100_000 } : none)

  test('is good for five minutes at most, however long the answer says', async (t) => {
    const { resolver, server, clock } = await setUp(t, steady)
    await resolver.resolve('a.example.org')
    await clock.advance(299_999)
    await resolver.resolve('a.example.org')
    assert.equal(server.asked('a.example.org'), 2)
    await clock.advance(1)
    await resolver.resolve('a.example.org')
    assert.equal(server.asked('a.example.org'), 4)
  })

  test('of a failure is forgotten after thirty seconds', async (t) => {
    const { resolver, server, clock } = await setUp(t, () => 'unknown name')
    await resolver.resolve('a.example.org')
    await clock.advance(29_999)
    await resolver.resolve('a.example.org')
    assert.equal(server.asked('a.example.org'), 2)
    await clock.advance(1)
    await resolver.resolve('a.example.org')
    assert.equal(server.asked('a.example.org'), 4)
  })

  test('is passed over on demand', async (t) => {
    const { resolver, server } = await setUp(t, steady)
    await resolver.resolve('a.example.org')
    await resolver.resolve('a.example.org', { fresh: true })
    assert.equal(server.asked('a.example.org'), 4)
  })

  test('is shared by those who ask at once', async (t) => {
    const { resolver, server } = await setUp(t, steady)
    await Promise.all(Array.from({ length: 50 }, () => resolver.resolve('a.example.org')))
    assert.equal(server.asked('a.example.org'), 2)
  })

  test('is bounded: the name not used for longest goes first', async (t) => {
    const { resolver, server } = await setUp(t, steady, { cacheSize: 2 })
    for (const name of ['a', 'b', 'a', 'c', 'a', 'b']) await resolver.resolve(`${name}.example.org`)
    assert.deepEqual(
      ['a', 'b', 'c'].map((name) => server.asked(`${name}.example.org`) / 2),
      [1, 2, 1],
    )
  })
})
