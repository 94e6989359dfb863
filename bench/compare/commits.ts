// Measures two commits in turn, each in a working tree of its own with servers of its own, started anew for each run:
// what a start leaves to chance, such as the layout of memory, is noise between runs then, and not a difference.
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Result, Row } from '../harness/result.ts'

export interface CommitOptions {
  /** Anything that git takes for a commit. */
  readonly commits: readonly [a: string, b: string]
  readonly pairs: number
  /** Of `npm run bench`, such as `--scenario event --rates 200`. */
  readonly benchArgs: readonly string[]
  /** Each commit is measured by its own bench instead of by the one of this checkout. */
  readonly ownBench: boolean
  readonly say: (text: string) => void
}

interface Side {
  readonly name: 'A' | 'B'
  readonly commit: string
  readonly folder: string
}

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const maxBuffer = 256 * 1024 * 1024
/** The bench of this checkout seeds by the commit's own sources, and drives what the commit builds. */
const layoutHint =
  'The sources of that commit are laid out otherwise than this bench expects: compare with a later one, or --own-bench.'
const longestRunMs = 20 * 60_000

export interface MeasuredCommits {
  readonly results: readonly [a: Result, b: Result]
  /** Why there are fewer pairs than were asked for. */
  readonly failure: string | undefined
}

/** The two results have as many rounds as complete pairs, and the mark by which `compare` pairs them. */
export async function measureCommits(options: CommitOptions): Promise<MeasuredCommits> {
  const { pairs, say } = options
  const sides: Side[] = []
  const results = { A: [] as Result[], B: [] as Result[] }
  let failure: string | undefined
  try {
    for (const [index, name] of (['A', 'B'] as const).entries())
      sides.push(await checkOut(name, options.commits[index] ?? '', options))
    for (const { pair, side } of turns(sides, pairs)) {
      const result = await measured(side, options.benchArgs)
      results[side.name].push(result)
      say(`  pair ${pair} of ${pairs}, ${side.name}: ${told(result)}`)
    }
  } catch (error) {
    // Hours may be in the pairs before it.
    failure = error instanceof Error ? error.message : String(error)
    const complete = Math.min(results.A.length, results.B.length)
    if (complete === 0) throw error
    for (const some of Object.values(results)) some.length = complete
  } finally {
    for (const { folder } of sides) await git('worktree', 'remove', '--force', folder)
  }
  const interleaved = randomBytes(6).toString('hex')
  return { results: [together(results.A, interleaved), together(results.B, interleaved)], failure }
}

/** A B, B A, A B: what changes on the machine meanwhile meets both. */
const turns = (sides: readonly Side[], pairs: number): { pair: number; side: Side }[] =>
  Array.from({ length: pairs }, (_, index) =>
    (index % 2 === 0 ? sides : sides.toReversed()).map((side) => ({ pair: index + 1, side })),
  ).flat()

const git = async (...args: readonly string[]): Promise<string> =>
  (await run('git', [...args], { cwd: root })).stdout.trim()

async function checkOut(name: Side['name'], wanted: string, { ownBench }: CommitOptions): Promise<Side> {
  const commit = await git('rev-parse', '--verify', `${wanted}^{commit}`)
  const folder = join(root, '.data', 'bench', 'commits', `${name}-${commit.slice(0, 12)}`)
  if (existsSync(folder)) await git('worktree', 'remove', '--force', folder)
  mkdirSync(join(folder, '..'), { recursive: true })
  await git('worktree', 'add', '--detach', folder, commit)
  const lock = (at: string) => readFileSync(join(at, 'package-lock.json'), 'utf8')
  if (lock(folder) === lock(root)) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, maxBuffer })
  if (!ownBench) overlayBench(folder)
  // Unpacked once for all working trees.
  const cache = join(root, '.data', 'apt')
  if (existsSync(cache)) cpSync(cache, join(folder, '.data', 'apt'), { recursive: true })
  return { name, commit, folder }
}

/** One bench measures both, so that its own changes are no difference. */
function overlayBench(folder: string): void {
  const target = join(folder, 'bench')
  rmSync(target, { recursive: true })
  cpSync(join(root, 'bench'), target, {
    recursive: true,
    filter: (path) => basename(path) !== 'node_modules' && !/results\/.*\.json$/.test(path),
  })
}

async function measured({ name, folder }: Side, benchArgs: readonly string[]): Promise<Result> {
  const own = ['--rounds', '1', '--variants', 'gateway', '--name', 'compare', '--json']
  const args = ['--import', 'tsx', 'bench/run.ts', ...benchArgs, ...own]
  const { stdout } = await run(process.execPath, args, {
    cwd: folder,
    maxBuffer,
    timeout: longestRunMs,
  }).catch((error: Error & { stderr?: string }) => {
    const hint = /ERR_MODULE_NOT_FOUND/.test(error.stderr ?? '') ? `\n${layoutHint}` : ''
    throw new Error(
      `the bench of ${name} failed in ${folder}: ${error.stderr?.slice(-2_000) ?? error}${hint}`,
    )
  })
  return JSON.parse(stdout) as Result
}

const told = ({ rows }: Result): string =>
  rows
    .map(({ scenario, rounds: [round] }) => `${scenario} ${round?.cpu.all?.toFixed(0) ?? '-'} us a unit`)
    .join(', ')

/** The single rounds of the runs as rounds of one result. */
function together(results: readonly Result[], interleaved: string): Result {
  const [first] = results
  if (!first) throw new Error('no pair was measured')
  const rows = first.rows.map(
    (row, index): Row => ({
      ...row,
      rounds: results.flatMap((result, pair) =>
        (result.rows[index]?.rounds ?? []).map((round) => ({ ...round, round: pair + 1 })),
      ),
    }),
  )
  return { ...first, options: { ...first.options, interleaved }, rows }
}
