// Reads the CPU time of processes, threads and the machine from /proc. Gives null on systems without /proc.
import { readdirSync, readFileSync } from 'node:fs'
import type { Cpu } from './result.ts'

const msPerTick = 10

interface Process {
  readonly parent: number
  /** User and system time, with that of its children that have ended. */
  readonly ms: number
}

function readProcess(pid: number): Process | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { parent: Number(fields[1]), ms: ticks * msPerTick }
  } catch {
    return undefined
  }
}

/** User and system time of a process since its start; undefined without /proc. */
export const cpuMsOf = (pid: number | undefined): number | undefined =>
  pid === undefined ? undefined : readProcess(pid)?.ms

function allProcesses(): Map<number, Process> {
  const found = new Map<number, Process>()
  for (const name of readdirSync('/proc')) {
    const process = /^\d+$/.test(name) ? readProcess(Number(name)) : undefined
    if (process) found.set(Number(name), process)
  }
  return found
}

/** Busy time of the whole machine, without idle time and I/O wait. What a host took for other guests is busy, too. */
export function busyMs(stat: string): number {
  const [, ...numbers] = stat.split('\n')[0]?.split(/\s+/) ?? []
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = numbers.map(Number)
  return (user + nice + system + irq + softirq + steal) * msPerTick
}

function machineCpuMs(): number | undefined {
  try {
    return busyMs(readFileSync('/proc/stat', 'latin1'))
  } catch {
    return undefined
  }
}

/** From here on: how much of a core the main thread of a process kept busy; null where that is not known. */
export function watchThread(pid: number | undefined): () => number | null {
  const path = `/proc/${pid}/task/${pid}/stat`
  const [before, startedAt] = [pid === undefined ? undefined : threadMs(path), performance.now()]
  return () => {
    const after = before === undefined ? undefined : threadMs(path)
    return before === undefined || after === undefined
      ? null
      : (after - before) / (performance.now() - startedAt)
  }
}

function threadMs(path: string): number | undefined {
  try {
    const text = readFileSync(path, 'latin1')
    const [user, system] = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 13)
      .map(Number)
    return ((user ?? 0) + (system ?? 0)) * msPerTick
  } catch {
    return undefined
  }
}

export type Group = 'gateway' | 'worker' | 'postgres' | 'redis' | 'other'

/** The group of a process: its own label or that of the nearest labelled parent. */
export function groupOf(
  pid: number,
  processes: ReadonlyMap<number, Pick<Process, 'parent'>>,
  labels: ReadonlyMap<number, Group>,
): Group | undefined {
  let isOurs = false
  let group: Group | undefined
  for (let at = pid; at > 1 && !isOurs; ) {
    const process = processes.get(at)
    if (!process) break
    group ??= labels.get(at)
    isOurs = at === labels.keys().next().value
    at = process.parent
  }
  return isOurs ? (group ?? 'other') : undefined
}

function spentMs(labels: ReadonlyMap<number, Group>): Record<Group, number> {
  const processes = allProcesses()
  const spent = { gateway: 0, worker: 0, postgres: 0, redis: 0, other: 0 }
  for (const [pid, { ms }] of processes) {
    const group = groupOf(pid, processes, labels)
    if (group) spent[group] += ms
  }
  return spent
}

export interface Spent {
  /** Nothing is known for a unit where their number is not. */
  cpu(units: number | null): Cpu
  /** Cores that other processes kept busy. */
  readonly others: number | null
}

export const noCpu: Cpu = { gateway: null, postgres: null, redis: null, worker: null, all: null }
const unknown: Spent = { cpu: () => noCpu, others: null }

/**
 * Starts to measure. `gateway` are the processes of the variant; a worker counts only beside gateways. Children count
 * with their parents. What is left of the bench, such as generator and idle variants, is in no figure. Nothing is known
 * of a deployment, which has no process here.
 */
export function watchCpu(
  measured: { readonly gateway: readonly number[] } & {
    readonly [Server in 'worker' | 'postgres' | 'redis']?: number | undefined
  },
): () => Spent {
  const machineBefore = machineCpuMs()
  if (machineBefore === undefined || measured.gateway.length === 0) return () => unknown
  const labels = new Map<number, Group>([[process.pid, 'other']])
  for (const pid of measured.gateway) labels.set(pid, 'gateway')
  for (const group of ['worker', 'postgres', 'redis'] as const) {
    const pid = measured[group]
    if (pid !== undefined) labels.set(pid, group)
  }
  const [startedAt, before] = [performance.now(), spentMs(labels)]
  return () => {
    const after = spentMs(labels)
    const ms = (group: Group) => after[group] - before[group]
    const ours = (Object.keys(after) as Group[]).reduce((sum, group) => sum + ms(group), 0)
    const othersMs = (machineCpuMs() ?? machineBefore) - machineBefore - ours
    return {
      others: Math.max(0, othersMs / (performance.now() - startedAt)),
      cpu(units) {
        if (!units) return noCpu
        const micros = (group: Group) => (ms(group) * 1_000) / units
        const parts = {
          gateway: micros('gateway'),
          postgres: micros('postgres'),
          redis: micros('redis'),
          worker: micros('worker'),
        }
        return { ...parts, all: parts.gateway + parts.postgres + parts.redis + parts.worker }
      },
    }
  }
}

/** Resident memory of a process in bytes; 0 without /proc. */
export function residentBytes(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024
  } catch {
    return 0
  }
}
