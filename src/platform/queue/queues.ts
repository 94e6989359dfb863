// Connections of BullMQ queues. Jobs contain ids only and Postgres is authoritative, so a sweep replaces a
// lost job, and a repeated job finds nothing to do.

import { type ConnectionOptions, createNodeRedisClient } from 'bullmq'
import { withDeadline } from '../../shared/deadline.ts'
import type { Log } from '../../shared/log.ts'
import { closeRedis, connectRedis } from '../redis/client.ts'

export interface QueueConnection {
  readonly connection: ConnectionOptions
  /** Closes the queue or worker within a time limit, and then the connection, which BullMQ does not close. */
  close(user: { close(): Promise<unknown> }, limitMs: number): Promise<void>
}

/** A separate Redis connection: a queue adds jobs with `commands`, a worker takes them as `consumer`. */
export async function openQueueConnection(
  redisUrl: string,
  role: 'commands' | 'consumer',
  log: Pick<Log, 'warn'>,
): Promise<QueueConnection> {
  const onError = (error: Error) => log.warn({ error: String(error) }, 'redis.connection_failed')
  const redis = await connectRedis({ url: redisUrl, role, onError })
  const adapter = createNodeRedisClient(redis)
  // Without its own listener, the adapter turns the next Redis failure into an unhandled error.
  adapter.on('error', (error: unknown) => log.warn({ error: String(error) }, 'queue.connection_failed'))
  return {
    connection: adapter as unknown as ConnectionOptions,
    async close(user, limitMs) {
      await withDeadline(user.close(), limitMs, 'closing a queue').catch(() => undefined)
      await closeRedis(redis)
    },
  }
}
