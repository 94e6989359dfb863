// Computes latency figures from send and arrival times. Pure functions.
import { build } from 'hdr-histogram-js'
import type { Sent } from './generator.ts'
import type { Arrived } from './receiver.ts'

/** Percentiles in milliseconds. */
export interface Spread {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

export interface RunFigures {
  readonly count: number
  /** From the send until the frame arrives at the receiver. */
  readonly latency: Spread
  /** The same, but from the planned time: it includes the delay when the generator falls behind. */
  readonly fromSchedule: Spread
  /** From the send until the answer to the webhook. */
  readonly answer: Spread
  /** CPU time of the measured process. */
  readonly cpuMicrosPerEvent: number | null
  /** CPU time of the measured process plus Postgres, Redis and the worker. */
  readonly totalCpuMicrosPerEvent: number | null
  /** Number of cores that processes outside the bench kept busy during the run. */
  readonly othersCores: number | null
  readonly faults: Faults
}

/** Error counts. A run fails unless all of them are zero. */
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
  /** The event whose frame ends the measurement of a webhook. */
  readonly event: string
  /** Number of frames of other events for each id. */
  readonly furtherFrames: number
}

/** Joins the sent webhooks with the frames that arrived, and counts the mismatches. */
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

/** When other processes use more cores than this, they distort the figures of a run. */
const quietCores = 0.15

export const isQuiet = ({ othersCores }: RunFigures): boolean => (othersCores ?? 0) <= quietCores

/** The quiet rounds, or all rounds when none was quiet. */
export function countedRounds(rounds: readonly Round[]): readonly Round[] {
  const quiet = rounds.filter((round) => Object.values(round).every(isQuiet))
  return quiet.length > 0 ? quiet : rounds
}

/** Median of the ratios within each round. A disturbance of the machine affects both runs of a round. */
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
