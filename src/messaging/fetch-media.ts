// Fetches the files of inbound messages at once: the provider keeps them for seven days, and only for us.

import type { BlobStore } from '../contract/blobs.ts'
import { limits } from '../contract/limits.ts'
import { MediaTooLargeError, type Provider, type ProviderResult } from '../contract/provider.ts'
import type { Clock } from '../shared/clock.ts'
import type { MessageId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { sharedAbort } from '../shared/shared-abort.ts'
import { blobKeyOf, type MediaJob, type MediaStore } from './media.ts'

export interface FetchMediaPorts {
  readonly store: MediaStore
  readonly provider: Pick<Provider, 'mediaUrl' | 'downloadMedia'>
  readonly blobs: Pick<BlobStore, 'put' | 'delete'>
  readonly clock: Clock
  readonly log: Log
}

export interface MediaFetcher {
  /** Starts as many due files as there is room for. True where more files may be due. */
  sweep(): Promise<boolean>
  /** Starts this file where it is due and no other process has it. A failure is recorded in its row. */
  fetchNow(id: MessageId): Promise<void>
  /** Aborts all downloads and makes their files due again. Resolves when no download is left. */
  drain(): Promise<void>
}

/** A hundred downloads of 100 MB at once would only slow one another down. */
const maxUnderWay = 16

/** The interval at which a lease is renewed; a lease lasts three times as long. */
const keepEveryMs = 10_000

const firstDelayMs = 1_000
const longestDelayMs = 15 * 60_000
/** Media ids from the provider's webhooks can be fetched for seven days. */
const lifetimeMs = 7 * 24 * 3_600_000

type Verdict =
  | { readonly type: 'stored'; readonly sizeBytes: number; readonly sha256: string }
  | { readonly type: 'later'; readonly code: string; readonly afterMs?: number | null }
  | { readonly type: 'never'; readonly code: string }
  /** This process is draining: another process should take the file at once. */
  | { readonly type: 'putBack' }

export function createMediaFetcher(ports: FetchMediaPorts): MediaFetcher {
  const { store, clock, log } = ports
  const underWay = new Map<MessageId, Promise<void>>()
  const leaving = sharedAbort()

  function start(job: MediaJob): void {
    const fetching = run(job)
      .catch((error: unknown) =>
        log.warn({ messageId: job.messageId, error: String(error) }, 'media.fetch_interrupted'),
      )
      .finally(() => underWay.delete(job.messageId))
    underWay.set(job.messageId, fetching)
  }

  async function run(job: MediaJob): Promise<void> {
    const startedAt = clock.mono()
    const lease = keepLease(ports, job)
    const verdict = await fetchMedia(ports, job, leaving.signal).finally(() => lease.end())
    const isOver = clock.now() - job.createdAt.getTime() >= lifetimeMs
    const durationMs = Math.round(clock.mono() - startedAt)
    const { messageId, workspaceId, attempts } = job
    const fields = { messageId, workspaceId, attempt: attempts, durationMs }
    if (verdict.type === 'stored') {
      const blobKey = blobKeyOf(job)
      if (await store.stored(messageId, { ...verdict, blobKey }))
        log.info({ ...fields, sizeBytes: verdict.sizeBytes }, 'media.stored')
      else {
        // Nothing refers to it any more: it was written after the sweep of deleted files may have been here.
        await ports.blobs.delete(blobKey)
        log.info(fields, 'media.erased')
      }
    } else if (verdict.type === 'putBack') {
      await store.postpone(job, 0)
    } else if (verdict.type === 'never' || isOver) {
      await store.giveUp(job)
      log.warn({ ...fields, code: verdict.code }, 'media.lost')
    } else {
      await store.postpone(job, Math.max(delayAfter(attempts), verdict.afterMs ?? 0))
      log.warn({ ...fields, code: verdict.code }, 'media.postponed')
    }
  }

  return {
    async sweep() {
      const room = maxUnderWay - underWay.size
      if (room <= 0 || leaving.signal.aborted) return false
      const jobs = await store.claimDue(room)
      for (const job of jobs) start(job)
      return jobs.length === room
    },

    async fetchNow(id) {
      if (underWay.size >= maxUnderWay || leaving.signal.aborted) return
      const job = await store.claim(id)
      if (job) start(job)
    },

    async drain() {
      leaving.abort(new Leaving())
      await Promise.allSettled(underWay.values())
    },
  }
}

/**
 * Renews the lease of a job. If the renewals after a failed one fail too, another process takes the job. `end` waits for
 * those under way: one that came after the verdict would put the next attempt off for the length of a lease.
 */
function keepLease({ store, clock, log }: FetchMediaPorts, job: MediaJob): { end(): Promise<unknown> } {
  let timer = clock.after(keepEveryMs, renew)
  let underWay: Promise<unknown> = Promise.resolve()
  function renew(): void {
    const renewal = store
      .keep(job)
      .catch((error: unknown) =>
        log.warn({ messageId: job.messageId, error: String(error) }, 'media.lease_not_renewed'),
      )
    underWay = Promise.all([underWay, renewal])
    timer = clock.after(keepEveryMs, renew)
  }
  return {
    end() {
      timer.cancel()
      return underWay
    },
  }
}

/** In milliseconds; `attempts` counts from one. */
export const delayAfter = (attempts: number): number =>
  Math.min(longestDelayMs, firstDelayMs * 2 ** Math.min(attempts - 1, 20))

async function fetchMedia(
  { provider, blobs }: FetchMediaPorts,
  job: MediaJob,
  leaving: AbortSignal,
): Promise<Verdict> {
  const { account } = job
  if (!account) return { type: 'later', code: 'NO_PROVIDER_TOKEN' }
  const located = await provider.mediaUrl(account, job.providerMediaId)
  if (located.type !== 'ok') return failed(located)
  const download = await provider.downloadMedia(account, located.value.url)
  if (download.type !== 'ok') return failed(download)
  try {
    const put = await blobs.put(blobKeyOf(job), download.value.body, {
      limitBytes: limits.mediaBytes,
      sha256: located.value.sha256 ?? job.sha256,
      signal: leaving,
    })
    if (put.type === 'stored') return put
    return put.type === 'tooLarge' ? tooLarge : { type: 'later', code: 'MEDIA_DIGEST_MISMATCH' }
  } catch (error) {
    return brokenOff(error)
  }
}

function brokenOff(error: unknown): Verdict {
  if (error instanceof MediaTooLargeError) return tooLarge
  if (error instanceof Leaving) return { type: 'putBack' }
  return { type: 'later', code: error instanceof Error ? error.message : String(error) }
}

const tooLarge = { type: 'never', code: 'MEDIA_TOO_LARGE' } as const

function failed({ error }: Exclude<ProviderResult<unknown>, { type: 'ok' }>): Verdict {
  // Only this error is permanent: an address or an id may work at the next attempt.
  if (error.code === tooLarge.code) return tooLarge
  return { type: 'later', code: error.code, afterMs: error.retryAfterMs }
}

class Leaving extends Error {}
