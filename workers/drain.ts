// How a worker ends: what begins new work is stopped first, then it waits for what has begun.
import type { Closing, DrainTime, Ending } from '../src/platform/process/drain-time.ts'

export interface WorkerParts {
  readonly loops: readonly { stop(): Promise<void> }[]
  /** The queue of campaigns, and what sends for it. */
  readonly campaigns: Closing
  readonly sending: Ending
  readonly messaging: Ending & { readonly media: Ending }
  readonly retries: Closing
  readonly probes: Closing | undefined
}

/** Loops look at their signal between batches, so a round is soon over. What it leaves, another worker does. */
const roundsMs = 10_000
const downloadsMs = 5_000

export async function drainWorker(parts: WorkerParts, time: DrainTime): Promise<void> {
  const { loops, campaigns, sending, messaging, retries, probes } = parts
  // All at the same time: while a round lasts, nobody else may be claimed for a campaign.
  const stopping = [
    time.step('sends of campaigns', sending.drain()),
    time.step('the queue of campaigns', campaigns.close()),
    time.step('the queue of retries', retries.close()),
    time.step('downloads', messaging.media.drain(), downloadsMs),
    time.step('the metrics', probes?.close() ?? Promise.resolve(), downloadsMs),
  ]
  await time.step('the rounds of loops', Promise.all(loops.map((loop) => loop.stop())), roundsMs)
  // A round may have begun sends. An outcome that Postgres cannot store now stays UNKNOWN until a status settles it.
  await time.step('single sends', messaging.drain())
  await Promise.all(stopping)
}
