// A PostgreSQL of the fault suite's own, because its faults would harm other tests: it is stopped, crashed and
// restored. It is kept between runs, as that of the tests is.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type EmbeddedPostgres, startPostgres } from '../../../src/dev/embedded/postgres.ts'
import { processesIn } from '../../../src/dev/embedded/process-table.ts'
import { migrate } from '../../../src/platform/postgres/migrate.ts'
import { connectPool, type Pool } from '../../../src/platform/postgres/sql.ts'
import { freeze } from './freeze.ts'

const dataDir = fileURLToPath(new URL('../../../.data/faults', import.meta.url))
const EXIT_MS = 15_000

export interface FaultyPostgres {
  readonly port: number
  /** A new migrated database; those of earlier rows are dropped. Returns its URL. */
  newDatabase(): Promise<string>
  /** Immediate shutdown: no process writes anything more, and the next start recovers from the log. */
  crash(): Promise<void>
  start(): Promise<void>
  /** Stops all processes of the server until the returned function is called. */
  freeze(): Promise<() => Promise<void>>
  /** Copies the files as they are at this instant. */
  takeCopy(): Promise<void>
  /** Crashes, puts the copy in the place of the files, and starts. */
  restoreCopy(): Promise<void>
  stop(): Promise<void>
}

const asAdmin = async <T>(url: string, work: (sql: Pool) => Promise<T>): Promise<T> => {
  const sql = connectPool({ url, max: 1, name: 'faults-admin', statementTimeoutMs: 60_000 })
  return work(sql).finally(() => sql.end({ timeout: 2 }))
}

export async function startFaultyPostgres(): Promise<FaultyPostgres> {
  let server = await startPostgres({ dataDir, mode: 'test' })
  if (server.attached) throw new Error('another run of the fault suite uses this checkout')
  const port = Number(new URL(server.url).port)
  const files = await asAdmin(server.url, async (sql) => {
    const [row] = await sql<[{ dataDirectory: string }]>`show data_directory`
    return row.dataDirectory
  })
  const copy = `${files}.copy`
  const start = async () => {
    server = await startPostgres({ dataDir, mode: 'test', port })
  }
  const crash = async () => {
    process.kill(server.pid, 'SIGQUIT')
    const deadline = performance.now() + EXIT_MS
    while (pidsIn(files).length > 0 && performance.now() < deadline) await sleep(5)
    await server.stop()
  }
  const freezeAll = () => freeze(...pidsIn(files))
  return {
    ...{ port, start, crash, freeze: freezeAll },
    newDatabase: () => newDatabase(server),
    async takeCopy() {
      const thaw = await freezeAll()
      try {
        rmSync(copy, { recursive: true, force: true })
        execFileSync('cp', ['-a', files, copy])
      } finally {
        await thaw()
      }
    },
    async restoreCopy() {
      await crash()
      rmSync(files, { recursive: true })
      execFileSync('mv', [copy, files])
      rmSync(join(files, 'postmaster.pid'), { force: true })
      await start()
    },
    async stop() {
      rmSync(copy, { recursive: true, force: true })
      await server.stop()
    },
  }
}

function pidsIn(files: string): number[] {
  const found = processesIn(files)
  if (found === null) throw new Error('the fault suite needs /proc: run it on Linux')
  return found.map(({ pid }) => pid)
}

async function newDatabase(server: EmbeddedPostgres): Promise<string> {
  const name = `t_${randomBytes(4).toString('hex')}`
  await asAdmin(server.url, async (sql) => {
    const old = await sql<{ datname: string }[]>`select datname from pg_database where datname like 't\\_%'`
    for (const { datname } of old) await sql`drop database if exists ${sql(datname)} with (force)`
    await sql`create database ${sql(name)}`
  })
  const url = server.databaseUrl(name)
  await asAdmin(url, async (sql) => void (await migrate(sql)))
  return url
}
