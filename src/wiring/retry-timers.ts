// Timers of retries, in BullMQ. Setting one never holds anything up: the row says when, and the sweeper looks.
import type { Logger } from 'pino'
import { createRetryProducer } from '../queue/queues.ts'
import { bounded, closeRedis, connectRedis } from '../redis/client.ts'
import { withDeadline } from '../shared/deadline.ts'
import type { RetryTimer } from '../webhooks/recorder.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'

export interface RetryTimers {
  schedule(retries: readonly RetryTimer[]): void
  close(): Promise<void>
}

export async function openRetryTimers(
  redisUrl: string,
  log: Logger,
  metrics: DeliveryMetrics,
): Promise<RetryTimers> {
  const onError = (error: Error) => log.warn({ error: String(error) }, 'redis.connection_failed')
  const redis = await connectRedis({ url: redisUrl, role: 'commands', onError })
  const producer = createRetryProducer(redis, log)
  return {
    schedule(retries) {
      bounded(producer.schedule(retries), 2_000).then(
        () => metrics.timersSet(retries.length, true),
        (error: unknown) => {
          metrics.timersSet(retries.length, false)
          log.warn({ retries: retries.length, error: String(error) }, 'delivery.timer_not_set')
        },
      )
    },
    async close() {
      await withDeadline(producer.close(), 1_000, 'closing a queue').catch(() => undefined)
      await closeRedis(redis)
    },
  }
}
