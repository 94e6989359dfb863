// What a unit costs with more gateways, endpoints, rows and waiting deliveries: each such world beside the smallest one,
// in the same rounds, since the speed of a machine moves.
import type { BenchOptions } from '../harness/options.ts'
import type { Round, Row } from '../harness/result.ts'
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
/** The names of rows of what is measured in both worlds. None is `floor`: others would be divided by it. */
const gateway = { grown: 'gateway', smallest: 'smallest' }
const floor = { grown: 'its floor', smallest: 'smallest floor' }

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

/** Its world has this size. */
const sized = (bench: Bench, size: Size, variants: readonly string[]): Bench => ({
  ...bench,
  options: { ...bench.options, ...size, variants },
})

export const worldOf = ({ gateways, endpoints, rows }: Size): Partial<WorldOptions> => ({
  ...{ gateways, endpoints, rows },
})

export async function scaleRows(
  benches: { readonly grown: Bench; readonly smallest: Bench },
  { name, times, ...sizes }: ScaleWorlds,
): Promise<Row[]> {
  // Several processes that share the load of one do less at a time, whatever they do: the floor shows how much that is.
  const variants = sizes.grown.gateways > times ? ['gateway', 'floor'] : ['gateway']
  const grown = sized(benches.grown, sizes.grown, variants)
  const smallest = sized(benches.smallest, sizes.smallest, variants)
  for (const bench of [grown, smallest]) {
    const { world, say } = bench
    say(`${name}${bench === grown ? '' : ', the smallest world beside it'}:`)
    // Every owner is loaded and every socket open before anything is measured.
    await openAll(world, { numbers: world.seeded.numbers, say })
    await prepare(bench)
  }
  return rounds(grown, async ({ work, load }) => {
    const contestants = async (
      bench: Bench,
      side: 'grown' | 'smallest',
      its: Cell['load'],
    ): Promise<Contestant[]> => {
      const targets = await targetsOf(bench, work)
      return targets.map((target) => ({
        ...{ world: bench.world, target, load: its, scenario: `${work}, ${name}` },
        variant: (target.variant === 'floor' ? floor : gateway)[side],
      }))
    }
    return [
      ...(await contestants(smallest, 'smallest', divided(load, times))),
      ...(await contestants(grown, 'grown', load)),
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
  /** That of the floor, where it was measured. */
  readonly floorRatio: number | null
}

function placesOf(rows: readonly Row[]): Place[] {
  return groups(rows).flatMap((group) => {
    const [one] = group
    if (!one) return []
    const [work = '', world = ''] = one.scenario.split(', ')
    const counted = countedRounds(group)
    const roundsOf = (wanted: string): readonly Round[] =>
      group.find(({ variant }) => variant === wanted)?.rounds.filter(({ round }) => counted.has(round)) ?? []
    const ratioOf = ({ grown, smallest }: typeof gateway) =>
      ratio(roundsOf(grown), roundsOf(smallest), ({ cpu }) => cpu.all)
    return [
      { work: `${work} ${loadText(one.load)}`, world, ratio: ratioOf(gateway), floorRatio: ratioOf(floor) },
    ]
  })
}

export const scaleIntro = 'CPU of a unit, divided by that in the smallest world in the same rounds:'

export function scaleLines(rows: readonly Row[]): string[] {
  const lines = placesOf(rows).map(({ work, world, ratio: value, floorRatio }) => {
    const beyond = (value ?? 0) > goal ? `  more than ${goal}` : ''
    const beside = floorRatio === null ? '' : `  floor ${floorRatio.toFixed(2)}`
    return `  ${work.padEnd(20)}${world.padEnd(28)}${(value?.toFixed(2) ?? '-').padStart(6)}${beyond}${beside}`
  })
  return [scaleIntro, ...lines]
}

/** The same as head and lines of a table: a column for each kind of work, and one for its floor. */
export function scaleTable(rows: readonly Row[]): [head: string[], lines: string[][]] {
  const places = placesOf(rows)
  const works = [...new Set(places.map(({ work }) => work))]
  const worlds = [...new Set(places.map(({ world }) => world))]
  const cells = (work: string, world: string) => {
    const place = places.find((one) => one.work === work && one.world === world)
    return [place?.ratio?.toFixed(2) ?? '', place?.floorRatio?.toFixed(2) ?? '']
  }
  return [
    ['', ...works.flatMap((work) => [work, 'floor'])],
    worlds.map((world) => [world, ...works.flatMap((work) => cells(work, world))]),
  ]
}
