import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const APT_MS = 60_000

/**
 * Downloads the Debian package, as the system's own apt does, signatures and all, and unpacks it without root into
 * `<cacheDir>/redis`. Work happens aside, so that processes that do this at once do not disturb each other.
 */
export async function unpackDebianRedis(cacheDir: string): Promise<void> {
  mkdirSync(cacheDir, { recursive: true })
  const draft = mkdtempSync(join(cacheDir, '.redis-'))
  try {
    const archives = await download(draft)
    const unpacked = join(draft, 'redis')
    mkdirSync(unpacked)
    for (const archive of archives) await run('dpkg-deb', ['-x', archive, join(unpacked, 'root')])
    writeLauncher(unpacked)
    publish(unpacked, cacheDir)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

async function download(draft: string): Promise<string[]> {
  const archives = join(draft, 'archives')
  mkdirSync(join(draft, 'lists', 'partial'), { recursive: true })
  mkdirSync(join(archives, 'partial'), { recursive: true })
  const options = [
    ...[
      `Dir::State::Lists=${join(draft, 'lists')}`,
      `Dir::Cache=${draft}`,
      `Dir::Cache::Archives=${archives}`,
    ],
    ...['Debug::NoLocking=1', 'APT::Sandbox::User=', 'Acquire::Languages=none', 'Acquire::Retries=0'],
    ...['Acquire::http::Timeout=5', 'Acquire::https::Timeout=5'],
  ].flatMap((option) => ['-o', option])
  // One unreachable third-party source fails the update as a whole, yet the distribution's own lists have come.
  const updateFailure = await aptGet([...options, 'update'])
  const install = [
    'install',
    '--yes',
    '--download-only',
    '--reinstall',
    '--no-install-recommends',
    'redis-tools',
  ]
  const installFailure = await aptGet([...options, ...install])
  if (installFailure) throw new Error([installFailure, updateFailure].filter(Boolean).join('; '))
  const names = readdirSync(archives).filter((name) => name.endsWith('.deb'))
  if (names.length === 0) throw new Error('apt-get downloaded nothing')
  return names.map((name) => join(archives, name))
}

/** Why it failed, in apt's own words; null when it did not. */
async function aptGet(args: readonly string[]): Promise<string | null> {
  try {
    await run('apt-get', args, { timeout: APT_MS })
    return null
  } catch (error) {
    const { code, killed, stderr, message } = error as NodeJS.ErrnoException & {
      killed?: boolean
      stderr?: string
    }
    if (code === 'ENOENT') throw new Error('no apt-get here')
    if (killed) return `apt-get took longer than ${APT_MS} ms`
    return /^E: .*/m.exec(stderr ?? '')?.[0] ?? message
  }
}

// One plain path to run, from wherever it is called and wherever the folder is moved.
function writeLauncher(unpacked: string): void {
  const libraries = readdirSync(join(unpacked, 'root', 'usr', 'lib')).find((name) => name.includes('-linux-'))
  const launcher = join(unpacked, 'redis-server')
  // One binary under several names: it is a server when it is called one.
  const lines = [
    '#!/bin/sh',
    `root=\${0%/*}/root/usr`,
    `export LD_LIBRARY_PATH="$root/lib/${libraries ?? ''}"`,
    'exec "$root/bin/redis-server" "$@"',
  ]
  renameSync(
    join(unpacked, 'root', 'usr', 'bin', 'redis-check-rdb'),
    join(unpacked, 'root', 'usr', 'bin', 'redis-server'),
  )
  writeFileSync(launcher, `${lines.join('\n')}\n`)
  chmodSync(launcher, 0o755)
}

// A link can be replaced in one step, a folder cannot: at no moment is there half a server, or none.
function publish(unpacked: string, cacheDir: string): void {
  const name = `redis-${randomBytes(6).toString('hex')}`
  const place = join(cacheDir, 'redis')
  renameSync(unpacked, join(cacheDir, name))
  symlinkSync(name, `${unpacked}.link`)
  const old = existsSync(place) ? readlinkSync(place) : null
  renameSync(`${unpacked}.link`, place)
  if (old) rmSync(join(cacheDir, old), { recursive: true, force: true })
}
