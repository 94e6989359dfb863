// Ten thousand sockets that nobody uses, and all of them at once after a cut.
import { setTimeout as sleep } from 'node:timers/promises'
import { noCpu, residentBytes } from '../harness/cpu.ts'
import { latencies, watch } from '../harness/measure.ts'
import type { Row } from '../harness/result.ts'
import type { Target } from '../harness/target.ts'
import type { World } from '../harness/world.ts'
import { openAll, sqlOf } from './backlog.ts'
import { type Drill, gatewayOf } from './bench.ts'
import { warmUp } from './warm-up.ts'

const usualSize = 10_000
const openTimeoutMs = 300_000
/** As long as the interval of pings: sockets that were opened together are pinged together. */
const idleSeconds = 20
const sound = { refused: 0, lost: 0, duplicated: 0, strange: 0 }

/** When each of so many sockets was opened. Rejects when they are not open in time. */
async function opened({ receiver }: World, count: number, sinceNs = 0): Promise<number[]> {
  const deadline = performance.now() + openTimeoutMs
  while (performance.now() < deadline) {
    const times = (await receiver.ask('sockets', null)).filter((atNs) => atNs > sinceNs)
    if (times.length >= count) return times
    await sleep(200)
  }
  throw new Error(`${count} sockets were not open in time`)
}

/**
 * Of a socket and a second, while nothing is sent: of the gateway, which pings, and of Redis, which has its leases.
 * Postgres tidies up meanwhile what was written before.
 */
async function idleCpu(world: World, target: Target, sockets: number) {
  await sleep(idleSeconds * 1e3)
  const stop = await watch(world, target)
  await sleep(idleSeconds * 1e3)
  const { cpu, others } = await stop(sockets * idleSeconds)
  return { micros: cpu.gateway === null || cpu.redis === null ? null : cpu.gateway + cpu.redis, others }
}

export const idleSockets: Drill = {
  about: 'memory and CPU of idle sockets, and how fast all come back after a cut',
  world: ({ size = usualSize }) => ({ endpoints: size + 1, contacts: size + 1, rows: 0, rings: false }),
  async run(bench) {
    const { world, say } = bench
    const target = gatewayOf(world)
    const [first, ...numbers] = world.seeded.numbers
    if (!first) throw new Error('unreachable')
    const units = numbers.length
    const [pid = 0] = target.pids
    // What a gateway and its servers take without these sockets is no cost of theirs.
    await warmUp(bench, target, { work: 'event', numbers: [first] })
    const rssBefore = residentBytes(pid)
    const before = await idleCpu(world, target, units)
    // One text each loads the owner of every endpoint. It keeps its socket, as calls ring there from now on.
    await sqlOf(world)`update numbers set forward_calls = true`
    await openAll(world, { numbers, say })
    await opened(world, units + 1)
    const { micros, others } = await idleCpu(world, target, units)
    const load = { kind: 'batch', units } as const
    const figures = {
      'memory KiB a socket': (residentBytes(pid) - rssBefore) / 1_024 / units,
      ...(micros !== null && { 'CPU us a socket and second': micros - (before.micros ?? 0) }),
    }
    // Nothing is done: there is no unit that has a cost.
    const idle = { ...latencies([]), count: units, cpu: noCpu, walBytes: null, others }
    const rows: Row[] = [
      {
        ...{ scenario: 'idle-sockets', variant: 'gateway', load },
        rounds: [{ round: 1, ...idle, errors: sound, figures }],
      },
    ]
    const stop = await watch(world, target)
    const cutNs = await world.receiver.ask('cut', null)
    const times = await opened(world, units + 1, cutNs)
    const spent = await stop(times.length)
    const measured = times.map((atNs, index) => ({
      id: String(index),
      sentNs: cutNs,
      plannedNs: cutNs,
      atNs,
    }))
    rows.push({
      ...{ scenario: 'reconnect-storm', variant: 'gateway', load },
      rounds: [{ round: 1, ...latencies(measured), ...spent, errors: sound }],
    })
    return rows
  },
}
