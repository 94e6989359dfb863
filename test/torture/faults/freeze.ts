// Stops processes with SIGSTOP so that they cannot stay stopped when the test process dies.
import { spawn } from 'node:child_process'
import { once } from 'node:events'

// The parent holds the other end of stdin: however it ends, `read` returns and the processes go on.
const HOLD = 'kill -STOP "$@" && echo stopped; read -r _; kill -CONT "$@" 2>/dev/null'

/** Stops the processes; the returned function lets them go on. */
export async function freeze(...pids: readonly number[]): Promise<() => Promise<void>> {
  const holder = spawn('/bin/sh', ['-c', HOLD, 'freeze', ...pids.map(String)], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const exited = once(holder, 'exit')
  await Promise.race([once(holder.stdout, 'data'), exited])
  if (holder.exitCode !== null) throw new Error(`processes ${pids.join(', ')} could not be stopped`)
  return async () => {
    holder.stdin.end()
    await exited
  }
}
