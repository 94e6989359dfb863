import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { type Candidate, firstWorking } from './candidates.ts'
import { unpackDebian, unpackedProgram } from './debian-package.ts'

/** `emulated`: not a Redis at all but a stand-in in JavaScript, without password, persistence or speed. */
export type RedisBinary = Readonly<{
  via: string
  argv: readonly string[]
  flavour: 'redis' | 'valkey' | 'emulated'
  major: number
}>

export type RedisSearch = Readonly<{ cacheDir: string; serverBin?: string; onSkip?: (line: string) => void }>

const OLDEST = [6, 2] as const
// One binary under several names: it is a server when it is called one.
export const debianRedis = {
  package: 'redis-tools',
  folder: 'redis',
  name: 'redis-server',
  binary: 'redis-check-rdb',
} as const
const REMEDY = 'Set REDIS_URL, or install Redis: apt-get install -y redis-server, or brew install redis'

/** An explicit `serverBin` is obeyed or refused. `cacheDir` keeps what was unpacked from Debian packages. */
export function findRedis(options: RedisSearch): Promise<RedisBinary> {
  const { onSkip } = options
  return firstWorking({ what: 'Redis', candidates: redisCandidates(options), remedy: REMEDY, onSkip })
}

/** In the order of preference. */
function redisCandidates(options: RedisSearch): Candidate<RedisBinary>[] {
  const { cacheDir, serverBin } = options
  if (serverBin) return [{ name: serverBin, find: () => prove(serverBin, serverBin) }]
  return [
    { name: 'valkey-server on PATH', find: () => prove('PATH', 'valkey-server') },
    { name: 'redis-server on PATH', find: () => prove('PATH', 'redis-server') },
    { name: 'npm @falkordblite', find: fromNpm },
    { name: 'Debian package, unpacked', find: () => fromDebian(cacheDir) },
    { name: 'js-redis-server', find: emulated },
  ]
}

function fromNpm(): Promise<RedisBinary> {
  const name = `@falkordblite/${process.platform}-${process.arch}`
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
  return prove(name, join(dirname(manifest), 'bin', 'redis-server'))
}

async function fromDebian(cacheDir: string): Promise<RedisBinary> {
  const via = 'Debian package'
  const cached = unpackedProgram(debianRedis, cacheDir)
  // What was unpacked may no longer fit the system after an upgrade: then it is fetched again.
  return prove(via, cached).catch(async () => {
    await unpackDebian(debianRedis, cacheDir)
    return prove(via, cached)
  })
}

// Its command line is not among the package's exports, so it is found beside the main file.
function emulated(): RedisBinary {
  const main = createRequire(import.meta.url).resolve('js-redis-server')
  const argv = [process.execPath, join(dirname(main), 'cli.js'), '--single', '--port']
  return { via: 'js-redis-server', argv, flavour: 'emulated', major: 0 }
}

// Running it is the only proof: it catches the wrong libc, the wrong architecture and missing libraries alike.
async function prove(via: string, file: string): Promise<RedisBinary> {
  const { stdout } = await promisify(execFile)(file, ['--version'], { timeout: 10_000 })
  const found = /^(redis|valkey) server v=(\d+)\.(\d+)/i.exec(stdout)
  if (!found) throw new Error(`unknown version: ${stdout.trim()}`)
  const [, name, major, minor] = found.map((part) => part.toLowerCase())
  const isTooOld = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1])
  if (isTooOld) throw new Error(`${name} ${major}.${minor} is older than ${OLDEST.join('.')}`)
  return { via, argv: [file], flavour: name === 'valkey' ? 'valkey' : 'redis', major: Number(major) }
}
