// Deliveries that wait for an endpoint that is off, and their release.
import type { Author } from '../../src/contract/administration.ts'
import { createReplayStore } from '../../src/delivery/store/deliveries-replay.store.ts'
import { createEndpointAdminStore } from '../../src/delivery/store/endpoints-admin.store.ts'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { type EndpointId, newId, type WorkspaceId } from '../../src/shared/ids.ts'
import { latencies, partOf, watch } from '../harness/measure.ts'
import { nowNs } from '../harness/monotonic.ts'
import type { Arrived } from '../harness/receiver.ts'
import type { World } from '../harness/world.ts'
import { type Bench, type Drill, gatewayOf } from './bench.ts'
import type { PlannedNumber } from './work.ts'

interface Owned {
  readonly endpointId: EndpointId
  readonly workspaceId: WorkspaceId
}

const connections = 32
const usualSize = 100_000
const longestSeconds = 600
const openSeconds = 300
/** The slowest that a drain may be, in deliveries a second. */
const slowest = 100

export function sqlOf({ sql }: World): Pool {
  if (!sql) throw new Error('this scenario needs a world of its own')
  return sql
}

/** An operator who may act in any workspace. */
async function addOperator(sql: Pool) {
  const operatorId = newId('operator')
  await sql`
    insert into operators (id, email, name, password_hash)
    values (${operatorId}, ${`${operatorId}@example.com`}, 'Bench', '')`
  return ({ workspaceId }: Owned): Author => ({ workspaceId, operatorId, ip: '127.0.0.1' })
}

/** Sends so many texts to the spare number, whose endpoint is off: their deliveries are held. Gives their ids. */
export async function hold({ world, say }: Bench, count: number): Promise<Set<string>> {
  const { spare } = world.seeded
  const sql = sqlOf(world)
  const authorFor = await addOperator(sql)
  await createEndpointAdminStore(sql).disable(authorFor(spare), spare.endpointId)
  return sendAll(world, { numbers: [spare], count, say })
}

/** So many texts, as fast as they are taken. Gives their ids. */
export async function sendAll(
  world: World,
  { numbers, count, say }: { numbers: readonly PlannedNumber[]; count: number; say: Bench['say'] },
): Promise<Set<string>> {
  const target = gatewayOf(world)
  const ids = new Set<string>()
  while (ids.size < count) {
    const sent = await world.generator.ask('saturate', {
      part: partOf(world, target, { work: 'event', numbers }),
      pace: { warmSeconds: 0, seconds: longestSeconds },
      connections: Math.min(connections, count - ids.size),
      origins: target.origins,
      most: Math.min(20_000, count - ids.size),
    })
    const refused = sent.filter(({ status }) => status !== 200).length
    if (refused > 0) throw new Error(`${refused} texts were refused`)
    for (const { id } of sent) ids.add(id)
    say(`  ${ids.size} of ${count} texts sent`)
  }
  return ids
}

/** Owners notice within a second. Nothing is sent by itself. */
export async function turnOn(sql: Pool, owned: readonly Owned[]): Promise<void> {
  const [authorFor, endpoints] = [await addOperator(sql), createEndpointAdminStore(sql)]
  for (const one of owned) await endpoints.enable(authorFor(one), one.endpointId)
}

/** Sends all that is held for these endpoints, once more or for the first time. */
export async function replayHeld(sql: Pool, owned: readonly Owned[]): Promise<void> {
  const [authorFor, deliveries] = [await addOperator(sql), createReplayStore(sql)]
  for (const one of owned)
    for (let moved = 1; moved > 0; ) {
      const outcome = await deliveries.replayMany(authorFor(one), one.endpointId, { states: ['HELD'] })
      moved = outcome.type === 'done' ? outcome.count : 1
    }
}

/** Collects until each of these ids has arrived, or the time is over. */
export async function collectAll(
  { receiver }: World,
  ids: ReadonlySet<string>,
  seconds: number,
): Promise<Arrived[]> {
  const deadline = performance.now() + seconds * 1e3
  const arrived: Arrived[] = []
  const seen = new Set<string>()
  while (seen.size < ids.size && performance.now() < deadline) {
    const some = await receiver.ask('collect', { count: ids.size - seen.size, timeoutMs: 5_000 })
    for (const one of some) if (ids.has(one.id)) seen.add(one.id)
    arrived.push(...some.filter(({ id }) => ids.has(id)))
  }
  return arrived
}

/** Throws where not each of these ids has arrived once. */
export function checkOnce(ids: ReadonlySet<string>, arrived: readonly Arrived[]): void {
  const seen = new Set(arrived.map(({ id }) => id).filter((id) => ids.has(id)))
  const own = arrived.filter(({ id }) => ids.has(id)).length
  if (seen.size === ids.size && own === seen.size) return
  throw new Error(`of ${ids.size} texts ${ids.size - seen.size} were lost, and ${own - seen.size} came again`)
}

/** A text for each of these numbers: the first gateway owns their endpoints from then on, and has opened their sockets. */
export async function openAll(
  world: World,
  { numbers, say }: { numbers: readonly PlannedNumber[]; say: Bench['say'] },
): Promise<void> {
  const ids = await sendAll(world, { numbers, count: numbers.length, say })
  checkOnce(ids, await collectAll(world, ids, openSeconds))
}

/** What these ids make of the arrivals, when all of them could arrive from `sinceNs` on. */
export function drained(ids: ReadonlySet<string>, arrived: readonly Arrived[], sinceNs: number) {
  const first = new Map<string, number>()
  for (const { id, atNs } of arrived) if (!first.has(id)) first.set(id, atNs)
  const measured = [...first].map(([id, atNs]) => ({ id, sentNs: sinceNs, plannedNs: sinceNs, atNs }))
  const duplicated = arrived.length - first.size
  return {
    ...latencies(measured),
    perSecond: middleRate([...first.values()]),
    errors: { refused: 0, lost: ids.size - first.size, duplicated, strange: 0 },
  }
}

/** Over the middle four fifths: without the start and the end. */
function middleRate(timesNs: readonly number[]): number {
  const sorted = [...timesNs].sort((a, b) => a - b)
  const [from, to] = [Math.floor(sorted.length * 0.1), Math.ceil(sorted.length * 0.9) - 1]
  const ns = (sorted[to] ?? 0) - (sorted[from] ?? 0)
  return ns > 0 ? ((to - from) * 1e9) / ns : 0
}

export const backlog: Drill = {
  about: 'deliveries that were held for an endpoint are replayed: how fast they arrive',
  async run(bench) {
    const { world, options, say } = bench
    const units = options.size ?? usualSize
    const sql = sqlOf(world)
    await sendAll(world, { numbers: [world.seeded.spare], count: 100, say })
    await world.receiver.ask('collect', { count: 100, timeoutMs: 15_000 })
    const ids = await hold(bench, units)
    await sql`analyze`
    const target = gatewayOf(world)
    const stop = await watch(world, target)
    const sinceNs = nowNs()
    await turnOn(sql, [world.seeded.spare])
    await replayHeld(sql, [world.seeded.spare])
    const arrived = await collectAll(world, ids, 60 + units / slowest)
    const figures = drained(ids, arrived, sinceNs)
    const spent = await stop(figures.count)
    return [
      {
        scenario: 'backlog',
        variant: 'gateway',
        load: { kind: 'batch', units },
        rounds: [{ round: 1, ...figures, ...spent }],
      },
    ]
  },
}
