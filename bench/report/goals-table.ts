// The goals of speed beside what was measured: each is a ratio to something that ran in the same rounds. Pure functions.
import { isSound } from '../harness/figures.ts'
import { markdownTable } from '../harness/markdown.ts'
import type { Load, Round, Row } from '../harness/result.ts'
import { loadText, type Read, ratio, readPlan, tailRatio } from '../harness/table.ts'
import { groupsOf } from './figures.ts'

interface Goal {
  readonly scenario: string
  readonly load: Load
  readonly figure: 'p50' | 'p99' | 'CPU' | 'a second'
  readonly of: 'floor' | 'micro-floor' | 'usual'
  /** At most this for times and CPU, at least this for units a second. */
  readonly bound: number
}

type Under = Omit<Goal, 'scenario' | 'load'>

const atRate = (scenario: string, perSecond: number, goals: readonly Under[]): Goal[] =>
  goals.map((goal) => ({ scenario, load: { kind: 'rate', perSecond }, ...goal }))

const saturated = (scenario: string, connections: readonly number[], of: Goal['of'], bound: number): Goal[] =>
  connections.map((count) => ({
    ...{ scenario, of, bound, figure: 'a second' as const },
    load: { kind: 'closed', connections: count },
  }))

const times = (p50: number, p99: number): Under[] => [
  { figure: 'p50', of: 'floor', bound: p50 },
  { figure: 'p99', of: 'floor', bound: p99 },
]
const cpu = (bound: number): Under => ({ figure: 'CPU', of: 'floor', bound })

const goals: readonly Goal[] = [
  ...atRate('ringing', 200, [...times(1.5, 2), cpu(1.4)]),
  ...atRate('ringing', 600, times(2, 2.5)),
  ...atRate('event', 200, [...times(1.3, 1.5), cpu(1.2)]),
  ...atRate('event', 600, times(1.5, 2)),
  ...saturated('event', [16, 64, 256], 'micro-floor', 0.6),
  ...saturated('event-https', [16, 64, 256], 'micro-floor', 0.6),
  ...saturated('event-https', [16, 64, 256], 'usual', 8),
  ...saturated('ringing', [16, 64], 'micro-floor', 0.5),
  ...saturated('ringing', [16, 64], 'usual', 8),
  ...saturated('send', [16, 64], 'usual', 8),
  ...saturated('list-messages', [16, 64], 'usual', 1.5),
  ...saturated('list-conversations', [16, 64], 'usual', 1.5),
]

/** What does all that has to be kept, and nothing else: where it misses a goal as well, that work alone is too much. */
const durable = 'durable-floor'

/**
 * Goals under whose load the gateway was not measured are left out; empty without any. The first result that has a load
 * counts.
 */
export function goalsTable(results: readonly (readonly Row[])[]): string[] {
  const measured = results.flatMap(groupsOf)
  const lines = goals.flatMap((goal): string[][] => {
    const group = measured.find(
      ({ scenario, load }) => scenario === goal.scenario && loadText(load) === loadText(goal.load),
    )
    const of = (name: string) => group?.rows.find(({ variant }) => variant === name)?.rounds ?? []
    if (of('gateway').length === 0) return []
    const [ours, theirs] = ['gateway', durable].map((name) => compared(goal, of(name), of(goal.of)))
    return [[nameOf(goal), shown(ours), shown(theirs), verdict(goal, ours, theirs)]]
  })
  if (lines.length === 0) return []
  return ['The goals:', markdownTable(['', 'gateway', durable, 'met'], lines)]
}

const nameOf = ({ scenario, load, figure, of, bound }: Goal): string =>
  `\`${scenario}\`, ${loadText(load)}: ${figure} at ${figure === 'a second' ? 'least' : 'most'} ${bound} x ${of}`

const reads = {
  p50: readPlan('p50'),
  CPU: ({ cpu }) => cpu.all,
  'a second': ({ perSecond }) => perSecond,
} as const satisfies Record<Exclude<Goal['figure'], 'p99'>, Read>

/** Undefined where one of them was not measured, failed, or did too few units for a percentile. */
function compared({ figure }: Goal, rounds: readonly Round[], others: readonly Round[]): number | undefined {
  if (![...rounds, ...others].every(({ errors }) => isSound(errors))) return undefined
  return (
    (figure === 'p99' ? tailRatio(rounds, others, figure) : ratio(rounds, others, reads[figure])) ?? undefined
  )
}

const shown = (value: number | undefined): string => value?.toFixed(2) ?? ''

function verdict(goal: Goal, ours: number | undefined, theirs: number | undefined): string {
  if (ours === undefined) return 'not known'
  if (isMet(goal, ours)) return 'yes'
  return theirs === undefined || isMet(goal, theirs) ? 'no' : `no, nor by the ${durable}`
}

/** As shown, so that no figure contradicts its verdict. */
function isMet({ figure, bound }: Goal, value: number): boolean {
  const rounded = Number(value.toFixed(2))
  return figure === 'a second' ? rounded >= bound : rounded <= bound
}
