// A gateway that starts while it is needed: from its start until the first event has arrived.
import { cpuMsOf, noCpu } from '../harness/cpu.ts'
import { join } from '../harness/figures.ts'
import { latencies, partOf } from '../harness/measure.ts'
import { nowNs } from '../harness/monotonic.ts'
import type { Round } from '../harness/result.ts'
import { told } from '../harness/told.ts'
import { collect } from '../harness/waiting.ts'
import type { World } from '../harness/world.ts'
import { type Bench, type Drill, gatewayOf } from './bench.ts'

async function one(bench: Bench, world: World, round: number): Promise<{ figures: Round; world: World }> {
  await world.gateways[0]?.child?.stop(30_000)
  const startNs = nowNs()
  const gateway = await world.startGateway()
  const readyNs = nowNs()
  const now = { ...world, gateways: [gateway] }
  const target = gatewayOf(now)
  const sent = await now.generator.ask('saturate', {
    part: partOf(now, target, { work: 'event' }),
    pace: { warmSeconds: 0, seconds: 30 },
    ...{ connections: 1, most: 1, origins: target.origins },
  })
  const { measured, faults } = join(sent, await collect(now, 1), { measured: 'message.received', further: 0 })
  const sinceStart = measured.map((unit) => ({ ...unit, sentNs: startNs, plannedNs: startNs }))
  // What Postgres and Redis do for the start cannot be told from what they do besides.
  const spent = { cpu: noCpu, walBytes: null, others: null }
  const cpuMs = cpuMsOf(gateway.child?.process.pid)
  const figures = {
    'ready ms': (readyNs - startNs) / 1e6,
    ...(cpuMs !== undefined && { 'CPU ms of the gateway': cpuMs }),
  }
  bench.say(`  round ${round}: ready after ${figures['ready ms'].toFixed(0)} ms`)
  return { world: now, figures: { round, ...latencies(sinceStart), ...spent, errors: faults, figures } }
}

export const coldStart: Drill = {
  about: 'from the start of a gateway until its first event has arrived',
  async run(bench) {
    const rounds: Round[] = []
    let { world } = bench
    for (let round = 1; round <= bench.options.rounds; round += 1) {
      const done = await one(bench, world, round)
      world = done.world
      rounds.push(done.figures)
      bench.say(`  ${told(done.figures)}`)
    }
    return [{ scenario: 'cold-start', variant: 'gateway', load: { kind: 'batch', units: 1 }, rounds }]
  },
}
