// Forward-only migrations: numbered SQL files, applied one after the other under one lock. The name of a file that
// builds indexes while the tables are written ends with `_concurrently`.
//
// No statement here waits for a table for longer than `lockMs`. Everything that comes after a waiting ALTER TABLE
// waits behind it, so one that waits for a long read would stop the whole product. It gives up instead, lets the
// others pass, and tries again.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from './sql.ts'

const ownFolder = new URL('./migrations/', import.meta.url)
const lock = 4_711_001

/** How long others may have to wait behind a statement that waits for its table. */
const lockMs = 500
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
  /** After this, a table that is never free, or a migration in another process, fails the start. */
  readonly limitMs?: number
  /** Told before each further try. */
  readonly onWait?: (wait: MigrationWait) => void
}

export interface MigrationWait {
  /** The name of the file, or `another process`, which migrates. */
  readonly migration: string
  readonly waitedMs: number
}

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
  /**
   * Its statements run one by one, without a transaction, as `create index concurrently` must. It is repeated from
   * its first statement, so each must be harmless when it has run before.
   */
  readonly isOnline: boolean
}

type Connection = Awaited<ReturnType<Pool['reserve']>>

/** Brings the schema up to date; safe from every process at once. Returns the names that were applied. */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(options.folder ?? ownFolder)
  const connection = await pool.reserve()
  const again = retrying(options)
  try {
    await connection`select set_config('statement_timeout', '0', false), set_config('lock_timeout', ${`${lockMs}ms`}, false)`
    // Asks for the lock instead of waiting for it: a statement that waits has a snapshot, and an index that is
    // built concurrently waits for all older snapshots.
    await again('another process', () => tryLock(connection), turnMs)
    await connection`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`
    const applied = await connection<
      { name: string; checksum: string }[]
    >`select name, checksum from schema_migrations`
    const known = new Map(applied.map((row) => [row.name, row.checksum]))
    const pending = migrations.filter((migration) => isPending(migration, known))
    for (const migration of pending)
      await again(migration.name, () => unlessLocked(() => apply(connection, migration)))
    await again('partitions', () => unlessLocked(() => connection`select ensure_partitions(14)`))
    return pending.map((migration) => migration.name)
  } finally {
    await connection`select pg_advisory_unlock(${lock})`.catch(() => undefined)
    await connection`reset statement_timeout`.catch(() => undefined)
    await connection`reset lock_timeout`.catch(() => undefined)
    connection.release()
  }
}

async function tryLock(connection: Connection): Promise<boolean> {
  const [row] = await connection<{ locked: boolean }[]>`select pg_try_advisory_lock(${lock}) as locked`
  return row?.locked === true
}

/** Repeats `work` until it is true. */
const retrying =
  ({ onWait, pauseMs: pause = pauseMs, limitMs: limit = limitMs }: MigrateOptions) =>
  async (migration: string, work: () => Promise<boolean>, between = pause): Promise<void> => {
    const startedAt = performance.now()
    while (!(await work())) {
      const waitedMs = Math.round(performance.now() - startedAt)
      if (waitedMs > limit)
        throw new Error(`${migration} could not get its lock for ${Math.round(waitedMs / 1_000)} s`)
      onWait?.({ migration, waitedMs })
      await sleep(between)
    }
  }

/** False where the table was not free in time, or a deadlock with others was resolved against us. */
async function unlessLocked(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === '55P03' || code === '40P01') return false
    throw error
  }
}

async function apply(connection: Connection, { name, text, checksum, isOnline }: Migration): Promise<void> {
  const note = `insert into schema_migrations (name, checksum) values ('${name}', '${checksum}')`
  if (isOnline) {
    for (const statement of statementsOf(text))
      for (const one of await madeBy(connection, statement)) await runOnline(connection, one)
    await connection.unsafe(note)
    return
  }
  try {
    // The row comes first: if the lock did not hold, the second runner stops here and not in the middle.
    await connection.unsafe(`begin; ${note}; ${text}; commit`)
  } catch (error) {
    await connection.unsafe('rollback')
    throw error
  }
}

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
