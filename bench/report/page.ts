// The report of a result: one HTML document that needs nothing else.
import type { Environment, Result, Row } from '../harness/result.ts'
import { busyParts, middle, planSpread, ratio, unitsOf } from '../harness/table.ts'
import {
  cpuParts,
  type Group,
  groupsOf,
  hopNames,
  hopParts,
  latencyOf,
  loadName,
  type Part,
  percentileLine,
  processes,
  sweepsOf,
} from './figures.ts'
import { barPlot, escapeHtml, type Line, linearAxis, linePlot, logAxis, ninesAxis, short } from './svg.ts'

export interface PageOptions {
  readonly css: string
}

/** Gives each name a colour, the same throughout the report. */
function colours(): (name: string) => number {
  const known = new Map<string, number>()
  return (name) => {
    const colour = known.get(name) ?? (known.size % 8) + 1
    known.set(name, colour)
    return colour
  }
}

export function page(result: Result, { css }: PageOptions): string {
  const groups = groupsOf(result.rows)
  const colourOf = colours()
  const commit = result.commit ? `, commit ${result.commit.slice(0, 12)}` : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Bench of ${escapeHtml(result.startedAt.slice(0, 10))}</title>
<style>${css}</style>
</head>
<body>
<header>
<div><h1>Bench</h1><p class="dim">${escapeHtml(result.startedAt.slice(0, 16).replace('T', ' '))} UTC${escapeHtml(commit)}</p></div>
<button type="button" id="theme">Light or dark</button>
</header>
<main>
${[summary(groups), sweeps(groups, colourOf), ...groups.map((group) => details(group, colourOf)), hopsSection(groups), environment(result)].join('\n')}
</main>
<script>
document.getElementById('theme').addEventListener('click', () => {
  const root = document.documentElement
  const isDark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
  root.dataset.theme = isDark ? 'light' : 'dark'
})
</script>
</body>
</html>
`
}

const section = (title: string, content: string): string =>
  content === '' ? '' : `<section><h2>${escapeHtml(title)}</h2>${content}</section>`

const legend = (names: readonly string[], colourOf: (name: string) => number): string =>
  `<ul class="legend">${names
    .map((name) => `<li><i style="background:var(--c${colourOf(name)})"></i>${escapeHtml(name)}</li>`)
    .join('')}</ul>`

const columns = [
  'p50 ms',
  'p99',
  'p99.9',
  'max',
  'a second',
  'CPU µs',
  'x floor',
  'WAL bytes',
  'others',
  'units',
  'rounds',
] as const

function cellsOf(row: Row, floor: Row | undefined): (number | null)[] {
  const { p50, p99, p999, max } = planSpread(row.rounds)
  return [
    ...[p50, p99, p999, max],
    middle(row.rounds, (round) => round.perSecond),
    middle(row.rounds, (round) => round.cpu.all),
    row === floor ? null : ratio(row.rounds, floor?.rounds ?? [], ({ cpu }) => cpu.all),
    middle(row.rounds, (round) => round.walBytes),
    middle(row.rounds, (round) => round.others),
    ...[unitsOf(row.rounds), row.rounds.length],
  ]
}

const figuresOf = (row: Row): string =>
  [...new Set(row.rounds.flatMap((round) => Object.keys(round.figures ?? {})))]
    .map(
      (name) =>
        `${name} ${short(middle(row.rounds, ({ figures }) => figures?.[name] ?? null) ?? Number.NaN)}`,
    )
    .join(', ')

function failuresOf({ rounds }: Row): string {
  const counts = rounds.flatMap(({ errors }) => Object.entries(errors).filter(([, count]) => count > 0))
  return counts.map(([name, count]) => `${count} ${name}`).join(', ')
}

function rowHtml(group: Group, row: Row): string {
  const floor = group.rows.find(({ variant }) => variant === 'floor')
  const cells = cellsOf(row, floor).map(
    (value) => `<td>${value === null || Number.isNaN(value) ? '' : short(value)}</td>`,
  )
  const [failures, figures] = [failuresOf(row), figuresOf(row)]
  const notes = [
    failures && `<strong class="bad">failed: ${escapeHtml(failures)}</strong>`,
    escapeHtml(figures),
    busyParts(row.rounds)
      .map((busy) => `${busy} of a core: the bench may be the limit`)
      .join(', '),
    row === group.rows[0] && group.isDisturbed ? 'every round was disturbed' : '',
  ].filter(Boolean)
  const name = row === group.rows[0] ? `${group.scenario}, ${loadName(group.load)}` : ''
  const further =
    notes.length === 0 ? '' : `<tr><td></td><td colspan="12" class="dim">${notes.join('; ')}</td></tr>`
  const first = name === '' ? '<td></td>' : `<th scope="row">${escapeHtml(name)}</th>`
  return `<tr>${first}<td class="name">${escapeHtml(row.variant)}</td>${cells.join('')}</tr>${further}`
}

function summary(groups: readonly Group[]): string {
  const head = ['scenario', 'variant', ...columns]
    .map((title) => `<th scope="col">${escapeHtml(title)}</th>`)
    .join('')
  const rows = groups.flatMap((group) => group.rows.map((row) => rowHtml(group, row)))
  const text =
    '<p class="dim">Latency counts from the planned time of a unit. CPU is for one unit, over all processes. Medians over the rounds; percentiles over all units of them, where ten lie beyond. Disturbed rounds are left out where there are others.</p>'
  return section(
    'Results',
    `${text}<div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${rows.join('')}</tbody></table></div>`,
  )
}

function sweeps(groups: readonly Group[], colourOf: (name: string) => number): string {
  return [...sweepsOf(groups)]
    .map(([scenario, found]) => {
      const lines = found.flatMap(({ variant, p50, p99 }): Line[] => [
        { name: `${variant} p50`, colour: colourOf(variant), dots: true, dashed: true, points: p50 },
        { name: `${variant} p99`, colour: colourOf(variant), dots: true, points: p99 },
      ])
      const points = lines.flatMap((line) => line.points)
      const axes = {
        x: linearAxis(
          'units a second',
          points.map(([x]) => x),
        ),
        y: logAxis(
          'ms',
          points.map(([, y]) => y),
        ),
      }
      const title = `${scenario}: latency against throughput`
      const names = found.map(({ variant }) => variant)
      return section(
        title,
        `${legend(names, colourOf)}<p class="dim">p99, and p50 dashed</p>${linePlot(title, axes, lines)}`,
      )
    })
    .join('\n')
}

function details(group: Group, colourOf: (name: string) => number): string {
  const name = `${group.scenario}, ${loadName(group.load)}`
  const lines = group.rows.flatMap((row): Line[] => {
    const histogram = latencyOf(row)
    if (histogram.totalCount < 2) return []
    return [{ name: row.variant, colour: colourOf(row.variant), points: percentileLine(histogram) }]
  })
  const points = lines.flatMap((line) => line.points)
  const axes = {
    x: ninesAxis('percentile', Math.max(...points.map(([x]) => x))),
    y: logAxis(
      'ms',
      points.map(([, y]) => y),
    ),
  }
  const curve =
    lines.length === 0
      ? ''
      : `${legend(
          lines.map((line) => line.name),
          colourOf,
        )}${linePlot(`${name}: latency by percentile`, axes, lines)}`
  return section(
    name,
    `${curve}${bars(`${name}: CPU for a unit`, group.rows, { partsOf: cpuParts, names: processes })}`,
  )
}

interface Stack {
  readonly partsOf: (row: Row) => readonly Part[]
  readonly names: readonly string[]
  /** Default: the variant. */
  readonly nameOf?: (row: Row) => string
}

/** Stacked bars of microseconds, with a legend of their own. */
function bars(title: string, rows: readonly Row[], { partsOf, names, nameOf }: Stack): string {
  // Other colours than those of the first variants.
  const colourOf = (name: string) => ((names.indexOf(name) + 4) % 8) + 1
  const drawn = rows.flatMap((row) => {
    const parts = partsOf(row).map((part) => ({ ...part, colour: colourOf(part.name) }))
    return parts.length === 0 ? [] : [{ name: nameOf?.(row) ?? row.variant, parts }]
  })
  if (drawn.length === 0) return ''
  return `<h3>${escapeHtml(title)}</h3>${legend(names, colourOf)}${barPlot(title, 'µs', drawn)}`
}

function hopsSection(groups: readonly Group[]): string {
  const rows = groups.flatMap((group) => group.rows)
  const nameOf = ({ scenario, load }: Row) =>
    `${scenario} ${load.kind === 'rate' ? `${load.perSecond}/s` : loadName(load)}`
  return section('Hops', bars('Mean time of each hop', rows, { partsOf: hopParts, names: hopNames, nameOf }))
}

function environment({ environment: found, options }: Result): string {
  const facts: Record<string, unknown> = { ...told(found), options: JSON.stringify(options) }
  const items = Object.entries(facts)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `<dt>${escapeHtml(name)}</dt><dd>${escapeHtml(String(value))}</dd>`)
  return section('Environment', `<dl>${items.join('')}</dl>`)
}

const told = ({ cpu, cores, memoryBytes, load, ...rest }: Environment) => ({
  machine: `${cores} x ${cpu}, ${Math.round(memoryBytes / 2 ** 30)} GiB`,
  ...rest,
  'load before the start': load.map((value) => value.toFixed(2)).join(', '),
})
