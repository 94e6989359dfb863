import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { connectPool, type Pool } from '../../src/store/sql.ts'
import { ownFolder, testCluster } from './embedded.ts'

/** A database of one's own, migrated. It goes after the run; `drop` is for tests that want it gone earlier. */
export type TestDatabase = Readonly<{ url: string; drop(): Promise<void> }>

export async function testDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = await testCluster()
  ownFolder()
  const name = `t_${process.pid}_${randomBytes(4).toString('hex')}`
  // Copying files costs less than half of writing a template of this size through the log.
  await asAdmin(
    adminUrl,
    (sql) => sql`create database ${sql(name)} template ${sql(template)} strategy file_copy`,
  )
  return {
    url: Object.assign(new URL(adminUrl), { pathname: name }).href,
    drop: () => asAdmin(adminUrl, (sql) => sql`drop database if exists ${sql(name)} with (force)`),
  }
}

const pools: Pool[] = []

// Registered here, at the top of the file's tests: `after` inside a hook would run when that hook ends.
after(() => Promise.all(pools.map((pool) => pool.end({ timeout: 1 }))))

/** A pool as the gateway opens it, closed after the last test of the file; for bulk work with more time a statement. */
export function testPool(database: TestDatabase, max = 4, statementTimeoutMs = 5_000): Pool {
  const pool = connectPool({ url: database.url, max, name: 'test', statementTimeoutMs })
  pools.push(pool)
  return pool
}

async function asAdmin(url: string, work: (sql: Pool) => PromiseLike<unknown>): Promise<void> {
  const sql = connectPool({ url, max: 1, name: 'test-admin', statementTimeoutMs: 60_000 })
  try {
    await work(sql)
  } finally {
    await sql.end()
  }
}
