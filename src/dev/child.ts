// Starts a child process of the development start. It logs to a file and exits when this process ends.
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openLog } from './embedded/log-file.ts'

export interface ChildOptions {
  readonly name: string
  /** Relative to the project's folder. */
  readonly script: string
  readonly args?: readonly string[]
  /**
   * Whether a stack of compiled JavaScript names the lines of its sources. The image has no source maps: the first stack
   * reads them, and the process does nothing else for half a second, in which others may take it for dead. Default false.
   */
  readonly namesSources?: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readonly logDir: string
}

export interface Child {
  readonly name: string
  readonly process: ChildProcess
  readonly logFile: string
  /** Where its lines begin: those before are of earlier starts. */
  readonly logFrom: number
  /** Resolves with its exit code or signal. */
  readonly exited: Promise<string>
  /** Sends SIGTERM, and SIGKILL after `graceMs`. */
  stop(graceMs: number): Promise<void>
}

const root = fileURLToPath(new URL('../../', import.meta.url))

const loader = (script: string, namesSources: boolean): string[] => {
  if (!script.endsWith('.js')) return ['--import', 'tsx']
  return namesSources ? ['--enable-source-maps'] : []
}

export function startChild({
  name,
  script,
  args = [],
  namesSources = false,
  env,
  logDir,
}: ChildOptions): Child {
  const logFile = join(logDir, `${name}.log`)
  const log = openLog(logFile)
  const logFrom = fstatSync(log).size
  // The pipe on standard input closes when this process ends in any way, and the child then exits. `detached`
  // gives the child its own process group: Ctrl-C reaches only this process, which then stops its children.
  const child = spawn(process.execPath, [...loader(script, namesSources), script, ...args], {
    cwd: root,
    env: { ...env, EXIT_WITH_PARENT: 'true', SIM_EXIT_WITH_PARENT: '1' },
    stdio: ['pipe', log, log],
    detached: true,
  })
  closeSync(log)
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
    child.once('error', (error) => resolve(String(error)))
  })
  return {
    name,
    process: child,
    logFile,
    logFrom,
    exited,
    async stop(graceMs) {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await exited
      clearTimeout(timer)
    },
  }
}

const logTail = ({ logFile, logFrom }: Child): string =>
  readFileSync(logFile).subarray(logFrom).toString('utf8').split('\n').slice(-15).join('\n')

/** Resolves once `url` answers 200. Rejects when the child exits first or the timeout passes. */
export async function waitUntilReady(child: Child, url: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs
  let ended: string | undefined
  void child.exited.then((reason) => {
    ended = reason
  })
  while (performance.now() < deadline) {
    if (ended) throw new Error(`${child.name} ended (${ended}):\n${logTail(child)}`)
    const response = await fetch(url).catch(() => undefined)
    if (response?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${child.name} was not ready in time:\n${logTail(child)}`)
}
