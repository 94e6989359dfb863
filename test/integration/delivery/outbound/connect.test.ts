import assert from 'node:assert/strict'
import { judgeUrl, type TargetPolicy } from '../../../../src/delivery/address-rule.ts'
import { createConnector } from '../../../../src/delivery/outbound/connect.ts'
import { startDeadline } from '../../../../src/delivery/outbound/deadline.ts'
import { type AddressResolver, createResolver } from '../../../../src/delivery/outbound/resolve.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { describe, type TestContext, test } from '../../../support/harness.ts'
import { startNameServer, type Zone } from './name-server.ts'
import { httpReceiver, makeSender, rawReceiver, request } from './receivers.ts'

const none = { addresses: [] }

async function resolverFor(t: TestContext, policy: TargetPolicy, zone: Zone) {
  const server = await startNameServer(t, zone)
  return createResolver({ policy, clock: systemClock, servers: [server.address] })
}

describe('a connection', () => {
  test('goes to the vetted address and to no other answer of any resolver', async (t) => {
    const hosts: (string | undefined)[] = []
    const port = await httpReceiver(t, (incoming, response) => {
      hosts.push(incoming.headers.host)
      response.end()
    })
    // Only the test's name server knows the name: a lookup at the machine's resolver would fail.
    const zone: Zone = (_name, family) => (family === 4 ? { addresses: ['127.0.0.1'] } : none)
    const resolver = await resolverFor(t, 'any', zone)
    const report = await makeSender(t, { resolver }).send(request(`http://pinned.example.org:${port}/`))
    assert.equal(report.outcome.type, 'delivered')
    assert.equal(report.remoteAddress, '127.0.0.1')
    assert.deepEqual(hosts, [`pinned.example.org:${port}`])
    assert((report.timings.dnsMs ?? -1) >= 0)
  })

  test('tries the next vetted address when the first refuses', async (t) => {
    const port = await httpReceiver(t, (_incoming, response) => void response.end())
    const zone: Zone = (_name, family) => (family === 4 ? { addresses: ['127.0.0.2', '127.0.0.1'] } : none)
    const resolver = await resolverFor(t, 'any', zone)
    const report = await makeSender(t, { resolver }).send(request(`http://two.example.org:${port}/`))
    assert.equal(report.outcome.type, 'delivered')
    assert.equal(report.remoteAddress, '127.0.0.1')
  })

  test('is not made when a name that was public turns private', async (t) => {
    let connections = 0
    const port = await rawReceiver(t, () => {
      connections += 1
    })
    const zone: Zone = (_name, family, count) =>
      family === 4 ? { addresses: [count === 1 ? '93.184.215.14' : '127.0.0.1'], ttl: 0 } : none
    const resolver = await resolverFor(t, 'public', zone)
    assert.equal((await resolver.resolve('rebind.example.org')).type, 'resolved')
    const sender = makeSender(t, { policy: 'public', resolver })
    const { outcome } = await sender.send(request(`https://rebind.example.org:${port}/`))
    assert.deepEqual(outcome, { type: 'blocked', code: 'ADDRESS_FORBIDDEN' })
    assert.equal(connections, 0)
  })

  test('is cut before a byte is written when the address reached is not public after all', async (t) => {
    const seen: Buffer[] = []
    let closed: () => void = () => {}
    const ended = new Promise<void>((resolve) => {
      closed = resolve
    })
    const port = await rawReceiver(t, (socket) => {
      socket.on('data', (chunk) => seen.push(chunk))
      socket.on('close', closed)
    })
    // A compromised or broken resolver.
    const deceived: AddressResolver = {
      resolve: async () => ({ type: 'resolved', addresses: [{ address: '127.0.0.1', family: 4 }] }),
    }
    const connect = createConnector({ policy: 'public', resolver: deceived })
    const verdict = judgeUrl(`https://good.example.org:${port}/`, 'public')
    assert(verdict.type === 'ok')
    const deadline = startDeadline(5_000)
    t.after(() => deadline.clear())
    const connected = await connect(verdict.target, deadline)
    assert(connected.type === 'failed')
    assert.equal(connected.code, 'ADDRESS_FORBIDDEN')
    await ended
    assert.equal(Buffer.concat(seen).byteLength, 0)
  })

  test('whose name is looked up for too long has timed out by the attempt’s own deadline', async (t) => {
    const resolver = await resolverFor(t, 'any', () => 'silence')
    const report = await makeSender(t, { resolver }).send(
      request('http://slow.example.org/', { deadlineMs: 150 }),
    )
    assert.deepEqual(report.outcome, { type: 'timedOut', code: 'DNS_TIMEOUT' })
    assert(report.durationMs < 1_900)
  })

  test('to an unknown name fails as such', async (t) => {
    const resolver = await resolverFor(t, 'any', () => 'unknown name')
    const { outcome } = await makeSender(t, { resolver }).send(request('http://nowhere.example.org/'))
    assert.deepEqual(outcome, { type: 'unreachable', code: 'DNS_NOT_FOUND' })
  })
})
