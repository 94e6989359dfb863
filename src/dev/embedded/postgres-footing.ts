import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Candidate, firstWorking } from './candidates.ts'
import { libraryPrefix, makeLinks, type PostgresBinaries } from './postgres-binaries.ts'

/** User and location of PostgreSQL. `ownerId`: the uid that must own its files; null: keep the owner. */
export type Footing = Readonly<{
  name: 'self' | 'nobody' | 'namespace' | 'elsewhere'
  prefix: readonly string[]
  binDir: string
  home: string
  ownerId: number | null
  identity: Readonly<{ uid?: number; gid?: number }>
}>

const NOBODY = 65_534
const REMEDY = 'Start as a plain user, or set DATABASE_URL'
const IDENTITY = { uid: NOBODY, gid: NOBODY }

/** PostgreSQL refuses to run as root: then find another user that can reach the binaries and the data. */
export async function findFooting(
  binaries: PostgresBinaries,
  dataDir: string,
  ways: readonly FootingWay[] = [asNobody, inNamespace, elsewhere],
): Promise<Footing> {
  const prefix = libraryPrefix(binaries.libraryPath)
  if (process.getuid?.() !== 0) {
    return { name: 'self', prefix, binDir: binaries.binDir, home: dataDir, ownerId: null, identity: {} }
  }
  const candidates = ways.map((way) => way(binaries, dataDir))
  return firstWorking({ what: 'PostgreSQL as root', candidates, remedy: REMEDY })
}

export type FootingWay = (binaries: PostgresBinaries, dataDir: string) => Candidate<Footing>

/** Works only if other users can enter every folder above binaries and data. */
function asNobody(binaries: PostgresBinaries, dataDir: string): Candidate<Footing> {
  return proved('as user nobody', {
    name: 'nobody',
    prefix: libraryPrefix(binaries.libraryPath),
    binDir: binaries.binDir,
    home: dataDir,
    ownerId: NOBODY,
    identity: IDENTITY,
  })
}

/** Maps root to nobody, which PostgreSQL accepts. Root still owns the files, even below a 0700 folder. */
function inNamespace(binaries: PostgresBinaries, dataDir: string): Candidate<Footing> {
  const unshare = ['unshare', '--user', `--map-user=${NOBODY}`, `--map-group=${NOBODY}`, '--']
  return proved('in a user namespace', {
    name: 'namespace',
    prefix: [...unshare, ...libraryPrefix(binaries.libraryPath)],
    binDir: binaries.binDir,
    home: dataDir,
    ownerId: 0,
    identity: {},
  })
}

/** Containers often forbid namespaces. Then binaries and data go to a folder that user `nobody` can enter. */
export function elsewhere(binaries: PostgresBinaries, dataDir: string): Candidate<Footing> {
  const home = `/var/tmp/switchboard-${createHash('sha256').update(dataDir).digest('hex').slice(0, 16)}`
  const name = `as user nobody in ${home}`
  const footing: Footing = {
    name: 'elsewhere',
    prefix: [],
    binDir: join(home, `native-${binaries.major}`, 'bin'),
    home,
    ownerId: NOBODY,
    identity: IDENTITY,
  }
  return {
    name,
    find() {
      moveIn(home, binaries)
      return proved(name, footing).find()
    },
  }
}

function moveIn(home: string, binaries: PostgresBinaries): void {
  mkdirSync(home, { recursive: true, mode: 0o755 })
  const found = lstatSync(home)
  // Any user can create this folder first: never run binaries from, or write data to, another user's folder.
  if (!found.isDirectory() || found.uid !== 0) throw new Error(`${home} belongs to somebody else`)
  const native = join(home, `native-${binaries.major}`)
  if (existsSync(native)) return
  const draft = `${native}.new${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  cpSync(binaries.root, draft, { recursive: true, verbatimSymlinks: true })
  // A read-only package lacks the links, and the loader searches only this copy: make the links here.
  if (existsSync(join(draft, 'pg-symlinks.json'))) makeLinks(draft)
  renameSync(draft, native)
}

function proved(name: string, footing: Footing): Candidate<Footing> {
  return {
    name,
    find() {
      const reach = 'cd "$1" && "$2" --version'
      const [file = '', ...args] = [
        ...footing.prefix,
        ...['/bin/sh', '-c', reach, 'reach', footing.home, join(footing.binDir, 'postgres')],
      ]
      execFileSync(file, args, {
        ...footing.identity,
        cwd: '/',
        timeout: 10_000,
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      return footing
    },
  }
}

/** Changes the owner of a data directory that an earlier start may have created with another footing. */
export function giveTo(footing: Footing, dir: string): void {
  if (footing.ownerId === null || statSync(dir).uid === footing.ownerId) return
  execFileSync('chown', ['-R', `${footing.ownerId}:${footing.ownerId}`, dir])
}

/** Creates an empty folder that only the server's user can enter. */
export function makeFolder(footing: Footing, dir: string): void {
  mkdirSync(dir, { mode: 0o700 })
  if (footing.ownerId !== null) chownSync(dir, footing.ownerId, footing.ownerId)
}
