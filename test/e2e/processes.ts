// Starts the processes of a stack. Each logs to its own file and cannot outlive the test process.
import { randomInt } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Child, type ChildOptions, startChild } from '../../src/dev/child.ts'
import { compiled } from '../support/compiled.ts'
import { PATIENCE_MS } from '../support/patience.ts'

/** Longer than DRAIN_TIMEOUT and its overtime: a process that still runs then has failed. */
const STOP_MS = 32_000

export interface LogLine {
  readonly event?: string
  readonly level?: string
  readonly [field: string]: unknown
}

export interface Running {
  readonly name: string
  readonly pid: number
  readonly logFile: string
  readonly isRunning: boolean
  /** The first log line that fits; rejects when the process ends before it writes one. */
  line(fits: (line: LogLine) => boolean, what: string): Promise<LogLine>
  lines(): LogLine[]
  /** SIGTERM; resolves with the exit code or the signal that ended the process. */
  stop(): Promise<string>
  /** SIGKILL. */
  kill(): Promise<string>
  signal(name: NodeJS.Signals): void
  readonly exited: Promise<string>
}

export function run(
  name: string,
  script: string,
  where: Pick<ChildOptions, 'env' | 'logDir' | 'args'>,
): Running {
  const child = startChild({ name, script: compiled(script), ...where })
  let ended: string | undefined
  void child.exited.then((reason) => {
    ended = reason
  })
  const lines = () => logLines(child.logFile)
  return {
    name,
    pid: child.process.pid ?? 0,
    logFile: child.logFile,
    exited: child.exited,
    get isRunning() {
      return ended === undefined
    },
    lines,
    async line(fits, what) {
      const deadline = performance.now() + PATIENCE_MS
      for (;;) {
        const found = lines().find(fits)
        if (found) return found
        if (ended !== undefined) throw new Error(`${name} ended (${ended}) before ${what}\n${tail(child)}`)
        if (performance.now() > deadline) throw new Error(`${name}: no ${what} in time\n${tail(child)}`)
        await sleep(20)
      }
    },
    async stop() {
      await child.stop(STOP_MS)
      return child.exited
    },
    kill() {
      child.process.kill('SIGKILL')
      return child.exited
    },
    signal: (signal) => void child.process.kill(signal),
  }
}

/**
 * A port that a process can get again after a restart. It lies below the range of ephemeral ports, so no
 * connection takes it, and belongs to this process of tests until it ends, so no other one takes it meanwhile. The
 * process names it from the first start on, because a listener on port 0 leaves its port unusable for a minute.
 */
export async function lastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000)
    if (!claim(port)) continue
    const server = createServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false))
      server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)))
    })
    if (isFree) return port
  }
}

const claims = join(tmpdir(), 'switchboard-test-ports')
const claimed: string[] = []
process.once('exit', () => {
  for (const file of claimed) rmSync(file, { force: true })
})

/** One file a port, with the process that has it. */
function claim(port: number): boolean {
  mkdirSync(claims, { recursive: true })
  const file = join(claims, String(port))
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    claimed.push(file)
    return true
  } catch {
    // Of a process that was killed: the port is free for the next who tries it.
    if (!existsSync(`/proc/${readOr(file, '')}`)) rmSync(file, { force: true })
    return false
  }
}

function readOr(file: string, otherwise: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return otherwise
  }
}

function logLines(file: string): LogLine[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as LogLine]
      } catch {
        // The last line may be incomplete, and the output of a crash is not JSON.
        return []
      }
    })
}

/** The end of a log, without the lines that every start writes. */
const tail = (child: Pick<Child, 'logFile'>): string =>
  readFileSync(child.logFile, 'utf8')
    .split('\n')
    .filter((line) => !line.includes('.starting"'))
    .slice(-40)
    .join('\n')

export const logTail = (running: Running): string => `--- ${running.name}\n${tail(running)}`
