// The TURN credentials of the API, used with a real coturn.
import assert from 'node:assert/strict'
import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createTurnClient, type TurnProtocol } from 'werift'
import { createIceServers } from '../../src/calls/ice-servers.ts'
import { createPeer } from '../../src/examples/bot/peer.ts'
import { connectSwitchboard } from '../../src/examples/bot/switchboard.ts'
import { decodeId } from '../../src/shared/ids.ts'
import { type Coturn, findCoturn, startCoturn } from '../support/coturn.ts'
import { after, before, describe, test } from '../support/harness.ts'
import { PATIENCE_MS } from '../support/patience.ts'
import { askAllocation, type TurnCredentials } from '../support/turn-allocation.ts'
import { ok } from './clients.ts'
import { type Stack, startStack } from './stack.ts'

const found = await findCoturn()
const skip = 'reason' in found ? found.reason : false
const secrets = ['the newer secret of the tests', 'the older one']

const allocate = ({ port }: Coturn, { username, credential }: TurnCredentials): Promise<TurnProtocol> =>
  createTurnClient(
    { address: ['127.0.0.1', port], username, password: credential },
    { transport: 'udp', interfaceAddresses: { udp4: '127.0.0.1' } },
  )

/** Sends through the relay to a peer on loopback; returns the relay's address and the peer's answer. */
async function relayed(turn: TurnProtocol, text: string): Promise<{ from: RemoteInfo; back: string }> {
  const peer = createSocket('udp4')
  const signal = AbortSignal.timeout(PATIENCE_MS)
  try {
    peer.bind(0, '127.0.0.1')
    await once(peer, 'listening')
    const back = new Promise<Buffer>((resolve) => void turn.onData.once((data) => resolve(data)))
    const arrived = once(peer, 'message', { signal })
    await turn.sendData(Buffer.from(text), ['127.0.0.1', (peer.address() as AddressInfo).port])
    const [data, from] = (await arrived) as [Buffer, RemoteInfo]
    peer.send(Buffer.from(`${data.toString()}, heard`), from.port, from.address)
    const expired = once(signal, 'abort').then(() => Promise.reject(new Error('nothing came back')))
    return { from, back: (await Promise.race([back, expired])).toString() }
  } finally {
    peer.close()
  }
}

describe('the TURN credentials of GET /calls/ice', { skip }, () => {
  let coturn: Coturn
  let stack: Stack
  before(async () => {
    coturn = await startCoturn('bin' in found ? found.bin : '', secrets)
    const env = { ICE_SERVERS: coturn.url, TURN_SECRET: secrets.join(','), TURN_TTL: '5m' }
    stack = await startStack({ workers: 0, env })
  })
  after(async () => {
    await stack?.stop()
    await coturn?.stop()
  })

  /** Credentials as the gateway signs them, for another time or with another secret. */
  const signed = (secret: string, agoMs = 0): TurnCredentials => {
    const clock = { now: () => Date.now() - agoMs }
    const ice = createIceServers({ urls: [coturn.url], turnSecrets: [secret], ttlMs: 300_000, clock })
    const workspaceId = decodeId('workspace', stack.workspaceId)
    assert.ok(workspaceId)
    const [{ username, credential } = {}] = ice(workspaceId).iceServers
    assert.ok(username && credential)
    return { username, credential }
  }

  test('get an allocation from coturn, which relays both ways', async () => {
    const { iceServers } = await ok(stack.api.get('/calls/ice'))
    assert.deepEqual(
      iceServers.map(({ urls }: { urls: string[] }) => urls),
      [[coturn.url]],
    )
    const turn = await allocate(coturn, iceServers[0])
    try {
      assert.equal(turn.relayedAddress[0], '127.0.0.1')
      const { from, back } = await relayed(turn, 'a voice')
      assert.deepEqual([from.port, back], [turn.relayedAddress[1], 'a voice, heard'])
    } finally {
      await turn.close()
    }
  })

  test('give the bot a relay candidate for its calls', async () => {
    const switchboard = connectSwitchboard(stack.gateway(0).origin, stack.key)
    const peer = createPeer(await switchboard.iceServers(), '127.0.0.1')
    try {
      assert.match(await peer.offer(), /a=candidate:.* udp \d+ 127\.0\.0\.1 \d+ typ relay/)
    } finally {
      peer.close()
    }
  })

  test('hold under either secret while one replaces the other', async () => {
    for (const secret of secrets) assert.equal(await askAllocation(coturn.port, signed(secret)), 200)
  })

  test('are refused by coturn when they are wrong, changed or expired', async () => {
    const good: TurnCredentials = (await ok(stack.api.get('/calls/ice'))).iceServers[0]
    const [expiry = '', workspace = ''] = good.username.split(':')
    const longer = { ...good, username: `${Number(expiry) + 3600}:${workspace}` }
    const bad = {
      'of another secret': signed('a secret that coturn does not know'),
      'with another password': { ...good, credential: signed('another').credential },
      'made longer by whoever has them': longer,
      'of five minutes and two seconds ago': signed(secrets[0] ?? '', 302_000),
    }
    for (const [what, credentials] of Object.entries(bad))
      assert.equal(await askAllocation(coturn.port, credentials), 401, what)
  })
})
