import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Guarded, type GuardedCommand, spawnGuarded } from './guard.ts'
import { choosePort, rememberPort } from './ports.ts'
import { identifySelf, isAlive } from './process-table.ts'
import { endProcesses, readRun, writeRun } from './run-file.ts'
import { withStartLock } from './start-lock.ts'

/** A running server. `attached`: another process owns it, and `stop` leaves it running. */
export type EmbeddedServer = Readonly<{
  url: string
  pid: number
  attached: boolean
  stop(): Promise<void>
}>

/** How one kind of server is started on a port. */
export type Launch = Readonly<{
  command(port: number): Omit<GuardedCommand, 'logFile'>
  isReady(port: number, pid: number): Promise<boolean>
  url(port: number): string
}>

export type ServerPlan = Readonly<{
  name: 'postgres' | 'redis'
  dataDir: string
  port?: number
  /** Finds binaries, clears leftovers, creates files; not called when attaching. */
  prepare(): Promise<Launch>
}>

const LOCK_MS = 120_000
const READY_MS = 60_000
const PORT_TRIES = 3

/** Attaches to the live server of this data directory, or ends a dead owner's server and starts a new one. */
export async function startPrivate(plan: ServerPlan): Promise<EmbeddedServer> {
  mkdirSync(plan.dataDir, { recursive: true })
  const runFile = join(plan.dataDir, `${plan.name}.run.json`)
  return withStartLock(plan.dataDir, plan.name, LOCK_MS, async () => {
    const left = readRun(runFile)
    if (left && isAlive(left.server) && isAlive(left.owner)) {
      return { url: left.url, pid: left.server.pid, attached: true, stop: async () => {} }
    }
    if (left) await endProcesses([left.server], plan.name === 'postgres' ? 'SIGINT' : 'SIGTERM')
    const launch = await plan.prepare()
    const { guarded, port } = await launchOnFreePort(plan, launch)
    const url = launch.url(port)
    writeRun(runFile, { owner: identifySelf(), server: guarded.server, url })
    return { url, pid: guarded.server.pid, attached: false, stop: () => stopOwned(plan, guarded, runFile) }
  })
}

// Under the lock: no process may attach to a stopping server or start a second server on the same files.
async function stopOwned(plan: ServerPlan, guarded: Guarded, runFile: string): Promise<void> {
  await withStartLock(plan.dataDir, plan.name, LOCK_MS, async () => {
    await guarded.stop()
    if (readRun(runFile)?.server.startedAt === guarded.server.startedAt) rmSync(runFile, { force: true })
  })
}

async function launchOnFreePort(
  plan: ServerPlan,
  launch: Launch,
): Promise<{ guarded: Guarded; port: number }> {
  const memory = join(plan.dataDir, `${plan.name}.port`)
  const logFile = join(plan.dataDir, 'log', `${plan.name}.log`)
  for (let attempt = 1; ; attempt += 1) {
    const port = plan.port ?? (await choosePort(memory))
    const guarded = await spawnGuarded({ ...launch.command(port), logFile })
    const outcome = await awaitReady(guarded, () => launch.isReady(port, guarded.server.pid))
    if (outcome === 'ready') {
      rememberPort(memory, port)
      return { guarded, port }
    }
    await guarded.stop()
    const output = guarded.output()
    // Another process took the port between our check and the server's bind.
    const isPortTaken = plan.port === undefined && /address already in use/i.test(output)
    if (!isPortTaken || attempt === PORT_TRIES) throw new Error(`${plan.name} ${outcome}:\n${output}`)
    rmSync(memory, { force: true })
  }
}

async function awaitReady(
  guarded: Guarded,
  probe: () => Promise<boolean>,
): Promise<'ready' | 'exited' | 'timed out'> {
  const deadline = performance.now() + READY_MS
  while (performance.now() < deadline) {
    if (guarded.hasExited()) return 'exited'
    if (await probe()) return 'ready'
    await sleep(2)
  }
  return 'timed out'
}
