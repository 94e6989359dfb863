// Endpoints that fail beside healthy ones: dead ones, and ones that come back with all that waited for them.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import type { EndpointId } from '../../src/shared/ids.ts'
import type { DeadPorts } from '../harness/dead.ts'
import { type Beside, type Figures, measure, partOf } from '../harness/measure.ts'
import { nowNs } from '../harness/monotonic.ts'
import type { Arrived } from '../harness/receiver.ts'
import type { Row } from '../harness/result.ts'
import type { SeededNumber } from '../harness/seed.ts'
import { told } from '../harness/told.ts'
import { checkOnce, collectAll, replayHeld, sendAll, sqlOf, turnOn } from './backlog.ts'
import { type Bench, type Drill, gatewayOf, rowCollector } from './bench.ts'
import { warmUp } from './warm-up.ts'

const many = 200
const failing = 50
/** Texts a second to the single endpoint. Each of the many gets one. */
const apart = 50
const warmSeconds = 2
/** Longer than the timeout of an attempt: hanging attempts are over when the next run begins. */
const settleMs = 11_000
const longestStormSeconds = 300
/** A sweep finds within a second what was replayed. */
const stormLeadSeconds = 1
/** Gateways look for changed endpoints every second. */
const noticeMs = 2_500

/** Sets the URLs of the endpoints, enables them and discards all waiting deliveries. */
async function pointAt(sql: Pool, urls: ReadonlyMap<EndpointId, string>): Promise<void> {
  await sql`
    update deliveries set state = 'DISCARDED', next_attempt_at = null, finished_at = now()
    where state in ('PENDING', 'RETRYING', 'HELD')`
  await sql`
    update endpoints e
    set url = u.url, enabled = true, consecutive_failures = 0, disabled_at = null, disabled_reason = null,
      config_version = config_version + 1
    from unnest(${[...urls.keys()]}::uuid[], ${[...urls.values()]}::text[]) as u (id, url)
    where e.id = u.id`
}

interface Side {
  readonly numbers: readonly SeededNumber[]
  readonly perSecond: number
}

/** Load that may arrive or not. */
function besideOf({ world }: Bench, { numbers, perSecond }: Side): Beside {
  const part = partOf(world, gatewayOf(world), { work: 'event', numbers })
  return { parts: [{ ...part, isLoad: true, perSecond }], others: () => undefined }
}

/** Half of the healthy endpoints use HTTP, half a WebSocket. The victims use all kinds of dead receivers. */
async function prepare(bench: Bench, victims: readonly SeededNumber[], dead: DeadPorts): Promise<void> {
  const { world } = bench
  const { plainPort } = world
  const healthy = [`http://127.0.0.1:${plainPort}/hook`, `ws://127.0.0.1:${plainPort}/events`]
  const ways = [
    `http://127.0.0.1:${dead.silent}/hook`,
    `ws://127.0.0.1:${dead.silent}/events`,
    `http://127.0.0.1:${dead.failing}/hook`,
    `http://127.0.0.1:${dead.closed}/hook`,
  ]
  const urls = new Map(
    world.seeded.numbers.map(({ endpointId }, index) => [endpointId, healthy[index % 2] ?? '']),
  )
  for (const [index, { endpointId }] of victims.entries())
    urls.set(endpointId, ways[index % ways.length] ?? '')
  await pointAt(sqlOf(world), urls)
  // What an owner had in memory goes to the new address meanwhile.
  await sleep(settleMs + noticeMs)
}

/** One dead among 200, and 200 dead around one, each beside the same load with none dead, in turn. */
export const deadNeighbours: Drill = {
  about: 'healthy endpoints beside dead ones, and the same load with none dead',
  world: ({ size = many }) => ({ endpoints: size + 1, contacts: size + 1 }),
  async run(bench) {
    const { world, options, say } = bench
    const [one, ...rest] = world.seeded.numbers
    if (!one) throw new Error('unreachable')
    const dead = await world.dead()
    await warmUp(bench, gatewayOf(world), { work: 'event' })
    const sides = {
      one: { numbers: [one], perSecond: apart },
      many: { numbers: rest, perSecond: rest.length },
    }
    const collector = rowCollector(bench)
    for (const [victim, healthy] of [
      ['one', 'many'],
      ['many', 'one'],
    ] as const) {
      const { numbers, perSecond } = sides[healthy]
      const load = { kind: 'rate', perSecond } as const
      const run = { work: 'event', load, pace: { warmSeconds, seconds: options.seconds }, numbers } as const
      const scenario = victim === 'one' ? 'one dead in many' : 'many dead round one'
      for (const { round, variant } of turns(options.rounds)) {
        const isDead = variant !== 'gateway'
        await prepare(bench, isDead ? sides[victim].numbers : [], dead)
        const figures = await measure(world, gatewayOf(world), run, besideOf(bench, sides[victim]))
        say(`  round ${round}, ${scenario}, ${variant}: ${told(figures)}`)
        collector.add({ scenario, variant, load }, { round, ...figures })
      }
    }
    return collector.rows()
  },
}

/** The order is reversed every other round, so that after-effects do not always hit the same variant. */
const turns = (rounds: number): { round: number; variant: string }[] =>
  Array.from({ length: rounds }, (_, index) => {
    const names = ['gateway', 'beside dead']
    const order = index % 2 === 0 ? names : names.toReversed()
    return order.map((variant) => ({ round: index + 1, variant }))
  }).flat()

/**
 * Fifty endpoints answer 500 until they are off; then they come back, and all that was held or waits for a retry
 * goes out at once, while a healthy one is measured.
 */
export const retryStorm: Drill = {
  about: 'a healthy endpoint, while fifty fail and while everything that waited for them is sent',
  world: () => ({ endpoints: failing + 1, contacts: failing + 1 }),
  async run(bench) {
    const { world, options, say } = bench
    const [healthy, ...failed] = world.seeded.numbers
    if (!healthy) throw new Error('unreachable')
    const others: Arrived[] = []
    const urls = new Map(
      failed.map(({ endpointId }) => [endpointId, `http://127.0.0.1:${world.plainPort}/failing/hook`]),
    )
    await pointAt(sqlOf(world), urls)
    const load = { kind: 'rate', perSecond: options.rates[0] ?? 200 } as const
    const rows: Row[] = []
    const run = async (variant: string) => {
      const pace = { warmSeconds, seconds: options.seconds }
      const beside = {
        parts: [],
        // What failed comes again at times of its own.
        isUncounted: variant !== 'gateway',
        others: (arrived: readonly Arrived[]) => others.push(...arrived),
      }
      const run = { work: 'event', load, pace, numbers: [healthy] } as const
      const measured = await measure(world, gatewayOf(world), run, beside)
      say(`  ${variant}: ${told(measured)}`)
      return measured
    }
    const keep = (variant: string, measured: Figures, figures: Readonly<Record<string, number>> = {}) => {
      rows.push({ scenario: 'retry-storm', variant, load, rounds: [{ round: 1, ...measured, figures }] })
      bench.keep(rows)
    }
    await sleep(noticeMs)
    await warmUp(bench, gatewayOf(world), { work: 'event', numbers: [healthy] })
    keep('gateway', await run('gateway'))
    await world.receiver.ask('fail', { isFailing: true })
    const ids = await sendAll(world, { numbers: failed, count: options.size ?? 10_000, say })
    keep('while they fail', await run('while they fail'))
    await world.receiver.ask('fail', { isFailing: false })
    await turnOn(sqlOf(world), failed)
    await sleep(noticeMs)
    // Nearly all that was sent at the begin of the warm-up would have arrived by its end.
    const replayed = sleep((warmSeconds - stormLeadSeconds) * 1e3).then(async () => {
      const sinceNs = nowNs() + stormLeadSeconds * 1e9
      await replayHeld(sqlOf(world), failed)
      return sinceNs
    })
    const [measured, sinceNs] = await Promise.all([run('retry storm'), replayed])
    const early = new Set(others.map(({ id }) => id))
    const left = new Set([...ids].filter((id) => !early.has(id)))
    others.push(...(await collectAll(world, left, longestStormSeconds)))
    checkOnce(ids, others)
    const seconds = others.map(({ atNs }) => (atNs - sinceNs) / 1e9).sort((a, b) => a - b)
    const meanwhile = seconds.filter((second) => second >= 0 && second < options.seconds).length
    keep('retry storm', measured, { waiting: ids.size, 'arrived meanwhile': meanwhile })
    const [first, last] = [seconds[0], seconds.at(-1)].map((second) => second?.toFixed(1))
    say(`  ${ids.size} texts arrived between seconds ${first} and ${last} of the measured time`)
    return rows
  },
}
