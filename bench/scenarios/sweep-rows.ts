// Latency against throughput of one kind of work, up to the rate at which the gateway saturates.
import { isSound } from '../harness/figures.ts'
import { decode, spreadOf } from '../harness/histogram.ts'
import { type Figures, measure } from '../harness/measure.ts'
import type { WorkName } from '../harness/opponents.ts'
import type { Row } from '../harness/result.ts'
import { saturation, sweep } from '../harness/sweep.ts'
import { told } from '../harness/told.ts'
import type { Bench } from './bench.ts'
import { targetsOf } from './matrix.ts'
import { warmUp } from './warm-up.ts'

const limits = { from: 100, most: 12_000, precision: 0.1 }
/** A queue that grows shows in its tail long before anything is lost. */
const longestP99Ms = 250
const leastShare = 0.95

export const isSustained = (
  figures: Pick<Figures, 'fromPlan' | 'perSecond' | 'errors'>,
  perSecond: number,
): boolean =>
  isSound(figures.errors) &&
  figures.perSecond >= perSecond * leastShare &&
  spreadOf(decode(figures.fromPlan)).p99 <= longestP99Ms

export async function sweepRows(bench: Bench, work: WorkName): Promise<Row[]> {
  const { world, options, say } = bench
  const rows: Row[] = []
  for (const target of await targetsOf(bench, work)) {
    const run = async (perSecond: number) => {
      const load = { kind: 'rate', perSecond } as const
      const pace = { warmSeconds: 1, seconds: options.seconds }
      const figures = await measure(world, target, { work, load, pace })
      say(`  ${work} ${perSecond}/s ${target.variant}: ${told(figures)}`)
      return { load, figures }
    }
    await warmUp(bench, target, { work })
    const steps = await sweep(limits, async (perSecond) => {
      const { load, figures } = await run(perSecond)
      rows.push({ scenario: work, variant: target.variant, load, rounds: [{ round: 1, ...figures }] })
      return isSustained(figures, perSecond)
    })
    say(`${target.variant} saturates at ${saturation(steps)} a second`)
  }
  return rows.sort((a, b) => rateOf(a) - rateOf(b))
}

const rateOf = ({ load }: Row): number => (load.kind === 'rate' ? load.perSecond : 0)
