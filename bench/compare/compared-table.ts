// Prints a comparison.
import type { Compared } from './comparison.ts'
import { leastFound, type Ratio, verdictOf } from './ratio.ts'

const columns = ['CPU a unit', 'p50', 'p99', 'units a second', 'finds'] as const
const widths = { name: 34, cell: 21 } as const
/** A ratio beyond this says only that there were too few rounds. */
const most = 99

const cell = (ratio: Ratio | null): string => {
  if (!ratio) return '-'
  const [low, high] = [ratio.low.toFixed(2), ratio.high > most ? `> ${most}` : ratio.high.toFixed(2)]
  return `${ratio.ratio.toFixed(2)} (${low} to ${high})`
}

const methods: Readonly<Record<Compared['by'], string>> = {
  pair: 'rounds of A and B one after the other',
  floor: 'each round against the floor of its round; A and B were not interleaved',
  plain: 'rounds as they are, not interleaved: a change of the machine is a change of the figures',
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`

/** What the interval was too wide for is not said to be the same. */
const foundText = ({ cpu }: Compared): string => (cpu ? percent(leastFound(cpu)) : '-')

function besideLine({ beside }: Compared): string[] {
  if (!beside) return []
  const moved = beside.floor && ['dearer', 'cheaper'].includes(verdictOf(beside.floor))
  const warning = moved ? '; THE FLOOR MOVED: what made it so is hidden in the ratio to it' : ''
  return [`  CPU without the floors ${cell(beside.plain)}, of the floors ${cell(beside.floor)}${warning}`]
}

export interface Names {
  readonly names: readonly [a: string, b: string]
  /** See `differences`. */
  readonly differences?: readonly string[]
}

export function comparedTable(rows: readonly Compared[], { names, differences = [] }: Names): string {
  const line = (name: string, cells: readonly string[], rest: string) =>
    `${name.padEnd(widths.name)}${cells.map((text) => text.padEnd(widths.cell)).join('')}${rest}`.trimEnd()
  const lines = rows.flatMap((row) => {
    const cells = [...[row.cpu, row.p50, row.p99, row.perSecond].map(cell), foundText(row)]
    const verdict = row.verdict ?? `too few rounds (${row.rounds.join(' and ')})`
    return [line(row.name, cells, verdict), ...besideLine(row)]
  })
  const leftOut = [0, 1].map((side) => rows.reduce((sum, row) => sum + (row.leftOut[side] ?? 0), 0))
  return [
    `A ${names[0]}`,
    `B ${names[1]}`,
    ...differences.map((one) => `  NOT ALIKE: ${one}`),
    '',
    line('B divided by A', columns, 'CPU'),
    ...lines,
    ...[...new Set(rows.map(({ by }) => by))].map((by) => `  ${methods[by]}`),
    '  finds: the least rise of CPU that would have been found, half of the time',
    ...(leftOut.some((count) => count > 0)
      ? [`  left out, since disturbed or faulty: ${leftOut.join(' and ')} rounds`]
      : []),
  ].join('\n')
}
