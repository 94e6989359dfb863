// The queue of campaigns, as seen by who starts them: a connection of its own, because BullMQ wants one.
import type { Logger } from 'pino'
import { type CampaignProducer, createCampaignProducer } from '../queue/campaign-queue.ts'
import { closeRedis, connectRedis } from '../redis/client.ts'
import { withDeadline } from '../shared/deadline.ts'

export async function openCampaignClock(redisUrl: string, log: Logger): Promise<CampaignProducer> {
  const onError = (error: Error) => log.warn({ error: String(error) }, 'redis.connection_failed')
  const redis = await connectRedis({ url: redisUrl, role: 'commands', onError })
  const producer = createCampaignProducer(redis, log)
  return {
    ...producer,
    async close() {
      await withDeadline(producer.close(), 1_000, 'closing a queue').catch(() => undefined)
      await closeRedis(redis)
    },
  }
}
