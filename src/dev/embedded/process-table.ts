import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** One life of one process: a number alone comes back after a while, with its start time it does not. */
export type ProcessIdentity = Readonly<{ pid: number; startedAt: string }>

const hasProc = existsSync('/proc/self/stat')

/** Null when there is no such process; a zombie is none, though signal 0 still reaches it. */
export function identify(pid: number): ProcessIdentity | null {
  const startedAt = hasProc ? startFromProc(pid) : startFromPs(pid)
  return startedAt === null ? null : { pid, startedAt }
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identify(identity.pid)?.startedAt === identity.startedAt
}

/** Throws when the process is already gone, which cannot happen to one that asks about itself. */
export function identifySelf(): ProcessIdentity {
  const self = identify(process.pid)
  if (!self) throw new Error('this process is not in the process table')
  return self
}

/** Signals that very process, never a later one that got its number. */
export function signal(identity: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(identity)) return
  try {
    process.kill(identity.pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Processes whose working directory is `dir`; null where the system does not tell. */
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
    // The command name stands in brackets and may itself hold spaces and brackets.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (fields[0] === 'Z' || fields[0] === 'X') return null
    return `${bootId()}:${fields[19]}`
  } catch {
    return null
  }
}

// Start times count from boot, so after a reboot the same pid and tick may meet again.
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
