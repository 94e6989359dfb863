// The clock of campaigns: which number wants sending for, and when a schedule begins. Jobs carry ids only; Postgres has
// the truth, so a lost job is made up for by a sweep, and one that runs twice finds what the other has left.
import { Queue, Worker } from 'bullmq'
import type { CampaignClock } from '../campaigns/run-campaign.ts'
import type { CampaignId, NumberId } from '../shared/ids.ts'
import { connectionOf, type QueueLog, type RawClient } from './queues.ts'

const queueName = 'campaigns'

type CampaignJob = { readonly numberId: NumberId } | { readonly campaignId: CampaignId }

/** A timer that is set cannot be brought forward: whoever wants a number sooner waits no longer than this. */
const longestDelayMs = 1_000

export interface CampaignProducer extends CampaignClock {
  close(): Promise<void>
}

export function createCampaignProducer(raw: RawClient, log: QueueLog): CampaignProducer {
  const queue = new Queue<CampaignJob>(queueName, { connection: connectionOf(raw, log) })
  queue.on('error', (error) => log.warn({ error: String(error) }, 'queue.failed'))
  const add = (jobId: string, data: CampaignJob, delayMs: number) => {
    const options = {
      jobId,
      delay: Math.max(0, Math.ceil(delayMs)),
      removeOnComplete: true,
      removeOnFail: true,
    }
    queue
      .add('campaign', data, options)
      .catch((error: unknown) => log.warn({ jobId, error: String(error) }, 'campaign.timer_not_set'))
  }
  return {
    // One job a number: asking for what is asked for already does nothing.
    wake: (numberId, delayMs = 0) =>
      add(`number_${numberId}`, { numberId }, Math.min(delayMs, longestDelayMs)),
    beginAt: (campaignId, at) =>
      add(`begin_${campaignId}_${at.getTime()}`, { campaignId }, at.getTime() - Date.now()),
    close: () => queue.close(),
  }
}

export interface CampaignHandlers {
  /** Resolves with the ms after which the number wants another turn; undefined: not until somebody wakes it. */
  readonly pump: (numberId: NumberId) => Promise<number | undefined>
  readonly begin: (campaignId: CampaignId) => Promise<void>
}

export function createCampaignConsumer(
  raw: RawClient,
  { pump, begin }: CampaignHandlers,
  producer: CampaignClock,
  log: QueueLog,
): { close(): Promise<void> } {
  const worker = new Worker<CampaignJob, number | undefined>(
    queueName,
    async ({ data }) => {
      if ('numberId' in data) return pump(data.numberId)
      await begin(data.campaignId)
      return undefined
    },
    {
      connection: connectionOf(raw, log),
      // Most of them wait for tokens; how much is sent at once is bounded by the slots.
      concurrency: 500,
      // The numbers of a worker that died are taken over within seconds. Two at one number do no harm.
      lockDuration: 6_000,
      stalledInterval: 3_000,
    },
  )
  // Only now is the job gone, so that the next one can have its id.
  worker.on('completed', ({ data }, delayMs) => {
    if ('numberId' in data && typeof delayMs === 'number') producer.wake(data.numberId, delayMs)
  })
  worker.on('error', (error) => log.warn({ error: String(error) }, 'queue.failed'))
  worker.on('failed', (job, error) =>
    log.warn({ jobId: job?.id, error: String(error) }, 'campaign.turn_failed'),
  )
  return { close: () => worker.close() }
}
