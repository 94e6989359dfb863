// The floor with natural micro-batching: what came while a statement ran goes with the next one. No timer.
import type { Pool } from '../../src/platform/postgres/sql.ts'
import type { OpponentProtocol } from '../harness/opponents.ts'
import { serve } from '../harness/part.ts'
import { type Change, commitMany, commitOne } from './floor-rows.ts'
import { type Commit, startFloor } from './floor-server.ts'

/** Two statements at once keep Postgres busy while one of them waits for the disk. */
const mostAtOnce = 2
const mostRows = 200

interface Waiting {
  readonly change: Change
  resolve(): void
  reject(error: unknown): void
}

async function write(sql: Pool, taken: readonly Waiting[]): Promise<void> {
  const changes = taken.map(({ change }) => change)
  const [first] = changes
  try {
    await (first && changes.length === 1 ? commitOne(sql, first) : commitMany(sql, changes))
    for (const { resolve } of taken) resolve()
  } catch (error) {
    for (const { reject } of taken) reject(error)
  }
}

function batched(sql: Pool): Commit {
  const waiting: Waiting[] = []
  let running = 0
  async function run(): Promise<void> {
    running += 1
    while (waiting.length > 0) await write(sql, waiting.splice(0, mostRows))
    running -= 1
  }
  return (change) =>
    new Promise<void>((resolve, reject) => {
      waiting.push({ change, resolve, reject })
      // What this turn of the loop brings goes together.
      if (running < mostAtOnce && waiting.length === 1)
        setImmediate(() => void (running < mostAtOnce && run()))
    })
}

serve<OpponentProtocol>({ start: (question) => startFloor(question, batched) })
