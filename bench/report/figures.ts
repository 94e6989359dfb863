// What the report shows of a result. Pure functions.
import type { Histogram } from 'hdr-histogram-js'
import { type EncodedHistogram, merged, type Spread, spreadOf } from '../harness/histogram.ts'
import type { Cpu, Load, Row } from '../harness/result.ts'
import { countedRounds, groups, isQuiet, middle } from '../harness/table.ts'

/** The rows of one scenario under one load, each a variant; rounds that were disturbed are left out. */
export interface Group {
  readonly scenario: string
  readonly load: Load
  readonly rows: readonly Row[]
  /** Whether other processes disturbed every round, so that all of them count. */
  readonly isDisturbed: boolean
}

/** A point of a line. */
export type Point = readonly [x: number, y: number]

export interface Part {
  readonly name: string
  readonly value: number
}

export const loadName = (load: Load): string => {
  if (load.kind === 'rate') return `${load.perSecond} a second`
  return load.kind === 'closed' ? `${load.connections} connections` : `${load.units} at once`
}

export const groupsOf = (rows: readonly Row[]): Group[] =>
  groups(rows).flatMap((group) => groupOf(group) ?? [])

function groupOf(rows: readonly Row[]): Group | undefined {
  const [first] = rows
  if (!first) return undefined
  const counted = countedRounds(rows)
  const calm = rows.map((row) => ({ ...row, rounds: row.rounds.filter(({ round }) => counted.has(round)) }))
  const isDisturbed = !calm.every(({ rounds }) => rounds.every(isQuiet))
  return { scenario: first.scenario, load: first.load, rows: calm, isDisturbed }
}

/** Of all rounds together, from the planned times. */
export const latencyOf = ({ rounds }: Row): Histogram => merged(rounds.map(({ fromPlan }) => fromPlan))

const spread = (row: Row): Spread => spreadOf(latencyOf(row))

const pointsADecade = 20

/** From the median of nothing to the slowest unit: x counts nines (1 is 90 %, 2 is 99 %), y is in milliseconds. */
export function percentileLine(histogram: Histogram): Point[] {
  const nines = Math.log10(Math.max(1, histogram.totalCount))
  const steps = Math.ceil(nines * pointsADecade)
  return Array.from({ length: steps + 1 }, (_, index): Point => {
    const x = Math.min(nines, index / pointsADecade)
    const value = histogram.getValueAtPercentile(100 * (1 - 10 ** -x))
    return [x, Math.max(value, 1) / 1e3]
  })
}

export const processes = ['gateway', 'postgres', 'redis', 'worker'] as const satisfies readonly (keyof Cpu)[]

/** Microseconds of CPU for a unit, by process; empty without CPU times. */
export const cpuParts = ({ rounds }: Row): Part[] =>
  processes.flatMap((name) => {
    const value = middle(rounds, ({ cpu }) => cpu[name])
    return value === null ? [] : [{ name, value }]
  })

const hops = {
  received: 'received',
  committed: 'committed',
  handedOver: 'handed over',
  written: 'written',
  arrived: 'arrived',
} as const

export const hopNames: readonly string[] = Object.values(hops)

/** The mean of each hop in microseconds; empty where none was recorded. */
export function hopParts({ rounds }: Row): Part[] {
  const recorded = rounds.flatMap((round) => round.hops ?? [])
  if (recorded.length === 0) return []
  const meanOf = (encoded: readonly EncodedHistogram[]) => merged(encoded).mean
  return (Object.keys(hops) as (keyof typeof hops)[]).map((key) => ({
    name: hops[key],
    value: meanOf(recorded.map((one) => one[key])),
  }))
}

export interface Sweep {
  readonly variant: string
  /** x: units a second that were completed; y: milliseconds. By rising load. */
  readonly p50: readonly Point[]
  readonly p99: readonly Point[]
}

const fewestLoads = 3

/** Latency against throughput, by scenario, for variants that ran under at least three open loads. */
export function sweepsOf(all: readonly Group[]): Map<string, Sweep[]> {
  const open = all.filter(({ load }) => load.kind === 'rate')
  const scenarios = new Map<string, Sweep[]>()
  for (const scenario of new Set(open.map((group) => group.scenario))) {
    const rows = open.filter((group) => group.scenario === scenario).flatMap((group) => group.rows)
    const variants = [...new Set(rows.map(({ variant }) => variant))]
    const sweeps = variants.flatMap((variant) => {
      const mine = rows.filter((row) => row.variant === variant).sort((a, b) => rateOf(a) - rateOf(b))
      return mine.length < fewestLoads ? [] : [sweepOf(variant, mine)]
    })
    if (sweeps.length > 0) scenarios.set(scenario, sweeps)
  }
  return scenarios
}

const rateOf = ({ load }: Row): number => (load.kind === 'rate' ? load.perSecond : 0)

function sweepOf(variant: string, rows: readonly Row[]): Sweep {
  const points = (name: 'p50' | 'p99') =>
    rows.map(
      (row): Point => [middle(row.rounds, ({ perSecond }) => perSecond) ?? rateOf(row), spread(row)[name]],
    )
  return { variant, p50: points('p50'), p99: points('p99') }
}
