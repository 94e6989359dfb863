// The socket between two processes, over which their messages go, and POST, which an older release takes.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { WebSocket } from 'ws'
import type { Receive } from '../../../../src/platform/cluster/receiver.ts'
import { createRpcClient, type RpcClient } from '../../../../src/platform/cluster/rpc-client.ts'
import {
  maxEnvelopeBytes,
  type RpcEnvelope,
  sealAll,
  sealHeaders,
} from '../../../../src/platform/cluster/rpc-envelope.ts'
import { messageFrame, socketPath } from '../../../../src/platform/cluster/rpc-frame.ts'
import { type Clock, systemClock } from '../../../../src/shared/clock.ts'
import { afterEach, describe, test } from '../../../support/harness.ts'
import { eventually, secret } from './gateway.ts'
import { type RpcPeer, startPeer } from './rpc-peer.ts'

let last = 0
const envelope = (changes: Partial<RpcEnvelope> = {}): RpcEnvelope => {
  last += 1
  return {
    ...({
      v: 1,
      kind: 'call',
      id: 'x',
      sid: 's',
      msgId: `m${last}`,
      type: 'ask',
      deadlineMs: 5_000,
    } as const),
    message: { type: 'read' },
    ...changes,
  }
}
const answersId: Receive = async ({ id }) => ({ type: 'answered', value: id })

describe('a socket between processes', () => {
  const closing: (() => Promise<void>)[] = []
  let clock: Clock & { aheadMs: number }

  const peerOf = async (receive: Receive, port = 0): Promise<RpcPeer> => {
    const peer = await startPeer(receive, port)
    closing.push(() => peer.close())
    return peer
  }
  const client = (secrets = [secret]): RpcClient => {
    clock = Object.assign(Object.create(systemClock) as Clock, {
      aheadMs: 0,
      mono: () => systemClock.mono() + clock.aheadMs,
    })
    const rpc = createRpcClient({ secrets, clock, onUnsealed: () => {} })
    closing.push(() => rpc.close())
    return rpc
  }
  const socketTo = async (peer: RpcPeer, headers: Record<string, string>): Promise<WebSocket> => {
    const socket = new WebSocket(`ws://127.0.0.1:${peer.port}${socketPath}`, { headers })
    closing.push(async () => socket.terminate())
    await once(socket, 'open')
    return socket
  }
  const upgradeHeaders = () => sealHeaders(sealAll([secret], Date.now(), socketPath))

  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  test('takes every message to that process, and answers come in any order', async () => {
    const order: string[] = []
    const waiting = new Map<string, () => void>()
    const peer = await peerOf(({ id }) => {
      const answer = { type: 'answered', value: `${id} ü` } as const
      return new Promise((resolve) => waiting.set(id, () => resolve(answer)))
    })
    const rpc = client()
    const asked = ['a', 'b', 'c'].map(async (id) => {
      const answer = await rpc.send(peer.address, envelope({ id }))
      order.push(id)
      return answer
    })
    await eventually(() => waiting.size === 3)
    for (const id of ['c', 'a', 'b']) {
      const before = order.length
      waiting.get(id)?.()
      await eventually(() => order.length > before)
    }
    assert.deepEqual(order, ['c', 'a', 'b'])
    assert.deepEqual(
      await Promise.all(asked),
      ['a ü', 'b ü', 'c ü'].map((value) => ({ type: 'answered', value })),
    )
    assert.deepEqual(peer.seen, { posts: 0, upgrades: 1 })
  })

  test('stays open where a message is an error to its receiver', async () => {
    const peer = await peerOf((one) => {
      if (one.id === 'fault') throw new Error('planted')
      return answersId(one, 'http')
    })
    const rpc = client()
    assert.deepEqual(await rpc.send(peer.address, envelope({ id: 'fault' })), { type: 'unavailable' })
    assert.deepEqual(await rpc.send(peer.address, envelope()), { type: 'answered', value: 'x' })
    assert.equal(peer.seen.upgrades, 1)
  })

  test('is not asked of an older release for ten seconds after it had none', async () => {
    const peer = await peerOf(answersId)
    peer.takesSockets = false
    const rpc = client()
    const read = async () =>
      assert.deepEqual(await rpc.send(peer.address, envelope()), { type: 'answered', value: 'x' })
    await read()
    await read()
    assert.equal(peer.seen.posts, 2)
    peer.takesSockets = true
    await read()
    assert.deepEqual(peer.seen, { posts: 3, upgrades: 1 })
    clock.aheadMs += 10_000
    await read()
    assert.deepEqual(peer.seen, { posts: 3, upgrades: 2 })
  })

  test('leads to the process that has the address by now', async () => {
    const peer = await peerOf(answersId)
    const rpc = client()
    await rpc.send(peer.address, envelope())
    await peer.close()
    await eventually(async () => (await rpc.send(peer.address, envelope())).type === 'refused')
    await peerOf(async () => ({ type: 'restarted' }), peer.port)
    assert.deepEqual(await rpc.send(peer.address, envelope()), { type: 'restarted' })
  })

  test('of a process that goes away brings the answers that are due, and then nobody is there', async () => {
    let answer: (() => void) | undefined
    const peer = await peerOf(async (one) => {
      if (one.id !== 'due') return answersId(one, 'http')
      await new Promise<void>((resolve) => {
        answer = resolve
      })
      return { type: 'answered', value: 'due' }
    })
    const rpc = client()
    const asked = rpc.send(peer.address, envelope({ id: 'due' }))
    await eventually(() => answer !== undefined)
    const closed = peer.close()
    await eventually(async () => (await rpc.send(peer.address, envelope())).type === 'refused')
    answer?.()
    assert.deepEqual(await asked, { type: 'answered', value: 'due' })
    await closed
    assert.equal(peer.seen.upgrades, 1)
  })

  test('that ends before an answer says that the message may have arrived, although nobody listens by then', async () => {
    let hasIt = () => {}
    const taken = new Promise<void>((resolve) => {
      hasIt = resolve
    })
    const peer = await peerOf(() => {
      hasIt()
      return new Promise(() => {})
    })
    const asked = client().send(peer.address, envelope())
    await taken
    await peer.close()
    assert.deepEqual(await asked, { type: 'lost' })
  })

  test('that ends is followed by another to the same process, with the same message', async () => {
    const ids: string[] = []
    const peer = await peerOf(({ msgId }) => {
      ids.push(msgId)
      if (ids.length > 1) return Promise.resolve({ type: 'accepted' })
      peer.cut()
      return new Promise(() => {})
    })
    const told = await client().send(peer.address, envelope({ type: 'tell' }))
    assert.deepEqual(told, { type: 'accepted' })
    assert.equal(ids.length, 2)
    assert.equal(ids[1], ids[0])
  })

  test('that ended says nothing certain, whatever another process answers at that address', async () => {
    let isFirst = true
    const peer = await peerOf(() => {
      if (!isFirst) return Promise.resolve({ type: 'restarted' })
      isFirst = false
      peer.cut()
      return new Promise(() => {})
    })
    assert.deepEqual(await client().send(peer.address, envelope()), { type: 'lost' })
  })

  test('is done without where upgrades are not answered, but requests are', async () => {
    const server = createServer((request, response) => {
      response.end('{"type":"accepted"}')
      request.resume()
    })
    const held: Duplex[] = []
    server.on('upgrade', (_request, socket) => held.push(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(async () => {
      for (const socket of held) socket.destroy()
      server.closeAllConnections()
      server.close()
    })
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const rpc = client()
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual(await rpc.send(address, envelope()), { type: 'accepted' })
    assert.equal(held.length, 1)
  })

  test('that is silent is left for a new one, and what it still answers counts', async () => {
    let answer = () => {}
    const peer = await peerOf(({ id }) =>
      id === 'slow'
        ? new Promise((resolve) => {
            answer = () => resolve({ type: 'answered', value: 'late' })
          })
        : answersId(envelope({ id }), 'http'),
    )
    const rpc = client()
    const slow = rpc.send(peer.address, envelope({ id: 'slow' }))
    await rpc.send(peer.address, envelope())
    assert.equal(peer.seen.upgrades, 1)
    clock.aheadMs += 4_001
    await rpc.send(peer.address, envelope())
    assert.equal(peer.seen.upgrades, 2)
    answer()
    assert.deepEqual(await slow, { type: 'answered', value: 'late' })
  })

  test('of a process that stands still loses what was written, and reaches nobody before', async () => {
    let isFrozen = false
    const peer = await peerOf((one) => (isFrozen ? new Promise(() => {}) : answersId(one, 'http')))
    const rpc = client()
    await rpc.send(peer.address, envelope())
    isFrozen = true
    assert.deepEqual(await rpc.send(peer.address, envelope({ type: 'tell' })), { type: 'lost' })
    isFrozen = false
    await rpc.send(peer.address, envelope())
    assert.equal(peer.seen.upgrades, 2, 'nothing came over the first one since')
  })

  test('is not ended by a message that is too long, which is refused alone', async () => {
    const peer = await peerOf(answersId)
    const rpc = client()
    const message = { type: 'say', text: 'ü'.repeat(maxEnvelopeBytes / 2) } as never
    const [long, short] = await Promise.all([
      rpc.send(peer.address, envelope({ message })),
      rpc.send(peer.address, envelope()),
    ])
    assert.deepEqual(long, { type: 'unavailable' })
    assert.deepEqual(short, { type: 'answered', value: 'x' })
    const fits = { type: 'say', text: 'ü'.repeat(maxEnvelopeBytes / 2 - 200) } as never
    assert.equal((await rpc.send(peer.address, envelope({ message: fits }))).type, 'answered')
    assert.deepEqual(peer.seen, { posts: 1, upgrades: 1 })
  })

  test('is refused to a stranger, whose messages are as well', async () => {
    const peer = await peerOf(answersId)
    for (const headers of [{}, sealHeaders(sealAll(['another secret'], Date.now(), socketPath))])
      await assert.rejects(socketTo(peer, headers), /401/)
    assert.deepEqual(await client(['another secret']).send(peer.address, envelope()), { type: 'unavailable' })
    const socket = await socketTo(peer, upgradeHeaders())
    const body = JSON.stringify(envelope())
    const ask = async (seals: Parameters<typeof messageFrame>[1], text = body) => {
      socket.send(messageFrame('7', seals, text))
      const [data] = (await once(socket, 'message')) as [Buffer]
      return data.toString()
    }
    const genuine = sealAll([secret], Date.now(), body)
    assert.equal(await ask({ first: '', more: undefined }), '7 {"type":"unsealed"}')
    assert.equal(await ask(genuine, `${body} `), '7 {"type":"unsealed"}')
    assert.equal(await ask(sealAll([secret], Date.now() - 31_000, body)), '7 {"type":"unsealed"}')
    assert.equal(await ask(sealAll([secret], Date.now(), '{}'), '{}'), '7 {"type":"malformed"}')
    assert.equal(await ask(sealAll(['older', secret], Date.now(), body)), '7 {"type":"answered","value":"x"}')
    socket.send('no message')
    const [code] = await once(socket, 'close')
    assert.equal(code, 1002)
    assert.deepEqual(peer.refused, [
      'http unsealed',
      'http forged',
      'http forged',
      'http forged',
      ...['http unsealed', 'http forged', 'http expired', 'http malformed', 'http malformed'],
    ])
  })
})
