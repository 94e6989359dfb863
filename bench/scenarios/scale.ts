// What a unit costs with more gateways, endpoints, rows and waiting deliveries, each in a world of its own.
import type { BenchOptions } from '../harness/options.ts'
import type { Row } from '../harness/result.ts'
import { countedRounds, loadText, middle } from '../harness/table.ts'
import { openAll } from './backlog.ts'
import type { Bench } from './bench.ts'
import { matrix } from './matrix.ts'

type Size = Pick<BenchOptions, 'gateways' | 'endpoints' | 'rows' | 'backlog'>

export interface ScaleWorld extends Size {
  readonly name: string
}

const usualRows = 2_000_000
const least: Size = { gateways: 1, endpoints: 1, rows: 100_000, backlog: 0 }
/** The goal: CPU of a unit divided by that in the smallest world. */
const goal = 1.2
const smallest = 'smallest'

/** The smallest comes last once more: how far its figures are apart says what the machine changed meanwhile. */
export function scaleWorlds(size: number = usualRows): ScaleWorld[] {
  const share = size / usualRows
  const scaled = (count: number) => Math.max(1, Math.round(count * share))
  const base: Size = { ...least, rows: scaled(least.rows) }
  const grouped = (count: number) => count.toLocaleString('en-US')
  return [
    { name: smallest, ...base },
    ...[2, 3].map((gateways) => ({ name: `${gateways} gateways`, ...base, gateways })),
    ...[100, 5_000]
      .map(scaled)
      .map((endpoints) => ({ name: `${grouped(endpoints)} endpoints`, ...base, endpoints })),
    { name: `${grouped(size)} rows`, ...base, rows: size },
    ...[50_000].map(scaled).map((backlog) => ({ name: `backlog of ${grouped(backlog)}`, ...base, backlog })),
    { name: `${smallest} again`, ...base },
  ]
}

export async function scaleRows(bench: Bench, { name, ...size }: ScaleWorld): Promise<Row[]> {
  const { world, say } = bench
  say(`${name}:`)
  const { numbers } = world.seeded
  // Every owner is loaded and every socket open before anything is measured.
  await openAll(world, { numbers, say })
  const options = { ...bench.options, ...size, variants: ['gateway'] }
  const named = (rows: readonly Row[]) =>
    rows.map((row) => ({ ...row, scenario: `${row.scenario}, ${name}` }))
  return named(await matrix({ ...bench, options, keep: (rows) => bench.keep(named(rows)) }))
}

interface Place {
  readonly work: string
  readonly world: string
  /** CPU of a unit, divided by that in the smallest; null where it is not known. */
  readonly ratio: number | null
}

function placesOf(rows: readonly Row[]): Place[] {
  const measured = rows.map((row) => {
    const [work = '', world = ''] = row.scenario.split(', ')
    const counted = countedRounds([row])
    const rounds = row.rounds.filter(({ round }) => counted.has(round))
    return { work: `${work} ${loadText(row.load)}`, world, cpu: middle(rounds, ({ cpu }) => cpu.all) }
  })
  return measured.map(({ work, world, cpu }) => {
    const base = measured.find((one) => one.work === work && one.world === smallest)?.cpu
    return { work, world, ratio: cpu !== null && base ? cpu / base : null }
  })
}

export function scaleLines(rows: readonly Row[]): string[] {
  const lines = placesOf(rows).map(({ work, world, ratio }) => {
    const beyond = (ratio ?? 0) > goal && !world.startsWith(smallest) ? `  more than ${goal}` : ''
    return `  ${work.padEnd(20)}${world.padEnd(24)}${(ratio?.toFixed(2) ?? '-').padStart(6)}${beyond}`
  })
  return ['CPU of a unit, divided by that in the smallest world:', ...lines]
}

/** The same as head and lines of a table: a column for each kind of work. */
export function scaleTable(rows: readonly Row[]): [head: string[], lines: string[][]] {
  const places = placesOf(rows)
  const works = [...new Set(places.map(({ work }) => work))]
  const worlds = [...new Set(places.map(({ world }) => world))]
  const cell = (work: string, world: string) =>
    places.find((one) => one.work === work && one.world === world)?.ratio?.toFixed(2) ?? ''
  return [['', ...works], worlds.map((world) => [world, ...works.map((work) => cell(work, world))])]
}
