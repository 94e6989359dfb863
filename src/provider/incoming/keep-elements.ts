// Keeps the elements of webhooks in batches. What nothing was made of is kept before the webhook is answered. The rest is
// durable in what it was made into, so its copy is written a moment later, for many webhooks at once.
import type {
  InboundElements,
  LinkedElement,
  UnlinkedElement,
} from '../../platform/postgres/inbound-elements.store.ts'
import { Batcher } from '../../shared/batcher.ts'
import type { Log } from '../../shared/log.ts'
import { isClosed, isOutage } from '../../shared/outage.ts'
import type { KeptElement } from './kept-elements.ts'

export interface KeepElements {
  /** Resolves when the elements that nothing was made of are durable. */
  keep(elements: readonly KeptElement[]): Promise<void>
  /** Resolves when nothing waits any more. */
  drain(): Promise<void>
}

export interface KeepOptions {
  readonly store: Pick<InboundElements, 'keepLinked' | 'keepUnlinked'>
  readonly log: Pick<Log, 'warn'>
  /** Counts copies of understood elements that could not be written. */
  readonly lost?: (count: number) => void
  readonly lingerMs?: number
  /** Time before a batch is written again after Postgres was away. */
  readonly retryMs?: number
}

/** Beyond it copies are given up: their effects are durable, and memory is bounded. */
const maxWaitingBytes = 64 * 1024 * 1024
const tries = 5

export function createKeepElements(options: KeepOptions): KeepElements {
  const { store, log, lost } = options
  const unlinked = new Batcher<UnlinkedElement, void>({
    maxItems: 200,
    maxWaiting: 10_000,
    concurrency: 2,
    flush: async (rows) => {
      await store.keepUnlinked(rows)
      return rows.map(() => undefined)
    },
  })
  const linked = copies(options)
  let waitingBytes = 0

  function later(row: LinkedElement): void {
    const bytes = row.body.length
    if (waitingBytes + bytes > maxWaitingBytes) return lost?.(1)
    waitingBytes += bytes
    linked
      .add(row)
      .catch((error: unknown) => {
        lost?.(1)
        log.warn({ error: String(error) }, 'ingest.copy_not_kept')
      })
      .finally(() => {
        waitingBytes -= bytes
      })
  }

  return {
    async keep(elements) {
      await Promise.all(elements.flatMap((one) => (one.type === 'unlinked' ? [unlinked.add(one.row)] : [])))
      // Only then: the provider repeats a webhook of which that failed.
      for (const one of elements) if (one.type === 'linked') later(one.row)
    },
    async drain() {
      await Promise.all([unlinked.drain(), linked.drain()])
    },
  }
}

const copies = ({ store, lingerMs = 250, retryMs = 1_000 }: KeepOptions) =>
  new Batcher<LinkedElement, void>({
    maxItems: 500,
    maxWaiting: 50_000,
    concurrency: 2,
    lingerMs,
    flush: async (rows) => {
      await repeated(() => store.keepLinked(rows), retryMs)
      return rows.map(() => undefined)
    },
  })

/** A restart of Postgres takes seconds. */
async function repeated(work: () => Promise<void>, waitMs: number): Promise<void> {
  for (let left = tries - 1; ; left -= 1) {
    try {
      return await work()
    } catch (error) {
      if (left === 0 || isClosed(error) || !isOutage(error)) throw error
      await new Promise((resolve) => setTimeout(resolve, waitMs).unref())
    }
  }
}
