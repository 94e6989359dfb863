// What a result ran on.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { createClient } from 'redis'
import { connectPool } from '../../src/platform/postgres/sql.ts'
import type { Environment } from './result.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))

/** Before this process has started anything. */
const loadBefore = loadavg()

export async function readEnvironment(servers?: {
  readonly adminUrl: string
  readonly redisUrl: string
}): Promise<Environment> {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    kernel: release(),
    node: process.version,
    postgres: servers ? await postgresVersion(servers.adminUrl) : null,
    redis: servers ? await redisVersion(servers.redisUrl) : null,
    governor: textOf('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor'),
    load: loadBefore,
  }
}

async function postgresVersion(url: string): Promise<string | null> {
  const sql = connectPool({ url, max: 1, name: 'bench-version' })
  try {
    const [row] = await sql<{ serverVersion: string }[]>`show server_version`
    return row?.serverVersion ?? null
  } finally {
    await sql.end()
  }
}

async function redisVersion(url: string): Promise<string | null> {
  const client = url.startsWith('unix:')
    ? createClient({ socket: { path: new URL(url).pathname, tls: false } })
    : createClient({ url })
  try {
    await client.connect()
    return /redis_version:(\S+)/.exec(await client.info('server'))?.[1] ?? null
  } catch {
    return null
  } finally {
    client.destroy()
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return null
  }
}

/** The commit of the working tree, with `+` when files differ from it; null outside a repository. */
export function commitOf(): string | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' }).trim()
  try {
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : '+')
  } catch {
    return null
  }
}
