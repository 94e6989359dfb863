// The figures of bench/results/README.md from named results: no figure is typed by hand. Pure functions.

import { isSound } from '../harness/figures.ts'
import { facts, markdownTable as table } from '../harness/markdown.ts'
import { everythingElse, mergedProfiles, profileShares } from '../harness/profile.ts'
import type { Result, Row } from '../harness/result.ts'
import {
  busyParts,
  countedRounds,
  groups,
  loadText,
  middle,
  noiseOf,
  planSpread,
  type Read,
  ratio,
  readPlan,
  roundsText,
  tailRatio,
  unitsOf,
} from '../harness/table.ts'
import { scaleIntro, scaleTable } from '../scenarios/scale.ts'
import { works } from '../scenarios/works.ts'
import { goalsTable } from './goals-table.ts'

/** Results of these names, and the command that makes each. */
export const sources = {
  all: 'npm run bench -- --all',
  rates:
    'npm run bench -- --scenario event,event-https,ringing --rates 200,600 --connections 0 --variants gateway,floor,durable-floor --rounds 4 --name rates',
  profile: 'npm run bench -- --profile --variants gateway --rates 0 --name profile',
  scale: 'npm run bench:scale',
  lists: 'npm run bench:lists',
  recipients: 'npm run bench:recipients',
} as const

/** Those that were measured; what was not is left out. */
export type SpeedResults = Readonly<Partial<Record<keyof typeof sources, Result>> & { all: Result }>

/** Of so many lists, those with the longest p99. */
const listsShown = 6

export function speedSection(results: SpeedResults): string {
  const { all, rates, profile, scale, lists, recipients } = results
  const factsOf = (one: Result) => (one !== all && facts(one) === facts(all) ? 'The same.' : facts(one))
  const measured = groups(all.rows.filter((row) => !isDrill(row))).map(groupOf)
  const paced = rates ? groups(rates.rows).map(groupOf) : []
  const isPaced = ({ name }: Group): boolean => paced.some((one) => one.name === name)
  const planned = measured.filter((one) => one.load.kind === 'rate' && !isPaced(one))
  return [
    `\`${sources.all}\`: ${facts(all)} ${[...paceOf(all), ...noiseOf(all.rows)].join('. ')}.`,
    ...(planned.length > 0 ? [timesIntro, latencyTable(planned, all)] : []),
    'Units a second at saturation, in a closed loop of so many connections:',
    ...saturationTable(measured.filter(({ load }) => load.kind === 'closed')),
    ...drillsTable(all.rows.filter(isDrill)),
    ...part(rates, (one) => [
      `\`${sources.rates}\`: ${factsOf(one)} ${[...paceOf(one), ...noiseOf(one.rows)].join('. ')}. ${timesIntro}`,
      latencyTable(paced, one),
    ]),
    ...goalsTable([...(rates ? [rates.rows] : []), all.rows]),
    ...part(profile, (one) => [
      `\`${sources.profile}\`: ${factsOf(one)} Where the gateway's time goes, in percent:`,
      profileTable(one.rows),
    ]),
    ...part(scale, (one) => [
      `\`${sources.scale}\`: ${factsOf(one)} ${scaleIntro}`,
      table(...scaleTable(one.rows)),
    ]),
    ...part(lists, (one) => [`\`${sources.lists}\`: ${factsOf(one)} ${listsText(one)}`, listsTable(one)]),
    ...part(recipients, (one) => [
      `\`${sources.recipients}\`: ${factsOf(one)}`,
      table(drillHead, one.rows.map(drillCells)),
    ]),
  ].join('\n\n')
}

const part = (result: Result | undefined, texts: (result: Result) => string[]): string[] =>
  result ? texts(result) : []

const paceOf = ({ options: { rounds, seconds } }: Result): string[] => [
  `Up to ${String(rounds)} rounds of ${String(seconds)} s`,
]

interface Group {
  readonly name: string
  readonly load: Row['load']
  readonly rows: readonly Row[]
  /** Its rounds that count; none where it was not measured. */
  of(variant: string): Row['rounds']
  /** Of the gateway, such as `2 of 3`. */
  readonly rounds: string
}

function groupOf(rows: readonly Row[]): Group {
  const counted = countedRounds(rows)
  const [{ scenario, load }] = rows as [Row]
  const find = (name: string) => rows.find(({ variant }) => variant === name)
  const of = (name: string) => find(name)?.rounds.filter(({ round }) => counted.has(round)) ?? []
  const gateway = find('gateway')
  return {
    ...{ name: `\`${scenario}\`, ${loadText(load)}`, load, rows, of },
    rounds: gateway ? roundsText(of('gateway'), gateway) : '',
  }
}

const shown = (value: number | null, digits: number): string =>
  value === null || !Number.isFinite(value) ? '' : value.toFixed(digits)

const whole = (value: number | null): string =>
  value === null || !Number.isFinite(value) ? '' : Math.round(value).toLocaleString('en-US')

const cpuOf: Read = ({ cpu }) => cpu.all
const perSecondOf: Read = ({ perSecond }) => perSecond

const timesIntro = 'From planned times, beside the floors of the same rounds:'

const latencyHead = [
  ...['', 'p50 ms', 'p99', 'p99.9', 'max', 'x floor p50', 'x floor p99'],
  ...['CPU us', 'x floor', 'x durable-floor', 'WAL B', 'units (rounds)'],
]

const latencyTable = (planned: readonly Group[], result: Result): string =>
  table(
    latencyHead,
    planned.map((group) => latencyCells(group, result)),
  )

function latencyCells({ name, of, rounds }: Group, { version }: Result): string[] {
  const [ours, floor] = [of('gateway'), of('floor')]
  const failure = failureOf(ours)
  if (failure) return [`${name}: ${failure}`, ...latencyHead.slice(1).map(() => '')]
  const { p50, p99, p999, max } = planSpread(ours)
  const isFromAnswer = version === 2 && name.startsWith('`answer`')
  return [
    isFromAnswer ? `${name}, from the answer` : name,
    ...[p50, p99, p999, max].map((value) => figure(value, 2)),
    ...[ratio(ours, floor, readPlan('p50')), tailRatio(ours, floor, 'p99')].map((value) => shown(value, 2)),
    whole(middle(ours, cpuOf)),
    shown(ratio(ours, floor, cpuOf), 2),
    shown(ratio(ours, of('durable-floor'), cpuOf), 2),
    whole(middle(ours, ({ walBytes }) => walBytes)),
    `${whole(unitsOf(ours))} (${rounds})`,
  ]
}

/** Of a percentile, which too few units do not have. */
const figure = (value: number, digits: number): string => shown(value, digits) || '-'

/** Figures of what was done leave out what it costs to refuse, and those of a round that failed are none. */
function failureOf(rounds: Row['rounds']): string | undefined {
  const sum = (name: 'refused' | 'lost') => rounds.reduce((total, { errors }) => total + errors[name], 0)
  if (sum('refused') > 0) return 'refused'
  if (sum('lost') > 0) return `${whole(sum('lost'))} lost`
  return rounds.every(({ errors }) => isSound(errors)) ? undefined : 'failed'
}

const busyMark = '*'

/** A column for each variant that was measured, and what a mark in it means. */
function saturationTable(saturated: readonly Group[]): string[] {
  const variants = [...new Set(saturated.flatMap(({ rows }) => rows.map(({ variant }) => variant)))]
  const compared = variants.filter((name) => ['micro-floor', 'durable-floor', 'usual'].includes(name))
  const head = ['', ...variants, ...compared.map((name) => `x ${name}`), 'CPU us', 'p99 ms', 'rounds']
  const lines = saturated.map(({ name, of, rounds }) => {
    const ours = of('gateway')
    const isFailed = failureOf(ours) !== undefined
    return [
      name,
      ...variants.map((variant) => rateCell(of(variant))),
      ...compared.map((variant) =>
        failureOf([...ours, ...of(variant)]) ? '' : shown(ratio(ours, of(variant), perSecondOf), 2),
      ),
      isFailed ? '' : whole(middle(ours, cpuOf)),
      isFailed || ours.length === 0 ? '' : figure(planSpread(ours).p99, 1),
      rounds,
    ]
  })
  const isMarked = lines.some((cells) => cells.some((one) => one.endsWith(busyMark)))
  const note = `${busyMark} generator or receiver took more than 0.8 of a core: they may be the limit.`
  return [table(head, lines), ...(isMarked ? [note] : [])]
}

const rateCell = (rounds: Row['rounds']): string =>
  failureOf(rounds) ?? `${whole(middle(rounds, perSecondOf))}${busyParts(rounds).length > 0 ? busyMark : ''}`

const leastShare = 0.035

/** A column for each scenario, a line for each part that takes more than a little of one. */
function profileTable(rows: readonly Row[]): string {
  const columns = rows.map((row) => ({
    name: `\`${row.scenario}\`, ${loadText(row.load)}`,
    shares: new Map(
      profileShares(mergedProfiles(row.rounds.flatMap(({ profile }) => (profile ? [profile] : [])))).map(
        ([name, , share]) => [name, share],
      ),
    ),
  }))
  const most = (name: string) => Math.max(...columns.map(({ shares }) => shares.get(name) ?? 0))
  const names = [...new Set(columns.flatMap(({ shares }) => [...shares.keys()]))].filter(
    (name) => most(name) >= leastShare && name !== everythingElse,
  )
  const lines = names
    .sort((a, b) => most(b) - most(a))
    .map((name) => [name, ...columns.map(({ shares }) => shown((shares.get(name) ?? Number.NaN) * 100, 0))])
  const rest = columns.map(({ shares }) => 1 - names.reduce((sum, name) => sum + (shares.get(name) ?? 0), 0))
  const last = [everythingElse, ...rest.map((share) => shown(share * 100, 0))]
  return table(['', ...columns.map(({ name }) => name)], [...lines, last])
}

const drillHead = ['', 'p50 ms', 'p99', 'a second', 'CPU us', 'units', 'besides']

/** A drill of the same name as a kind of work has a variant of its own, such as `beside campaign`. */
const isDrill = ({ scenario, variant }: Row): boolean =>
  !Object.hasOwn(works, scenario) || variant.startsWith('beside')

const drillsTable = (rows: readonly Row[]): string[] =>
  rows.length === 0 ? [] : ['Drills:', table(drillHead, rows.map(drillCells))]

function drillCells({ scenario, variant, load, rounds }: Row): string[] {
  const { p50, p99 } = planSpread(rounds)
  const names = [...new Set(rounds.flatMap(({ figures = {} }) => Object.keys(figures)))]
  const figures = names.map(
    (one) =>
      `${one} ${shown(
        middle(rounds, (round) => round.figures?.[one] ?? null),
        1,
      )}`,
  )
  const whose = variant === 'gateway' ? '' : `, ${variant}`
  const failure = failureOf(rounds)
  const times = Number.isNaN(p50) ? ['', ''] : [shown(p50, 2), figure(p99, 2)]
  return [
    `${scenario}, ${loadText(load)}${whose}`,
    ...(failure
      ? ['', '', '', '']
      : [...times, whole(middle(rounds, perSecondOf)), whole(middle(rounds, cpuOf))]),
    whole(unitsOf(rounds)),
    [...(failure ? [failure] : []), ...figures].join(', '),
  ]
}

const gatewayRows = ({ rows }: Result): Row[] => rows.filter(({ variant }) => variant === 'gateway')

function listsText(lists: Result): string {
  const count = gatewayRows(lists).length
  const { messages } = lists.options as { messages?: number }
  return `One page each of ${count} lists and filters of ${whole(messages ?? null)} messages; the floor reads as many rows by their index, without HTTP, key or joins. The ${Math.min(count, listsShown)} that are slowest:`
}

function listsTable(lists: Result): string {
  const cells = groups(lists.rows).map((rows) => {
    const { of } = groupOf(rows)
    return {
      name: rows[0]?.scenario ?? '',
      p50: middle(of('gateway'), readPlan('p50')),
      p99: planSpread(of('gateway')).p99,
      ratio: ratio(of('gateway'), of('floor'), readPlan('p50')),
    }
  })
  const slowest = cells.sort((a, b) => slowness(b) - slowness(a)).slice(0, listsShown)
  return table(
    ['', 'p50 ms', 'p99', 'x floor p50'],
    slowest.map((one) => [one.name, shown(one.p50, 2), figure(one.p99, 2), shown(one.ratio, 1)]),
  )
}

/** By the median where too few requests were made for a p99. */
const slowness = ({ p50, p99 }: { p50: number | null; p99: number }): number =>
  Number.isNaN(p99) ? (p50 ?? 0) : p99

const [begin, end] = ['<!-- bench -->', '<!-- /bench -->']

/** The page with the section between its marks replaced. */
export function withSection(page: string, section: string): string {
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`the page has no ${begin} ... ${end}`)
  return `${page.slice(0, from + begin.length)}\n${section}\n${page.slice(to)}`
}
