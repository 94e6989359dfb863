// Forward-only migrations: numbered SQL files, applied one after the other under one lock. The name of a file that
// builds indexes while the tables are written ends with `_concurrently`.
//
// No statement here that holds others up waits for a table for longer than `lockMs`. Everything that comes after a
// waiting ALTER TABLE waits behind it, so one that waits for a long read would stop the whole product. It gives up
// instead, lets the others pass, and tries again.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectPool, type Pool } from './sql.ts'

const ownFolder = new URL('./migrations/', import.meta.url)
const lock = 4_711_001

/** How long others may have to wait behind a statement that waits for its table. */
const lockMs = 500
/**
 * The same for indexes that are built or dropped concurrently. They wait several times for older transactions, and only
 * other changes of the schema wait behind them; to give up is to build again from the beginning.
 */
const concurrentLockMs = 5 * 60_000
/** Several times `lockMs`, so that work that piled up behind one try is done before the next. */
const pauseMs = 2_000
/** Between two questions whether it is our turn, which disturb nobody. */
const turnMs = 100
const limitMs = 15 * 60_000

export interface MigrateOptions {
  /** With a slash at its end; default: the migrations of this release. */
  readonly folder?: URL
  /** Between two tries. */
  readonly pauseMs?: number
  /**
   * After so much waiting for one statement, a table that is never free, or a migration in another process, fails the
   * start. How long a statement works does not count.
   */
  readonly limitMs?: number
  /** Told before each further try. */
  readonly onWait?: (wait: MigrationWait) => void
}

export interface MigrationWait {
  /** The name of the file, or `another process`, which migrates. */
  readonly migration: string
  /** For its statement that waits now. */
  readonly waitedMs: number
}

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
  /**
   * Its statements run one by one, without a transaction, as `create index concurrently` must. After the end of a process
   * they begin again at the first, so each must be harmless when it has run before.
   */
  readonly isOnline: boolean
}

type Connection = Awaited<ReturnType<Pool['reserve']>>

/** Brings the schema up to date; safe from every process at once. Returns the names that were applied. */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(options.folder ?? ownFolder)
  // The driver may forget who waits to reserve a connection that is being made.
  await pool`select 1`
  const connection = await pool.reserve()
  const again = retrying(options)
  try {
    await connection`select set_config('statement_timeout', '0', false)`
    await limitLocks(connection, lockMs)
    // Asks for the lock instead of waiting for it: a statement that waits has a snapshot, and an index that is
    // built concurrently waits for all older snapshots.
    await again('another process', () => tryLock(connection), { pauseMs: turnMs, lockMs: 0 })
    await connection`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`
    const applied = await connection<
      { name: string; checksum: string }[]
    >`select name, checksum from schema_migrations`
    const known = new Map(applied.map((row) => [row.name, row.checksum]))
    const pending = migrations.filter((migration) => isPending(migration, known))
    for (const migration of pending) {
      const unlessLocked: UnlessLocked = (work, limit) =>
        again(migration.name, () => hasLocks(work), { lockMs: limit })
      if (migration.isOnline) await applyOnline(connection, migration, unlessLocked)
      else await unlessLocked(() => apply(connection, migration), lockMs)
    }
    await again('partitions', () => hasLocks(() => connection`select ensure_partitions(14)`))
    return pending.map((migration) => migration.name)
  } finally {
    await connection`select pg_advisory_unlock(${lock})`.catch(() => undefined)
    await connection`reset statement_timeout`.catch(() => undefined)
    await connection`reset lock_timeout`.catch(() => undefined)
    connection.release()
  }
}

/** The same on a connection of its own, which no watch over Postgres ends: an index may be built for minutes. */
export async function migrateAt(url: string, options: MigrateOptions = {}): Promise<string[]> {
  const pool = connectPool({ url, max: 1, name: 'switchboard-migrate' })
  try {
    return await migrate(pool, options)
  } finally {
    await pool.end({ timeout: 2 })
  }
}

async function tryLock(connection: Connection): Promise<boolean> {
  const [row] = await connection<{ locked: boolean }[]>`select pg_try_advisory_lock(${lock}) as locked`
  return row?.locked === true
}

const limitLocks = (connection: Connection, ms: number) =>
  connection`select set_config('lock_timeout', ${`${ms}ms`}, false)`

interface Wait {
  /** Between two tries. */
  readonly pauseMs?: number
  /** How long a try has waited that failed. */
  readonly lockMs?: number
}

/** Repeats `work` until it is true. */
const retrying =
  ({ onWait, pauseMs: usualPauseMs = pauseMs, limitMs: limit = limitMs }: MigrateOptions) =>
  async (migration: string, work: () => Promise<boolean>, wait: Wait = {}): Promise<void> => {
    const pause = wait.pauseMs ?? usualPauseMs
    for (let waitedMs = 0; !(await work()); waitedMs += pause) {
      waitedMs += wait.lockMs ?? lockMs
      if (waitedMs > limit)
        throw new Error(`${migration} could not get its lock for ${Math.round(waitedMs / 1_000)} s`)
      onWait?.({ migration, waitedMs })
      await sleep(pause)
    }
  }

/** Repeats `work`, which waits for each of its locks for `lockMs`, until it has them. */
type UnlessLocked = (work: () => Promise<unknown>, lockMs: number) => Promise<void>

/** False where the table was not free in time, or a deadlock with others was resolved against us. */
async function hasLocks(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === '55P03' || code === '40P01') return false
    throw error
  }
}

const noteOf = ({ name, checksum }: Migration) =>
  `insert into schema_migrations (name, checksum) values ('${name}', '${checksum}')`

async function apply(connection: Connection, migration: Migration): Promise<void> {
  try {
    // The row comes first: if the lock did not hold, the second runner stops here and not in the middle.
    await connection.unsafe(`begin; ${noteOf(migration)}; ${migration.text}; commit`)
  } catch (error) {
    await connection.unsafe('rollback')
    throw error
  }
}

/** Each statement is repeated by itself: what was built before it is not built again. */
async function applyOnline(
  connection: Connection,
  migration: Migration,
  unlessLocked: UnlessLocked,
): Promise<void> {
  for (const statement of statementsOf(migration.text)) {
    let made: string[] = []
    await unlessLocked(async () => {
      made = await madeBy(connection, statement)
    }, lockMs)
    for (const one of made) {
      const limit = concurrent.test(one) ? concurrentLockMs : lockMs
      await limitLocks(connection, limit)
      await unlessLocked(() => runOnline(connection, one), limit)
      await limitLocks(connection, lockMs)
    }
  }
  await connection.unsafe(noteOf(migration))
}

const concurrent = /^\w+\s+(?:unique\s+)?index\s+concurrently\b/i

/** A `select` in an online migration gives statements, such as one for each partition of a table. */
async function madeBy(connection: Connection, statement: string): Promise<string[]> {
  if (!/^select\b/i.test(statement)) return [statement]
  const rows = await connection.unsafe<Record<string, string>[]>(statement)
  return rows.flatMap((row) => Object.values(row))
}

const builtConcurrently = /^create\s+(?:unique\s+)?index\s+concurrently\s+if\s+not\s+exists\s+(\w+)/i

/** A build that was broken off leaves an index that is never used and would be taken for the finished one. */
async function runOnline(connection: Connection, statement: string): Promise<void> {
  const index = builtConcurrently.exec(statement)?.[1]
  if (index !== undefined) {
    const broken = await connection`
      select from pg_index where indexrelid = to_regclass(${index}) and not indisvalid`
    if (broken.count > 0) await connection.unsafe(`drop index concurrently if exists ${index}`)
  }
  await connection.unsafe(statement)
}

const comment = /^\s*--.*$/gm

/** An online migration has no semicolon except at the end of a statement. */
const statementsOf = (text: string): string[] =>
  text
    .replace(comment, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')

async function readMigrations(folder: URL): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { name, text, checksum, isOnline: name.endsWith('_concurrently.sql') }
    }),
  )
}

function isPending(migration: Migration, known: ReadonlyMap<string, string>): boolean {
  const checksum = known.get(migration.name)
  if (checksum === undefined) return true
  if (checksum !== migration.checksum)
    throw new Error(`migration ${migration.name} was changed after it was applied`)
  return false
}
