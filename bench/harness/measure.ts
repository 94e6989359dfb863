// Performs one run: plans the webhooks, sends them, collects the frames and computes the figures.
import { provider } from '../../src/dev/provider.ts'
import type { ScenarioName } from '../scenarios/scenario.ts'
import { scenarios } from '../scenarios/scenarios.ts'
import { processCpuMs, watchMachine } from './cpu.ts'
import { join, type RunFigures, spreadOf } from './figures.ts'
import type { Target, World } from './world.ts'

export interface RunOptions {
  readonly scenario: ScenarioName
  readonly rate: number
  readonly warmSeconds: number
  readonly seconds: number
  readonly contacts: number
}

const drainTimeoutMs = 10_000

export async function measure(world: World, target: Target, options: RunOptions): Promise<RunFigures> {
  const { scenario, ...pace } = options
  const { event, furtherFrames: owed } = scenarios[scenario]
  const { wabaId, appSecret } = provider
  const plan = { ...pace, numbers: [world.number], wabaId, appSecret }
  await world.generator.ask('plan', { scenario, options: plan })
  const furtherFrames = target.name === 'floor' ? 0 : owed
  const spent = watchCpu(world, target)
  const sent = await world.generator.ask('fire', { url: target.url })
  const ids = sent.filter((one) => one.role !== 'follow').length
  const frames = ids * (1 + furtherFrames)
  const arrived = await world.receiver.ask('collect', { frames, timeoutMs: drainTimeoutMs })
  const cpu = spent(ids)
  const { measured, faults } = join(sent, arrived, { event, furtherFrames })
  return {
    count: measured.length,
    latency: spreadOf(measured.map((one) => one.atNs - one.sentNs)),
    fromSchedule: spreadOf(measured.map((one) => one.atNs - one.scheduledNs)),
    answer: spreadOf(measured.map((one) => one.answeredNs - one.sentNs)),
    ...cpu,
    faults,
  }
}

type CpuFigures = Pick<RunFigures, 'cpuMicrosPerEvent' | 'totalCpuMicrosPerEvent' | 'othersCores'>

function watchCpu({ generator, receiver }: World, target: Target): (events: number) => CpuFigures {
  const watched = watchMachine()
  const mine = cpuOf(target.pid)
  const ends = cpuOf(generator.pid, receiver.pid, process.pid)
  return (events) => {
    const machine = watched()
    const micros = (ms: number): number => (ms * 1_000) / events
    return {
      cpuMicrosPerEvent: machine ? micros(mine()) : null,
      totalCpuMicrosPerEvent: machine ? micros(machine.treeMs - ends()) : null,
      othersCores: machine?.othersCores ?? null,
    }
  }
}

function cpuOf(...pids: readonly number[]): () => number {
  const read = () => pids.reduce((sum, pid) => sum + (processCpuMs(pid) ?? 0), 0)
  const before = read()
  return () => read() - before
}
