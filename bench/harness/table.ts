// One table for the terminal: every row beside the floor of the same rounds. Pure functions.
import { isSound, median } from './figures.ts'
import { decode, firmSpread, merged, type Spread, spreadOf } from './histogram.ts'
import { areMarksSound } from './hops.ts'
import { mergedProfiles, type Profile, profileShares } from './profile.ts'
import type { Load, MarkFigures, Round, Row } from './result.ts'
import { mergedTails, tailLines } from './tail.ts'

/** When other processes use more cores than this, they distort the figures of a round. */
const quietCores = 0.15

export const isQuiet = ({ others }: Round): boolean => (others ?? 0) <= quietCores

/** The rounds of these rows in which nothing disturbed any of them; all rounds where none is such. */
export function countedRounds(rows: readonly Row[]): ReadonlySet<number> {
  const all = rows.flatMap(({ rounds }) => rounds)
  const numbers = new Set(all.map(({ round }) => round))
  for (const one of all) if (!isQuiet(one)) numbers.delete(one.round)
  return numbers.size > 0 ? numbers : new Set(all.map(({ round }) => round))
}

export const loadText = (load: Load): string => {
  if (load.kind === 'rate') return `${load.perSecond}/s`
  return load.kind === 'closed' ? `${load.connections} conns` : `${load.units} units`
}

/** Rows of the same scenario under the same load, in the order in which they came. */
export function groups(rows: readonly Row[]): Row[][] {
  const found = new Map<string, Row[]>()
  for (const row of rows) {
    const key = `${row.scenario} ${loadText(row.load)}`
    found.set(key, [...(found.get(key) ?? []), row])
  }
  return [...found.values()]
}

export type Read = (round: Round) => number | null

/** Median over the rounds; null where no round has the value. */
export function middle(rounds: readonly Round[], read: Read): number | null {
  const values = rounds.map(read).filter((value) => value !== null && !Number.isNaN(value)) as number[]
  return values.length === 0 ? null : median(values)
}

/** Median of the ratios within each round: what disturbs the machine affects both runs of a round. */
export function ratio(rounds: readonly Round[], others: readonly Round[], read: Read): number | null {
  const ratios = rounds.flatMap((one) => {
    const other = others.find(({ round }) => round === one.round)
    const [ours, theirs] = [read(one), other ? read(other) : null]
    return ours && theirs ? [ours / theirs] : []
  })
  return ratios.length === 0 ? null : median(ratios)
}

export const readPlan =
  (name: keyof Spread): Read =>
  ({ fromPlan }) =>
    spreadOf(decode(fromPlan))[name]

/** Of all units together, from the planned times; what too few units say is NaN. */
export const planSpread = (rounds: readonly Round[]): Spread =>
  firmSpread(merged(rounds.map(({ fromPlan }) => fromPlan)))

/**
 * Of the percentiles of all rounds that both have, merged: a single round has too few units for one. Null where all of
 * them together have, too.
 */
export function tailRatio(rounds: readonly Round[], others: readonly Round[], name: keyof Spread) {
  const shared = (some: readonly Round[], beside: readonly Round[]) =>
    some.filter(({ round }) => beside.some((one) => one.round === round))
  const [ours, theirs] = [shared(rounds, others), shared(others, rounds)].map(
    (some) => planSpread(some)[name],
  )
  return ours && theirs ? ours / theirs : null
}

export const unitsOf = (rounds: readonly Round[]): number =>
  rounds.reduce((total, { count }) => total + count, 0)

/** How many rounds a row has in a table, where some were left out. */
export const roundsText = (counted: readonly Round[], { rounds }: Row): string =>
  counted.length === rounds.length ? `${rounds.length}` : `${counted.length} of ${rounds.length}`

/** Beyond this a part of the bench has no time left, and is measured in place of the variant. */
const mostOfACore = 0.8

/** Such as `generator 0.93`; empty where both had time left, or nobody knows. */
export const busyParts = (rounds: readonly Round[]): string[] =>
  (['generator', 'receiver'] as const).flatMap((name) => {
    const busy = middle(rounds, ({ cores }) => cores?.[name] ?? null)
    return busy !== null && busy > mostOfACore ? [`${name} ${busy.toFixed(2)}`] : []
  })

const titles = [
  ...[
    'p50 ms',
    'p99',
    'p99.9',
    'max',
    'x floor',
    'p99 x',
    'a second',
    'x floor',
    'CPU us',
    'gateway',
    'postgres',
  ],
  ...['redis', 'worker', 'x floor', 'WAL B', 'others', 'units', 'rounds'],
]

const variantWidth = 16
const nameOf = ({ scenario, load }: Row): string => `${scenario} ${loadText(load)}`

export interface TableOptions {
  /** Money for an hour of one CPU. */
  readonly price?: number | undefined
}

export function table(rows: readonly Row[], { price }: TableOptions = {}): string {
  const head = price === undefined ? titles : [...titles, 'a million']
  const width = Math.max(28, ...rows.map((row) => nameOf(row).length + 1))
  const lines = [`${''.padEnd(width + variantWidth)}${head.map((title) => title.padStart(9)).join('')}`]
  for (const group of groups(rows)) {
    const counted = countedRounds(group)
    const of = (row: Row | undefined) => row?.rounds.filter(({ round }) => counted.has(round)) ?? []
    const floor = of(group.find(({ variant }) => variant === 'floor'))
    for (const row of group) {
      const rounds = of(row)
      const cells = cellsOf(row, rounds, { floor: row.variant === 'floor' ? [] : floor, price })
      const name = nameOf(row).padEnd(width) + row.variant.padEnd(variantWidth)
      lines.push(`${name}${cells.map(cell).join('')}`, ...notesOf(row, rounds))
    }
  }
  return [...lines, ...noiseOf(rows)].join('\n')
}

function cellsOf(
  row: Row,
  rounds: readonly Round[],
  { floor, price }: TableOptions & { readonly floor: readonly Round[] },
): (number | string | null)[] {
  const spread = planSpread(rounds)
  const all = middle(rounds, ({ cpu }) => cpu.all)
  return [
    ...[spread.p50, spread.p99, spread.p999, spread.max],
    ...[ratio(rounds, floor, readPlan('p50')), tailRatio(rounds, floor, 'p99')],
    middle(rounds, ({ perSecond }) => perSecond),
    ratio(rounds, floor, ({ perSecond }) => perSecond),
    all,
    ...(['gateway', 'postgres', 'redis', 'worker'] as const).map((name) =>
      middle(rounds, ({ cpu }) => cpu[name]),
    ),
    ratio(rounds, floor, ({ cpu }) => cpu.all),
    middle(rounds, ({ walBytes }) => walBytes),
    middle(rounds, ({ others }) => others),
    ...[`${unitsOf(rounds)}`, roundsText(rounds, row)],
    // Microseconds a unit are CPU seconds a million.
    ...(price === undefined ? [] : [all === null ? null : (all / 3_600) * price]),
  ]
}

function cell(value: number | string | null): string {
  if (typeof value === 'string') return value.padStart(9)
  return (value === null || Number.isNaN(value) ? '-' : value.toFixed(value < 100 ? 2 : 0)).padStart(9)
}

function notesOf(row: Row, rounds: readonly Round[]): string[] {
  const names = [...new Set(rounds.flatMap(({ figures = {} }) => Object.keys(figures)))]
  const figures = names.map((name) => {
    const value = middle(rounds, (round) => round.figures?.[name] ?? null) ?? Number.NaN
    return `${name} ${value.toFixed(2)}`
  })
  const hops = hopsOf(rounds)
  const tail = mergedTails(rounds.flatMap((round) => round.tail ?? []))
  const profiles = rounds.flatMap(({ profile }) => (profile ? [profile] : []))
  const busy = busyParts(rounds)
  const failed = row.rounds.filter(({ errors }) => !isSound(errors))
  return [
    ...(figures.length > 0 ? [`  ${figures.join(', ')}`] : []),
    ...(busy.length > 0 ? [`  BUSY: ${busy.join(', ')} of a core: the bench may be the limit here`] : []),
    ...(hops === undefined ? [] : [`  ${hops}`]),
    ...(tail === undefined ? [] : tailLines(tail)),
    ...(profiles.length === 0 ? [] : [`  ${profileText(mergedProfiles(profiles))}`]),
    ...failed.map(({ round, errors }) => `  FAILED ROUND ${round}: ${JSON.stringify(errors)}`),
  ]
}

const profileText = (profile: Profile): string =>
  `of the gateway's time: ${profileShares(profile)
    .map(([name, , share]) => `${name} ${(share * 100).toFixed(0)} %`)
    .join(', ')}`

const hopNames = ['received', 'committed', 'handedOver', 'written', 'arrived'] as const

/** Only units whose marks are complete are in the hops. */
const hopsMayBeOff = 0.05

/** Sums that fit prove little: hops are cut at their neighbours. What had to be cut or left out says more. */
function marksText(rounds: readonly Round[]): string {
  const all = rounds.flatMap(({ marks }) => marks ?? [])
  if (all.length === 0) return ''
  const sum = (name: keyof MarkFigures) => all.reduce((total, one) => total + one[name], 0)
  const late = ((sum('late') / Math.max(1, sum('units'))) * 100).toFixed(0)
  const verdict = rounds.every(areMarksSound) ? '' : 'FAILED: '
  return `; ${verdict}${sum('missing')} of ${sum('units')} units lack marks, ${sum('moved')} have them out of order; written was noted after the arrival of ${late} %`
}

/** The mean of each hop, and their sum beside the mean of the whole. */
function hopsOf(rounds: readonly Round[]): string | undefined {
  const marked = rounds.flatMap(({ hops, latency }) => (hops ? [{ hops, latency }] : []))
  if (marked.length === 0) return undefined
  const means = hopNames.map((name) => spreadOf(merged(marked.map(({ hops }) => hops[name]))).mean)
  const whole = spreadOf(merged(marked.map(({ latency }) => latency))).mean
  const sum = means.reduce((total, mean) => total + mean, 0)
  const parts = hopNames.map((name, index) => `${name} ${means[index]?.toFixed(2)}`)
  const off = Math.abs(sum / whole - 1)
  const verdict = off <= hopsMayBeOff ? 'within 5 %' : `OFF BY ${(off * 100).toFixed(0)} %: marks are missing`
  return `means of the hops, ms: ${parts.join(', ')}; sum ${sum.toFixed(2)} of ${whole.toFixed(2)}, ${verdict}${marksText(rounds)}`
}

/** Nothing where the machine was quiet throughout. */
export function noiseOf(rows: readonly Row[]): string[] {
  const all = rows.flatMap(({ rounds }) => rounds)
  const quiet = all.filter(isQuiet).length
  if (quiet === all.length) return []
  return [
    `${quiet} of ${all.length} runs had the machine to themselves; rounds that were disturbed are left out; where all of a group were, all count and none can be trusted`,
  ]
}
