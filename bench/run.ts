// npm run bench: what the gateway does and costs, beside a floor and peers that do the same work.

import { type Closing, say as print, withClosing } from './harness/closing.ts'
import { openDeployment, receive } from './harness/deployment.ts'
import { commitOf, readEnvironment } from './harness/environment.ts'
import { isSound } from './harness/figures.ts'
import { areMarksSound, withoutHops } from './harness/hops.ts'
import type { WorkName } from './harness/opponents.ts'
import { type BenchOptions, readOptions, UsageError, usage } from './harness/options.ts'
import { profiled } from './harness/profiled.ts'
import { type Environment, type Result, type Row, removeResult, writeResult } from './harness/result.ts'
import { table } from './harness/table.ts'
import { readWorkload } from './harness/workload.ts'
import { openWorld, type WorldOptions } from './harness/world.ts'
import type { Bench, Drill } from './scenarios/bench.ts'
import { drills } from './scenarios/drills.ts'
import { matrix } from './scenarios/matrix.ts'
import { endSeconds, planOf } from './scenarios/plan.ts'
import { scaleLines, scaleRows, scaleWorlds, worldOf } from './scenarios/scale.ts'
import { sweepRows } from './scenarios/sweep-rows.ts'
import { workloadRows } from './scenarios/workload-rows.ts'
import { works } from './scenarios/works.ts'

const contacts = 400

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.receive !== undefined) return receive(options.receive, print)
  // The result alone goes to standard output then.
  const say = options.json ? (text: string) => void process.stderr.write(`${text}\n`) : print
  const startedAt = new Date(performance.timeOrigin)
  const longestRunMs = planOf(options).longestRunSeconds * 1_000
  const state: State = { isClean: true, environment: undefined, rows: [], begun: [], notes: [], longestRunMs }
  const shared = { options, say, startedAt, state }
  for (const { name, world, run } of plansOf(options)) {
    if (state.rows.length > 0 && isLate(shared)) {
      state.notes.push(`left out, since --minutes were over: ${name}`)
      continue
    }
    await withClosing(async (closing) => {
      const bench = await open(shared, closing, world)
      state.rows.push(...(await run(bench, (other) => open(shared, closing, other))))
    }).catch((error: unknown) => {
      // What was measured before it is kept: it may have taken an hour.
      state.rows.push(...state.begun)
      if (state.rows.length === 0) throw error
      state.isClean = false
      state.notes.push(`failed, and what it had still to do is left out: ${name}, ${String(error)}`)
    })
    state.begun = []
  }
  await finish(shared)
}

async function finish({ options, say, startedAt, state }: Shared): Promise<void> {
  const { rows, notes } = state
  if (options.scale) notes.push(...scaleLines(rows))
  if (options.hops) checkHops(state)
  const environment = state.environment ?? (await readEnvironment())
  const result = resultOf({ options, startedAt }, environment, rows)
  const path = writeResult(options.name, result)
  removeResult(partialOf(options))
  if (options.json) print(JSON.stringify(result))
  say(`\n${[table(rows, { price: options.price }), ...notes, `written to ${path}`].join('\n')}`)
  // A sweep goes beyond what can be taken.
  const isSoundAll =
    options.sweep !== undefined || rows.every((row) => row.rounds.every(({ errors }) => isSound(errors)))
  process.exitCode = state.isClean && isSoundAll ? 0 : 1
}

const resultOf = (
  { options, startedAt }: Pick<Shared, 'options' | 'startedAt'>,
  environment: Environment,
  rows: readonly Row[],
): Result => ({
  ...{ version: 3, startedAt: startedAt.toISOString(), commit: commitOf(), environment },
  ...{ options: { ...options }, rows },
})

/** What was measured so far, of a bench that is ended early. */
const partialOf = ({ name }: BenchOptions): string => `${name}.partial`

function checkHops(state: State): void {
  const { rows, notes } = state
  const { none, unrecorded } = withoutHops(rows, (scenario) => works[scenario as WorkName]?.measured)
  if (none.length > 0) notes.push(`no hops: marks follow a webhook to its frame, not ${none.join(', ')}`)
  if (unrecorded.length > 0) notes.push(`FAILED: no marks were recorded of ${unrecorded.join(', ')}`)
  state.isClean &&= unrecorded.length === 0 && rows.every((row) => row.rounds.every(areMarksSound))
}

interface State {
  isClean: boolean
  environment: Environment | undefined
  readonly rows: Row[]
  /** Of the plan under way. */
  begun: readonly Row[]
  readonly notes: string[]
  /** By the plan, or what one took: on a slow machine what is left over from saturation takes longer to arrive. */
  longestRunMs: number
}

/** With a run that begins now the bench would end after `--minutes`. */
const isLate = ({ options, startedAt, state }: Omit<Shared, 'say'>): boolean =>
  Date.now() - startedAt.getTime() + state.longestRunMs > (options.minutes * 60 - endSeconds) * 1_000

interface Plan {
  readonly name: string
  readonly world: Partial<WorldOptions>
  run(bench: Bench, openBeside: (world: Partial<WorldOptions>) => Promise<Bench>): Promise<Row[]>
}

/** Everything that can share a world does; each drill has one of its own. */
function plansOf(options: BenchOptions): Plan[] {
  const { sweep, scale, workload: file } = options
  if (scale)
    return scaleWorlds(options.size).map((worlds) => ({
      name: worlds.name,
      world: worldOf(worlds.grown),
      async run(bench, openBeside) {
        const smallest = await openBeside({ ...worldOf(worlds.smallest), name: 'bench-smallest' })
        return scaleRows({ grown: bench, smallest }, worlds)
      },
    }))
  if (sweep) return [{ name: 'sweep', world: {}, run: (bench) => sweepRows(bench, sweep) }]
  if (file) {
    const workload = readWorkload(file)
    const { name, endpoints } = workload
    return [{ name, world: { endpoints }, run: (bench) => workloadRows(bench, workload) }]
  }
  const own = options.drills.map((name): Plan => {
    const drill: Drill = drills[name]
    return {
      name,
      world: { gateways: 1, ...drill.world?.(options) },
      run: (bench) => {
        bench.say(`${name}: ${drill.about}`)
        return drill.run(bench)
      },
    }
  })
  return options.works.length > 0 ? [{ name: 'matrix', world: {}, run: matrix }, ...own] : own
}

interface Shared {
  readonly options: BenchOptions
  readonly say: (text: string) => void
  readonly startedAt: Date
  readonly state: State
}

async function open(
  { options, say, startedAt, state }: Shared,
  closing: Closing,
  more: Partial<WorldOptions>,
): Promise<Bench> {
  say('starting...')
  const { target, deployment, endpoints, rows, gateways, hops, tail, profile } = options
  const isRemote = options.variants.includes('remote')
  const world =
    target && deployment
      ? await openDeployment({ target, file: deployment, say }, closing)
      : await openWorld(
          {
            endpoints,
            contacts,
            rows,
            gateways: isRemote ? Math.max(2, gateways) : gateways,
            hops,
            tail,
            profile,
            say,
            ...more,
          },
          closing,
        )
  state.environment ??= await readEnvironment(world.servers)
  return {
    ...{ options, world, say },
    isLate: () => isLate({ options, startedAt, state }),
    note: (text) => void state.notes.push(text),
    keep(some) {
      state.begun = some
      const all = [...state.rows, ...some]
      if (state.environment)
        writeResult(partialOf(options), resultOf({ options, startedAt }, state.environment, all))
    },
    check({ errors }) {
      state.isClean &&= isSound(errors)
    },
    async measured(target, run) {
      const begunAt = Date.now()
      const figures = await (options.profile ? profiled(target, run) : run())
      state.longestRunMs = Math.max(state.longestRunMs, Date.now() - begunAt)
      return figures
    },
  }
}

main().catch((error: unknown): void => {
  const isHelp = error instanceof UsageError && error.message === ''
  if (isHelp) {
    print(usage)
    return
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(
    error instanceof UsageError ? `${error.message}\n${usage}\n` : `the bench failed: ${text}\n`,
  )
  process.exitCode = 1
})
