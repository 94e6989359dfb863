import { randomBytes } from 'node:crypto'
import { connectPool, type Pool } from '../../src/platform/postgres/sql.ts'
import { ownFolder, testCluster } from './embedded.ts'
import { afterAllFiles, afterFile } from './harness.ts'

/** A new migrated database. It is dropped after the run; `drop` is for tests that need it gone earlier. */
export type TestDatabase = Readonly<{ url: string; drop(): Promise<void> }>

export async function testDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = await testCluster()
  ownFolder()
  const name = `t_${process.pid}_${randomBytes(4).toString('hex')}`
  // Copying files costs less than half of writing a template of this size through the WAL.
  await asAdmin(
    adminUrl,
    (sql) => sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`,
  )
  return {
    url: Object.assign(new URL(adminUrl), { pathname: name }).href,
    drop: () => asAdmin(adminUrl, (sql) => sql`drop database if exists ${sql(name)} with (force)`),
  }
}

/** A slow machine must not end a statement, a wait for a lock or for a connection. Who tests the limits has a pool of their own. */
const patience = { statementTimeoutMs: 60_000, lockTimeoutMs: 60_000, connectTimeoutMs: 60_000 }

/** A pool like the gateway's, but patient, closed after the last test of the file. */
export function testPool(database: TestDatabase, max = 4): Pool {
  const pool = connectPool({ url: database.url, max, name: 'test', ...patience })
  afterFile(() => pool.end({ timeout: 1 }))
  return pool
}

/** A pool of a module that several files share. It is closed when the process ends. */
export function sharedPool(database: TestDatabase, max = 4): Pool {
  const pool = connectPool({ url: database.url, max, name: 'test', ...patience })
  afterAllFiles(() => pool.end({ timeout: 1 }))
  return pool
}

let admin: Pool | undefined

/** On one connection for the process: a new one costs more than what is done on it. */
async function asAdmin(url: string, work: (sql: Pool) => PromiseLike<unknown>): Promise<void> {
  if (admin === undefined) {
    const opened = connectPool({ url, max: 1, name: 'test-admin', ...patience })
    afterAllFiles(() => opened.end({ timeout: 1 }))
    admin = opened
  }
  await work(admin)
}
