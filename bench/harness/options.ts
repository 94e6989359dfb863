import { parseArgs } from 'node:util'
import { works } from '../scenarios/works.ts'
import { opponents, type WorkName } from './opponents.ts'

export const drills = [
  'campaign',
  'retry-storm',
  'dead-neighbours',
  'idle-sockets',
  'backlog',
  'cold-start',
  'soak',
] as const
export type DrillName = (typeof drills)[number]

export interface BenchOptions {
  readonly works: readonly WorkName[]
  readonly drills: readonly DrillName[]
  /** Units a second of open loops. */
  readonly rates: readonly number[]
  /** Connections of closed loops. */
  readonly connections: readonly number[]
  readonly seconds: number
  readonly rounds: number
  /** Seconds of the warm-up of each variant, at most, for each gateway. */
  readonly warmUp: number
  /** No round begins after this. */
  readonly minutes: number
  /** `gateway`, `remote` and opponents. */
  readonly variants: readonly string[]
  readonly gateways: number
  readonly endpoints: number
  readonly rows: number
  /** Deliveries of another endpoint that are held meanwhile. */
  readonly backlog: number
  /** Of a drill: sockets, messages, recipients. Undefined: its own. */
  readonly size: number | undefined
  readonly sweep: WorkName | undefined
  /** The same work with more gateways, endpoints, rows and waiting deliveries. */
  readonly scale: boolean
  readonly workload: string | undefined
  readonly target: string | undefined
  readonly deployment: string | undefined
  readonly receive: number | undefined
  readonly hops: boolean
  readonly tail: boolean
  readonly profile: boolean
  readonly json: boolean
  readonly name: string
  /** Money for an hour of one CPU. */
  readonly price: number | undefined
}

/** The message is empty where help was asked for. */
export class UsageError extends Error {}

const workNames = Object.keys(works) as WorkName[]
const everyName = [...workNames, ...drills]
const usualVariants = ['gateway', 'floor', 'micro-floor', 'usual']
const allVariants = ['gateway', 'remote', ...opponents.map(({ variant }) => variant)]

export const usage = `npm run bench -- [options]
  what
    --scenario a,b           ${workNames.join(', ')};
                             or drills: ${drills.join(', ')}
    --all                    every scenario, with 16, 64 and 256 connections
    --sweep ${'event'.padEnd(16)} searches the rate at which one of the first kind saturates
    --scale                  CPU of a unit with more gateways, endpoints, rows and waiting deliveries
    --workload file.json     a mix of texts, calls and sends: see bench/workloads
  load
    --rates 200              units a second, open loop; 0 for none
    --connections 64         closed loop; 0 for none
    --seconds 3              measured in each run, after one that is not
    --rounds 3               of each variant, in turn; 7 with --scale
    --warm-up 9              seconds of each variant before, at most, for each gateway: until the CPU of a unit
                             falls no more; 20 with --all and --scale
    --minutes 10             after the first round no run begins that would end
                             later; 60 with --all and --scale
  world
    --variants a,b           of ${allVariants.join(', ')}; all
    --gateways 1             up to 3, which share the load
    --endpoints 1            each with a number and a socket of its own
    --rows 20000             messages that are there already
    --backlog 0              deliveries held for another endpoint meanwhile
    --size N                 of a drill: sockets, messages or recipients; of --scale: the most rows
  a deployment
    --target URL             measures it in place of a gateway of its own; needs --deployment file.json
    --receive 9000           is the receiver of such a bench, on this port
  output
    --hops                   where the time of a unit goes, in the gateway and around it
    --tail                   what went on during the slowest hundredth of the units
    --profile                in what part of the program the gateway spends its time
    --price-per-cpu-hour 0.04  adds what a million units cost
    --name bench             of the result, bench/results/<name>.json; else all, scale or sweep-event
    --json                   prints the result instead of the table`

const text = (value: string) => ({ type: 'string', default: value }) as const
const flag = { type: 'boolean', default: false } as const
const flags = {
  scenario: { type: 'string' },
  all: flag,
  sweep: { type: 'string' },
  scale: flag,
  workload: { type: 'string' },
  rates: text('200'),
  connections: { type: 'string' },
  seconds: text('3'),
  rounds: { type: 'string' },
  'warm-up': { type: 'string' },
  minutes: { type: 'string' },
  variants: { type: 'string' },
  gateways: text('1'),
  endpoints: text('1'),
  rows: text('20000'),
  backlog: text('0'),
  size: { type: 'string' },
  target: { type: 'string' },
  deployment: { type: 'string' },
  receive: { type: 'string' },
  hops: flag,
  tail: flag,
  profile: flag,
  'price-per-cpu-hour': { type: 'string' },
  name: { type: 'string' },
  json: flag,
  help: flag,
} as const

export function readOptions(args: readonly string[]): BenchOptions {
  const { values } = parsed(args)
  if (values.help) throw new UsageError('')
  const { all, sweep, scale, workload, target, deployment } = values
  checkTarget(target, deployment)
  if (target !== undefined && (values.hops || values.tail || values.profile || scale))
    throw new UsageError('--hops, --tail, --profile and --scale need gateways of the bench')
  if (scale && values.profile)
    throw new UsageError('--profile is for one world, and --scale has two at a time')
  const usual = usualOf(values)
  const given = { ...usual, ...values }
  const names = listOf('scenario', given.scenario, everyName)
  const one = (name: 'seconds' | 'rounds' | 'gateways' | 'endpoints', most: number) =>
    within(name, given[name], { least: 1, most })
  return {
    works: workNames.filter((name) => names.includes(name)),
    drills: drills.filter((name) => names.includes(name)),
    rates: list('rates', values.rates, 20_000),
    connections: list('connections', given.connections, 1_024),
    seconds: one('seconds', 3_600),
    rounds: one('rounds', 100),
    warmUp: within('warm-up', given['warm-up'], { least: 0, most: 600 }),
    minutes: within('minutes', given.minutes, { least: 1, most: 1_440 }),
    variants: variantsOf(values.variants, { all, target, endpoints: values.endpoints }),
    gateways: one('gateways', 3),
    endpoints: one('endpoints', 20_000),
    rows: within('rows', values.rows, { least: 0, most: 10_000_000 }),
    backlog: within('backlog', values.backlog, { least: 0, most: 1_000_000 }),
    scale,
    size: optional('size', values.size, 10_000_000),
    sweep: sweep === undefined ? undefined : (listOf('sweep', sweep, workNames)[0] as WorkName),
    ...{ workload, target, deployment },
    receive: optional('receive', values.receive, 65_534),
    ...{ hops: values.hops, tail: values.tail, profile: values.profile, json: values.json },
    name: nameOf(values.name ?? nameBy({ all, sweep, scale })),
    price: priceOf(values['price-per-cpu-hour']),
  }
}

function usualOf({ all, scale }: { all: boolean; scale: boolean }) {
  if (scale)
    return { scenario: 'event,ringing', connections: '0', rounds: '7', minutes: '60', 'warm-up': '20' }
  return all
    ? { scenario: everyName.join(','), connections: '16,64,256', rounds: '3', minutes: '60', 'warm-up': '20' }
    : { scenario: workNames.join(','), connections: '64', rounds: '3', minutes: '10', 'warm-up': '9' }
}

function nameBy({ all, sweep, scale }: { all: boolean; sweep: string | undefined; scale: boolean }): string {
  if (scale) return 'scale'
  if (sweep) return `sweep-${sweep}`
  return all ? 'all' : 'bench'
}

/** Numbers with commas between; 0 stands for none. */
const list = (name: string, given: string, most: number): number[] =>
  given === '0' ? [] : given.split(',').map((one) => within(name, one, { least: 1, most }))

function checkTarget(target: string | undefined, deployment: string | undefined): void {
  if ((target === undefined) !== (deployment === undefined))
    throw new UsageError('--target and --deployment go together')
  if (target !== undefined && !URL.canParse(target)) throw new UsageError(`--target ${target}`)
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: flags })
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

function listOf(name: string, given: string, known: readonly string[]): string[] {
  const list = given.split(',')
  const strange = list.find((one) => !known.includes(one))
  if (strange !== undefined) throw new UsageError(`--${name} ${strange}: not one of ${known.join(', ')}`)
  return list
}

/** Opponents have one endpoint; a deployment has only itself. */
function variantsOf(
  given: string | undefined,
  { all, target, endpoints }: { all: boolean; target: string | undefined; endpoints: string },
): string[] {
  if (target !== undefined) return ['gateway']
  if (given === 'all' || (given === undefined && all)) return allVariants.filter((name) => name !== 'remote')
  if (given !== undefined) return listOf('variants', given, allVariants)
  return endpoints === '1' ? usualVariants.filter((name) => allVariants.includes(name)) : ['gateway']
}

const optional = (name: string, given: string | undefined, most: number): number | undefined =>
  given === undefined ? undefined : within(name, given, { least: 1, most })

// The upper limits bound the memory: a run is planned and kept in memory as a whole.
function within(name: string, given: string, { least, most }: { least: number; most: number }): number {
  const value = Number(given)
  if (given.trim() === '' || !Number.isInteger(value) || value < least || value > most)
    throw new UsageError(`--${name} ${given}: ${least} to ${most}`)
  return value
}

function nameOf(name: string): string {
  if (!/^[\w-]{1,60}$/.test(name)) throw new UsageError(`--name ${name}: letters, digits, - and _`)
  return name
}

function priceOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const price = Number(given)
  if (!(price > 0)) throw new UsageError(`--price-per-cpu-hour ${given}`)
  return price
}
