// Joins what was sent with what was observed outside. Pure functions.
import type { Work } from '../scenarios/work.ts'
import type { Sent } from './generator.ts'
import type { Arrived } from './receiver.ts'
import type { Faults } from './result.ts'

export interface Measured {
  readonly id: string
  /** When its latency begins to count. */
  readonly sentNs: number
  readonly plannedNs: number
  readonly atNs: number
}

export interface Joined {
  readonly measured: readonly Measured[]
  /** When each unit was over that was begun, also before anything was measured. */
  readonly doneAtNs: readonly number[]
  readonly faults: Faults
}

type Expected = Pick<Work, 'measured' | 'from' | 'further'>

/** Arrivals are by the clock of this host. `further` null: more observations are neither owed nor counted. */
export function join(
  sent: readonly Sent[],
  arrived: readonly Arrived[],
  { measured, from, further }: Omit<Expected, 'further'> & { further: number | null },
): Joined {
  const begun = sent.filter((one) => one.role !== 'follow')
  const refused = sent.filter((one) => !isTaken(one)).length
  if (measured === 'answer') {
    // A refusal costs next to nothing: it is no unit that was done.
    const taken = begun.filter(isTaken)
    const rows = taken
      .filter(({ role }) => role === 'measured')
      .map((one) => ({ ...one, atNs: one.answeredNs }))
    return {
      measured: rows,
      doneAtNs: taken.map(({ answeredNs }) => answeredNs),
      faults: { ...sound, refused },
    }
  }
  const first = new Map<string, number>()
  const counts = new Map<string, { measured: number; further: number }>()
  for (const { id } of begun) counts.set(id, { measured: 0, further: 0 })
  let strange = 0
  for (const { event, id, atNs } of arrived) {
    const count = counts.get(id)
    if (!first.has(`${event} ${id}`)) first.set(`${event} ${id}`, atNs)
    if (!count) strange += 1
    else if (event === measured) count.measured += 1
    else if (event !== from) count.further += 1
  }
  const surplus = [...counts.values()].flatMap((count) => [
    count.measured - 1,
    further === null ? 0 : count.further - further,
  ])
  const rows = begun.flatMap((one): Measured[] => {
    const atNs = first.get(`${measured} ${one.id}`)
    const startedNs = from ? first.get(`${from} ${one.id}`) : one.sentNs
    if (one.role !== 'measured' || atNs === undefined || startedNs === undefined) return []
    return [{ id: one.id, sentNs: startedNs, plannedNs: one.plannedNs, atNs }]
  })
  const early = rows.filter(({ sentNs, atNs }) => atNs < sentNs).length
  const faults: Faults = {
    refused,
    lost: sum(surplus.map((count) => Math.max(0, -count))),
    duplicated: sum(surplus.map((count) => Math.max(0, count))),
    strange,
    ...(early > 0 && { early }),
  }
  const doneAtNs = begun.flatMap(({ id }) => first.get(`${measured} ${id}`) ?? [])
  return { measured: rows, doneAtNs, faults }
}

/**
 * Units that stand for the work of a run: those that were taken, and have arrived where that is what is measured. A
 * refusal costs next to nothing, and load beside has nobody who waits for it.
 */
export function unitsDone(
  sent: readonly Sent[],
  arrived: readonly Arrived[],
  measuredOf: (work: Sent['work']) => Work['measured'],
): number {
  const seen = new Set(arrived.map(({ event, id }) => `${event} ${id}`))
  return sent.filter((one) => {
    if (one.role === 'follow' || !isTaken(one)) return false
    const measured = measuredOf(one.work)
    return one.role === 'load' || measured === 'answer' || seen.has(`${measured} ${one.id}`)
  }).length
}

export const isTaken = ({ status }: Sent): boolean => status >= 200 && status <= 299

const sound: Faults = { refused: 0, lost: 0, duplicated: 0, strange: 0 }

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

export const isSound = ({ refused, lost, duplicated, strange, early = 0 }: Faults): boolean =>
  refused + lost + duplicated + strange + early === 0

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}

/**
 * Units a second that are over, from the first measured send to the last end. Who takes units faster than they are done
 * still has earlier ones to do by then: they are work of this time, too.
 */
export function perSecond(
  measured: readonly Measured[],
  doneAtNs: readonly number[] = measured.map(({ atNs }) => atNs),
): number {
  const first = measured.reduce((least, { sentNs }) => Math.min(least, sentNs), Number.POSITIVE_INFINITY)
  const within = doneAtNs.filter((atNs) => atNs >= first)
  const last = within.reduce((most, atNs) => Math.max(most, atNs), 0)
  return last > first ? (within.length * 1e9) / (last - first) : 0
}
