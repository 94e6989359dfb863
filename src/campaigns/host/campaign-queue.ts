// The BullMQ queue of campaigns: which number has something to send, and when a schedule begins. Jobs carry
// only ids: the sweep replaces a lost job, and a job that runs twice finds what the first run left.

import { Queue, Worker } from 'bullmq'
import { openQueueConnection } from '../../platform/queue/queues.ts'
import type { CampaignId, NumberId } from '../../shared/ids.ts'
import type { Log } from '../../shared/log.ts'
import type { CampaignScheduler } from '../run-campaign.ts'

const queueName = 'campaigns'

type CampaignJob = { readonly numberId: NumberId } | { readonly campaignId: CampaignId }

/** A timer that is set cannot be moved forward, so no timer of a number is longer than this. */
const longestDelayMs = 1_000

export interface OpenScheduler extends CampaignScheduler {
  close(): Promise<void>
}

export async function openCampaignScheduler(
  redisUrl: string,
  log: Pick<Log, 'warn'>,
): Promise<OpenScheduler> {
  const { connection, close } = await openQueueConnection(redisUrl, 'commands', log)
  const queue = new Queue<CampaignJob>(queueName, { connection })
  queue.on('error', (error) => log.warn({ error: String(error) }, 'queue.failed'))
  const add = (jobId: string, data: CampaignJob, delayMs: number) => {
    const delay = Math.max(0, Math.ceil(delayMs))
    queue
      .add('campaign', data, { jobId, delay, removeOnComplete: true, removeOnFail: true })
      .catch((error: unknown) => log.warn({ jobId, error: String(error) }, 'campaign.timer_not_set'))
  }
  return {
    // One job per number: a second request for the same number does nothing.
    wake: (numberId, delayMs = 0) =>
      add(`number_${numberId}`, { numberId }, Math.min(delayMs, longestDelayMs)),
    beginAt: (campaignId, at) =>
      add(`begin_${campaignId}_${at.getTime()}`, { campaignId }, at.getTime() - Date.now()),
    close: () => close(queue, 1_000),
  }
}

export interface CampaignHandlers {
  /** Resolves with the ms after which the number should run again; undefined: not until it is woken. */
  readonly pump: (numberId: NumberId) => Promise<number | undefined>
  readonly begin: (campaignId: CampaignId) => Promise<void>
}

export async function openCampaignConsumer(
  redisUrl: string,
  log: Pick<Log, 'warn'>,
  { pump, begin }: CampaignHandlers,
  scheduler: CampaignScheduler,
): Promise<{ close(): Promise<void> }> {
  const { connection, close } = await openQueueConnection(redisUrl, 'consumer', log)
  const worker = new Worker<CampaignJob, number | undefined>(
    queueName,
    async ({ data }) => {
      if ('numberId' in data) return pump(data.numberId)
      await begin(data.campaignId)
      return undefined
    },
    {
      connection,
      // Most jobs wait for tokens. The slots limit how much is sent at once.
      concurrency: 500,
      // Other workers take over a dead worker's numbers within seconds. Two workers on one number do no harm.
      lockDuration: 6_000,
      stalledInterval: 3_000,
    },
  )
  // The job is removed only now, so only now can the next job use its id.
  worker.on('completed', ({ data }, delayMs) => {
    if ('numberId' in data && typeof delayMs === 'number') scheduler.wake(data.numberId, delayMs)
  })
  worker.on('error', (error) => log.warn({ error: String(error) }, 'queue.failed'))
  worker.on('failed', (job, error) =>
    log.warn({ jobId: job?.id, error: String(error) }, 'campaign.turn_failed'),
  )
  return { close: () => close(worker, 5_000) }
}
