// How a process ends: a signal drains it, a second one or the hard limit cuts it short.
import type { Settings } from '../config/settings.ts'

export interface Draining {
  drain(): Promise<void>
}

/** Past DRAIN_TIMEOUT by this much the process exits with 1: leases then expire by themselves. */
const overtimeMs = 4_000

/** A connection to Postgres that ends under a query. */
const connectionLost = [
  '57P01',
  '57P02',
  '57P03',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
]

/**
 * On each new connection the driver asks for the types of arrays in a promise that it hands to nobody: a server that ends
 * the connection just then rejects it where no one can listen. Any other rejection is a fault of ours, and ends the
 * process as before.
 */
function outliveLostConnections(): void {
  process.on('unhandledRejection', (reason) => {
    const code = reason instanceof Error && 'code' in reason ? String(reason.code) : ''
    if (!connectionLost.includes(code)) throw reason
  })
}

/** Starts a process and binds its end to signals; a start that fails says why and exits with 1. */
export async function runProcess(settings: Settings, start: () => Promise<Draining>): Promise<void> {
  outliveLostConnections()
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
