import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fstatSync, readFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { withDeadline } from '../../shared/deadline.ts'
import { openLog } from './log-file.ts'
import { identify, type ProcessIdentity, signal } from './process-table.ts'
import { endProcesses } from './run-file.ts'

type StopSignal = 'INT' | 'TERM' | 'KILL'

/** The command to run. `uid` and `gid` also apply to the guard, which must be able to signal the server. */
export type GuardedCommand = Readonly<{
  argv: readonly string[]
  stopSignal: StopSignal
  logFile: string
  uid?: number
  gid?: number
}>

export type Guarded = Readonly<{
  server: ProcessIdentity
  /** True once server and guard have both exited. */
  hasExited(): boolean
  /** The output of the server since its start, at most the last 4 KiB. */
  output(): string
  /** Resolves when the server has exited. Kills a server that does not stop within 15 s. */
  stop(): Promise<void>
}>

// The parent holds the other end of stdin. However the parent ends, the kernel closes it and `read` returns.
// The descriptor moves to 3 because sh gives background jobs /dev/null as stdin.
const GUARD = `
sig=$1; shift
exec 3<&0
"$@" </dev/null >&2 3<&- & server=$!
echo "$server"
{ read -r _ <&3; kill -"$sig" "$server"; } 2>/dev/null & watch=$!
exec 3<&- >&2
wait "$server"; code=$?
kill "$watch" 2>/dev/null
exit "$code"`

const STOP_MS = 15_000
const TAIL_BYTES = 4096

/** Starts a server that stops when this process ends, even when this process is killed. */
export async function spawnGuarded(command: GuardedCommand): Promise<Guarded> {
  const log = openLog(command.logFile)
  const start = fstatSync(log).size
  // `detached` starts a new session: Ctrl-C reaches only the parent, which closes its connections first.
  const child = spawn('/bin/sh', ['-c', GUARD, 'guard', command.stopSignal, ...command.argv], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'pipe', log],
    ...(command.uid === undefined ? {} : { uid: command.uid }),
    ...(command.gid === undefined ? {} : { gid: command.gid }),
  })
  closeSync(log)
  const pid = await serverPid(child)
  const server = identify(pid) ?? { pid, startedAt: 'gone' }
  for (const handle of [child, child.stdin as Socket, child.stdout as Socket]) handle.unref()
  return {
    server,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    output: () => readFileSync(command.logFile).subarray(start).subarray(-TAIL_BYTES).toString('utf8'),
    stop: () => stop(child, server, command.stopSignal),
  }
}

async function serverPid(child: ChildProcess): Promise<number> {
  await once(child, 'spawn')
  child.stdin?.on('error', () => {
    // The guard exited before its stdin was closed. `hasExited` reports the exit.
  })
  const lines = createInterface({ input: child.stdout as Socket })
  const [line] = (await withDeadline(once(lines, 'line'), STOP_MS, 'starting a guarded process')) as [string]
  lines.close()
  return Number(line)
}

async function stop(child: ChildProcess, server: ProcessIdentity, stopSignal: StopSignal): Promise<void> {
  child.stdin?.end()
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    child.ref()
    const killer = setTimeout(() => signal(server, 'SIGKILL'), STOP_MS)
    await exited
    clearTimeout(killer)
  }
  // The server usually exits with its guard, but not when the guard was killed.
  await endProcesses([server], `SIG${stopSignal}`)
}
