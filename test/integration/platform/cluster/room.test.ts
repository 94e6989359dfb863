// Endpoints whose receivers are slow hold their asks for seconds. What others ask and tell meanwhile must find room.
import assert from 'node:assert/strict'
import { createReceiver, type LocalActors } from '../../../../src/platform/cluster/receiver.ts'
import { mostEndpointAsks, mostRequests, mostSent } from '../../../../src/platform/cluster/room.ts'
import { createRpcClient } from '../../../../src/platform/cluster/rpc-client.ts'
import type { RpcEnvelope } from '../../../../src/platform/cluster/rpc-envelope.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { after, describe, test } from '../../../support/harness.ts'
import { secret } from './gateway.ts'
import { startPeer } from './rpc-peer.ts'

let last = 0
const envelope = (type: RpcEnvelope['type'], kind: RpcEnvelope['kind']): RpcEnvelope => {
  last += 1
  const message = { type: 'read' }
  return { v: 1, kind, id: 'x', sid: 'sid-a', msgId: `message-${last}`, type, deadlineMs: 60_000, message }
}

describe('room for messages between processes', () => {
  test('at a receiver, slow endpoints leave half of it to calls and tells, and one that ends makes room', async () => {
    const waiting: (() => void)[] = []
    const actors = (ask: LocalActors['ask']): LocalActors => ({
      has: () => true,
      isDraining: false,
      takes: () => true,
      repeats: () => true,
      tell: async () => ({ type: 'accepted' }),
      ask,
    })
    const answered = { type: 'answered', value: 0 } as const
    const slow = actors(() => new Promise((resolve) => waiting.push(() => resolve(answered))))
    const receive = createReceiver({
      sid: 'sid-a',
      actors: new Map([
        ['endpoint', slow],
        ['call', actors(async () => answered)],
      ]),
      clock: systemClock,
      refused: () => undefined,
    })
    const held = Array.from({ length: mostEndpointAsks }, () => receive(envelope('ask', 'endpoint'), 'http'))
    assert.deepEqual(await receive(envelope('ask', 'endpoint'), 'http'), { type: 'full' })
    assert.deepEqual(await receive(envelope('ask', 'call'), 'http'), answered)
    assert.deepEqual(await receive(envelope('tell', 'endpoint'), 'http'), { type: 'accepted' })
    waiting.shift()?.()
    assert.deepEqual(await held[0], answered)
    void receive(envelope('ask', 'endpoint'), 'http')
    assert.equal(waiting.length, mostEndpointAsks)
    const besides = mostSent.call + mostSent.tell
    assert.ok(mostRequests - mostEndpointAsks >= 10 * besides, 'ten others find room besides the endpoints')
  })

  test('from a sender, slow endpoints of another process leave room for its calls', async () => {
    const held: (() => void)[] = []
    let isSlow = true
    const peer = await startPeer(({ type, kind }) => {
      const isHeld = isSlow && type === 'ask' && kind === 'endpoint'
      return new Promise((resolve) => {
        const answer = () => resolve({ type: 'accepted' })
        if (isHeld) held.push(answer)
        else answer()
      })
    })
    const rpc = createRpcClient({
      secrets: [secret],
      clock: systemClock,
      onUnsealed: () => undefined,
      most: { tell: 1, call: 1, endpoint: 2 },
    })
    after(async () => {
      await rpc.close()
      await peer.close()
    })
    const asked = [1, 2].map(() => rpc.send(peer.address, envelope('ask', 'endpoint')))
    assert.deepEqual(await rpc.send(peer.address, envelope('ask', 'endpoint')), { type: 'unavailable' })
    assert.deepEqual(await rpc.send(peer.address, envelope('ask', 'call')), { type: 'accepted' })
    assert.deepEqual(await rpc.send(peer.address, envelope('tell', 'call')), { type: 'accepted' })
    isSlow = false
    for (const answer of held) answer()
    assert.deepEqual(await Promise.all(asked), Array(2).fill({ type: 'accepted' }))
    assert.deepEqual(await rpc.send(peer.address, envelope('ask', 'endpoint')), { type: 'accepted' })
  })
})
