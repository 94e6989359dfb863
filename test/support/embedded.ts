import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type EmbeddedPostgres, startPostgres } from '../../src/dev/embedded/postgres.ts'
import { identifySelf, isAlive, type ProcessIdentity } from '../../src/dev/embedded/process-table.ts'
import { migrate } from '../../src/platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../../src/platform/postgres/sql.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const dataDir = join(root, '.data', 'test')
const presenceDir = join(dataDir, 'users')
const LEAVE_MS = 600_000
const TEMPLATE_LOCK = 7_000_001

/** Unpacked packages, shared with development. */
export const packageCache = join(root, '.data', 'apt')

/** The Postgres cluster of all tests: an administrative URL and the name of the migrated template. */
export type TestCluster = Readonly<{ adminUrl: string; template: string; stop(): Promise<void> }>

/** A folder of this process, removed at its exit. It also marks the process as a user of the cluster. */
export function ownFolder(): string {
  const { pid, startedAt } = identifySelf()
  const dir = join(presenceDir, `${pid}_${encodeURIComponent(startedAt)}`)
  if (mkdirSync(dir, { recursive: true }))
    process.once('exit', () => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Starts the cluster, or attaches to that of another run; `stop` waits until no other run uses it. */
export async function startTestCluster(): Promise<TestCluster> {
  ownFolder()
  const server = await startPostgres({ dataDir, mode: 'test' })
  const admin = connectPool({ url: server.url, max: 1, name: 'test-cluster', statementTimeoutMs: 60_000 })
  try {
    const template = await prepareTemplate(server, admin)
    await dropLeftovers(admin, server.attached ? null : template)
    return { adminUrl: server.url, template, stop: () => leave(server) }
  } finally {
    await admin.end()
  }
}

let onDemand: Promise<TestCluster> | undefined

/** The cluster that the test runner started. A test file that runs alone starts its own. */
export function testCluster(): Promise<Omit<TestCluster, 'stop'>> {
  const { TEST_PG_URL: adminUrl, TEST_PG_TEMPLATE: template } = process.env as Record<
    string,
    string | undefined
  >
  if (adminUrl && template) return Promise.resolve({ adminUrl, template })
  onDemand ??= startTestCluster().then((cluster) => {
    process.once('beforeExit', () => void cluster.stop())
    return cluster
  })
  return onDemand
}

async function leave(server: EmbeddedPostgres): Promise<void> {
  if (server.attached) return
  // A machine under load takes its time to drop a database. Each drop waits for a checkpoint, so several share one.
  const admin = connectPool({ url: server.url, max: 8, name: 'test-cluster', statementTimeoutMs: 60_000 })
  await dropLeftovers(admin, null).finally(() => admin.end())
  const deadline = performance.now() + LEAVE_MS
  const others = () => livingUsers().filter((user) => user.pid !== process.pid)
  // Other runs may have attached to our server, so it must outlive them.
  if (others().length > 0)
    process.stderr.write('waiting for another test run that uses the same PostgreSQL\n')
  while (others().length > 0 && performance.now() < deadline) await sleep(50)
  await server.stop()
}

async function prepareTemplate(server: EmbeddedPostgres, admin: Pool): Promise<string> {
  const template = `tpl_${schemaHash()}`
  const connection = await admin.reserve()
  try {
    await connection`set lock_timeout = 0`
    await connection`select pg_advisory_lock(${TEMPLATE_LOCK})`
    const [found] = await connection`select 1 from pg_database where datname = ${template}`
    if (!found) await buildTemplate(server, connection, template)
    await connection`select pg_advisory_unlock(${TEMPLATE_LOCK})`
  } finally {
    connection.release()
  }
  return template
}

// Renamed when complete: a run that dies in between leaves no incomplete template under the final name.
async function buildTemplate(server: EmbeddedPostgres, sql: Pool, template: string): Promise<void> {
  const draft = 'tpl_draft'
  await sql`drop database if exists ${sql(draft)}`
  await sql`create database ${sql(draft)}`
  const pool = connectPool({
    url: server.databaseUrl(draft),
    max: 1,
    name: 'test-template',
    statementTimeoutMs: 60_000,
  })
  try {
    await migrate(pool)
    await dropLaterDays(pool)
  } finally {
    await pool.end()
  }
  await disconnected(sql, draft)
  await sql`alter database ${sql(draft)} rename to ${sql(template)}`
}

/**
 * Two weeks of partitions are made ahead, and a test needs today's and tomorrow's. Every connection of a test plans its
 * statements anew, and every database is a copy of all these files.
 */
async function dropLaterDays(sql: Pool): Promise<void> {
  const later = await sql<{ name: string }[]>`
    select c.relname as name
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where c.relkind = 'r' and to_date(substring(c.relname from '\\d{8}$'), 'YYYYMMDD') > (now() at time zone 'UTC')::date + 1`
  for (const { name } of later) await sql`drop table ${sql(name)}`
}

// A backend outlives its client's connection for a moment. A database in use cannot be renamed or copied.
async function disconnected(sql: Pool, database: string): Promise<void> {
  const deadline = performance.now() + 5000
  while (performance.now() < deadline) {
    const [busy] = await sql`select 1 from pg_stat_activity where datname = ${database}`
    if (!busy) return
    await sleep(2)
  }
}

// Includes the date: migrations create partitions from today on, and a template is used for days.
function schemaHash(): string {
  const folder = join(root, 'src', 'platform', 'postgres', 'migrations')
  const hash = createHash('sha256')
    .update(new Date().toISOString().slice(0, 10))
    .update(String(dropLaterDays))
  for (const name of readdirSync(folder).sort()) hash.update(name).update(readFileSync(join(folder, name)))
  return hash.digest('hex').slice(0, 16)
}

/**
 * Databases are named `t_<pid>_...`. Drops those of dead processes and, given a `template`, all other
 * templates.
 */
async function dropLeftovers(admin: Pool, template: string | null): Promise<void> {
  const living = new Set(livingUsers().map((user) => user.pid))
  const rows = await admin<{ name: string }[]>`
    select datname as name
    from pg_database
    where datname like 't\\_%' or datname like 'tpl\\_%'`
  const isDead = (name: string) => name.startsWith('t_') && !living.has(Number(name.split('_')[1]))
  const isOld = (name: string) => template !== null && name.startsWith('tpl_') && name !== template
  const left = rows.map(({ name }) => name).filter((name) => isDead(name) || isOld(name))
  await Promise.all(left.map((name) => admin`drop database if exists ${admin(name)} with (force)`))
}

function livingUsers(): ProcessIdentity[] {
  const users: ProcessIdentity[] = []
  for (const name of readdirSync(presenceDir)) {
    const [pid = '', startedAt = ''] = name.split('_')
    const user = { pid: Number(pid), startedAt: decodeURIComponent(startedAt) }
    if (isAlive(user)) users.push(user)
    else rmSync(join(presenceDir, name), { recursive: true, force: true })
  }
  return users
}
