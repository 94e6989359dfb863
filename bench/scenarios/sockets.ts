// Ten thousand sockets that nobody uses, and all of them at once after a cut.
import { setTimeout as sleep } from 'node:timers/promises'
import { noCpu, residentBytes } from '../harness/cpu.ts'
import { latencies, watch } from '../harness/measure.ts'
import type { Row } from '../harness/result.ts'
import type { World } from '../harness/world.ts'
import { collectAll, sendAll } from './backlog.ts'
import { type Drill, gatewayOf } from './bench.ts'

const usualSize = 10_000
const openTimeoutMs = 300_000
const idleSeconds = 10
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

export const idleSockets: Drill = {
  about: 'memory and CPU of idle sockets, and how fast all come back after a cut',
  world: ({ size = usualSize }) => ({ endpoints: size, contacts: size, rows: 0 }),
  async run({ world, say }) {
    const target = gatewayOf(world)
    const units = world.seeded.numbers.length
    const [pid = 0] = target.pids
    const rssBefore = residentBytes(pid)
    // One text each loads the owner of every endpoint, which keeps its socket from then on.
    const ids = await sendAll(world, { numbers: world.seeded.numbers, count: units, say })
    await collectAll(world, ids, openTimeoutMs / 1e3)
    await opened(world, units)
    await sleep(idleSeconds * 1e3)
    const stopIdle = await watch(world, target)
    await sleep(idleSeconds * 1e3)
    const { cpu, others } = await stopIdle(units * idleSeconds)
    const load = { kind: 'batch', units } as const
    const figures = {
      'memory KiB a socket': (residentBytes(pid) - rssBefore) / 1_024 / units,
      ...(cpu.all !== null && { 'CPU us a socket and second': cpu.all }),
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
    const times = await opened(world, units, cutNs)
    const spent = await stop(units)
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
