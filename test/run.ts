import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath } from 'node:url'
import { findRedis } from '../src/dev/embedded/redis-binaries.ts'
import { compileProgram } from './support/compiled.ts'
import { ownFolder, packageCache, startTestCluster, type TestCluster } from './support/embedded.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const folders = ['unit', 'integration', 'conformance', 'contract', 'e2e', 'browser', 'torture'].map((name) =>
  join(root, 'test', name),
)
// These folders use no servers; a file there that does, starts its own.
const serverless = ['unit', 'contract'].map((name) => join(root, 'test', name) + sep)
// Node 20 hands no timeout down to the single tests of a file, so this one bounds the whole file.
const FILE_TIMEOUT_MS = 240_000
/** Most files wait more than they work, so two cores bear three. */
const CONCURRENCY = 3
/** These keep every core busy for minutes: they come last, one at a time. */
const tortures = join(root, 'test', 'torture') + sep
const TORTURE_TIMEOUT_MS = process.env['TORTURE'] === 'full' ? 1_800_000 : 300_000

/** The pages one by one take minutes in a browser: `npm run test:browser`. The way across them is of every run. */
const browser = join(root, 'test', 'browser') + sep
const isOfSuite = (file: string): boolean => !file.startsWith(browser) || file === `${browser}journey.test.ts`

const unit = join(root, 'test', 'unit') + sep
const UNIT_PROCESSES = 4

/** Starting a process takes longer than most unit tests, so a few processes share them. */
function gather(files: readonly string[]): string[] {
  const units = files.filter((file) => file.startsWith(unit))
  if (units.length <= UNIT_PROCESSES) return [...files]
  const dir = join(ownFolder(), 'unit')
  mkdirSync(dir, { recursive: true })
  const shares = Array.from({ length: UNIT_PROCESSES }, (_, share) => {
    const path = join(dir, `${share + 1}.test.ts`)
    const own = units.filter((_unit, index) => index % UNIT_PROCESSES === share)
    writeFileSync(path, own.map((file) => `import ${JSON.stringify(file)}\n`).join(''))
    return path
  })
  return [...shares, ...files.filter((file) => !file.startsWith(unit))]
}

/** Test files under the given files and folders. Throws when there are none, for an empty run proves nothing. */
function collect(places: readonly string[]): string[] {
  const files = places.flatMap((place) => {
    if (!statSync(place).isDirectory()) return [place]
    return readdirSync(place, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(place, name))
  })
  if (files.length === 0) throw new Error(`no test files under ${places.join(', ')}`)
  return [...new Set(files)].sort()
}

async function startServers(files: readonly string[]): Promise<TestCluster | null> {
  if (files.every((file) => serverless.some((folder) => file.startsWith(folder)))) return null
  const program = join(ownFolder(), 'program')
  const [cluster, redis] = await Promise.all([
    startTestCluster(),
    findRedis({ cacheDir: packageCache }),
    compileProgram(program),
  ])
  const [file = '', ...rest] = redis.argv
  // A stand-in takes more than one word to start: then each file looks for it again.
  const TEST_REDIS_BIN = rest.length === 0 ? file : ''
  Object.assign(process.env, {
    TEST_PG_URL: cluster.adminUrl,
    TEST_PG_TEMPLATE: cluster.template,
    TEST_REDIS_BIN,
    TEST_PROGRAM: program,
  })
  return cluster
}

interface Batch {
  readonly files: string[]
  readonly concurrency: number
  readonly timeout: number
}

const batchesOf = (files: readonly string[]): Batch[] =>
  [
    {
      files: files.filter((file) => !file.startsWith(tortures)),
      concurrency: CONCURRENCY,
      timeout: FILE_TIMEOUT_MS,
    },
    {
      files: files.filter((file) => file.startsWith(tortures)),
      concurrency: 1,
      timeout: TORTURE_TIMEOUT_MS,
    },
  ].filter((batch) => batch.files.length > 0)

/** Resolves to whether everything passed. */
function runFiles(batch: Batch, signal: AbortSignal): Promise<boolean> {
  return new Promise((done, fail) => {
    let isGreen = true
    // Child processes get this one's `--import tsx` from process.execArgv.
    run({ ...batch, signal })
      .on('test:fail', ({ todo }) => {
        if (todo === undefined) isGreen = false
      })
      .on('error', fail)
      .compose(new spec())
      .on('end', () => done(isGreen))
      .pipe(process.stdout, { end: false })
  })
}

async function main(): Promise<void> {
  // Tests make their own servers: whatever the caller's shell points at is not to be touched.
  const isServer = (name: string) =>
    ['DATABASE_URL', 'REDIS_URL'].includes(name) || name.startsWith('BLOBS_S3_')
  for (const name of Object.keys(process.env).filter(isServer)) delete process.env[name]
  const args = process.argv.slice(2).map((arg) => resolve(arg))
  const files =
    args.length > 0
      ? collect(args)
      : collect(folders.filter((folder) => existsSync(folder))).filter(isOfSuite)
  const aborted = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => aborted.abort())
  const startedAt = performance.now()
  const cluster = await startServers(files)
  const servers = cluster
    ? `servers ready in ${Math.round(performance.now() - startedAt)} ms`
    : 'no servers needed'
  process.stdout.write(`${files.length} test files, ${servers}\n`)
  try {
    let isGreen = true
    for (const batch of batchesOf(gather(files)))
      if (!(await runFiles(batch, aborted.signal))) isGreen = false
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stdout.write(`${files.length} test files in ${seconds} s\n`)
    if (!isGreen || aborted.signal.aborted) process.exitCode = 1
  } finally {
    await cluster?.stop()
  }
}

await main()
