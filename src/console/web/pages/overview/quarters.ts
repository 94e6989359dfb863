// The quarters of an hour of a day as the charts want them: one place for each, empty where there was no attempt.
import type { AttemptQuarter } from '../../../../contract/records/overview.ts'
import { DAY, MINUTE } from '../../../../web/browser/format.ts'

export const QUARTER_MS = 15 * MINUTE

export function dayOf(quarters: readonly AttemptQuarter[], nowMs: number) {
  const last = Math.floor(nowMs / QUARTER_MS) * QUARTER_MS
  const times = Array.from({ length: DAY / QUARTER_MS }, (_, place) => last - DAY + (place + 1) * QUARTER_MS)
  const known = new Map(quarters.map((quarter) => [Date.parse(quarter.id), quarter]))
  const inOrder = times.map((at) => known.get(at))
  return {
    times,
    attempts: sum(inOrder.map((quarter) => quarter?.attempts ?? 0)),
    failures: sum(inOrder.map((quarter) => quarter?.failures ?? 0)),
    shares: inOrder.map((quarter) => (quarter?.attempts ? 1 - quarter.failures / quarter.attempts : null)),
    p95s: inOrder.map((quarter) => quarter?.p95Ms ?? null),
    p95Ms: inOrder.findLast((quarter) => quarter !== undefined)?.p95Ms ?? null,
  }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Where the axis of shares begins: near what is shown, so that a fall from 100 to 98 % is seen. */
export function floorOf(shares: readonly (number | null)[]): number {
  const least = Math.min(1, ...shares.map((share) => share ?? 1))
  return [0.98, 0.9, 0.5].find((floor) => least >= floor) ?? 0
}
