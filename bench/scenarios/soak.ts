// A long load while a transaction of somebody else stays open, so that Postgres can remove no dead row.
import { connectPool } from '../../src/platform/postgres/sql.ts'
import { measure } from '../harness/measure.ts'
import type { Round, Row } from '../harness/result.ts'
import { told } from '../harness/told.ts'
import { sqlOf } from './backlog.ts'
import { type Bench, type Drill, gatewayOf } from './bench.ts'
import { warmUp } from './warm-up.ts'

/** Windows of so many seconds each. */
const usualWindows = 12
const windowSeconds = 15

async function windows(bench: Bench, count: number): Promise<Round[]> {
  const { world, options, say } = bench
  const load = { kind: 'rate', perSecond: options.rates[0] ?? 200 } as const
  const rounds: Round[] = []
  for (let round = 1; round <= count; round += 1) {
    const pace = { warmSeconds: 0, seconds: Math.min(windowSeconds, options.seconds * 4) }
    const figures = await measure(world, gatewayOf(world), { work: 'event', load, pace })
    say(`  window ${round}: ${told(figures)}`)
    rounds.push({ round, ...figures })
  }
  return rounds
}

export const soak: Drill = {
  about: 'the first and the last third of a load, while a transaction in Postgres is held open',
  async run(bench) {
    const { world, options } = bench
    const count = Math.max(3, Math.min(usualWindows, options.size ?? usualWindows))
    await warmUp(bench, gatewayOf(world), { work: 'event' })
    await sqlOf(world)`analyze`
    const url = world.servers?.databaseUrl('bench_gateway') ?? ''
    const holder = connectPool({ url, max: 1, name: 'bench-holder' })
    const rounds = await holder.begin('isolation level repeatable read', async (held) => {
      // Ours end idle transactions; those of others need not.
      await held`set local idle_in_transaction_session_timeout = 0`
      await held`select count(*) from workspaces`
      return windows(bench, count)
    })
    await holder.end()
    const third = Math.ceil(count / 3)
    const load = { kind: 'rate', perSecond: options.rates[0] ?? 200 } as const
    const row = (scenario: string, some: readonly Round[]): Row => ({
      ...{ scenario, variant: 'gateway', load },
      rounds: some.map((one, index) => ({ ...one, round: index + 1 })),
    })
    return [row('soak, first third', rounds.slice(0, third)), row('soak, last third', rounds.slice(-third))]
  },
}
