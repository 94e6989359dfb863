import { createRedisOwnership } from '../../../src/platform/cluster/redis-ownership.ts'
import { createRegistry } from '../../../src/platform/cluster/registry.ts'
import { declareDead, NodeSession } from '../../../src/platform/cluster/session.ts'
import { watchStalls } from '../../../src/platform/cluster/stalls.ts'
import { closeRedis, connectRedis } from '../../../src/platform/redis/client.ts'
import { keys } from '../../../src/platform/redis/keys.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { testRedis } from '../../support/redis.ts'
import { ownershipSuite } from './suite.ts'

ownershipSuite('redis', async () => {
  const server = await testRedis()
  const redis = await connectRedis({ url: server.url, role: 'commands', onError: () => {} })
  return {
    async join(name) {
      const node = { nodeId: `node-${name}`, sid: `sid-${name}`, address: `http://${name}` }
      const session = new NodeSession({
        redis,
        node,
        version: '1',
        host: 'here',
        clock: systemClock,
        ttlMs: 600_000,
        renewMs: 600_000,
        onLost: () => {},
        log: { info() {}, warn() {} },
      })
      await session.start()
      session.abandon()
      const stalls = watchStalls(systemClock)
      stalls.stop()
      return createRedisOwnership({ redis, node, registry: createRegistry(redis, systemClock), stalls })
    },
    async expire(name) {
      await redis.del(keys.session(`sid-${name}`))
    },
    async declareDead(name) {
      await declareDead(redis, `sid-${name}`, 'test')
    },
    async epochOf(id) {
      const epoch = await redis.hGet(keys.owner('call', id), 'e')
      return epoch === null ? undefined : Number(epoch)
    },
    async close() {
      await closeRedis(redis)
      await server.stop()
    },
  }
})
