// Performs one run of one variant and computes its figures.
import { setTimeout as sleep } from 'node:timers/promises'
import { sessionText } from '../scenarios/sdp.ts'
import type { PlannedNumber, Work } from '../scenarios/work.ts'
import { works } from '../scenarios/works.ts'
import { watchCpu } from './cpu.ts'
import { join, type Measured, perSecond } from './figures.ts'
import type { Duration, Part, Sent } from './generator.ts'
import { encode, histogramOf } from './histogram.ts'
import { encodedHops, hopTimes, readRecorded } from './hops.ts'
import type { Mark } from './marks-recorder.ts'
import type { WorkName } from './opponents.ts'
import type { Arrived } from './receiver.ts'
import type { Load, Round } from './result.ts'
import { tailOf } from './tail.ts'
import { sampleTail } from './tail-sampler.ts'
import type { Target, World } from './world.ts'

export interface Run {
  readonly load: Exclude<Load, { kind: 'batch' }>
  readonly work: WorkName
  readonly pace: Duration
  readonly bytes?: number
  /** In place of those of the world. */
  readonly numbers?: readonly PlannedNumber[]
}

/** Beside the measured work; its own figures are not given. */
export interface Beside {
  readonly parts: readonly (Part & { perSecond: number })[]
  /** Arrivals that they cause. */
  readonly arrivals: number
  /** Takes what arrives of neither: it is no fault then. */
  readonly others?: (arrived: readonly Arrived[]) => void
}

export type Figures = Omit<Round, 'round'>

const drainTimeoutMs = 15_000
/** Nothing comes for so long: an opponent is done. */
const settleMs = 150
/** The API key belongs to the first workspace, which has this many numbers at most. */
const firstWorkspace = 20

const isGateway = ({ variant }: Target): boolean => variant === 'gateway' || variant === 'remote'

export function partOf(
  world: World,
  target: Target,
  { work, bytes, numbers }: Omit<Run, 'pace' | 'load'>,
): Part {
  const { seeded, wabaId, appSecret } = world
  const socketNumbers = work === 'send' ? seeded.numbers.slice(0, firstWorkspace) : seeded.numbers
  const usual = works[work].transport === 'https' ? [seeded.https] : socketNumbers
  const host = new URL(target.origins[0] ?? '').host
  const context = { numbers: numbers ?? usual, wabaId, appSecret, apiKey: seeded.apiKey, host }
  return { work, context: { ...context, ...(bytes !== undefined && { bytes }) } }
}

export async function measure(world: World, target: Target, run: Run, beside?: Beside): Promise<Figures> {
  const [figures] = await measureMix(world, target, { runs: [run], pace: run.pace }, beside)
  if (!figures) throw new Error('unreachable')
  return figures
}

/** Several kinds of work at once; CPU and WAL are those of all, for a unit of any. */
export async function measureMix(
  world: World,
  target: Target,
  { runs, pace }: { runs: readonly Run[]; pace: Duration },
  beside?: Beside,
): Promise<Figures[]> {
  await react(world, target, runs)
  const stop = await watch(world, target)
  const stopTail = startTail(world, target)
  const sent = await send(world, target, { runs, pace, beside })
  const begun = sent.filter(({ role }) => role !== 'follow' && role !== 'load')
  const owed = begun.reduce((sum, { work }) => sum + arrivalsOf(works[work], target), beside?.arrivals ?? 0)
  const [ids, late] = [new Set(begun.map(({ id }) => id)), lateOf(world)]
  const strange: Arrived[] = []
  const others = beside?.others ?? ((some) => strange.push(...some.filter(({ id }) => !late.has(id))))
  const arrived = [...(await collectOwn(world, { owed, ids, others })), ...strange]
  const spent = await stop(begun.length)
  if (!isGateway(target)) {
    for (const id of ids) late.add(id)
    await settle(world)
  }
  const marks = await marksOf(world, target)
  const intervals = await stopTail?.()
  const loadIds = new Set(sent.filter(({ role }) => role === 'load').map(({ id }) => id))
  return runs.map(({ work: name }): Figures => {
    const work = works[name]
    const mine = sent.filter((one) => one.work === name && one.role !== 'load')
    const ids = new Set(mine.map(({ id }) => id))
    const theirs = arrived.filter(({ id }) => !loadIds.has(id) && (runs.length === 1 || ids.has(id)))
    const further = isGateway(target) ? work.further : null
    const { measured, faults } = join(mine, theirs, { ...work, further })
    const hops = marks && encodedHops(hopTimes(measured, marks, String(work.measured)))
    const tail = intervals && tailOf(measured, intervals)
    return { ...latencies(measured), ...spent, ...(hops && { hops }), ...(tail && { tail }), errors: faults }
  })
}

export function latencies(
  measured: readonly Measured[],
): Pick<Figures, 'latency' | 'fromPlan' | 'count' | 'perSecond'> {
  return {
    latency: encode(histogramOf(measured.map((one) => (one.atNs - one.sentNs) / 1e3))),
    fromPlan: encode(histogramOf(measured.map((one) => (one.atNs - one.plannedNs) / 1e3))),
    count: measured.length,
    perSecond: perSecond(measured),
  }
}

/** Opponents owe what is measured; that they do more is not counted against them. */
function arrivalsOf({ measured, from, further }: Work, target: Target): number {
  if (measured === 'answer') return 0
  return 1 + (from ? 1 : 0) + (isGateway(target) ? further : 0)
}

async function send(
  world: World,
  target: Target,
  { runs, pace, beside }: { runs: readonly Run[]; pace: Duration; beside: Beside | undefined },
): Promise<Sent[]> {
  const { generator } = world
  const [only] = runs
  const { origins } = target
  if (runs.length === 1 && only?.load.kind === 'closed') {
    const part = partOf(world, target, only)
    return generator.ask('saturate', { part, pace, connections: only.load.connections, origins })
  }
  const parts = runs.flatMap((run) =>
    run.load.kind === 'rate' ? [{ ...partOf(world, target, run), perSecond: run.load.perSecond }] : [],
  )
  await generator.ask('plan', { parts: [...parts, ...(beside?.parts ?? [])], pace })
  return generator.ask('fire', { origins })
}

export async function collect({ receiver }: World, count: number): Promise<Arrived[]> {
  const arrived = await receiver.ask('collect', { count, timeoutMs: drainTimeoutMs })
  return arrived.map((one) => ({ ...one, atNs: one.atNs + receiver.offsetNs }))
}

/** Units of opponents, which may do more than they owe, and later: it is no fault of who is measured next. */
const lateIds = new WeakMap<World, Set<string>>()

function lateOf(world: World): Set<string> {
  const known = lateIds.get(world) ?? new Set()
  lateIds.set(world, known)
  return known
}

/** What an opponent still does must not burden the next. */
async function settle({ receiver }: World): Promise<void> {
  const deadline = performance.now() + drainTimeoutMs
  for (let [before, now] = [-1, 0]; before !== now && performance.now() < deadline; ) {
    before = now
    await sleep(settleMs)
    now = await receiver.ask('pending', null)
  }
}

/** Own arrivals only; what came with them goes to `others`. */
async function collectOwn(
  world: World,
  {
    owed,
    ids,
    others,
  }: { owed: number; ids: ReadonlySet<string>; others: (arrived: readonly Arrived[]) => void },
): Promise<Arrived[]> {
  const own: Arrived[] = []
  const deadline = performance.now() + drainTimeoutMs
  do {
    const arrived = await collect(world, owed - own.length)
    own.push(...arrived.filter(({ id }) => ids.has(id)))
    others(arrived.filter(({ id }) => !ids.has(id)))
  } while (own.length < owed && performance.now() < deadline)
  return own
}

async function react({ receiver, seeded, wabaId, appSecret }: World, target: Target, runs: readonly Run[]) {
  const [url = ''] = target.origins
  const sends = runs.some(({ work }) => work === 'send')
  const answers = runs.some(({ work }) => works[work].answersCalls)
  await receiver.ask('react', {
    ...(sends && { statuses: { url, appSecret, wabaId } }),
    ...(answers && { answerCalls: { url, apiKey: seeded.apiKey, sdp: sessionText('answer', 1_200) } }),
  })
}

/** CPU and WAL from here on. The returned function gives them for a unit. */
export async function watch(
  world: World,
  target: Target,
): Promise<(units: number) => Promise<Pick<Figures, 'cpu' | 'others' | 'walBytes'>>> {
  const walBefore = await walBytes(world)
  const stop = watchCpu(target.pids, isGateway(target) ? world.workerPid : undefined)
  return async (units) => {
    const { cpu, others } = stop()
    const walAfter = await walBytes(world)
    const wal = walBefore === null || walAfter === null ? null : (walAfter - walBefore) / Math.max(1, units)
    return { cpu: cpu(units), others, walBytes: wal }
  }
}

async function walBytes({ sql }: World): Promise<number | null> {
  const [row] = sql ? await sql<{ bytes: string }[]>`select pg_current_wal_insert_lsn() - '0/0' as bytes` : []
  return row ? Number(row.bytes) : null
}

/** Undefined without --tail. Opponents record no pauses of their own. */
function startTail({ sql, watched, gateways, workerPid }: World, target: Target) {
  if (!sql || !watched) return undefined
  const processes = new Map(watched)
  for (const pid of target.pids) processes.set(pid, target.variant)
  if (workerPid !== undefined && isGateway(target)) processes.set(workerPid, 'worker')
  const mine = gateways.filter(({ origin }) => target.origins.includes(origin))
  return sampleTail({ sql, processes, recorders: mine.map(({ marksPath }) => marksPath) })
}

async function marksOf({ gateways }: World, target: Target) {
  const mine = gateways.filter(({ origin }) => target.origins.includes(origin))
  const marks = await Promise.all(
    mine.map(({ marksPath }) => readRecorded<Mark>(marksPath, '/').catch(() => [])),
  )
  const all = marks.flat()
  return all.length === 0 ? undefined : all
}
