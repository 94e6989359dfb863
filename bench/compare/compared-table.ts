// Prints a comparison.
import type { Compared } from './comparison.ts'
import type { Ratio } from './ratio.ts'

const columns = ['CPU a unit', 'p50', 'p99', 'units a second'] as const
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

export function comparedTable(rows: readonly Compared[], names: readonly [a: string, b: string]): string {
  const line = (name: string, cells: readonly string[], rest: string) =>
    `${name.padEnd(widths.name)}${cells.map((text) => text.padEnd(widths.cell)).join('')}${rest}`.trimEnd()
  const lines = rows.map((row) => {
    const cells = [row.cpu, row.p50, row.p99, row.perSecond].map(cell)
    return line(row.name, cells, row.verdict ?? `too few rounds (${row.rounds.join(' and ')})`)
  })
  return [
    `A ${names[0]}`,
    `B ${names[1]}`,
    '',
    line('B divided by A', columns, 'CPU'),
    ...lines,
    ...[...new Set(rows.map(({ by }) => by))].map((by) => `  ${methods[by]}`),
  ].join('\n')
}
