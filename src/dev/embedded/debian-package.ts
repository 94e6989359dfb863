import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
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
const dpkgStatus = '/var/lib/dpkg/status'

export interface DebianProgram {
  /** The package name in apt. */
  readonly package: string
  /** The folder inside the cache directory. */
  readonly folder: string
  /** The program to run in that folder. */
  readonly name: string
  /** File in `usr/bin` of the package, renamed to `name`: the name decides as which program a binary acts. */
  readonly binary: string
}

/**
 * Downloads the package and the libraries that this machine lacks with the system's apt, which checks the
 * signatures, and unpacks them without root into `<cacheDir>/<folder>`. Works in a temporary folder, so that
 * processes that do this at the same time do not disturb each other.
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

/** The path of the unpacked program. */
export const unpackedProgram = ({ folder, name }: DebianProgram, cacheDir: string): string =>
  join(cacheDir, folder, name)

/**
 * The machine's list of installed packages without this one and those that need it: apt downloads nothing for
 * a package that is installed in a version which no source offers.
 */
function statusWithout(packageName: string, draft: string): string {
  const installed = existsSync(dpkgStatus) ? readFileSync(dpkgStatus, 'utf8').split('\n\n') : []
  const needs = new RegExp(`^(Package: ${packageName}$|(Pre-)?Depends: (.*[ ,|])?${packageName}\\b)`, 'm')
  const others = installed.filter((entry) => !needs.test(entry))
  const path = join(draft, 'status')
  writeFileSync(path, others.join('\n\n'))
  return path
}

/** With the lists that the machine has, which saves the longest part; with new ones where they are none or too old. */
async function download(packageName: string, draft: string): Promise<string[]> {
  const archives = join(draft, 'archives')
  mkdirSync(join(draft, 'lists', 'partial'), { recursive: true })
  mkdirSync(join(archives, 'partial'), { recursive: true })
  const options = optionsOf({
    'Dir::State::Status': statusWithout(packageName, draft),
    'Dir::Cache': draft,
    'Dir::Cache::Archives': archives,
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': '',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '0',
    'Acquire::http::Timeout': '5',
    'Acquire::https::Timeout': '5',
  })
  const install = ['install', '--yes', '--download-only', '--no-install-recommends', packageName]
  if (await aptGet([...options, ...install])) {
    const renewed = [...options, ...optionsOf({ 'Dir::State::Lists': join(draft, 'lists') })]
    // One unreachable third-party source fails the whole update, but the distribution's lists were downloaded.
    const updateFailure = await aptGet([...renewed, 'update'])
    const installFailure = await aptGet([...renewed, ...install])
    if (installFailure) throw new Error([installFailure, updateFailure].filter(Boolean).join('; '))
  }
  const names = readdirSync(archives).filter((name) => name.endsWith('.deb'))
  if (names.length === 0) throw new Error('apt-get downloaded nothing')
  return names.map((name) => join(archives, name))
}

const optionsOf = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])

/** Returns apt's error message, or null on success. */
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

// The launcher finds its files relative to itself: it works from any directory and after the folder is moved.
function writeLauncher({ name, binary }: DebianProgram, unpacked: string): void {
  const usr = join(unpacked, 'root', 'usr')
  const lib = join(usr, 'lib')
  // A machine that has the libraries already downloads none.
  const libraries = existsSync(lib) && readdirSync(lib).find((folder) => folder.includes('-linux-'))
  const launcher = join(unpacked, name)
  const lines = [
    '#!/bin/sh',
    `root=\${0%/*}/root/usr`,
    ...(libraries ? [`export LD_LIBRARY_PATH="$root/lib/${libraries}"`] : []),
    `exec "$root/bin/${name}" "$@"`,
  ]
  renameSync(join(usr, 'bin', binary), join(usr, 'bin', name))
  writeFileSync(launcher, `${lines.join('\n')}\n`)
  chmodSync(launcher, 0o755)
}

// A link can be replaced atomically, a folder cannot. At every moment, the link leads to a complete program.
function publish(folder: string, unpacked: string, cacheDir: string): void {
  const name = `${folder}-${randomBytes(6).toString('hex')}`
  const place = join(cacheDir, folder)
  renameSync(unpacked, join(cacheDir, name))
  symlinkSync(name, `${unpacked}.link`)
  const old = existsSync(place) ? readlinkSync(place) : null
  renameSync(`${unpacked}.link`, place)
  if (old) rmSync(join(cacheDir, old), { recursive: true, force: true })
}
