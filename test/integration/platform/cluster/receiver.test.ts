import assert from 'node:assert/strict'
import type { TellResult } from '../../../../src/platform/actors/mailbox-entry.ts'
import { KeyedSerial } from '../../../../src/platform/cluster/keyed-serial.ts'
import { LocationCache } from '../../../../src/platform/cluster/location-cache.ts'
import { createReceiver } from '../../../../src/platform/cluster/receiver.ts'
import { type NodeEntry, rendezvous } from '../../../../src/platform/cluster/registry.ts'
import { type RpcEnvelope, readEnvelope } from '../../../../src/platform/cluster/rpc-envelope.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'
import { ledger } from '../../../unit/platform/actors/ledger-actor.ts'

const envelope = (changes: Partial<RpcEnvelope> = {}): RpcEnvelope => ({
  v: 1,
  kind: 'call',
  id: 'x',
  sid: 'sid-a',
  msgId: 'message-1',
  type: 'tell',
  deadlineMs: 1_000,
  message: { type: 'say', text: 'hello' } as never,
  ...changes,
})

describe('a receiver', () => {
  const opened = () => {
    const world = ledger()
    const { actors, clock } = world
    const refusals: string[] = []
    const refused = (...why: string[]) => void refusals.push(why.join(' '))
    const receive = createReceiver({ sid: 'sid-a', actors: new Map([['call', actors]]), clock, refused })
    return { ...world, receive, refusals }
  }

  test('acts once on a message that comes by two ways, for a minute', async () => {
    const { receive, host, clock } = opened()
    assert.deepEqual(await receive(envelope(), 'http'), { type: 'accepted' })
    await clock.advance(59_000)
    assert.deepEqual(await receive(envelope(), 'http'), { type: 'accepted' })
    assert.equal(host.log.filter((line) => line === 'frame hello').length, 1)
  })

  test('gives a copy that comes meanwhile the outcome of the first one, taken or not', async () => {
    for (const fails of [false, true]) {
      const { receive, host } = opened()
      let go = () => {}
      const loading = new Promise<void>((resolve) => {
        go = resolve
      })
      host.beforeLoad = async () => {
        await loading
        if (fails) throw new Error('the database is away')
      }
      const ask = envelope({ type: 'ask', message: { type: 'read' } })
      const both = [receive(ask, 'http'), receive(ask, 'http')]
      go()
      const outcome = fails ? { type: 'unavailable' } : { type: 'answered', value: 0 }
      assert.deepEqual(await Promise.all(both), [outcome, outcome])
      assert.equal(host.log.filter((line) => line === 'load').length, fails ? 0 : 1)
    }
  })

  test('takes a message again that it had refused', async () => {
    const { receive, host } = opened()
    host.beforeLoad = async () => {
      throw new Error('the database is away')
    }
    assert.deepEqual(await receive(envelope(), 'http'), { type: 'unavailable' })
    host.beforeLoad = async () => {}
    assert.deepEqual(await receive(envelope(), 'http'), { type: 'accepted' })
    assert.equal(host.log.at(-1), 'frame hello')
  })

  test('does not answer a repeated ask as if it had acted again', async () => {
    const { receive } = opened()
    const ask = envelope({ type: 'ask', message: { type: 'read' } })
    assert.deepEqual(await receive(ask, 'http'), { type: 'answered', value: 0 })
    assert.deepEqual(await receive(ask, 'http'), { type: 'unavailable' })
  })

  test('says what it is not: a former process, a kind it does not know, a process that stays', async () => {
    const { receive, actors, clock } = opened()
    assert.deepEqual(await receive(envelope({ sid: 'former' }), 'http'), { type: 'restarted' })
    assert.deepEqual(await receive(envelope({ kind: 'endpoint' }), 'http'), { type: 'unknown' })
    const drained = actors.drain(1_000)
    assert.deepEqual(await receive(envelope(), 'http'), { type: 'leaving' })
    await clock.advance(1_000)
    await drained
  })

  test('refuses what only the actor itself posts, even from a process of the cluster', async () => {
    const { receive, actors, refusals } = opened()
    assert.deepEqual(await receive(envelope({ message: { type: 'due' } }), 'http'), { type: 'unknown' })
    assert.deepEqual(await receive(envelope({ message: { type: 'due' } }), 'inbox'), { type: 'unknown' })
    assert.deepEqual(refusals, ['http internal', 'inbox internal'])
    assert.equal(actors.has('x'), false)
  })

  test('reads no envelope of another form or a later version', () => {
    assert.equal(readEnvelope('{'), 'malformed')
    assert.equal(readEnvelope('{"v":1}'), 'malformed')
    assert.equal(readEnvelope('{"v":2,"whatever":true}'), 'unknown')
    assert.deepEqual(readEnvelope(JSON.stringify(envelope())), envelope())
  })
})

describe('serial', () => {
  test('send one at a time for an actor, all at once for several, and no more than a thousand wait', async () => {
    const serial = new KeyedSerial()
    const sent: string[] = []
    const open: (() => void)[] = []
    const send = (name: string) => () =>
      new Promise<TellResult>((resolve) => {
        sent.push(name)
        open.push(() => resolve({ type: 'accepted' }))
      })
    void serial.add('x', send('x1'))
    const second = serial.add('x', send('x2'))
    void serial.add('y', send('y1'))
    assert.deepEqual(sent, ['x1', 'y1'])
    for (let n = 0; n < 999; n += 1) void serial.add('x', send('more'))
    assert.deepEqual(await serial.add('x', send('too many')), { type: 'full' })
    open[0]?.()
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(sent, ['x1', 'y1', 'x2'])
    open[2]?.()
    assert.deepEqual(await second, { type: 'accepted' })
  })
})

describe('placement', () => {
  const node = (sid: string, state: NodeEntry['state'] = 'serving'): NodeEntry => ({
    nodeId: sid,
    sid,
    address: `http://${sid}`,
    state,
    version: '1',
    host: 'here',
  })
  const first = (nodes: NodeEntry[], key: string) => rendezvous(nodes, key)[0]?.sid
  const keys = Array.from({ length: 600 }, (_, n) => `call:${n}`)

  test('spreads actors over the nodes that serve, and no others', () => {
    const nodes = [node('a'), node('b'), node('c'), node('d', 'draining'), node('e', 'joining')]
    for (const sid of ['a', 'b', 'c']) {
      const share = keys.filter((key) => first(nodes, key) === sid).length
      assert.ok(share > 140 && share < 260, `${sid} got ${share} of 600`)
    }
  })

  test('moves only the actors of a node that left', () => {
    const three = [node('a'), node('b'), node('c')]
    const two = three.slice(0, 2)
    const moved = keys.filter((key) => first(three, key) !== first(two, key))
    assert.ok(moved.every((key) => first(three, key) === 'c'))
  })

  test('forgets where an actor was after five seconds, and what was not used for two times ten thousand', async () => {
    const clock = new SimulatedClock()
    const cache = new LocationCache(clock)
    const where = { nodeId: 'a', sid: 'a', address: 'http://a' }
    cache.set('kept', where)
    for (let n = 0; n < 20_000; n += 1) {
      cache.set(`n${n}`, where)
      if (n % 5_000 === 0) assert.equal(cache.get('kept'), where)
    }
    assert.equal(cache.get('n0'), undefined)
    assert.equal(cache.get('kept'), where)
    await clock.advance(5_000)
    assert.equal(cache.get('kept'), undefined)
  })
})
