// Notices that Postgres was restored to an older state, and lets the actors write again what memory holds.
//
// Four signs: another timeline (a failover, or a recovery to a point in time), a WAL that is shorter than it was, a
// sequence of epochs that is below an epoch which this process was given, or another era, which the first process to
// notice writes for the others. A timeline alone does not prove that anything is missing, so it begins no era.
import type { Clock, Timer } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import type { Fragment, Pool, Sql } from './sql.ts'

/** What became of the rows that memory holds. */
export interface Rewritten {
  readonly rewritten: number
  readonly lost: number
}

export interface RestoreWatch {
  /** Postgres has given this process this epoch. */
  given(epoch: number): void
  /**
   * Called after a restore; writes again what is missing. It must be harmless where nothing is: where one rejects, all
   * are called again.
   */
  onRestored(rewrite: () => Promise<Rewritten>): void
  /**
   * Asks Postgres now. True when it was restored since the last answer, and everything that memory holds was
   * written again. Rejects while Postgres does not answer.
   */
  check(): Promise<boolean>
  readonly fence: RestoreFence
  stop(): void
}

/**
 * A condition for a statement that takes up what its row says was never done: after a restore, it may have been done.
 * False unless Postgres has all that was in it when this process last looked, at most a second ago.
 */
export type RestoreFence = (sql: Sql) => Fragment

/** For a process that takes up nothing. */
export const noFence: RestoreFence = (sql) => sql`true`

/** When Postgres was found to lack rows; null: never. What was due before may have been done. */
export const lastRestore = (sql: Sql): Fragment => sql`(select restored_at from database_era)`

export interface RestoreWatchOptions {
  readonly sql: Pool
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly count: (result: 'rewritten' | 'lost', rows: number) => void
}

interface Signs {
  era: string
  /** When this era began, in seconds; 0: it is the first. */
  restoredAt: number
  timeline: string
  /** Length of the WAL in bytes, without what a crash of the host could take: of that, nobody was told. */
  flushed: number
  lastEpoch: number
}

const everyMs = 1_000
/** More epochs than other processes can have been given in the time that is missing. */
const epochMargin = 1_000_000
const raiseLock = 4_711_002

export function createRestoreWatch({ sql, clock, log, count }: RestoreWatchOptions): RestoreWatch {
  const rewriters: (() => Promise<Rewritten>)[] = []
  let known: Signs | undefined
  let highest = 0
  let isUnfinished = false
  let underWay: Promise<boolean> | undefined
  let timer: Timer

  async function look(): Promise<boolean> {
    // Epochs that are given while the question is under way may be newer than its answer.
    const asked = highest
    const found = await readSigns(sql)
    const before = known
    const epochsLost = Math.max(0, asked - found.lastEpoch)
    const isNoted = before !== undefined && found.restoredAt > before.restoredAt
    const isLost = epochsLost > 0 || (!isNoted && isBehind(found, before))
    // What failed is tried again, whatever shows by then: a new era has made up for the epochs.
    isUnfinished ||= isLost || (before !== undefined && differs(before, found))
    if (!isUnfinished) {
      known = found
      return false
    }
    if (isLost) await beginEra(sql, { era: isNoted ? null : found.era, highest })
    const results = await Promise.all(rewriters.map((rewrite) => rewrite()))
    known = await readSigns(sql)
    isUnfinished = false
    const rewritten = results.reduce((sum, one) => sum + one.rewritten, 0)
    const lost = results.reduce((sum, one) => sum + one.lost, 0)
    count('rewritten', rewritten)
    count('lost', lost)
    const { timeline } = found
    log.warn({ timeline, former: before?.timeline, epochsLost, rewritten, lost }, 'postgres.restored')
    return true
  }

  const check = (): Promise<boolean> => {
    underWay ??= look().finally(() => {
      underWay = undefined
    })
    return underWay
  }
  const tick = () => {
    timer = clock.after(everyMs, tick)
    // While Postgres is away it can show nothing: asked again in a second.
    check().catch(() => undefined)
  }
  // At once: another era or timeline shows only to a process that knows the one before.
  tick()
  return {
    given(epoch) {
      highest = Math.max(highest, epoch)
    },
    onRestored: (rewrite) => void rewriters.push(rewrite),
    check,
    fence: (statement) => (known ? isAsKnown(statement, known) : statement`false`),
    stop: () => timer.cancel(),
  }
}

const differs = (one: Signs, other: Signs): boolean =>
  one.era !== other.era || one.timeline !== other.timeline

/** Where no other process has begun a newer era: another one is older, and came with the backup. */
const isBehind = (found: Signs, before: Signs = found): boolean =>
  found.flushed < before.flushed || found.era !== before.era

const isAsKnown = (sql: Sql, { era, flushed }: Signs): Fragment => sql`(
  select id = ${era} and (pg_current_wal_flush_lsn() - '0/0')::float8 >= ${flushed} from database_era)`

async function readSigns(sql: Pool): Promise<Signs> {
  const [signs] = await sql<Signs[]>`
    select id as era, coalesce(extract(epoch from restored_at), 0)::float8 as restored_at,
      left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
      (pg_current_wal_flush_lsn() - '0/0')::float8 as flushed, (select last_value from actor_epoch) as last_epoch
    from database_era`
  if (!signs) throw new Error('the database has no era')
  return signs
}

/**
 * Epochs that were given once must not be given again: two owners of one actor could have the same one. The lock keeps
 * two processes from setting the sequence back between them. One restore begins one era, so `era` is null where another
 * process has begun it: what a person has resumed since would count as of before.
 */
const beginEra = (sql: Pool, { era, highest }: { readonly era: string | null; readonly highest: number }) =>
  sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${raiseLock})`
    await tx`
      select setval('actor_epoch', ${highest + epochMargin}) from actor_epoch where last_value < ${highest}`
    await tx`
      update database_era set id = gen_random_uuid(), restored_at = now() where id = ${era}`
  })
