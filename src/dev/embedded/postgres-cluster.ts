import { execFile } from 'node:child_process'
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Footing, giveTo, makeFolder } from './postgres-footing.ts'
import { identify, processesIn } from './process-table.ts'
import { endProcesses } from './run-file.ts'

export type ClusterOptions = Readonly<{
  major: number
  password: string
  mode: 'development' | 'test'
  /** Called before work that takes seconds. */
  onWork?: ((line: string) => void) | undefined
}>

/** Creates the cluster if it does not exist, and prepares it for a start. Returns its directory. */
export async function prepareCluster(footing: Footing, options: ClusterOptions): Promise<string> {
  const dir = join(footing.home, `pg-${options.major}`)
  if (!existsSync(dir)) await createCluster(footing, dir, options)
  giveTo(footing, dir)
  await clearLeftovers(dir)
  return dir
}

// A complete folder is renamed. An interrupted initdb leaves only a draft, which the next start deletes.
async function createCluster(footing: Footing, dir: string, options: ClusterOptions): Promise<void> {
  options.onWork?.('creating the PostgreSQL database, once...')
  const left = leftBehind(footing.home, options.major)
  if (left) options.onWork?.(left)
  const draftPrefix = `pg-${options.major}.new`
  for (const name of readdirSync(footing.home)) {
    if (name.startsWith(draftPrefix)) rmSync(join(footing.home, name), { recursive: true })
  }
  const draft = join(footing.home, `${draftPrefix}${process.pid}`)
  const passwordFile = `${draft}.password`
  makeFolder(footing, draft)
  writeFileSync(passwordFile, options.password, { mode: 0o600 })
  if (footing.ownerId !== null) chownSync(passwordFile, footing.ownerId, footing.ownerId)
  const argv = [...footing.prefix, join(footing.binDir, 'initdb'), ...initFlags(draft, passwordFile, options)]
  const [file = '', ...args] = argv
  try {
    await promisify(execFile)(file, args, { ...footing.identity, cwd: '/', timeout: 120_000 })
  } finally {
    rmSync(passwordFile)
  }
  renameSync(draft, dir)
}

/** What to say of the newest database of another major version, which this one cannot read. */
export function leftBehind(home: string, major: number): string | null {
  const majors = readdirSync(home).map((name) => Number(/^pg-(\d+)$/.exec(name)?.[1]))
  const other = majors.filter((one) => one > 0 && one !== major).sort((a, b) => b - a)[0]
  if (other === undefined) return null
  return (
    `the data of PostgreSQL ${other} stays in ${join(home, `pg-${other}`)} and is not used: to go on with it, set ` +
    `POSTGRES_BIN_DIR to the programs of version ${other}; to move it, dump it there (pg_dump) and load it here (psql)`
  )
}

function initFlags(draft: string, passwordFile: string, options: ClusterOptions): string[] {
  return [
    ...['-D', draft, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`],
    ...['--no-sync', '--no-instructions', '--encoding=UTF8', '--locale=C'],
    // The same sort order and full Unicode case rules on every system, independent of its locales.
    ...(options.major >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
    ...(options.mode === 'test' ? ['--wal-segsize=1'] : []),
  ]
}

// PostgreSQL checks the pid of its pid file with `kill(pid, 0)`. It refuses to start when that pid now
// belongs to a zombie or to another process. Without the file, however, it does not notice backends of a
// killed server that still write. Therefore remove the file only when no process works in this directory.
async function clearLeftovers(dir: string): Promise<void> {
  const pidFile = join(dir, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const running = processesIn(dir)
  if (running === null) return
  const postmaster = identify(Number(readFileSync(pidFile, 'utf8').split('\n')[0]))
  const isPostmaster = running.some(
    (one) => one.startedAt === postmaster?.startedAt && one.pid === postmaster.pid,
  )
  if (postmaster && isPostmaster) await endProcesses([postmaster], 'SIGINT')
  await endProcesses(processesIn(dir) ?? [], 'SIGTERM')
  rmSync(pidFile, { force: true })
}

/** Reads the state from the eighth line of the server's pid file, so that no log must be parsed. */
export function isClusterReady(dir: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(dir, 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}
