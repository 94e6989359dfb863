// Reads the catalog of an account soon after the provider told of a template that was edited, or is not known here, or of
// a number that is not.
import type { Clock } from '../../shared/clock.ts'
import { Lru } from '../../shared/lru.ts'

/** Edits come in bursts, which share one reading. */
const gatherMs = 5_000

export interface CatalogRefreshPorts {
  /** Never rejects. */
  readonly sync: (wabaId: string) => Promise<void>
  /** An account is not read again within this time: a number that is not ours is told with each of its messages. */
  readonly restMs?: number
  readonly clock: Pick<Clock, 'after' | 'mono'>
}

/** What is lost with the process, the next round of all accounts reads. An account is read once at a time. */
export function createCatalogRefresh({
  sync,
  restMs = 0,
  clock,
}: CatalogRefreshPorts): (wabaId: string) => void {
  const asked = new Set<string>()
  const underWay = new Set<string>()
  const readAt = new Lru<number>(1_000)

  function readSoon(wabaId: string): void {
    const restedAt = (readAt.get(wabaId) ?? Number.NEGATIVE_INFINITY) + restMs
    clock.after(Math.max(gatherMs, restedAt - clock.mono()), () => {
      if (underWay.has(wabaId)) return readSoon(wabaId)
      asked.delete(wabaId)
      underWay.add(wabaId)
      readAt.set(wabaId, clock.mono())
      void sync(wabaId).finally(() => underWay.delete(wabaId))
    })
  }

  return (wabaId) => {
    if (asked.has(wabaId)) return
    asked.add(wabaId)
    readSoon(wabaId)
  }
}
