import assert from 'node:assert/strict'
import { type ClusterClient, startClient } from '../../../../src/platform/cluster/node.ts'
import { authHeader, seal } from '../../../../src/platform/cluster/rpc-envelope.ts'
import { keys } from '../../../../src/platform/redis/keys.ts'
import { after, before, describe, test } from '../../../support/harness.ts'
import { type TestRedis, testRedis } from '../../../support/redis.ts'
import { LedgerHost } from '../../../unit/platform/actors/ledger-actor.ts'
import { eventually, type Gateway, peerOptions, secret, startGateway } from './gateway.ts'

describe('messages between gateways', () => {
  let redis: TestRedis
  let a: Gateway
  let b: Gateway
  let client: ClusterClient
  const host = new LedgerHost()

  before(async () => {
    redis = await testRedis()
    a = await startGateway({ redisUrl: redis.url, host })
    b = await startGateway({ redisUrl: redis.url, host })
    client = await startClient(peerOptions(redis.url))
  })
  after(async () => {
    await client.close()
    await Promise.all([a.close(), b.close()])
    await redis.stop()
  })

  test('an actor is activated where it is first spoken to, and answers from everywhere', async () => {
    host.seed('x', 5)
    assert.deepEqual(await a.node.router.tell('call', 'x', { type: 'read' }), { type: 'accepted' })
    const answers = await Promise.all(
      [a.node.router, b.node.router, client.router].map((router) =>
        router.ask('call', 'x', { type: 'read' }, 2_000),
      ),
    )
    assert.deepEqual(answers, Array(3).fill({ type: 'answered', value: 5 }))
    assert.equal(a.actors.has('x'), true)
    assert.equal(b.actors.has('x'), false)
  })

  test('a process without actors gets an unowned one placed on a serving gateway', async () => {
    for (let n = 0; n < 20; n += 1) host.seed(`placed-${n}`, n)
    for (let n = 0; n < 20; n += 1) {
      const answer = await client.router.ask('call', `placed-${n}`, { type: 'read' }, 2_000)
      assert.deepEqual(answer, { type: 'answered', value: n })
    }
    const here = Array.from({ length: 20 }, (_, n) => a.actors.has(`placed-${n}`))
    assert.ok(here.includes(true) && here.includes(false), 'both gateways got some')
  })

  test('tells from one process arrive in the order in which they were told', async () => {
    host.seed('ordered')
    await a.node.router.tell('call', 'ordered', { type: 'read' })
    const texts = Array.from({ length: 50 }, (_, n) => `t${n}`)
    await Promise.all(
      texts.map((text) => b.node.router.tell('call', 'ordered', { type: 'say', text } as never)),
    )
    await eventually(() => host.log.includes('frame t49'))
    assert.deepEqual(
      host.log.filter((line) => /^frame t\d/.test(line)),
      texts.map((text) => `frame ${text}`),
    )
  })

  test('two hundred asks may be under way to another process', async () => {
    const ids = Array.from({ length: 20 }, (_, n) => `busy-${n}`)
    for (const [n, id] of ids.entries()) host.seed(id, n)
    await Promise.all(ids.map((id) => a.node.router.tell('call', id, { type: 'read' })))
    const asked = ids.flatMap((id) => Array(10).fill(id) as string[])
    const answers = await Promise.all(
      asked.map((id) => b.node.router.ask('call', id, { type: 'read' }, 60_000)),
    )
    assert.deepEqual(
      answers,
      asked.map((id) => ({ type: 'answered', value: ids.indexOf(id) })),
    )
  })

  test('a message that waits here for an actor of another gateway is sent on', async () => {
    host.seed('elsewhere')
    await b.node.router.tell('call', 'elsewhere', { type: 'read' })
    const asked = a.actors.ask('elsewhere', { type: 'read' } as never, 10_000)
    assert.equal(a.actors.has('elsewhere'), true)
    const told = a.node.router.tell('call', 'elsewhere', { type: 'say', text: 'sent on' } as never)
    assert.deepEqual(await told, { type: 'accepted' })
    assert.equal((await asked).type, 'theirs')
    assert.ok(host.log.includes('frame sent on'))
  })

  test('one process is asked once, and its answer is none where it is another by now, or takes no such thing', async () => {
    const asked = { kind: 'callUpdates', id: 'e', message: { type: 'read' }, deadlineMs: 2_000 } as const
    const askAt = (sid = b.node.self.sid) => a.node.router.askAt({ ...b.node.self, sid }, asked)
    assert.deepEqual(await askAt(), { type: 'unavailable' })
    b.node.host('callUpdates', b.actors)
    host.seed('e', 7)
    assert.deepEqual(await askAt(), { type: 'answered', value: 7 })
    assert.deepEqual(await askAt('former'), { type: 'unavailable' })
    const nowhere = { ...b.node.self, address: 'http://127.0.0.1:1' }
    assert.deepEqual(await a.node.router.askAt(nowhere, asked), { type: 'unavailable' })
  })

  test('another process is known to have an actor after a message to it', async () => {
    host.seed('known', 1)
    await a.node.router.tell('call', 'known', { type: 'read' })
    assert.equal(b.node.router.lastKnown('call', 'known'), undefined)
    await b.node.router.ask('call', 'known', { type: 'read' }, 2_000)
    assert.equal(b.node.router.lastKnown('call', 'known')?.sid, a.node.self.sid)
    assert.equal(a.node.router.lastKnown('call', 'known'), undefined)
  })

  test('an id without a row is notFound from everywhere', async () => {
    for (const router of [a.node.router, client.router])
      assert.deepEqual(await router.ask('call', 'missing', { type: 'read' }, 2_000), { type: 'notFound' })
  })

  test('an actor that moved is followed', async () => {
    host.seed('moving', 1)
    await a.node.router.tell('call', 'moving', { type: 'read' })
    await b.node.router.ask('call', 'moving', { type: 'read' }, 2_000)
    await a.node.router.tell('call', 'moving', { type: 'leave' })
    await eventually(() => !a.actors.has('moving'))
    // Only b's cache has the place of the actor, and it is out of date: b asks a, which activates it again.
    assert.deepEqual(await b.node.router.ask('call', 'moving', { type: 'read' }, 2_000), {
      type: 'answered',
      value: 1,
    })
  })

  test('an envelope without seal, with a forged or an old one, or for a former session is refused', async () => {
    const envelope = {
      v: 1,
      kind: 'call',
      id: 'x',
      sid: 'former',
      msgId: 'm',
      type: 'tell',
      deadlineMs: 1_000,
    }
    const body = JSON.stringify({ ...envelope, message: { type: 'read' } })
    const status = async (seals: Record<string, string>) => {
      const response = await fetch(`${a.node.self.address}/rpc`, { method: 'POST', body, headers: seals })
      return response.status
    }
    assert.equal(await status({}), 401)
    assert.equal(await status({ [authHeader]: seal('another secret', Date.now(), body) }), 401)
    assert.equal(await status({ [authHeader]: seal(secret, Date.now() - 31_000, body) }), 401)
    assert.equal(await status({ [authHeader]: seal(secret, Date.now(), `${body} `) }), 401)
    assert.equal(await status({ [authHeader]: seal(secret, Date.now(), body) }), 410)
  })

  test('a hint reaches whoever subscribed to its topic', async () => {
    const heard: string[] = []
    const end = b.node.hints.subscribe('endpoint', (id) => heard.push(id))
    a.node.hints.publish('key', 'not for it')
    a.node.hints.publish('endpoint', 'e 1')
    await eventually(() => heard.length > 0)
    end()
    assert.deepEqual(heard, ['e 1'])
  })

  test('the session of a gateway and its entry are in the registry', async () => {
    const nodes = await client.registry.liveNodes()
    assert.deepEqual(
      nodes.map(({ sid, state }) => ({ sid, state })).sort((x, y) => x.sid.localeCompare(y.sid)),
      [a, b]
        .map(({ node }) => ({ sid: node.self.sid, state: 'serving' }))
        .sort((x, y) => x.sid.localeCompare(y.sid)),
    )
    assert.ok((await client.redis.pTTL(keys.session(a.node.self.sid))) > 0)
  })
})
