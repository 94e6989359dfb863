// Compares two results: CPU for a unit is judged, latency and throughput are shown.
import { isSound } from '../harness/figures.ts'
import { decode } from '../harness/histogram.ts'
import type { Result, Round, Row } from '../harness/result.ts'
import { countedRounds, loadText } from '../harness/table.ts'
import { pairedRatio, type Ratio, ratioOf, type Verdict, verdictOf } from './ratio.ts'

export interface Compared {
  /** Such as `event 200/s`. */
  readonly name: string
  /** Of CPU for a unit over all processes; null where a side has no figures or fewer than two rounds. */
  readonly cpu: Ratio | null
  readonly verdict: Verdict | null
  /** Where rounds are set against floors: CPU as it is, and that of the floors, which moves with what both share. */
  readonly beside?: { readonly plain: Ratio | null; readonly floor: Ratio | null }
  readonly p50: Ratio | null
  readonly p99: Ratio | null
  readonly perSecond: Ratio | null
  /** That are compared. */
  readonly rounds: readonly [a: number, b: number]
  /** Rounds that had faults, or were disturbed while enough others were not. */
  readonly leftOut: readonly [a: number, b: number]
  /** `pair`: rounds one after the other; `floor`: each against the floor of its round; `plain`: as they are. */
  readonly by: 'pair' | 'floor' | 'plain'
}

type Read = (round: Round) => number | null

const latencyAt = (percentile: number): Read => {
  return ({ fromPlan }) => decode(fromPlan).getValueAtPercentile(percentile)
}
const readings = {
  cpu: ({ cpu }: Round) => cpu.all,
  p50: latencyAt(50),
  p99: latencyAt(99),
  perSecond: ({ perSecond }: Round) => perSecond,
} satisfies Record<string, Read>

const keyOf = ({ scenario, load }: Row): string => `${scenario} ${loadText(load)}`

/** Over all verdicts together, one comparison of equals in twenty may find a difference. */
const falseAlarms = 0.05

export function compare(a: Result, b: Result): Compared[] {
  const names = a.rows.filter(({ variant }) => variant === 'gateway').map(keyOf)
  const shared = names.filter((name) => rowOf(b, name, 'gateway'))
  const chance = falseAlarms / Math.max(1, shared.length)
  return shared.map((name) => compareRow(name, a, b, chance))
}

const rowOf = (result: Result, name: string, variant: string): Row | undefined =>
  result.rows.find((row) => row.variant === variant && keyOf(row) === name)

/** Results of one interleaved comparison carry the same mark: their rounds of one number are a pair. */
const isPaired = (a: Result, b: Result): boolean =>
  a.options['interleaved'] !== undefined && a.options['interleaved'] === b.options['interleaved']

function compareRow(name: string, a: Result, b: Result, chance: number): Compared {
  const [mine, other] = [sideOf(a, name), sideOf(b, name)]
  const by = methodOf(a, b, [mine, other])
  const of = (read: Read): Ratio | null => ratioBy(by, [mine, other], read, chance)
  const floors = [mine.floors(), other.floors()] as const
  const cpu = of(readings.cpu)
  return {
    name,
    cpu,
    verdict: cpu && verdictOf(cpu),
    ...(by === 'floor' && {
      beside: {
        plain: ratioBy('plain', [mine, other], readings.cpu, chance),
        floor: ratioBy('plain', floors, readings.cpu, chance),
      },
    }),
    p50: of(readings.p50),
    p99: of(readings.p99),
    perSecond: of(readings.perSecond),
    rounds: [mine.rounds.length, other.rounds.length],
    leftOut: [mine.leftOut, other.leftOut],
    by,
  }
}

interface Side {
  readonly rounds: readonly Round[]
  /** The floor in the same round, which says how fast the machine was. */
  floorOf(round: number): Round | undefined
  readonly leftOut: number
}

/** Fewer say nothing: then those that were disturbed count as well. */
const fewestRounds = 3

function sideOf(result: Result, name: string): Side & { floors(): Side } {
  const [ours, floor] = [rowOf(result, name, 'gateway'), rowOf(result, name, 'floor')]
  const all = ours?.rounds ?? []
  const faulty = [ours, floor].flatMap((row) => row?.rounds.filter(({ errors }) => !isSound(errors)) ?? [])
  const bad = new Set(faulty.map(({ round }) => round))
  const sound = all.filter(({ round }) => !bad.has(round))
  const quiet = countedRounds([ours, floor].flatMap((row) => row ?? []))
  const calm = sound.filter(({ round }) => quiet.has(round))
  const rounds = calm.length >= fewestRounds ? calm : sound
  const floorOf = (number: number) => floor?.rounds.find(({ round }) => round === number)
  const side = { rounds, floorOf, leftOut: all.length - rounds.length }
  return { ...side, floors: () => ({ ...side, rounds: rounds.flatMap(({ round }) => floorOf(round) ?? []) }) }
}

type Sides = readonly [a: Side, b: Side]

function methodOf(a: Result, b: Result, sides: Sides): Compared['by'] {
  if (isPaired(a, b)) return 'pair'
  const hasFloor = sides.every(({ rounds, floorOf }) => rounds.every(({ round }) => floorOf(round)))
  return hasFloor ? 'floor' : 'plain'
}

function ratioBy(by: Compared['by'], [a, b]: Sides, read: Read, chance: number): Ratio | null {
  if (by === 'pair') {
    const pairs = a.rounds.flatMap((round) => {
      const partner = b.rounds.find((one) => one.round === round.round)
      const [x, y] = [read(round), partner ? read(partner) : null]
      return x && y ? [[x, y] as const] : []
    })
    return pairedRatio(pairs, chance)
  }
  const valuesOf = ({ rounds, floorOf }: Side): number[] =>
    rounds.flatMap((round) => {
      const value = read(round)
      const floor = floorOf(round.round)
      const against = by === 'floor' && floor ? read(floor) : 1
      return value && against ? [value / against] : []
    })
  return ratioOf(valuesOf(a), valuesOf(b), chance)
}

/** Options that choose rows, or name the result: they change no figure of a row. */
const harmless = new Set([
  ...[
    'works',
    'drills',
    'rates',
    'connections',
    'rounds',
    'minutes',
    'name',
    'json',
    'price',
    'receive',
    'size',
  ],
  ...['interleaved'],
])

/** What else differs between two results than the commit: a difference of the figures may be due to it. */
export function differences(a: Result, b: Result): string[] {
  const of = (name: string, mine: object, other: object, skipped: ReadonlySet<string>): string[] => {
    const [ours, theirs] = [mine, other] as Readonly<Record<string, unknown>>[]
    return [...new Set([...Object.keys(mine), ...Object.keys(other)])].flatMap((key) => {
      const [x, y] = [JSON.stringify(ours?.[key]), JSON.stringify(theirs?.[key])]
      return x === y || skipped.has(key) ? [] : [`${name} ${key}: ${x ?? 'none'} and ${y ?? 'none'}`]
    })
  }
  return [
    ...(a.version === b.version ? [] : [`the bench counts otherwise: version ${a.version} and ${b.version}`]),
    ...of('environment', a.environment, b.environment, new Set(['load'])),
    ...of('option', a.options, b.options, harmless),
  ]
}
