// npm run bench: compares the gateway with the floor, a minimal implementation of the same work.
import { say, withClosing } from './harness/closing.ts'
import { isSound } from './harness/figures.ts'
import { readOptions, UsageError, usage } from './harness/options.ts'
import { type RateResult, table, writeResult } from './harness/report.ts'
import { type Bench, rounds, warmedUp } from './harness/rounds.ts'
import { openWorld } from './harness/world.ts'

const contacts = 400

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  await withClosing(async (closing) => {
    say('starting...')
    const world = await openWorld(
      { contacts, profile: options.profile, remote: options.remote, say },
      closing,
    )
    const isClean = await runAll({ ...options, world, contacts, say })
    process.exitCode = isClean ? 0 : 1
  })
}

/** Whether no run of any scenario had faults. A missed goal is only printed and does not fail the bench. */
async function runAll(bench: Bench): Promise<boolean> {
  let isClean = true
  for (const scenario of bench.scenarios) {
    const warm = await warmedUp(bench, scenario)
    const results: RateResult[] = []
    for (const rate of bench.rates) results.push({ rate, rounds: await rounds(bench, scenario, rate) })
    say(table(scenario, results))
    say(`written to ${writeResult(scenario, results)}`)
    const runs = results.flatMap((result) => result.rounds.flatMap((round) => Object.values(round)))
    isClean &&= [...warm, ...runs].every(({ faults }) => isSound(faults))
  }
  return isClean
}

main().catch((error: unknown) => {
  say(error instanceof UsageError ? `${error.message}\n${usage}` : `the bench failed: ${String(error)}`)
  process.exitCode = 1
})
