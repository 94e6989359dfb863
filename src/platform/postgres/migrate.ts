// Forward-only migrations: numbered SQL files, each in its own transaction, under one lock. A file whose name
// ends with `_concurrently` builds indexes while the tables are written, which Postgres allows only outside of
// a transaction: it may run again after a crash in its middle.
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, Sql } from './sql.ts'

const folder = new URL('./migrations/', import.meta.url)
const lock = 4_711_001

interface Migration {
  readonly name: string
  readonly text: string
  readonly checksum: string
}

/** Brings the schema up to date; safe from every process at once. Returns the names that were applied. */
export async function migrate(pool: Pool): Promise<string[]> {
  const migrations = await readMigrations()
  const connection = await pool.reserve()
  try {
    await connection`set statement_timeout = 0`
    await takeLock(connection)
    await connection`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`
    const applied = await connection<
      { name: string; checksum: string }[]
    >`select name, checksum from schema_migrations`
    const known = new Map(applied.map((row) => [row.name, row.checksum]))
    const pending = migrations.filter((migration) => isPending(migration, known))
    for (const migration of pending) await apply(connection, migration)
    await connection`select ensure_partitions(14)`
    return pending.map((migration) => migration.name)
  } finally {
    await connection`select pg_advisory_unlock(${lock})`.catch(() => undefined)
    await connection`reset statement_timeout`.catch(() => undefined)
    connection.release()
  }
}

/** Asks again and again: a statement that waits for the lock would be waited for by `create index concurrently`. */
async function takeLock(connection: Sql): Promise<void> {
  for (;;) {
    const [row] = await connection<[{ taken: boolean }]>`select pg_try_advisory_lock(${lock}) as taken`
    if (row.taken) return
    await delay(100)
  }
}

async function apply(connection: Sql, { name, text, checksum }: Migration): Promise<void> {
  const done = `insert into schema_migrations (name, checksum) values ('${name}', '${checksum}')`
  if (!name.endsWith('_concurrently.sql')) {
    // The row comes first: if the lock did not hold, the second runner stops here and not in the middle.
    await connection.unsafe(`begin; ${done}; ${text}; commit`)
    return
  }
  for (const statement of text.split(/;\s*\n/).filter((part) => part.trim() !== ''))
    await connection.unsafe(statement)
  await connection.unsafe(done)
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).sort()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
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
