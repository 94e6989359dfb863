// npm test: the quick suite. npm run test:full: everything; with -- --rest, what the quick suite leaves out.
// npm test -- <files and folders>: those. With --shard 2/4, the second of four parts of any of these.
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve, sep } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { findRedis } from '../src/dev/embedded/redis-binaries.ts'
import { sharedAbort } from '../src/shared/shared-abort.ts'
import { buildPages, compileTests, compileWithFiles } from './support/compiled.ts'
import { ownFolder, packageCache, startTestCluster, type TestCluster } from './support/embedded.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** About how many seconds a file of each kind takes. */
const kinds = { e2e: 30, browser: 30, integration: 4, conformance: 1, unit: 0.5, contract: 0.5, torture: 60 }
type Kind = keyof typeof kinds
const place = (...names: string[]): string => join(root, 'test', ...names)
/** These start the whole system, as e2e tests do, and wait for it. */
const starts = place('integration', 'dev') + sep
/** These folders use no servers. A file there that needs one starts its own. */
const serverless = ['unit', 'contract'].map((name) => place(name) + sep)
/** Starting a process takes longer than most tests, so files share one: how many at most. */
const shared: Readonly<Record<string, number>> = {
  ...{ unit: 40, contract: 40, conformance: 40, integration: 40 },
  ...{ e2e: 3, browser: 3 },
}
/** Their gateways serve the console. */
const startsGateways = new Set(['e2e', 'browser', 'torture'])
/** The quick suite has all files of these kinds, and some of the others; `--full` has them all. */
const quickKinds = ['unit', 'contract', 'conformance', 'integration'].map((name) => place(name) + sep)
const quickFiles = new Set(
  [
    ...['main-job', 'two-gateways', 'campaigns', 'crashes-calls', 'error-codes'].map(
      (name) => `e2e/${name}.test.ts`,
    ),
    'browser/journey.test.ts',
  ].map((name) => place(...name.split('/'))),
)
/** Audio that comes late is no audio: these calls need a core of their own. */
const aloneFiles = new Set([place('e2e', 'bot.test.ts')])
/** These files keep every core busy for minutes, or need one: they run last, one at a time. */
const isAlone = (entry: string): boolean => /(torture|alone)-[^/]*$/.test(entry)
const isLongTorture = process.env['TORTURE'] === 'full' || process.env['FAULTS'] !== undefined
const TORTURE_TIMEOUT_MS = isLongTorture ? 2_700_000 : 900_000
// Node 20 does not pass a timeout on to the single tests of a file, so this one limits the whole process.
const PROCESS_TIMEOUT_MS = 1_500_000
/** Files wait as much as they compute, so two cores can run four. A fifth would only make all of them slower. */
const CONCURRENCY = 4
const MANY = 12
const SLOWEST = 10

/** Seconds by file, for the list at the end. */
const durations = new Map<string, number>()

/**
 * Writes one entry for each process: it runs files that share one, or a file that has its own. Returns the longest
 * first, so that no process is left alone at the end, and of equally long ones no two of a kind together, because one
 * kind waits and the other computes.
 */
function gather(files: readonly string[], modules: Modules): string[] {
  const dir = join(ownFolder(), 'shared')
  mkdirSync(dir, { recursive: true })
  const groups = new Map<string, string[]>()
  for (const file of files) {
    const most = mostTogether(kindOf(file), files.length)
    const group = groupOf(file)
    let name = group
    for (let count = 2; (groups.get(name)?.length ?? 0) >= most; count += 1) name = `${group}-${count}`
    groups.set(name, [...(groups.get(name) ?? []), file])
  }
  const longestFirst = [...groups].toSorted(
    ([name, one], [other, another]) => secondsOf(another) - secondsOf(one) || countOf(name) - countOf(other),
  )
  return longestFirst.map(([group, own]) => {
    const path = join(dir, `${group.replaceAll(sep, '-')}.test${modules.ending}`)
    const names = own.map((file) => relative(root, file))
    writeFileSync(
      path,
      `import { runFiles } from ${JSON.stringify(`${modules.folder}test/support/harness${modules.ending}`)}
const url = (file) => ${JSON.stringify(modules.folder)} + file.replace(/\\.ts$/, '${modules.ending}')
await runFiles(${JSON.stringify(names)}, (file) => import(url(file)))
`,
    )
    return path
  })
}

/** Few files that take long do not share: while three run one after the other, the other processes would have ended. */
function mostTogether(kind: string, count: number): number {
  return count <= 2 * MANY && kinds[kind as Kind] >= kinds.e2e ? 1 : (shared[kind] ?? 1)
}

const kindOf = (file: string): string => relative(place(), file).split(sep)[0] ?? ''

const countOf = (group: string): number => Number(/-(\d+)$/.exec(group)?.[1] ?? 1)

const secondsOf = (files: readonly string[]): number =>
  files.reduce(
    (sum, file) => sum + (file.startsWith(starts) ? kinds.e2e : (kinds[kindOf(file) as Kind] ?? 1)),
    0,
  )

/** The files of a folder of `integration` share a process, as do those of a kind of short tests. */
function groupOf(file: string): string {
  const kind = kindOf(file)
  if (aloneFiles.has(file)) return join('alone', relative(place(), file))
  if (shared[kind] === undefined) return relative(place(), file)
  const [, room = ''] = relative(place(), file).split(sep)
  return kind === 'integration' ? join(kind, room) : kind
}

/** Test files under the given files and folders. Throws when there are none: an empty run proves nothing. */
function collect(places: readonly string[]): string[] {
  const files = places.flatMap((place) => {
    const found = statSync(place, { throwIfNoEntry: false })
    if (!found) throw new Error(`there is no ${place}; name files or folders, such as test/unit/delivery`)
    if (!found.isDirectory()) return [place]
    return readdirSync(place, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.test.ts'))
      .map((name) => join(place, name))
      .sort()
  })
  if (files.length === 0) throw new Error(`no test files under ${places.join(', ')}`)
  return [...new Set(files)]
}

/** Every file is in one of the parts, and each part has about as many of a kind. */
function shardOf(files: readonly string[], shard: string): string[] {
  const [, index = 0, count = 0] = (/^(\d+)\/(\d+)$/.exec(shard) ?? []).map(Number)
  if (index < 1 || index > count)
    throw new Error(`--shard ${shard}: name a part and their number, such as 2/4`)
  return files.filter((_, position) => position % count === index - 1)
}

interface Modules {
  /** A URL with a slash at its end. */
  readonly folder: string
  readonly ending: '.ts' | '.js'
}

/** Many files are compiled at once; a few load faster from their sources. Files elsewhere are not compiled. */
async function prepareModules(files: readonly string[]): Promise<Modules> {
  const isOurs = files.every((file) => file.startsWith(place() + sep))
  if (!isOurs || files.length < MANY) return { folder: pathToFileURL(root).href, ending: '.ts' }
  const dir = join(ownFolder(), 'tests')
  await compileTests(dir)
  // The processes of the tests inherit these arguments, among them the loader that compiled tests do not need.
  process.execArgv.splice(0, process.execArgv.length, '--enable-source-maps')
  return { folder: `${pathToFileURL(dir).href}/`, ending: '.js' }
}

async function startServers(files: readonly string[]): Promise<TestCluster | null> {
  if (files.every((file) => serverless.some((folder) => file.startsWith(folder)))) return null
  const program = join(ownFolder(), 'program')
  const [cluster, redis] = await Promise.all([
    startTestCluster(),
    findRedis({ cacheDir: packageCache }),
    compileWithFiles(program),
    files.some((file) => startsGateways.has(kindOf(file))) && buildPages(program),
  ])
  const [file = '', ...rest] = redis.argv
  // A stand-in's command has several words, which the variable cannot hold: each file then finds Redis again.
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
      files: files.filter((file) => !isAlone(file)),
      concurrency: CONCURRENCY,
      timeout: PROCESS_TIMEOUT_MS,
    },
    {
      files: files.filter(isAlone),
      concurrency: 1,
      timeout: TORTURE_TIMEOUT_MS,
    },
  ].filter((batch) => batch.files.length > 0)

interface EndedTest {
  readonly name: string
  readonly nesting: number
  readonly details: { readonly duration_ms: number }
}

/** Each file is a suite with its name. */
function time({ name, nesting, details }: EndedTest): void {
  if (nesting === 0 && name.endsWith('.test.ts')) durations.set(name, details.duration_ms / 1000)
}

/** Resolves to whether everything passed. */
function runBatch(batch: Batch, signal: AbortSignal): Promise<boolean> {
  return new Promise((done, fail) => {
    let isGreen = true
    // The processes inherit process.execArgv, and with it the loader of TypeScript.
    run({ ...batch, signal })
      .on('test:pass', time)
      .on('test:fail', (test) => {
        time(test)
        if (test.todo === undefined) isGreen = false
      })
      .on('error', fail)
      .compose(new spec())
      .on('end', () => done(isGreen))
      .pipe(process.stdout, { end: false })
  })
}

function slowest(): string {
  const all = [...durations].toSorted(([, one], [, other]) => other - one).slice(0, SLOWEST)
  return all.map(([name, seconds]) => `  ${seconds.toFixed(1).padStart(6)} s  ${name}\n`).join('')
}

async function main(): Promise<void> {
  // Tests start their own servers, and must not touch those that the caller's shell points at.
  const isServer = (name: string) =>
    ['DATABASE_URL', 'REDIS_URL'].includes(name) || name.startsWith('BLOBS_S3_')
  for (const name of Object.keys(process.env).filter(isServer)) delete process.env[name]
  const { values, positionals } = parseArgs({
    options: {
      full: { type: 'boolean' },
      rest: { type: 'boolean' },
      shard: { type: 'string', default: '1/1' },
    },
    allowPositionals: true,
  })
  const isAll = values.full === true || positionals.length > 0
  const isQuick = (file: string) =>
    quickFiles.has(file) || quickKinds.some((folder) => file.startsWith(folder))
  const isWanted = (file: string) => (values.rest ? !isQuick(file) : isAll || isQuick(file))
  const places =
    positionals.length > 0
      ? positionals.map((name) => resolve(name))
      : Object.keys(kinds).map((kind) => place(kind))
  const all = collect(places)
  const files = shardOf(all.filter(isWanted), values.shard)
  if (files.length === 0) throw new Error('no test files are left; leave out --rest, or name a part of fewer')
  const aborted = sharedAbort()
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => aborted.abort())
  const startedAt = performance.now()
  const [cluster, modules] = await Promise.all([startServers(files), prepareModules(files)])
  const servers = cluster
    ? `servers ready in ${Math.round(performance.now() - startedAt)} ms`
    : 'no servers needed'
  process.stdout.write(`${files.length} test files, ${servers}\n`)
  try {
    let isGreen = true
    for (const batch of batchesOf(gather(files, modules)))
      if (!(await runBatch(batch, aborted.signal))) isGreen = false
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    process.stdout.write(`${files.length} test files in ${seconds} s; the slowest:\n${slowest()}`)
    if (!isGreen || aborted.signal.aborted) process.exitCode = 1
  } finally {
    await cluster?.stop()
  }
}

await main()
