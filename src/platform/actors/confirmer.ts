// Asks Postgres for current epochs, with one query for all requests that come at the same time.
import { Batcher } from '../../shared/batcher.ts'
import type { Clock } from '../../shared/clock.ts'
import { type Instant, readClock } from './guard.ts'
import { within } from './timed.ts'

export type Standing =
  /** `epoch` undefined: the row is gone. `asked`: the clock before the query was sent. */
  | { readonly type: 'known'; readonly epoch: number | undefined; readonly asked: Instant }
  | { readonly type: 'unknown' }

export type Confirm = (id: string) => Promise<Standing>

const queryLimitMs = 2_000

export function createConfirmer(
  query: (ids: readonly string[]) => Promise<ReadonlyMap<string, number>>,
  clock: Clock,
): Confirm {
  const batcher = new Batcher<string, Standing>({
    maxItems: 1_000,
    maxWaiting: 100_000,
    // A hanging query must not block the next one.
    concurrency: 3,
    // Never throws: after an error the batcher would query every actor separately.
    flush: async (ids) => {
      const asked = readClock(clock)
      const outcome = await within(clock, queryLimitMs, () => query(ids))
      if (outcome.type !== 'done') return ids.map(() => ({ type: 'unknown' }))
      return ids.map((id) => ({ type: 'known', epoch: outcome.value.get(id), asked }))
    },
  })
  return (id) => batcher.add(id).catch(() => ({ type: 'unknown' }))
}
