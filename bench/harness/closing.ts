// Stops everything that a bench started: at its end, after a failure, and on SIGINT or SIGTERM.

/** One stop function for each thing that was started, in the order of the starts. */
export type Closing = (() => Promise<unknown>)[]

export const say = (text: string) => process.stdout.write(`${text}\n`)

export async function withClosing(work: (closing: Closing) => Promise<void>): Promise<void> {
  const closing: Closing = []
  // Stop in reverse order, one after the other: the gateway needs Postgres and Redis while it drains.
  const close = async () => {
    for (let stop = closing.pop(); stop; stop = closing.pop()) {
      await stop().catch((error: unknown) => say(String(error)))
    }
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().then(() => process.exit(130)))
  }
  try {
    await work(closing)
  } finally {
    await close()
  }
}
