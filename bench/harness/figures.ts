// From arrival times to figures: pure.
import { build } from 'hdr-histogram-js'
import type { Sent } from './generator.ts'
import type { Arrived } from './receiver.ts'

/** Milliseconds. */
export interface Spread {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

export interface RunFigures {
  readonly count: number
  /** From the send to the frame at the receiver. */
  readonly latency: Spread
  /** The same from the planned time: what a generator that fell behind would hide. */
  readonly fromSchedule: Spread
  /** From the send to the provider's answer. */
  readonly answer: Spread
  /** Of the process that is measured. */
  readonly cpuMicrosPerEvent: number | null
  /** Of that process and everything behind it: Postgres, Redis, the worker. */
  readonly totalCpuMicrosPerEvent: number | null
  /** Cores that other processes of the machine kept busy meanwhile. */
  readonly othersCores: number | null
  readonly faults: Faults
}

/** What must not happen; any of it fails the run. */
export interface Faults {
  readonly refused: number
  readonly lost: number
  readonly duplicated: number
  readonly strange: number
}

const highestNs = 120e9

export function spreadOf(nanoseconds: readonly number[]): Spread {
  const histogram = build({ highestTrackableValue: highestNs, numberOfSignificantValueDigits: 3 })
  for (const value of nanoseconds) histogram.recordValue(Math.min(highestNs, Math.max(1, Math.round(value))))
  const at = (percentile: number) => histogram.getValueAtPercentile(percentile) / 1e6
  return { p50: at(50), p90: at(90), p99: at(99), max: at(100) }
}

export interface Expected {
  /** The event that each webhook is measured by. */
  readonly event: string
  /** Frames of other events for each id. */
  readonly furtherFrames: number
}

/** Joins what was sent with what arrived, and counts what does not fit. */
export function join(sent: readonly Sent[], arrived: readonly Arrived[], expected: Expected) {
  const first = new Map<string, number>()
  const known = new Set(sent.filter((one) => one.role !== 'follow').map((one) => one.id))
  const frames = new Map<string, number>()
  for (const { event, id, atNs } of arrived) {
    const kind = event === expected.event ? 'measured' : 'further'
    frames.set(`${kind} ${id}`, (frames.get(`${kind} ${id}`) ?? 0) + 1)
    if (kind === 'measured' && !first.has(id)) first.set(id, atNs)
  }
  const surplus = [...known].flatMap((id) => [
    (frames.get(`measured ${id}`) ?? 0) - 1,
    (frames.get(`further ${id}`) ?? 0) - expected.furtherFrames,
  ])
  const faults: Faults = {
    refused: sent.filter((one) => one.status !== 200).length,
    lost: sum(surplus.map((count) => Math.max(0, -count))),
    duplicated: sum(surplus.map((count) => Math.max(0, count))),
    strange: arrived.filter(({ id }) => !known.has(id)).length,
  }
  return { measured: measuredOf(sent, first), faults }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

const measuredOf = (sent: readonly Sent[], first: ReadonlyMap<string, number>) =>
  sent.flatMap((one) => {
    const atNs = one.role === 'measured' ? first.get(one.id) : undefined
    return atNs === undefined ? [] : [{ ...one, atNs }]
  })

export const isSound = ({ refused, lost, duplicated, strange }: Faults): boolean =>
  refused + lost + duplicated + strange === 0

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [low = Number.NaN, high = Number.NaN] = [sorted[middle - 1], sorted[middle]]
  return sorted.length % 2 === 1 ? high : (low + high) / 2
}

export interface Round {
  readonly system?: RunFigures
  readonly remote?: RunFigures
  readonly floor?: RunFigures
}

/** With more than this taken by others, what is measured is them. */
const quietCores = 0.15

export const isQuiet = ({ othersCores }: RunFigures): boolean => (othersCores ?? 0) <= quietCores

/** The quiet rounds, or all where none was. */
export function countedRounds(rounds: readonly Round[]): readonly Round[] {
  const quiet = rounds.filter((round) => Object.values(round).every(isQuiet))
  return quiet.length > 0 ? quiet : rounds
}

/** Median over the rounds of the ratios within each round: what disturbs a round disturbs both of its runs. */
export function ratio(
  rounds: readonly Round[],
  read: (run: RunFigures) => number | null,
  target: 'system' | 'remote' = 'system',
): number | null {
  const ratios = rounds.flatMap(({ [target]: measured, floor }) => {
    const [ours, least] = [measured && read(measured), floor && read(floor)]
    return ours && least ? [ours / least] : []
  })
  return ratios.length === 0 ? null : median(ratios)
}
