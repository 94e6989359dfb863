// The queues: name, what a job carries, how it ends. Jobs carry ids only; Postgres has the truth, so a lost job is
// made up for by the sweeper and a repeated one finds nothing to do.
import { type ConnectionOptions, createNodeRedisClient, Queue, Worker } from 'bullmq'
import type { RetryTimer } from '../webhooks/recorder.ts'

const retryQueueName = 'delivery-retries'

export interface RetryJob {
  readonly deliveryId: string
  readonly attemptNumber: number
}

export interface QueueLog {
  warn(fields: object, message: string): void
}

/** A raw client of the redis package, made for this purpose alone: BullMQ does not close what it was given. */
export type RawClient = Parameters<typeof createNodeRedisClient>[0]

export function connectionOf(raw: RawClient, log: QueueLog): ConnectionOptions {
  const adapter = createNodeRedisClient(raw)
  // Without a listener of its own the adapter turns the next hiccup of Redis into an unhandled error.
  adapter.on('error', (error: unknown) => log.warn({ error: String(error) }, 'queue.connection_failed'))
  return adapter as unknown as ConnectionOptions
}

export interface RetryProducer {
  schedule(retries: readonly RetryTimer[]): Promise<void>
  close(): Promise<void>
}

export function createRetryProducer(raw: RawClient, log: QueueLog): RetryProducer {
  const queue = new Queue<RetryJob>(retryQueueName, { connection: connectionOf(raw, log) })
  queue.on('error', (error) => log.warn({ error: String(error) }, 'queue.failed'))
  return {
    async schedule(retries) {
      await queue.addBulk(
        retries.map(({ deliveryId, attemptNumber, delayMs }) => ({
          name: 'retry',
          data: { deliveryId, attemptNumber },
          opts: {
            // One timer per attempt, however often it is set; a colon is not allowed in an id.
            jobId: `${deliveryId}_${attemptNumber}`,
            delay: Math.ceil(delayMs),
            removeOnComplete: true,
            removeOnFail: true,
          },
        })),
      )
    },
    close: () => queue.close(),
  }
}

export interface RetryConsumer {
  close(): Promise<void>
}

/** `handle` must be quick: it hands the attempt to the endpoint's owner and does not wait for it. */
export function createRetryConsumer(
  raw: RawClient,
  handle: (job: RetryJob) => Promise<void>,
  log: QueueLog,
): RetryConsumer {
  const worker = new Worker<RetryJob>(retryQueueName, (job) => handle(job.data), {
    connection: connectionOf(raw, log),
    concurrency: 50,
    lockDuration: 30_000,
    maxStalledCount: 1,
  })
  worker.on('error', (error) => log.warn({ error: String(error) }, 'queue.failed'))
  worker.on('failed', (job, error) =>
    log.warn({ deliveryId: job?.data.deliveryId, error: String(error) }, 'queue.job_failed'),
  )
  return { close: () => worker.close() }
}
