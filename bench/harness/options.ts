import { parseArgs } from 'node:util'
import type { ScenarioName } from '../scenarios/scenario.ts'

export interface BenchOptions {
  readonly scenarios: readonly ScenarioName[]
  readonly rates: readonly number[]
  readonly seconds: number
  readonly runs: number
  readonly tries: number
  readonly only: 'system' | 'floor' | undefined
  readonly profile: boolean
}

export class UsageError extends Error {}

export const usage = `npm run bench -- [options]
  --scenario ringing|event|all   all
  --rates 20,200                 webhooks a second
  --seconds 10                   measured in each run, after one that is not
  --runs 5                       of the gateway and as many of the floor
  --tries 3                      at a run while other processes keep the machine busy; the quietest counts
  --quick                        200 a second, two runs of three seconds
  --only system|floor            without the other
  --profile                      CPU profile of the gateway's last run into .data/bench/gateway.cpuprofile`

const flags = {
  scenario: { type: 'string', default: 'all' },
  rates: { type: 'string' },
  seconds: { type: 'string' },
  runs: { type: 'string' },
  tries: { type: 'string', default: '3' },
  quick: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
  only: { type: 'string' },
  profile: { type: 'boolean', default: false },
} as const

export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parsed(args)
  const { quick, scenario, only, profile, help } = values
  if (help) throw new UsageError('')
  if (only !== undefined && only !== 'system' && only !== 'floor') throw new UsageError(`--only ${only}`)
  return {
    scenarios: scenariosOf(scenario),
    rates: (values.rates ?? (quick ? '200' : '20,200'))
      .split(',')
      .map((text) => within('rates', text, 2_000)),
    seconds: within('seconds', values.seconds ?? (quick ? '3' : '10'), 60),
    runs: within('runs', values.runs ?? (quick ? '2' : '5'), 50),
    tries: within('tries', values.tries, 10),
    only,
    profile,
  }
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function scenariosOf(text: string): ScenarioName[] {
  if (text === 'all') return ['ringing', 'event']
  if (text === 'ringing' || text === 'event') return [text]
  throw new UsageError(`--scenario ${text}`)
}

// A run is planned and kept in memory as a whole.
function within(name: string, text: string, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most) throw new UsageError(`--${name}: 1 to ${most}`)
  return value
}
