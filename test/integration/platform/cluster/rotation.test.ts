// Gateways that know different secrets of the cluster, as in the middle of a rollout.
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from '../../../support/harness.ts'
import { type TestRedis, testRedis } from '../../../support/redis.ts'
import { LedgerHost } from '../../../unit/platform/actors/ledger-actor.ts'
import { eventually, type Gateway, startGateway } from './gateway.ts'

const [older, common, newer] = ['the older secret', 'the common secret', 'the newer secret']
const quiet = { info() {}, warn() {} }

describe('gateways of a rollout', () => {
  let redis: TestRedis
  let gateways: Gateway[] = []
  let host: LedgerHost

  before(async () => {
    redis = await testRedis()
  })
  after(() => redis?.stop())
  afterEach(async () => {
    for (const gateway of gateways) await gateway.close()
    gateways = []
  })

  /** The first is alone when it takes the actor, so it is the owner. */
  async function pair(secrets: readonly (readonly string[])[], warned: string[] = []): Promise<Gateway[]> {
    host = new LedgerHost()
    host.seed('x', 3)
    const log = { ...quiet, warn: (_fields: object, event: string) => warned.push(event) }
    for (const known of secrets) {
      gateways.push(await startGateway({ redisUrl: redis.url, host, secrets: known, log }))
      if (gateways.length === 1) await gateways[0]?.node.router.tell('call', 'x', { type: 'stay' })
    }
    return gateways
  }

  test('understand each other by the one secret that they share, over HTTP and over Redis', async () => {
    const [owner, other] = await pair([
      [older, common],
      [newer, common],
    ])
    assert.ok(owner && other)
    const answer = await other.node.router.ask('call', 'x', { type: 'read' }, 3_000)
    assert.deepEqual(answer, { type: 'answered', value: 3 })
    owner.hang()
    await other.node.router.tell('call', 'x', { type: 'say', text: 'by inbox' } as never)
    await eventually(() => host.log.includes('frame by inbox'))
  })

  test('say in both logs that they share none', async () => {
    const warned: string[] = []
    const [, other] = await pair([[older], [newer]], warned)
    const answer = await other?.node.router.ask('call', 'x', { type: 'read' }, 1_000)
    assert.notEqual(answer?.type, 'answered')
    await eventually(() => warned.includes('cluster.seal_not_accepted'))
    await eventually(() => warned.includes('cluster.message_refused'))
  })
})
