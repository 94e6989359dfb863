import { execFile } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { type Candidate, firstWorking } from './candidates.ts'
import { unpackDebian, unpackedProgram } from './debian-package.ts'

/** `emulated`: not Redis but a slow substitute in JavaScript, without password and persistence. */
export type RedisBinary = Readonly<{
  via: string
  argv: readonly string[]
  flavour: 'redis' | 'valkey' | 'emulated'
  major: number
}>

export type RedisSearch = Readonly<{
  cacheDir: string
  serverBin?: string
  onSkip?: (line: string) => void
  /** Called before work that takes seconds. */
  onWork?: (line: string) => void
}>

const INSTALL_MS = 60_000
const OLDEST = [6, 2] as const
// The package contains one binary under several names. It acts as a server when its name is redis-server.
export const debianRedis = {
  package: 'redis-tools',
  folder: 'redis',
  name: 'redis-server',
  binary: 'redis-check-rdb',
} as const
const REMEDY = 'Set REDIS_URL, or install Redis: apt-get install -y redis-server, or brew install redis'

/** An explicit `serverBin` is the only candidate. `cacheDir` keeps unpacked Debian packages. */
export function findRedis(options: RedisSearch): Promise<RedisBinary> {
  const { onSkip } = options
  return firstWorking({ what: 'Redis', candidates: redisCandidates(options), remedy: REMEDY, onSkip })
}

/** In the order of preference. */
function redisCandidates(options: RedisSearch): Candidate<RedisBinary>[] {
  const { cacheDir, serverBin, onWork } = options
  if (serverBin) return [{ name: serverBin, find: () => prove(serverBin, serverBin) }]
  return [
    { name: 'valkey-server on PATH', find: () => prove('PATH', 'valkey-server') },
    { name: 'redis-server on PATH', find: () => prove('PATH', 'redis-server') },
    { name: 'npm @falkordblite', find: fromNpm },
    { name: 'Debian package, unpacked', find: () => fromDebian(cacheDir, onWork) },
    { name: 'js-redis-server', find: () => emulated(join(cacheDir, 'npm'), onWork) },
  ]
}

function fromNpm(): Promise<RedisBinary> {
  const name = `@falkordblite/${process.platform}-${process.arch}`
  const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`)
  return prove(name, join(dirname(manifest), 'bin', 'redis-server'))
}

async function fromDebian(cacheDir: string, onWork: RedisSearch['onWork']): Promise<RedisBinary> {
  const via = 'Debian package'
  const cached = unpackedProgram(debianRedis, cacheDir)
  // The unpacked program can stop working after a system upgrade. Then download it again.
  return prove(via, cached).catch(async () => {
    onWork?.('downloading and unpacking Redis, once...')
    await unpackDebian(debianRedis, cacheDir)
    return prove(via, cached)
  })
}

/** Installed only where it is needed: both packages declare Node 22, and every other system has a real Redis. */
const emulation = ['js-redis-server@0.3.0', 'lua-redis-wasm@1.5.0']

// The package does not export its command line script, so look for it beside the main file.
async function emulated(dir: string, onWork: RedisSearch['onWork']): Promise<RedisBinary> {
  const find = () => createRequire(join(dir, 'from-here.js')).resolve('js-redis-server')
  let main: string
  try {
    main = find()
  } catch {
    onWork?.('installing a Redis in JavaScript, once...')
    mkdirSync(dir, { recursive: true })
    const [program, ...args] = npmCommand()
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']
    const install = [...args, 'install', ...quiet, '--prefix', dir, ...emulation]
    await promisify(execFile)(program, install, { timeout: INSTALL_MS })
    main = find()
  }
  const argv = [process.execPath, join(dirname(main), 'cli.js'), '--single', '--port']
  return { via: 'js-redis-server', argv, flavour: 'emulated', major: 0 }
}

/** The npm that runs this program or came with this Node: it may not be on PATH. */
function npmCommand(): readonly [string, ...string[]] {
  const beside = resolve(dirname(process.execPath), '../lib/node_modules/npm/bin/npm-cli.js')
  const script = process.env['npm_execpath'] ?? beside
  return existsSync(script) ? [process.execPath, script] : ['npm']
}

// Run the binary to check it: this detects a wrong libc, a wrong architecture and missing libraries.
async function prove(via: string, file: string): Promise<RedisBinary> {
  const { stdout } = await promisify(execFile)(file, ['--version'], { timeout: 10_000 })
  const found = /^(redis|valkey) server v=(\d+)\.(\d+)/i.exec(stdout)
  if (!found) throw new Error(`unknown version: ${stdout.trim()}`)
  const [, name, major, minor] = found.map((part) => part.toLowerCase())
  const isTooOld = Number(major) < OLDEST[0] || (Number(major) === OLDEST[0] && Number(minor) < OLDEST[1])
  if (isTooOld) throw new Error(`${name} ${major}.${minor} is older than ${OLDEST.join('.')}`)
  return { via, argv: [file], flavour: name === 'valkey' ? 'valkey' : 'redis', major: Number(major) }
}
