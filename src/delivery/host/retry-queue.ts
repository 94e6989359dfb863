// The BullMQ queue of retries. It only says when: the row decides, and the sweep makes up for a lost timer.

import { Queue, Worker } from 'bullmq'
import { openQueueConnection } from '../../platform/queue/queues.ts'
import { bounded } from '../../platform/redis/client.ts'
import type { Log } from '../../shared/log.ts'
import type { RetryTimer } from '../recorder.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'

const queueName = 'delivery-retries'

export interface RetryJob {
  readonly deliveryId: string
  readonly attemptNumber: number
}

export interface RetryTimers {
  /** Returns without waiting. */
  schedule(retries: readonly RetryTimer[]): void
  close(): Promise<void>
}

export async function openRetryTimers(
  redisUrl: string,
  log: Pick<Log, 'warn'>,
  metrics: DeliveryMetrics,
): Promise<RetryTimers> {
  const { connection, close } = await openQueueConnection(redisUrl, 'commands', log)
  const queue = new Queue<RetryJob>(queueName, { connection })
  queue.on('error', (error) => log.warn({ error: String(error) }, 'queue.failed'))
  return {
    schedule(retries) {
      // Not addBulk: its transaction does not load a script again that a restarted Redis has lost. These share a write too.
      const adding = retries.map(toJob).map(({ name, data, opts }) => queue.add(name, data, opts))
      bounded(Promise.all(adding), 2_000).then(
        () => metrics.timersSet(retries.length, true),
        (error: unknown) => {
          metrics.timersSet(retries.length, false)
          log.warn({ retries: retries.length, error: String(error) }, 'delivery.timer_not_set')
        },
      )
    },
    close: () => close(queue, 1_000),
  }
}

const toJob = ({ deliveryId, attemptNumber, delayMs }: RetryTimer) => ({
  name: 'retry',
  data: { deliveryId, attemptNumber },
  opts: {
    // One timer per attempt, however often it is set. A BullMQ id must not contain a colon.
    jobId: `${deliveryId}_${attemptNumber}`,
    delay: Math.ceil(delayMs),
    removeOnComplete: true,
    removeOnFail: true,
  },
})

/** `handle` must be quick: it passes the attempt to the endpoint's owner and does not wait for it. */
export async function openRetryConsumer(
  redisUrl: string,
  log: Pick<Log, 'warn'>,
  handle: (job: RetryJob) => Promise<void>,
): Promise<{ close(): Promise<void> }> {
  const { connection, close } = await openQueueConnection(redisUrl, 'consumer', log)
  const worker = new Worker<RetryJob>(queueName, (job) => handle(job.data), {
    connection,
    concurrency: 50,
    lockDuration: 30_000,
    maxStalledCount: 1,
  })
  worker.on('error', (error) => log.warn({ error: String(error) }, 'queue.failed'))
  worker.on('failed', (job, error) =>
    log.warn({ deliveryId: job?.data.deliveryId, error: String(error) }, 'queue.job_failed'),
  )
  return { close: () => close(worker, 5_000) }
}
