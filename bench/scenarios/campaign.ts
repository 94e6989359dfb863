// A campaign of one number, from its start to the last message at the provider.

import { measure, watch } from '../harness/measure.ts'
import { nowNs } from '../harness/monotonic.ts'
import type { Arrived } from '../harness/receiver.ts'
import type { Round, Row } from '../harness/result.ts'
import { told } from '../harness/told.ts'
import { drained, sqlOf } from './backlog.ts'
import { type Bench, type Drill, gatewayOf } from './bench.ts'
import { recipientsOf, seedCampaign, start } from './campaign-rows.ts'
import { warmUp } from './warm-up.ts'

const usualSize = 10_000
const standardRate = 80
const transactionalRate = 10
/** The campaign's worker looks every two seconds. */
const warmSeconds = 4
/** The slowest that it may be, in messages a second. */
const slowest = 50

/** The provider sees no id of ours in a template: its requests are known by their recipients. */
async function one({ world, options }: Bench, round: number): Promise<Round> {
  const units = options.size ?? usualSize
  const sql = sqlOf(world)
  const [number] = world.seeded.numbers
  if (!number) throw new Error('unreachable')
  const { workspaceId } = world.seeded
  const numbers = [{ id: number.numberId, phoneNumberId: number.id }]
  const id = await seedCampaign(sql, { workspaceId, numbers }, { number: 0, recipients: units })
  const ids = await recipientsOf(sql, id)
  await sql`analyze`
  const stop = await watch(world, gatewayOf(world))
  const sinceNs = nowNs()
  await start(sql, [id])
  const arrived: Arrived[] = []
  const deadline = performance.now() + (60 + units / slowest) * 1e3
  while (arrived.length < units && performance.now() < deadline)
    arrived.push(
      ...(await world.receiver.ask('collect', { count: units - arrived.length, timeoutMs: 5_000 })),
    )
  const asked = arrived.filter(({ event }) => event === 'provider.message')
  const own = asked.filter((request) => ids.has(request.id))
  const figures = drained(ids, own, sinceNs)
  const spent = await stop(figures.count)
  return { round, ...figures, ...spent, errors: { ...figures.errors, strange: asked.length - own.length } }
}

export const campaign: Drill = {
  about: 'a campaign of one number, to the last message at the provider',
  async run(bench) {
    const rounds: Round[] = []
    for (let round = 1; round <= bench.options.rounds; round += 1) {
      await bench.world.receiver.ask('react', {})
      const figures = await one(bench, round)
      bench.say(`  round ${round}: ${told(figures)}`)
      rounds.push(figures)
    }
    const units = bench.options.size ?? usualSize
    const beside = await sendsBeside(bench)
    return [...beside, { scenario: 'campaign', variant: 'gateway', load: { kind: 'batch', units }, rounds }]
  },
}

/** POST /messages/chat from a number of the usual rate, alone and beside a campaign that would take all of it. */
async function sendsBeside(bench: Bench): Promise<Row[]> {
  const { world, options, say } = bench
  const sql = sqlOf(world)
  const [number] = world.seeded.numbers
  if (!number) throw new Error('unreachable')
  const { workspaceId } = world.seeded
  // At the rate that numbers have here: as fast as it is taken.
  await warmUp(bench, gatewayOf(world), { work: 'send' })
  await sql`update numbers set messages_per_second = ${standardRate} where id = ${number.numberId}`
  const load = { kind: 'rate', perSecond: transactionalRate } as const
  const run = { work: 'send', load, pace: { warmSeconds, seconds: options.seconds } } as const
  const rows: Row[] = []
  for (const variant of ['gateway', 'beside campaign']) {
    const recipients = standardRate * (warmSeconds + options.seconds + 10)
    const numbers = [{ id: number.numberId, phoneNumberId: number.id }]
    if (variant !== 'gateway')
      await start(sql, [await seedCampaign(sql, { workspaceId, numbers }, { number: 0, recipients })])
    const figures = await measure(world, gatewayOf(world), run, {
      parts: [],
      isUncounted: variant !== 'gateway',
      others: () => undefined,
    })
    say(`  sends, ${variant}: ${told(figures)}`)
    rows.push({ scenario: 'send', variant, load, rounds: [{ round: 1, ...figures }] })
  }
  await sql`update campaigns set status = 'CANCELLED', epoch = epoch + 1 where status = 'RUNNING'`
  return rows
}
