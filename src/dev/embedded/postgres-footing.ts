import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, cpSync, existsSync, lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Candidate, firstWorking } from './candidates.ts'
import { libraryPrefix, makeLinks, type PostgresBinaries } from './postgres-binaries.ts'

/** Under which user and from where PostgreSQL runs. `ownerId`: who must own its files, null when that is a given. */
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

/** PostgreSQL refuses root, so root looks for a way to run it as somebody who still reaches binaries and data. */
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

/** Needs every folder above binaries and data to be open to others. */
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

/** Root calls itself nobody: the server is content, and the files stay root's, below a 0700 folder too. */
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

/** Containers commonly refuse namespaces: then binaries and data live where nobody can reach them. */
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
  // Anybody may create that name first: run no binaries from, and write no data to, another user's folder.
  if (!found.isDirectory() || found.uid !== 0) throw new Error(`${home} belongs to somebody else`)
  const native = join(home, `native-${binaries.major}`)
  if (existsSync(native)) return
  const draft = `${native}.new${process.pid}`
  rmSync(draft, { recursive: true, force: true })
  cpSync(binaries.root, draft, { recursive: true, verbatimSymlinks: true })
  // A read-only origin lacks them, and this copy is searched by its own path alone.
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

/** Hands a data directory over, which an earlier start may have made on another footing. */
export function giveTo(footing: Footing, dir: string): void {
  if (footing.ownerId === null || statSync(dir).uid === footing.ownerId) return
  execFileSync('chown', ['-R', `${footing.ownerId}:${footing.ownerId}`, dir])
}

/** Creates an empty folder that only the server may enter. */
export function makeFolder(footing: Footing, dir: string): void {
  mkdirSync(dir, { mode: 0o700 })
  if (footing.ownerId !== null) chownSync(dir, footing.ownerId, footing.ownerId)
}
