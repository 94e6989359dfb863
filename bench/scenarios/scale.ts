// What a unit costs with more gateways, endpoints, rows and waiting deliveries: each such world beside the smallest one,
// in the same rounds, since the speed of a machine moves.
import type { BenchOptions } from '../harness/options.ts'
import type { Row } from '../harness/result.ts'
import { countedRounds, groups, loadText, ratio } from '../harness/table.ts'
import type { WorldOptions } from '../harness/world.ts'
import { openAll } from './backlog.ts'
import type { Bench } from './bench.ts'
import { type Contestant, prepare, rounds, targetsOf } from './matrix.ts'
import type { Cell } from './plan.ts'

type Size = Pick<BenchOptions, 'gateways' | 'endpoints' | 'rows' | 'backlog'>

export interface ScaleWorlds {
  /** What is grown. */
  readonly name: string
  readonly grown: Size
  readonly smallest: Size
  /** The load of the smallest is that of the grown one, divided by this. */
  readonly times: number
}

const usualRows = 2_000_000
const least: Size = { gateways: 1, endpoints: 1, rows: 100_000, backlog: 0 }
/** The goal: CPU of a unit divided by that in the smallest world. */
const goal = 1.2
const smallestVariant = 'smallest'

/**
 * More gateways share the load of one, or have as much each. The last one is the smallest beside itself: how far it is from 1
 * is how far any other may be by chance.
 */
export function scaleWorlds(size: number = usualRows): ScaleWorlds[] {
  const share = size / usualRows
  const scaled = (count: number) => Math.max(1, Math.round(count * share))
  const smallest: Size = { ...least, rows: scaled(least.rows) }
  const grouped = (count: number) => count.toLocaleString('en-US')
  const named = (name: string, more: Partial<Size>, times = 1): ScaleWorlds => ({
    ...{ name, smallest, times },
    grown: { ...smallest, ...more },
  })
  return [
    ...[2, 3].map((gateways) => named(`${gateways} gateways`, { gateways })),
    ...[2, 3].map((times) => named(`${times} gateways at ${times} x the load`, { gateways: times }, times)),
    ...[100, 5_000].map(scaled).map((endpoints) => named(`${grouped(endpoints)} endpoints`, { endpoints })),
    named(`${grouped(size)} rows`, { rows: size }),
    ...[50_000].map(scaled).map((backlog) => named(`backlog of ${grouped(backlog)}`, { backlog })),
    named('none of these', {}),
  ]
}

/** Its world has this size, and the gateway alone is measured there. */
const sized = (bench: Bench, size: Size): Bench => ({
  ...bench,
  options: { ...bench.options, ...size, variants: ['gateway'] },
})

export const worldOf = ({ gateways, endpoints, rows }: Size): Partial<WorldOptions> => ({
  ...{ gateways, endpoints, rows },
})

export async function scaleRows(
  benches: { readonly grown: Bench; readonly smallest: Bench },
  { name, times, ...sizes }: ScaleWorlds,
): Promise<Row[]> {
  const grown = sized(benches.grown, sizes.grown)
  const smallest = sized(benches.smallest, sizes.smallest)
  for (const bench of [grown, smallest]) {
    const { world, say } = bench
    say(`${name}${bench === grown ? '' : ', the smallest world beside it'}:`)
    // Every owner is loaded and every socket open before anything is measured.
    await openAll(world, { numbers: world.seeded.numbers, say })
    await prepare(bench)
  }
  return rounds(grown, async ({ work, load }) => {
    const contestant = async (bench: Bench, variant: string, its: Cell['load']): Promise<Contestant[]> => {
      const targets = await targetsOf(bench, work)
      return targets.map((target) => ({
        ...{ world: bench.world, target, variant, load: its },
        scenario: `${work}, ${name}`,
      }))
    }
    return [
      ...(await contestant(smallest, smallestVariant, divided(load, times))),
      ...(await contestant(grown, 'gateway', load)),
    ]
  })
}

function divided(load: Cell['load'], times: number): Cell['load'] {
  return load.kind === 'rate'
    ? { ...load, perSecond: Math.round(load.perSecond / times) }
    : { ...load, connections: Math.max(1, Math.round(load.connections / times)) }
}

interface Place {
  readonly work: string
  readonly world: string
  /** CPU of a unit, divided by that in the smallest world; null where it is not known. */
  readonly ratio: number | null
}

function placesOf(rows: readonly Row[]): Place[] {
  return groups(rows).flatMap((group) => {
    const [grown, base] = ['gateway', smallestVariant].map((name) =>
      group.find(({ variant }) => variant === name),
    )
    if (!grown) return []
    const [work = '', world = ''] = grown.scenario.split(', ')
    const counted = countedRounds(group)
    const of = (row: Row | undefined) => row?.rounds.filter(({ round }) => counted.has(round)) ?? []
    const value = ratio(of(grown), of(base), ({ cpu }) => cpu.all)
    return [{ work: `${work} ${loadText(grown.load)}`, world, ratio: value }]
  })
}

export const scaleIntro = 'CPU of a unit, divided by that in the smallest world in the same rounds:'

export function scaleLines(rows: readonly Row[]): string[] {
  const lines = placesOf(rows).map(({ work, world, ratio: value }) => {
    const beyond = (value ?? 0) > goal ? `  more than ${goal}` : ''
    return `  ${work.padEnd(20)}${world.padEnd(24)}${(value?.toFixed(2) ?? '-').padStart(6)}${beyond}`
  })
  return [scaleIntro, ...lines]
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
