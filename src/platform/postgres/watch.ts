// Asks Postgres periodically for a sign of life, on a connection of its own: a pool whose connections all wait
// for a lock or for load says nothing about it.
import type { Clock, Timer } from '../../shared/clock.ts'
import { withDeadline } from '../../shared/deadline.ts'
import type { Log } from '../../shared/log.ts'
import { breakOff, connectPool, type Pool, silenceFrom } from './sql.ts'

export interface PostgresWatch {
  /** Milliseconds since Postgres last answered, counted from the first question without an answer; 0: it does. */
  awayMs(): number
  /** Ends the connections of this pool, too, while Postgres is away. Returns the pool. */
  cover(pool: Pool): Pool
  stop(): Promise<void>
}

export interface PostgresWatchOptions {
  readonly url: string
  readonly clock: Clock
  readonly log: Pick<Log, 'info' | 'warn'>
}

const everyMs = 500
const answerMs = 1_000
/** A statement that began before this cannot end any more in time for anybody. */
const breakOffMs = 3_000

export function watchPostgres({ url, clock, log }: PostgresWatchOptions): PostgresWatch {
  const pools: Pool[] = []
  const own = connectPool({ url, max: 1, name: 'switchboard-watch', statementTimeoutMs: answerMs })
  let awaySince: number | undefined
  let isOver = false

  const answers = () =>
    withDeadline(own`select 1`, answerMs, 'postgres').then(
      () => true,
      () => false,
    )
  const noteAway = (askedAt: number) => {
    if (awaySince === undefined) {
      log.warn({}, 'postgres.away')
      // Postgres may have moved, and answer at its new place at once. What is on the old connections waits in vain.
      for (const { afterMs, end } of pools.map(silenceFrom)) clock.after(afterMs, end)
    }
    awaySince ??= askedAt
    // The next question needs a new connection.
    breakOff(own, 2 * answerMs)
    if (clock.mono() - awaySince >= breakOffMs) for (const pool of pools) breakOff(pool)
  }
  const noteBack = () => {
    if (awaySince !== undefined) log.info({ awayMs: Math.round(clock.mono() - awaySince) }, 'postgres.back')
    awaySince = undefined
  }
  const ask = async () => {
    const askedAt = clock.mono()
    if (await answers()) noteBack()
    else if (!isOver) noteAway(askedAt)
  }
  const next = (delayMs: number) => {
    if (!isOver) timer = clock.after(delayMs, () => void ask().finally(() => next(everyMs)))
  }
  let timer: Timer | undefined
  next(0)
  return {
    awayMs: () => (awaySince === undefined ? 0 : clock.mono() - awaySince),
    cover(pool) {
      pools.push(pool)
      return pool
    },
    async stop() {
      isOver = true
      timer?.cancel()
      await own.end({ timeout: 0 })
    },
  }
}
