// What a run will do, how long that takes, and what it had no time for. Pure functions.
import { opponents, type WorkName } from '../harness/opponents.ts'
import type { BenchOptions } from '../harness/options.ts'
import type { Load, Row } from '../harness/result.ts'
import { loadText } from '../harness/table.ts'

export interface Cell {
  readonly work: WorkName
  readonly load: Exclude<Load, { kind: 'batch' }>
}

export const leadSeconds = 1
/** Of a run: what arrives late is waited for, and the next one is built. */
const aroundSeconds = 0.8
/** Of a warm-up: its first second, and what is around its runs. */
const warmAroundSeconds = 3
/** Windows of a warm-up that is not the first of its program: most code is warm by then. */
const laterWindows = 5
/** The build, the servers, the seed, the gateway and the opponents. */
const startSeconds = 35
/** After the last run: processes end, and the result is written. */
export const endSeconds = 5
/** A call that is answered goes on for so long. */
const talkSeconds = 3

/** Answering at saturation would measure what the workspace's own client does. */
export const canSaturate = (work: WorkName): boolean => work !== 'answer'

/** Every kind of work under every load. */
export function cellsOf({ works, rates, connections }: BenchOptions): Cell[] {
  return works.flatMap((work): Cell[] => [
    ...rates.map((perSecond): Cell => ({ work, load: { kind: 'rate', perSecond } })),
    ...(canSaturate(work) ? connections : []).map(
      (count): Cell => ({ work, load: { kind: 'closed', connections: count } }),
    ),
  ])
}

/** Those that can do this work. */
const variantsOf = ({ variants }: BenchOptions, work: WorkName): string[] =>
  variants.filter((name) => {
    const opponent = opponents.find(({ variant }) => variant === name)
    return opponent === undefined || opponent.works.includes(work)
  })

export interface Plan {
  readonly runsARound: number
  readonly roundSeconds: number
  /** Everything that comes before the first round. */
  readonly beforeSeconds: number
  /** Rounds that are over before `--minutes` are. */
  readonly wholeRounds: number
  readonly longestRunSeconds: number
}

/** On a machine that keeps up. */
export function planOf(options: BenchOptions): Plan {
  const longer = (work: WorkName) => (work === 'answer' ? talkSeconds : 0)
  const runs = cellsOf(options).flatMap(({ work }) => variantsOf(options, work).map(() => work))
  const runSeconds = leadSeconds + options.seconds + aroundSeconds
  const roundSeconds = total(runs.map((work) => runSeconds + longer(work)))
  const longestRunSeconds = runSeconds + Math.max(0, ...runs.map(longer))
  const warmed = options.works.map((work, index) => {
    const each = warmSeconds(options, index) + warmAroundSeconds + longer(work)
    return each * variantsOf(options, work).length
  })
  const beforeSeconds = startSeconds + total(warmed) + catchUpSeconds(options)
  const fit = Math.floor((options.minutes * 60 - beforeSeconds - endSeconds) / Math.max(1, roundSeconds))
  const wholeRounds = Math.max(1, Math.min(options.rounds, fit))
  return { runsARound: runs.length, roundSeconds, beforeSeconds, wholeRounds, longestRunSeconds }
}

const total = (all: readonly number[]): number => all.reduce((sum, one) => sum + one, 0)

/** Of one variant, for the kind of work that has this index. */
const warmSeconds = ({ warmUp, gateways }: BenchOptions, index: number): number =>
  gateways * (index === 0 ? warmUp : Math.min(warmUp, laterWindows))

/** Opponents over HTTPS are processes of their own, and are warmed as long as the gateway's by then: see warm-up.ts. */
function catchUpSeconds(options: BenchOptions): number {
  const before = Math.max(0, options.works.indexOf('event-https'))
  const others = variantsOf(options, 'event-https').filter((name) => name !== 'gateway' && name !== 'remote')
  return others.length * total(options.works.slice(0, before).map((_, index) => warmSeconds(options, index)))
}

export function planText(options: BenchOptions): string {
  const { runsARound, roundSeconds, beforeSeconds, wholeRounds } = planOf(options)
  const minutes = (seconds: number) => (seconds / 60).toFixed(1)
  const fits =
    wholeRounds < options.rounds ? `; ${wholeRounds} whole within --minutes ${options.minutes}` : ''
  return `plan: about ${minutes(beforeSeconds)} minutes of start and warm-up, then ${options.rounds} rounds of ${runsARound} runs, ${minutes(roundSeconds)} minutes each${fits}`
}

/** The rows that have fewer rounds than were asked for; undefined where all have them. */
export function leftOut(rows: readonly Row[], rounds: number): string | undefined {
  const short = rows.filter((row) => row.rounds.length < rounds)
  if (short.length === 0) return undefined
  const names = new Map<number, Set<string>>()
  for (const { scenario, load, rounds: done } of short) {
    const some = names.get(done.length) ?? new Set()
    names.set(done.length, some.add(`${scenario} ${loadText(load)}`))
  }
  const texts = [...names].map(([done, some]) => `${done} of ${rounds} rounds of ${[...some].join(', ')}`)
  return `left out, since --minutes were over: only ${texts.join('; ')}`
}
