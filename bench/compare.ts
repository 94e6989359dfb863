// npm run bench:compare: whether B is dearer than A, by two results, or by two commits that it measures in turn.
import { parseArgs } from 'node:util'
import { measureCommits } from './compare/commits.ts'
import { comparedTable } from './compare/compared-table.ts'
import { compare, differences } from './compare/comparison.ts'
import { say } from './harness/closing.ts'
import { type Result, readResult, writeResult } from './harness/result.ts'

const usage = `npm run bench:compare -- A.json B.json       two results of npm run bench
npm run bench:compare -- --commits A B       two commits, measured in turn: A B, B A, A B, ...
  --pairs 16               runs of each
  --scenario event,ringing and --rates, --connections, --seconds, --gateways: as npm run bench has them
  --own-bench              each commit by its own bench, not both by that of this checkout
It exits with 1 where B is dearer.`

class UsageError extends Error {}

const flags = {
  commits: { type: 'boolean', default: false },
  pairs: { type: 'string', default: '16' },
  scenario: { type: 'string', default: 'event,ringing' },
  rates: { type: 'string', default: '200' },
  connections: { type: 'string', default: '0' },
  seconds: { type: 'string', default: '4' },
  gateways: { type: 'string', default: '1' },
  'own-bench': { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

function parsed() {
  try {
    return parseArgs({ options: flags, allowPositionals: true })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

async function main(): Promise<void> {
  const { values, positionals } = parsed()
  const [a, b, ...more] = positionals
  if (values.help) throw new UsageError('')
  if (!a || !b || more.length > 0) throw new UsageError('two results or two commits are compared')
  const results = values.commits ? await ofCommits([a, b], values) : [readResult(a), readResult(b)]
  const [mine, other] = results as [Result, Result]
  const rows = compare(mine, other)
  if (rows.length === 0) throw new UsageError('the two have no scenario of the gateway in common')
  const names = [`${a} ${commitOf(mine)}`, `${b} ${commitOf(other)}`] as const
  say(comparedTable(rows, { names, differences: differences(mine, other) }))
  process.exitCode = rows.some(({ verdict }) => verdict === 'dearer') ? 1 : 0
}

const commitOf = ({ commit }: Result): string => commit?.slice(0, 12) ?? ''

type Values = ReturnType<typeof parsed>['values']

async function ofCommits(commits: [string, string], values: Values): Promise<[Result, Result]> {
  const pairs = Number(values.pairs)
  if (!Number.isInteger(pairs) || pairs < 3 || pairs > 100) throw new UsageError('--pairs: 3 to 100')
  const { scenario, rates, connections, seconds, gateways } = values
  const benchArgs = Object.entries({ scenario, rates, connections, seconds, gateways }).flatMap(
    ([name, value]) => [`--${name}`, value],
  )
  const measured = await measureCommits({ commits, pairs, benchArgs, ownBench: values['own-bench'], say })
  const { results, failure } = measured
  const paths = results.map((result, index) => writeResult(`compare-${'AB'[index]}`, result))
  say(`written to ${paths.join(' and ')}`)
  if (failure !== undefined) throw new Error(`it ended early; the pairs before are written: ${failure}`)
  return [...results]
}

main().catch((error: unknown) => {
  if (error instanceof UsageError) say(`${error.message}\n${usage}`)
  else say(`the comparison failed: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = error instanceof UsageError && error.message === '' ? 0 : 2
})
