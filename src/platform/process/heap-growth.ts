// How much a heap grows before V8 collects all of its objects.
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'

const roomBytes = 128 * 2 ** 20
const mostPercent = 400
/** A larger heap gets about as much from V8 itself. */
const leastPercent = 100

/** Of a heap that has so many bytes after a collection; 0 is the rule of V8. */
export function growthPercent(usedBytes: number): number {
  const percent = Math.floor((roomBytes / usedBytes) * 100)
  return percent < leastPercent ? 0 : Math.min(percent, mostPercent)
}

/**
 * A small heap grows by about 128 MiB, but not beyond what the process may use, before all of it is collected. V8 by
 * itself collects the 60 MiB of a gateway again 40 MiB later. It reads the flag at the end of each such collection, and
 * only then is it known what lives: so the flag is that of the collection before.
 */
export function letHeapGrow(setFlag: (flag: string) => void = setFlagsFromString): void {
  const setGrowth = () =>
    setFlag(`--heap-growing-percent=${growthPercent(getHeapStatistics().used_heap_size)}`)
  setGrowth()
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isOfAllObjects)) setGrowth()
  }).observe({ entryTypes: ['gc'] })
}

const isOfAllObjects = (entry: PerformanceEntry): boolean =>
  (entry as { detail?: { kind?: number } }).detail?.kind === constants.NODE_PERFORMANCE_GC_MAJOR
