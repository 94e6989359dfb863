// Natural micro-batching: what came while a statement ran goes with the next one. No timer.
import type { Change } from './floor-rows.ts'

/** Two statements at once keep Postgres busy while one of them waits for the disk. */
const mostAtOnce = 2
const mostRows = 200

interface Waiting {
  readonly change: Change
  resolve(): void
  reject(error: unknown): void
}

type Write = (changes: readonly Change[]) => Promise<unknown>

async function run(write: Write, taken: readonly Waiting[]): Promise<void> {
  try {
    await write(taken.map(({ change }) => change))
    for (const { resolve } of taken) resolve()
  } catch (error) {
    for (const { reject } of taken) reject(error)
  }
}

/** Resolves when the change is committed. */
export function microBatch(write: Write): (change: Change) => Promise<void> {
  const waiting: Waiting[] = []
  let running = 0
  async function drain(): Promise<void> {
    running += 1
    while (waiting.length > 0) await run(write, waiting.splice(0, mostRows))
    running -= 1
  }
  return (change) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ change, resolve, reject })
      // What this turn of the loop brings goes together.
      if (running < mostAtOnce && waiting.length === 1)
        setImmediate(() => void (running < mostAtOnce && drain()))
    })
}
