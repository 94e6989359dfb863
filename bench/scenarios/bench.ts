// What scenarios share.
import type { Figures } from '../harness/measure.ts'
import type { BenchOptions } from '../harness/options.ts'
import type { Round, Row } from '../harness/result.ts'
import type { Target } from '../harness/target.ts'
import type { World, WorldOptions } from '../harness/world.ts'

export interface Bench {
  readonly options: BenchOptions
  readonly world: World
  readonly say: (text: string) => void
  /** Whether no further round may begin. */
  isLate(): boolean
  /** To be read below the table, such as what was left out. */
  note(text: string): void
  /** So that what was measured outlives a failure: all rows of the scenario so far. */
  keep(rows: readonly Row[]): void
  /** Fails the bench where a run that is in no row had faults. */
  check(figures: Pick<Figures, 'errors'>): void
  /** Notes how long it takes. With --profile the gateway is profiled meanwhile, and the figures say where its time went. */
  measured(target: Target, run: () => Promise<Figures>): Promise<Figures>
}

/** A scenario with a world of its own. It ends by itself, within a few minutes at its usual size. */
export interface Drill {
  readonly about: string
  /** What its world has in place of what the options say. */
  world?(options: BenchOptions): Partial<WorldOptions>
  run(bench: Bench): Promise<Row[]>
}

/** The first gateway alone. */
export const gatewayOf = ({ gateways }: World): Target => {
  const [gateway] = gateways
  if (!gateway) throw new Error('this scenario needs a gateway of its own')
  const pid = gateway.child?.process.pid
  return { variant: 'gateway', origins: [gateway.origin], pids: pid === undefined ? [] : [pid] }
}

/** Collects rounds in rows, in the order in which rows begin, and keeps them. */
export function rowCollector({ keep }: Pick<Bench, 'keep'>) {
  const rows = new Map<string, Row & { readonly rounds: Round[] }>()
  return {
    add(of: Omit<Row, 'rounds'>, round: Round): void {
      const key = JSON.stringify([of.scenario, of.variant, of.load])
      const row = rows.get(key) ?? { ...of, rounds: [] }
      row.rounds.push(round)
      rows.set(key, row)
      keep([...rows.values()])
    },
    rows: (): Row[] => [...rows.values()],
  }
}
