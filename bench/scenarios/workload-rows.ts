import { measureMix } from '../harness/measure.ts'
import type { Round, Row } from '../harness/result.ts'
import { told } from '../harness/told.ts'
import type { Workload } from '../harness/workload.ts'
import type { Bench } from './bench.ts'
import { targetsOf } from './matrix.ts'
import { warmUp } from './warm-up.ts'

const warmSeconds = 2

/** A row for each kind of work. CPU and WAL are those of all of it, for a unit of any kind. */
export async function workloadRows(bench: Bench, { name, parts, seconds }: Workload): Promise<Row[]> {
  const { world, options, say } = bench
  const rows = parts.map(({ work, perSecond }) => ({
    scenario: `${name}: ${work}`,
    variant: 'gateway',
    load: { kind: 'rate' as const, perSecond },
    rounds: [] as Round[],
  }))
  const [target] = await targetsOf({ ...bench, options: { ...options, variants: ['gateway'] } }, 'event')
  if (!target) throw new Error('unreachable')
  const mix = (pace: { warmSeconds: number; seconds: number }) =>
    measureMix(world, target, {
      runs: parts.map((part) => ({ ...part, load: { kind: 'rate', perSecond: part.perSecond }, pace })),
      pace,
    })
  for (const { work } of parts) await warmUp(bench, target, { work })
  for (const figures of await mix({ warmSeconds: 0, seconds: 3 })) bench.check(figures)
  for (let round = 1; round <= options.rounds && !(round > 1 && bench.isLate()); round += 1) {
    for (const [index, figures] of (await mix({ warmSeconds, seconds })).entries()) {
      rows[index]?.rounds.push({ round, ...figures })
      say(`  round ${round} ${rows[index]?.scenario}: ${told(figures)}`)
    }
  }
  return rows
}
