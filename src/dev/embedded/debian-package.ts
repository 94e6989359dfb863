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

export interface DebianProgram {
  /** As apt knows it. */
  readonly package: string
  /** Where it is kept, under the cache. */
  readonly folder: string
  /** What to run in that folder. */
  readonly name: string
  /** Under `usr/bin` of the package. One binary may serve under several names, so it is given this program's. */
  readonly binary: string
}

/**
 * Downloads the package and the libraries that are missing here, as the system's own apt does, signatures and all, and
 * unpacks them without root into `<cacheDir>/<folder>`. Work happens aside, so that processes
 * that do this at once do not disturb each other.
 */
export async function unpackDebian(program: DebianProgram, cacheDir: string): Promise<void> {
  mkdirSync(cacheDir, { recursive: true })
  const draft = mkdtempSync(join(cacheDir, `.${program.folder}-`))
  try {
    const archives = await download(program.package, draft)
    const unpacked = join(draft, program.folder)
    mkdirSync(unpacked)
    for (const archive of archives) await run('dpkg-deb', ['-x', archive, join(unpacked, 'root')])
    writeLauncher(program, unpacked)
    publish(program.folder, unpacked, cacheDir)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** The program as it was unpacked before. */
export const unpackedProgram = ({ folder, name }: DebianProgram, cacheDir: string): string =>
  join(cacheDir, folder, name)

async function download(packageName: string, draft: string): Promise<string[]> {
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
    packageName,
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
function writeLauncher({ name, binary }: DebianProgram, unpacked: string): void {
  const usr = join(unpacked, 'root', 'usr')
  const libraries = readdirSync(join(usr, 'lib')).find((folder) => folder.includes('-linux-'))
  const launcher = join(unpacked, name)
  const lines = [
    '#!/bin/sh',
    `root=\${0%/*}/root/usr`,
    `export LD_LIBRARY_PATH="$root/lib/${libraries ?? ''}"`,
    `exec "$root/bin/${name}" "$@"`,
  ]
  renameSync(join(usr, 'bin', binary), join(usr, 'bin', name))
  writeFileSync(launcher, `${lines.join('\n')}\n`)
  chmodSync(launcher, 0o755)
}

// A link can be replaced in one step, a folder cannot: at no moment is there half a program, or none.
function publish(folder: string, unpacked: string, cacheDir: string): void {
  const name = `${folder}-${randomBytes(6).toString('hex')}`
  const place = join(cacheDir, folder)
  renameSync(unpacked, join(cacheDir, name))
  symlinkSync(name, `${unpacked}.link`)
  const old = existsSync(place) ? readlinkSync(place) : null
  renameSync(`${unpacked}.link`, place)
  if (old) rmSync(join(cacheDir, old), { recursive: true, force: true })
}
