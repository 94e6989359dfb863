// npm run bench: the gateway against the least that could do the same, side by side on this machine.
import { isSound, type Round, type RunFigures } from './harness/figures.ts'
import { measure } from './harness/measure.ts'
import { type BenchOptions, readOptions, UsageError, usage } from './harness/options.ts'
import { type RateResult, table, writeResult } from './harness/report.ts'
import { openWorld, type Target, type World } from './harness/world.ts'
import type { ScenarioName } from './scenarios/scenario.ts'

const contacts = 400
const leadSeconds = 1
const warmUp = { rate: 200, warmSeconds: 0, seconds: 5 }

const say = (text: string) => process.stdout.write(`${text}\n`)

type Closing = (() => Promise<unknown>)[]

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  const closing: Closing = []
  // Last started, first stopped. Each in turn: the gateway still needs its servers while it drains.
  const close = async () => {
    for (let stop = closing.pop(); stop; stop = closing.pop())
      await stop().catch((error: unknown) => say(String(error)))
  }
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void close().then(() => process.exit(130)))
  }
  try {
    say('starting...')
    const world = await openWorld({ contacts, profile: options.profile, say }, closing)
    const isClean = await runAll(world, options)
    process.exitCode = isClean ? 0 : 1
  } finally {
    await close()
  }
}

async function runAll(world: World, options: BenchOptions): Promise<boolean> {
  const all: RunFigures[] = []
  for (const scenario of options.scenarios) {
    for (const target of targets(world, options))
      await measure(world, target, { scenario, contacts, ...warmUp })
    const results: RateResult[] = []
    for (const rate of options.rates)
      results.push({ rate, rounds: await rounds(world, options, { scenario, rate }) })
    say(table(scenario, results))
    say(`written to ${writeResult(scenario, results)}`)
    all.push(
      ...results.flatMap(({ rounds: runs }) =>
        runs.flatMap(({ system, floor }) => [system ?? [], floor ?? []].flat()),
      ),
    )
  }
  return all.every(({ faults }) => isSound(faults))
}

/** The order turns every other round, so that neither always runs on what the other left behind. */
async function rounds(
  world: World,
  options: BenchOptions,
  { scenario, rate }: { scenario: ScenarioName; rate: number },
): Promise<Round[]> {
  const done: Round[] = []
  for (let index = 0; index < options.runs; index += 1) {
    const order = index % 2 === 0 ? targets(world, options) : targets(world, options).reverse()
    const round: { -readonly [Name in keyof Round]: Round[Name] } = {}
    for (const target of order) {
      const isProfiled = options.profile && target.name === 'system' && index === options.runs - 1
      if (isProfiled) process.kill(target.pid, 'SIGUSR2')
      const run = { scenario, rate, contacts, warmSeconds: leadSeconds, seconds: options.seconds }
      const figures = await measure(world, target, run)
      if (isProfiled) process.kill(target.pid, 'SIGUSR2')
      round[target.name] = figures
      const { p50, p99 } = figures.latency
      say(
        `  ${scenario} ${rate}/s round ${index + 1} ${target.name}: p50 ${p50.toFixed(2)} p99 ${p99.toFixed(2)} ms`,
      )
    }
    done.push(round)
  }
  return done
}

const targets = ({ system, floor }: World, { only }: BenchOptions): Target[] =>
  [system, floor].filter(({ name }) => only === undefined || name === only)

main().catch((error: unknown) => {
  say(error instanceof UsageError ? `${error.message}\n${usage}` : `the bench failed: ${String(error)}`)
  process.exitCode = 1
})
