// The figures of a result as a table of Markdown. Pure functions.
import type { Result, Row } from './result.ts'
import {
  countedRounds,
  groups,
  loadText,
  middle,
  planSpread,
  ratio,
  readPlan,
  roundsText,
  tailRatio,
  unitsOf,
} from './table.ts'

const head = [
  '',
  'p50',
  'p99',
  'p99.9',
  'max',
  'x floor p50',
  'x floor p99',
  'a second',
  'CPU',
  'WAL',
  'units',
  'rounds',
]

/** What it ran on, and when. */
export function facts({ environment, startedAt, commit }: Result): string {
  const { cores, cpu, memoryBytes, kernel, node, postgres, redis } = environment
  const servers = [postgres && `Postgres ${postgres}`, redis && `Redis ${redis}`].filter(Boolean)
  const machine = [
    `${cores} x ${cpu}`,
    `${(memoryBytes / 2 ** 30).toFixed(0)} GiB`,
    `Linux ${kernel}`,
    `Node ${node}`,
  ]
  const when = `${startedAt.slice(0, 10)}${commit === null ? '' : `, commit ${commit}`}`
  return `${[...machine, ...servers].join(', ')}; ${when}.`
}

export function markdown(result: Result): string {
  const { rows } = result
  const lines: string[][] = []
  for (const group of groups(rows)) {
    const counted = countedRounds(group)
    const of = (row: Row | undefined) => row?.rounds.filter(({ round }) => counted.has(round)) ?? []
    const floor = of(group.find(({ variant }) => variant === 'floor'))
    for (const row of group) lines.push(cells(row, of(row), row.variant === 'floor' ? [] : floor))
  }
  return [facts(result), '', markdownTable(head, lines)].join('\n')
}

const tableLine = (texts: readonly string[]): string => `| ${texts.join(' | ')} |`

export const markdownTable = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [head, head.map(() => '-'), ...lines].map(tableLine).join('\n')

function cells(row: Row, rounds: Row['rounds'], floor: Row['rounds']): string[] {
  const { p50, p99, p999, max } = planSpread(rounds)
  const unit = (value: number | null, digits: number, name = '') =>
    value === null || !Number.isFinite(value) ? '' : `${value.toFixed(digits)}${name}`
  return [
    `\`${row.scenario}\`, ${loadText(row.load)}, ${row.variant}`,
    ...[p50, p99, p999, max].map((value) => unit(value, 2, ' ms') || '-'),
    unit(ratio(rounds, floor, readPlan('p50')), 2),
    unit(tailRatio(rounds, floor, 'p99'), 2),
    unit(
      middle(rounds, ({ perSecond }) => perSecond),
      0,
    ),
    unit(
      middle(rounds, ({ cpu }) => cpu.all),
      0,
      ' us',
    ),
    unit(
      middle(rounds, ({ walBytes }) => walBytes),
      0,
      ' B',
    ),
    ...[`${unitsOf(rounds)}`, roundsText(rounds, row)],
  ]
}
