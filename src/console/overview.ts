// Builds the overview of a workspace from figures that the store bounds. The counts of past minutes are
// cached, so the overview costs the same however busy the workspace is.
import type { AttemptRates, OverviewStore } from '../contract/overview.ts'
import { type AttemptQuarter, countCap, type OverviewRecord } from '../contract/records/overview.ts'
import type { Clock } from '../shared/clock.ts'
import { encodeId, type WorkspaceId } from '../shared/ids.ts'
import { Lru } from '../shared/lru.ts'
import { attentionOf } from './attention.ts'

export type ReadOverview = (workspaceId: WorkspaceId) => Promise<OverviewRecord>

const minuteMs = 60_000
const dayMs = 86_400_000
const minutesShown = 60
/** When the count of a past minute is final: messages commit after their ids are made, and clocks differ. */
const settledMs = 2 * minuteMs
const quarterMs = 15 * minuteMs
const workspacesKept = 1_000

interface OverviewPorts {
  readonly store: OverviewStore
  readonly rates: AttemptRates
  readonly clock: Clock
}

export function createOverview({ store, rates, clock }: OverviewPorts): ReadOverview {
  const recentAttempts = createRecentAttempts(rates)
  const counted = new Lru<ReadonlyMap<number, number>>(workspacesKept)

  async function perMinute(workspaceId: WorkspaceId, nowMs: number): Promise<number[]> {
    const first = Math.floor(nowMs / minuteMs) * minuteMs - (minutesShown - 1) * minuteMs
    const minutes = Array.from({ length: minutesShown }, (_, index) => first + index * minuteMs)
    const known = counted.get(workspaceId) ?? new Map<number, number>()
    const missing = minutes.filter((minute) => !known.has(minute))
    const found = await store.messagesIn(workspaceId, missing)
    const fresh = new Map(missing.map((minute, index) => [minute, found[index] ?? 0]))
    const counts = minutes.map((minute) => known.get(minute) ?? fresh.get(minute) ?? 0)
    counted.set(
      workspaceId,
      new Map(
        minutes.flatMap((minute, index) =>
          minute + minuteMs + settledMs <= nowMs ? [[minute, counts[index] ?? 0] as const] : [],
        ),
      ),
    )
    return counts
  }

  return async (workspaceId) => {
    const nowMs = clock.now()
    // A whole minute, as in the addresses of the pages that list what is counted.
    const since = new Date(Math.floor((nowMs - dayMs) / minuteMs) * minuteMs)
    const [figures, minutes, attempts] = await Promise.all([
      store.figures(workspaceId, { now: new Date(nowMs), since }),
      perMinute(workspaceId, nowMs),
      recentAttempts(workspaceId, nowMs),
    ])
    const held = figures.endpoints.reduce((sum, endpoint) => sum + endpoint.held, 0)
    return {
      calls: { live: figures.callsLive },
      messages: { perMinute: minutes, failedLastDay: figures.messagesFailed },
      deliveries: {
        pending: figures.deliveriesPending,
        retrying: figures.deliveriesRetrying,
        held: Math.min(held, countCap),
        failedLastDay: figures.deliveriesFailed,
      },
      attempts,
      endpointsOff: figures.endpoints
        .filter(({ enabled }) => !enabled)
        .map(({ id, name }) => ({ id: encodeId('endpoint', id), name })),
      campaignsRunning: figures.campaignsRunning,
      attention: attentionOf(figures, nowMs),
    }
  }
}

/**
 * The quarters of the last 24 hours. What was tallied until `settledMs` after a quarter is kept, so that a look reads the
 * latest one or two.
 */
function createRecentAttempts(rates: AttemptRates) {
  const known = new Lru<{ readonly until: number; readonly quarters: readonly AttemptQuarter[] }>(
    workspacesKept,
  )
  return async (workspaceId: WorkspaceId, nowMs: number): Promise<AttemptQuarter[]> => {
    const first = Math.floor((nowMs - dayMs) / quarterMs) * quarterMs + quarterMs
    const past = known.get(workspaceId)
    const from = Math.max(first, past?.until ?? first)
    const fresh = await rates.since(workspaceId, new Date(from))
    const kept = past?.quarters.filter(({ id }) => Date.parse(id) >= first && Date.parse(id) < from) ?? []
    const quarters = [...kept, ...fresh]
    const until = Math.floor((nowMs - settledMs) / quarterMs) * quarterMs
    known.set(workspaceId, { until, quarters: quarters.filter(({ id }) => Date.parse(id) < until) })
    return quarters
  }
}
