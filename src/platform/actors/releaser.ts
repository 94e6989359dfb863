// Releases actors in batches: first the row, so that a successor needs no silence, then the directory entry.
import { Batcher } from '../../shared/batcher.ts'
import type { Clock } from '../../shared/clock.ts'
import type { ActorKind, Owned } from './actor.ts'
import type { Ownership } from './ownership.ts'
import { within } from './timed.ts'

export interface ReleaserOptions {
  readonly kind: ActorKind
  readonly ownership: Ownership
  readonly releaseRows: (owned: readonly Owned[], sid: string) => Promise<void>
  readonly clock: Clock
  /** How long a release may wait for others. The next owner waits as long. */
  readonly lingerMs?: number | undefined
}

const limitMs = 3_000

/** Never rejects: an actor that could not be released is taken over later, after a silence. */
export function createReleaser(options: ReleaserOptions): (owned: Owned) => Promise<void> {
  const { kind, ownership, clock } = options
  const batcher = new Batcher<Owned, void>({
    maxItems: 200,
    maxWaiting: 100_000,
    concurrency: 2,
    ...(options.lingerMs !== undefined && { lingerMs: options.lingerMs }),
    flush: async (batch) => {
      await within(clock, limitMs, () => options.releaseRows(batch, ownership.sid))
      const ids = batch.map(({ id }) => id)
      await within(clock, limitMs, () => ownership.release(kind, ids))
      return []
    },
  })
  return (owned) => batcher.add(owned).catch(() => {})
}
