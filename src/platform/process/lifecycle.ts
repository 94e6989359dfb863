// Process shutdown: the first signal drains the process, a second signal or the hard limit ends it at once.
import type { Settings } from '../config/settings.ts'

export interface Draining {
  drain(): Promise<void>
}

/** This long after DRAIN_TIMEOUT the process exits with 1. Its leases then expire by themselves. */
const overtimeMs = 4_000

/** Starts a process and drains it on signals. Rejects when the start fails. */
export async function runProcess(settings: Settings, start: () => Promise<Draining>): Promise<void> {
  let running: Draining | undefined
  let isStopping = false
  const stop = (): void => {
    if (isStopping) process.exit(1)
    isStopping = true
    setTimeout(() => process.exit(1), settings.DRAIN_TIMEOUT + overtimeMs).unref()
    void (running?.drain() ?? Promise.resolve()).then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  if (settings.EXIT_WITH_PARENT) {
    process.stdin.resume()
    process.stdin.once('end', stop)
    process.stdin.once('error', stop)
  }
  running = await start()
}
