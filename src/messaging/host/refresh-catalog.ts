// Reads the catalog of an account soon after the provider told of a template that was edited, or is not known here.
import type { Clock } from '../../shared/clock.ts'

/** Edits come in bursts, which share one reading. */
const gatherMs = 5_000

export interface CatalogRefreshPorts {
  /** Never rejects. */
  readonly sync: (wabaId: string) => Promise<void>
  readonly clock: Pick<Clock, 'after'>
}

/** What is lost with the process, the next round of all accounts reads. An account is read once at a time. */
export function createCatalogRefresh({ sync, clock }: CatalogRefreshPorts): (wabaId: string) => void {
  const asked = new Set<string>()
  const underWay = new Set<string>()

  function readSoon(wabaId: string): void {
    clock.after(gatherMs, () => {
      if (underWay.has(wabaId)) return readSoon(wabaId)
      asked.delete(wabaId)
      underWay.add(wabaId)
      void sync(wabaId).finally(() => underWay.delete(wabaId))
    })
  }

  return (wabaId) => {
    if (asked.has(wabaId)) return
    asked.add(wabaId)
    readSoon(wabaId)
  }
}
