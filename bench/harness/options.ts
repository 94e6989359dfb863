import { parseArgs } from 'node:util'
import type { ScenarioName } from '../scenarios/scenario.ts'

const targets = ['system', 'remote', 'floor'] as const

export interface BenchOptions {
  readonly scenarios: readonly ScenarioName[]
  readonly rates: readonly number[]
  readonly seconds: number
  readonly runs: number
  readonly tries: number
  readonly only: (typeof targets)[number] | undefined
  /** Also measures a second gateway, which hands its events over to the gateway with the socket. */
  readonly remote: boolean
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
  --remote                       also through a second gateway, which hands over to the one with the socket
  --only system|remote|floor     without the others
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
  remote: { type: 'boolean', default: false },
  profile: { type: 'boolean', default: false },
} as const

export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parsed(args)
  const { quick, scenario, only, remote, profile, help } = values
  if (help) throw new UsageError('')
  const target = targets.find((name) => name === only)
  if (only !== undefined && target === undefined) throw new UsageError(`--only ${only}`)
  return {
    scenarios: scenariosOf(scenario),
    rates: (values.rates ?? (quick ? '200' : '20,200'))
      .split(',')
      .map((text) => within('rates', text, 2_000)),
    seconds: within('seconds', values.seconds ?? (quick ? '3' : '10'), 60),
    runs: within('runs', values.runs ?? (quick ? '2' : '5'), 50),
    tries: within('tries', values.tries, 10),
    only: target,
    remote: remote || target === 'remote',
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

// The upper limits bound the memory: a run is planned and kept in memory as a whole.
function within(name: string, text: string, most: number): number {
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > most) throw new UsageError(`--${name}: 1 to ${most}`)
  return value
}
