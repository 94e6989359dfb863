// In a gateway, for --tail: when the collector ran, and when the event loop was busy with one thing.
import { constants, PerformanceObserver, performance } from 'node:perf_hooks'
import { nowNs } from './monotonic.ts'
import type { Interval } from './tail.ts'

const periodMs = 5
/** A timer is late by a part of a millisecond anyway. */
const lateMs = 5
/** A run that is longer keeps its beginning. */
const mostPauses = 500_000

const kinds = new Map<number, string>([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'young objects'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'all objects'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'a step'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weak references'],
])

/** The returned function takes what was recorded since the last time. */
export function recordPauses(): () => Interval[] {
  let pauses: Interval[] = []
  const add = (cause: string, fromNs: number, toNs: number) => {
    if (pauses.length < mostPauses) pauses.push({ cause, fromNs, toNs })
  }
  const zeroNs = nowNs() - performance.now() * 1e6
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { startTime, duration } = entry
      const { detail } = entry as { detail?: { kind?: number } }
      const kind = kinds.get(detail?.kind ?? 0) ?? 'other'
      add(`gateway: collector, ${kind}`, zeroNs + startTime * 1e6, zeroNs + (startTime + duration) * 1e6)
    }
  }).observe({ entryTypes: ['gc'] })
  let dueNs = nowNs() + periodMs * 1e6
  setInterval(() => {
    const now = nowNs()
    if (now - dueNs > lateMs * 1e6) add('gateway: event loop late', dueNs, now)
    dueNs = now + periodMs * 1e6
  }, periodMs).unref()
  return () => {
    const taken = pauses
    pauses = []
    return taken
  }
}
