// npm run bench: what the gateway does and costs, beside a floor and peers that do the same work.

import { type Closing, say as print, withClosing } from './harness/closing.ts'
import { openDeployment, receive } from './harness/deployment.ts'
import { commitOf, readEnvironment } from './harness/environment.ts'
import { isSound } from './harness/figures.ts'
import { type BenchOptions, readOptions, UsageError, usage } from './harness/options.ts'
import { type Environment, type Row, writeResult } from './harness/result.ts'
import { table } from './harness/table.ts'
import { readWorkload } from './harness/workload.ts'
import { openWorld, type Target, type WorldOptions } from './harness/world.ts'
import type { Bench, Drill } from './scenarios/bench.ts'
import { drills } from './scenarios/drills.ts'
import { matrix } from './scenarios/matrix.ts'
import { sweepRows } from './scenarios/sweep-rows.ts'
import { workloadRows } from './scenarios/workload-rows.ts'

const contacts = 400

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.receive !== undefined) return receive(options.receive, print)
  // The result alone goes to standard output then.
  const say = options.json ? (text: string) => void process.stderr.write(`${text}\n`) : print
  const startedAt = new Date()
  const state = { isClean: true, environment: undefined as Environment | undefined, rows: [] as Row[] }
  for (const { world, run } of plansOf(options)) {
    await withClosing(async (closing) => {
      const bench = await open({ options, say, startedAt, state }, closing, world)
      state.rows.push(...(await run(bench)))
    })
  }
  const { rows } = state
  const environment = state.environment ?? (await readEnvironment())
  const result = {
    ...{ version: 2 as const, startedAt: startedAt.toISOString(), commit: commitOf(), environment },
    ...{ options: { ...options }, rows },
  }
  const path = writeResult(options.name, result)
  if (options.json) print(JSON.stringify(result))
  else print(`\n${table(rows, { price: options.price })}\nwritten to ${path}`)
  const isSoundAll = rows.every((row) => row.rounds.every(({ errors }) => isSound(errors)))
  process.exitCode = state.isClean && isSoundAll ? 0 : 1
}

interface Plan {
  readonly world: Partial<WorldOptions>
  run(bench: Bench): Promise<Row[]>
}

/** Everything that can share a world does; each drill has one of its own. */
function plansOf(options: BenchOptions): Plan[] {
  const { sweep, workload: file } = options
  if (sweep) return [{ world: {}, run: (bench) => sweepRows(bench, sweep) }]
  if (file) {
    const workload = readWorkload(file)
    return [{ world: { endpoints: workload.endpoints }, run: (bench) => workloadRows(bench, workload) }]
  }
  const own = options.drills.map((name): Plan => {
    const drill: Drill = drills[name]
    return {
      world: { gateways: 1, ...drill.world?.(options) },
      run: (bench) => {
        bench.say(`${name}: ${drill.about}`)
        return drill.run(bench)
      },
    }
  })
  return options.works.length > 0 ? [{ world: {}, run: matrix }, ...own] : own
}

interface Shared {
  readonly options: BenchOptions
  readonly say: (text: string) => void
  readonly startedAt: Date
  readonly state: { isClean: boolean; environment: Environment | undefined }
}

async function open(
  { options, say, startedAt, state }: Shared,
  closing: Closing,
  more: Partial<WorldOptions>,
): Promise<Bench> {
  say('starting...')
  const { target, deployment, endpoints, rows, gateways, hops, profile } = options
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
            profile,
            say,
            ...more,
          },
          closing,
        )
  state.environment ??= await readEnvironment(world.servers)
  return {
    ...{ options, world, say },
    isLate: () => Date.now() - startedAt.getTime() > options.minutes * 60_000,
    check({ errors }) {
      state.isClean &&= isSound(errors)
    },
    profiled: (run, work) => profiled(options.profile, run, work),
  }
}

async function profiled<Result>(
  isOn: boolean,
  { variant, pids }: Target,
  run: () => Promise<Result>,
): Promise<Result> {
  const [pid] = isOn && variant === 'gateway' ? pids : []
  if (pid) process.kill(pid, 'SIGUSR2')
  const result = await run()
  if (pid) process.kill(pid, 'SIGUSR2')
  return result
}

main().catch((error: unknown) => {
  const isHelp = error instanceof UsageError && error.message === ''
  if (isHelp) return print(usage)
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(error instanceof UsageError ? `${error.message}\n${usage}\n` : `the bench failed: ${text}\n`)
  process.exitCode = 1
})
