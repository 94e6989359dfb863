// Reads the CPU time of processes and of the machine from /proc. Gives undefined on systems without /proc.
import { readdirSync, readFileSync } from 'node:fs'

const msPerTick = 10

const fieldsOf = (pid: number): string[] | undefined => {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

const ticks = (fields: readonly string[], from: number, to: number): number =>
  fields.slice(from, to).reduce((sum, field) => sum + Number(field), 0)

/** User and system time of one process. */
export function processCpuMs(pid: number): number | undefined {
  const fields = fieldsOf(pid)
  return fields && ticks(fields, 11, 13) * msPerTick
}

/** Busy time of the whole machine, without idle time and I/O wait. */
function machineCpuMs(): number | undefined {
  try {
    const [, ...numbers] = readFileSync('/proc/stat', 'latin1').split('\n')[0]?.split(/\s+/) ?? []
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = numbers.map(Number)
    return (user + nice + system + irq + softirq) * msPerTick
  } catch {
    return undefined
  }
}

/** CPU time of this process and its descendants, including their children that have ended. */
function treeCpuMs(): number {
  const parents = new Map<number, { parent: number; ms: number }>()
  for (const name of readdirSync('/proc')) {
    const fields = /^\d+$/.test(name) ? fieldsOf(Number(name)) : undefined
    if (fields)
      parents.set(Number(name), { parent: Number(fields[1]), ms: ticks(fields, 11, 15) * msPerTick })
  }
  const isOurs = (pid: number): boolean => {
    for (let at = pid; at > 1; at = parents.get(at)?.parent ?? 0) if (at === process.pid) return true
    return false
  }
  return [...parents].reduce((sum, [pid, { ms }]) => (isOurs(pid) ? sum + ms : sum), 0)
}

export interface Watched {
  /** CPU time of the bench and of everything that it started. */
  readonly treeMs: number
  /** Number of cores that other processes kept busy. A high value makes a run unreliable. */
  readonly othersCores: number
}

/** Starts to measure. The returned function gives the usage since then, or undefined without /proc. */
export function watchMachine(): () => Watched | undefined {
  const before = machineCpuMs()
  if (before === undefined) return () => undefined
  const [startedAt, treeBefore] = [performance.now(), treeCpuMs()]
  return () => {
    const treeMs = treeCpuMs() - treeBefore
    const othersMs = (machineCpuMs() ?? before) - before - treeMs
    return { treeMs, othersCores: Math.max(0, othersMs / (performance.now() - startedAt)) }
  }
}
