import assert from 'node:assert/strict'
import { hostname } from 'node:os'
import { startClient } from '../../../../src/platform/cluster/node.ts'
import { keys } from '../../../../src/platform/redis/keys.ts'
import { after, afterEach, before, describe, test } from '../../../support/harness.ts'
import { type TestRedis, testRedis } from '../../../support/redis.ts'
import { LedgerHost } from '../../../unit/platform/actors/ledger-actor.ts'
import { eventually, type Gateway, type GatewayOptions, peerOptions, startGateway } from './gateway.ts'

describe('gateways in trouble', () => {
  let redis: TestRedis
  let host: LedgerHost
  const running: Gateway[] = []

  const start = async (options: Partial<GatewayOptions> = {}) => {
    const gateway = await startGateway({ redisUrl: redis.url, host, ...options })
    running.push(gateway)
    return gateway
  }
  const pair = async (options: Partial<GatewayOptions> = {}) => {
    host = new LedgerHost()
    host.seed('x', 3)
    const [a, b] = [await start(options), await start(options)]
    await a.node.router.tell('call', 'x', { type: 'stay' })
    return { a, b }
  }
  const read = (gateway: Gateway) => gateway.node.router.ask('call', 'x', { type: 'read' }, 8_000)

  before(async () => {
    redis = await testRedis({ persistent: true })
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map((gateway) => gateway.close()))
  })
  after(() => redis.stop())

  test('a crashed gateway is declared dead after refused connections, long before its session runs out', async () => {
    const { a, b } = await pair({ sessionTtlMs: 60_000 })
    await read(b)
    await a.crash()
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    assert.equal(b.actors.has('x'), true)
    assert.equal(await b.node.redis.exists(keys.dead(a.node.self.sid)), 1)
  })

  test('without fast death its actors are taken over when the session has run out', async () => {
    const { a, b } = await pair({ sessionTtlMs: 3_000, isFastDeathEnabled: false })
    await read(b)
    await a.crash()
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    assert.equal(await b.node.redis.exists(keys.dead(a.node.self.sid)), 0)
  })

  test('a tell that HTTP cannot bring goes by the inbox, and is acted on once', async () => {
    const { a, b } = await pair({ sessionTtlMs: 60_000 })
    a.hang()
    const told = await b.node.router.tell('call', 'x', { type: 'say', text: 'by inbox' } as never)
    assert.deepEqual(told, { type: 'accepted' })
    await eventually(() => host.log.includes('frame by inbox'))
    await eventually(async () => (await b.node.redis.xLen(keys.inbox(a.node.self.nodeId))) === 0)
    assert.equal(host.log.filter((line) => line === 'frame by inbox').length, 1)
  })

  test('a gateway whose address only its own host reaches is told of, not declared dead, and gets tells', async () => {
    const { a } = await pair({ sessionTtlMs: 60_000 })
    const warned: [data: object, event: string][] = []
    const log = { info() {}, warn: (data: object, event: string) => void warned.push([data, event]) }
    const client = await startClient({ ...peerOptions(redis.url), host: 'another host', log })
    await client.registry.liveNodes()
    // On another host nothing listens at this address, or another process.
    await a.refuse()
    for (const text of ['one', 'two'])
      assert.deepEqual(await client.router.tell('call', 'x', { type: 'say', text } as never), {
        type: 'accepted',
      })
    await eventually(() => host.log.includes('frame two'))
    assert.equal(await client.redis.exists(keys.dead(a.node.self.sid)), 0)
    const told = warned.filter(([, event]) => event === 'cluster.gateway_out_of_reach').map(([data]) => data)
    assert.deepEqual(
      told.map((data) => (data as { readonly host: string }).host),
      [hostname(), hostname()],
      'once for each of the two gateways',
    )
    await client.close()
  })

  test('an owner that lost its session to another drops the actor when it comes back', async () => {
    const { a, b } = await pair({ sessionRenewMs: 500 })
    await a.node.redis.del([keys.session(a.node.self.sid), keys.owner('call', 'x')])
    assert.deepEqual(await b.node.ownership.claim('call', 'x'), { type: 'mine' })
    await eventually(() => !a.actors.has('x'))
    assert.equal(await a.node.redis.exists(keys.session(a.node.self.sid)), 1)
  })

  test('an emptied Redis is filled again: sessions, nodes and owners', async () => {
    const { a, b } = await pair()
    await a.node.redis.flushAll()
    await eventually(async () => (await a.node.redis.hGet(keys.owner('call', 'x'), 's')) === a.node.self.sid)
    await eventually(async () => (await a.node.redis.zCard(keys.nodes)) === 2)
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    assert.equal(host.log.filter((line) => line === 'load').length, 1, 'it was never loaded again')
  })

  test('actors go on while Redis is away, and everything works again when it is back', async () => {
    const { a, b } = await pair()
    await read(b)
    redis.kill()
    await eventually(() => !a.node.redis.isReady)
    host.seed('free', 8)
    // a has `x` in memory, b has its owner in the cache, the row of `free` has no owner: no read needs Redis.
    assert.deepEqual(await read(a), { type: 'answered', value: 3 })
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    const free = await a.node.router.ask('call', 'free', { type: 'read' }, 5_000)
    assert.deepEqual(free, { type: 'answered', value: 8 })
    await redis.restart()
    await eventually(() => a.node.redis.isReady && b.node.redis.isReady)
    await eventually(async () => {
      const answer = await b.node.router.ask('call', 'x', { type: 'read' }, 1_000)
      return answer.type === 'answered'
    })
    host.seed('later', 9)
    await eventually(async () => {
      const answer = await b.node.router.ask('call', 'later', { type: 'read' }, 1_000)
      return answer.type === 'answered'
    })
  })

  test('while Redis is away, the row leads to an owner that was never asked before', async () => {
    const { a, b } = await pair()
    await eventually(() => b.node.registry.recall(a.node.self.sid).type === 'alive')
    redis.kill()
    await eventually(() => !b.node.redis.isReady)
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    assert.equal(host.rows.get('x')?.sid, a.node.self.sid, 'the owner answered')
    assert.equal(b.actors.has('x'), false)
    await redis.restart()
  })

  test('while Redis is away, a crashed owner is still found out and replaced', async () => {
    const { a, b } = await pair()
    await eventually(() => b.node.registry.recall(a.node.self.sid).type === 'alive')
    redis.kill()
    await eventually(() => !b.node.redis.isReady)
    await a.crash()
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    assert.equal(host.rows.get('x')?.sid, b.node.self.sid)
    assert.equal(host.loads.at(-1)?.deadSid, a.node.self.sid, 'its successor need not wait')
    await redis.restart()
  })

  test('a frozen owner is replaced long before its session runs out, also for what it was asked already', async () => {
    const { a, b } = await pair({ sessionTtlMs: 60_000 })
    await read(b)
    a.freeze()
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    assert.equal(host.rows.get('x')?.sid, b.node.self.sid)
    assert.equal(host.loads.at(-1)?.deadSid, a.node.self.sid, 'its successor need not wait')
    assert.equal(await b.node.redis.exists(keys.dead(a.node.self.sid)), 1)
  })

  test('what may be handled once only is not repeated after a freeze: its outcome is unknown', async () => {
    const { a, b } = await pair({ sessionTtlMs: 60_000 })
    await read(b)
    a.freeze()
    const asked = await b.node.router.ask('call', 'x', { type: 'readLater' }, 8_000)
    assert.deepEqual(asked, { type: 'unavailable' })
  })

  test('an owner that renews its session is not replaced because the link to it hangs', async () => {
    const { a, b } = await pair()
    await read(b)
    a.hang()
    const asked = await b.node.router.ask('call', 'x', { type: 'read' }, 2_000)
    assert.deepEqual(asked, { type: 'timedOut' })
    assert.equal(host.rows.get('x')?.sid, a.node.self.sid)
  })

  test('a gateway without Postgres gives its actors up, goes on, and may own actors again', async () => {
    host = new LedgerHost()
    host.seed('x', 3)
    let awayMs = 0
    const a = await start({ postgresAwayMs: () => awayMs })
    const b = await start()
    await a.node.router.tell('call', 'x', { type: 'stay' })
    await read(b)
    awayMs = 5_000
    await eventually(() => !a.actors.has('x'))
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    assert.equal(host.rows.get('x')?.sid, b.node.self.sid)
    assert.deepEqual(await read(a), { type: 'answered', value: 3 }, 'it still sends')
    awayMs = 0
    await eventually(() => a.node.session.state === 'serving' && !a.actors.isDraining)
    host.seed('y', 7)
    const asked = await a.node.router.ask('call', 'y', { type: 'read' }, 5_000)
    assert.deepEqual(asked, { type: 'answered', value: 7 })
    assert.equal(a.actors.has('y'), true)
  })

  test('a gateway that ended in order is not examined: its session says that it is gone', async () => {
    const { a, b } = await pair()
    await read(b)
    await a.node.leave()
    await a.actors.drain(5_000)
    await a.close()
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    assert.equal(await b.node.redis.get(keys.dead(a.node.self.sid)), 'itself')
  })

  test('a drained gateway leaves its actors to the others, which need not wait for it', async () => {
    const { a, b } = await pair()
    await read(b)
    await a.node.leave()
    await a.actors.drain(5_000)
    assert.equal(host.rows.get('x')?.sid, undefined)
    assert.deepEqual(await read(b), { type: 'answered', value: 3 })
    assert.equal(b.actors.has('x'), true)
    assert.deepEqual(await read(a), { type: 'answered', value: 3 }, 'it still sends')
    assert.equal(a.actors.has('x'), false)
  })
})
