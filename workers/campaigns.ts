// Campaigns: the queue says which number wants sending for, the engine sends.
import { createCampaignConsumer } from '../src/queue/campaign-queue.ts'
import { closeRedis, connectRedis, type Redis } from '../src/redis/client.ts'
import { withDeadline } from '../src/shared/deadline.ts'
import type { Pool } from '../src/store/sql.ts'
import { createCampaignEngine } from '../src/wiring/bind-campaign-engine.ts'
import type { EndpointRouter } from '../src/wiring/bind-webhooks.ts'
import { openCampaignClock } from '../src/wiring/campaign-clock.ts'
import { createDispatch } from '../src/wiring/dispatch.ts'
import type { Foundation } from '../src/wiring/foundation.ts'

export interface CampaignWork {
  /** True where as much was left behind as fits in one round. */
  sweep(): Promise<boolean>
  /** Ends what is under way; nothing is claimed any more. */
  drain(): Promise<void>
}

export interface CampaignWorkOptions {
  readonly base: Foundation
  readonly bulk: Pool
  readonly redis: Redis
  readonly router: EndpointRouter
}

export async function startCampaignWork({
  base,
  bulk,
  redis,
  router,
}: CampaignWorkOptions): Promise<CampaignWork> {
  const { log, redisUrl } = base
  const queue = await openCampaignClock(redisUrl, log)
  const engine = createCampaignEngine({ base, bulk, redis, queue, dispatch: createDispatch(router) })
  const onError = (error: Error) => log.warn({ error: String(error) }, 'redis.connection_failed')
  const consumerRedis = await connectRedis({ url: redisUrl, role: 'consumer', onError })
  const consumer = createCampaignConsumer(consumerRedis, engine, queue, log)
  return {
    sweep: engine.sweep,
    async drain() {
      // An outcome that cannot be written now is UNKNOWN until a status settles it.
      await withDeadline(engine.drain(), 20_000, 'ending campaign sends').catch(() => undefined)
      await withDeadline(consumer.close(), 5_000, 'closing a queue').catch(() => undefined)
      await queue.close()
      await closeRedis(consumerRedis)
    },
  }
}
