import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** Identifies one process. The system reuses a pid, but not a pid together with its start time. */
export type ProcessIdentity = Readonly<{ pid: number; startedAt: string }>

const hasProc = existsSync('/proc/self/stat')

/** Null when there is no such process. A zombie counts as no process, although signal 0 still reaches it. */
export function identify(pid: number): ProcessIdentity | null {
  const startedAt = hasProc ? startFromProc(pid) : startFromPs(pid)
  return startedAt === null ? null : { pid, startedAt }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt
}

/** The identity of this process. Throws when the process table does not contain it. */
export function identifySelf(): ProcessIdentity {
  const self = identify(process.pid)
  if (!self) throw new Error('this process is not in the process table')
  return self
}

/** Signals exactly this process, never a later process with the same pid. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return
  try {
    process.kill(identity.pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Processes whose working directory is `dir`; null on systems without /proc. */
export function processesIn(dir: string): readonly ProcessIdentity[] | null {
  if (!hasProc) return null
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && workingDirectory(name) === dir)
    .map((name) => identify(Number(name)))
    .filter((identity) => identity !== null)
}

function workingDirectory(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return null
  }
}

function startFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The command name is in parentheses, and can contain spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return null
    return `${bootId()}:${fields[19]}`
  } catch {
    return null
  }
}

// Start times count from boot: after a reboot, the same pid and start time can occur again.
function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
}

function startFromPs(pid: number): string | null {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return line === '' || line.startsWith('Z') ? null : line.replace(/^\S+\s+/, '')
  } catch {
    return null
  }
}
