import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { identify, isAlive, type ProcessIdentity, signal } from '../../../src/dev/embedded/process-table.ts'
import { packageCache } from '../../support/embedded.ts'
import { after } from '../../support/harness.ts'

type Server = Readonly<{ url: string; pid: number; attached: boolean }>
export type Owner = Readonly<{ process: ChildProcess; servers: readonly Server[]; log: readonly string[] }>
export type OwnerOptions = Readonly<{
  kinds: readonly ('postgres' | 'redis')[]
  dataDir: string
  cacheDir?: string
  uid?: number
  env?: Record<string, string>
}>

const root = fileURLToPath(new URL('../../../', import.meta.url))
export const NOBODY = 65_534

/** A new process that starts these servers; it ends after the tests of the file. */
export async function startOwner({ uid, env, ...options }: OwnerOptions): Promise<Owner> {
  const script = fileURLToPath(new URL('./owner.ts', import.meta.url))
  const argument = JSON.stringify({ cacheDir: packageCache, ...options })
  const child = spawn(process.execPath, ['--import', 'tsx', script, argument], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
    ...(env ? { env } : {}),
  })
  after(() => child.kill('SIGKILL'))
  const [line] = (await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the owner exited with ${code}`))),
  ])) as [string]
  return { process: child, ...(JSON.parse(line) as Omit<Owner, 'process'>) }
}

export async function kill(owner: Owner, name: NodeJS.Signals): Promise<void> {
  const exited = once(owner.process, 'exit')
  owner.process.kill(name)
  await exited
}

/** Kills a server's guard and the guard's watcher, so that the server outlives its owner. Linux only. */
export function killGuard(serverPid: number): void {
  const server = identify(serverPid)
  // The server has no guard any more, so the test stops it, whatever fails.
  after(() => server && signal(server, 'SIGKILL'))
  const guard = parentOf(String(serverPid))
  const family = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === guard)
  for (const pid of [...family.map(Number), guard]) if (pid !== serverPid) process.kill(pid, 'SIGKILL')
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    return Number.NaN
  }
}

export function lives(servers: readonly Server[]): readonly ProcessIdentity[] {
  return servers.map(({ pid }) => identify(pid) ?? { pid, startedAt: 'never' })
}

/** Resolves to whether all of them have ended before a generous deadline. */
export async function end(processes: readonly ProcessIdentity[]): Promise<boolean> {
  const deadline = performance.now() + 20_000
  // Polls, because the end of another process's child is not announced.
  while (processes.some(isAlive) && performance.now() < deadline) await sleep(5)
  const left = processes.filter(isAlive)
  for (const one of left) signal(one, 'SIGKILL')
  return left.length === 0
}

/** A temporary folder, removed after the tests of the file; `open` gives other users access. */
export function temporaryFolder(access: 'open' | 'private' = 'open'): string {
  const dir = mkdtempSync(join(tmpdir(), 'switchboard-'))
  chmodSync(dir, access === 'open' ? 0o755 : 0o700)
  after(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

export const isRoot = process.getuid?.() === 0
