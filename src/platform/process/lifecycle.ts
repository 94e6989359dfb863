// Process shutdown: the first signal drains the process, a second signal or the hard limit ends it at once.
import type { Settings } from '../config/settings.ts'

export interface Draining {
  drain(): Promise<void>
}

/** This long after DRAIN_TIMEOUT the process exits with 1. Its leases then expire by themselves. */
const overtimeMs = 4_000

/** Codes of a Postgres connection that ends during a query. */
const connectionLost = [
  '57P01',
  '57P02',
  '57P03',
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
]

/**
 * On each new connection the Postgres driver queries the array types in a promise that it does not expose. If
 * the server ends the connection at that moment, the result is an unhandled rejection, which must not end the
 * process. Any other unhandled rejection is a bug and still ends the process.
 */
function outliveLostConnections(): void {
  process.on('unhandledRejection', (reason) => {
    const code = reason instanceof Error && 'code' in reason ? String(reason.code) : ''
    if (!connectionLost.includes(code)) throw reason
  })
}

/** Starts a process and drains it on signals. Rejects when the start fails. */
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
