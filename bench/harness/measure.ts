// Performs one run of one variant and computes its figures.
import { sessionText } from '../scenarios/sdp.ts'
import type { PlannedNumber, Work } from '../scenarios/work.ts'
import { works } from '../scenarios/works.ts'
import { clockBetween, clockFigures } from './clock.ts'
import { watchCpu, watchThread } from './cpu.ts'
import { join, type Measured, perSecond, unitsDone } from './figures.ts'
import type { Duration, Part, Sent } from './generator.ts'
import { encode, histogramOf, spreadOf } from './histogram.ts'
import { hopsOf, readRecorded } from './hops.ts'
import type { Mark } from './marks-recorder.ts'
import type { WorkName } from './opponents.ts'
import type { Arrived } from './receiver.ts'
import type { Cores, Load, Round } from './result.ts'
import { tailOf } from './tail.ts'
import { sampleTail } from './tail-sampler.ts'
import type { Target } from './target.ts'
import { collectOwn, isGateway, owedOf, settle } from './waiting.ts'
import type { World } from './world.ts'

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
  /** More goes on than these parts, and nobody counts its units: CPU and WAL of a unit are not known then. */
  readonly isUncounted?: boolean
  /** Takes what arrives of neither: it is no fault then. */
  readonly others: (arrived: readonly Arrived[]) => void
}

export type Figures = Omit<Round, 'round'>

/** The API key belongs to the first workspace, which has this many numbers at most. */
const firstWorkspace = 20

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
  const send = await planned(world, target, { runs, pace, beside })
  const before = await world.receiver.clock()
  const stop = await watch(world, target)
  const stopTail = startTail(world, target)
  const stopCores = watchCores(world)
  const sent = await send()
  const cores = stopCores()
  const begun = sent.filter(({ role }) => role !== 'follow' && role !== 'load')
  const [owed, late, strange] = [owedOf(begun, target, workOf), lateOf(world), [] as Arrived[]]
  const others = beside?.others ?? ((some) => strange.push(...some.filter(({ id }) => !late.has(id))))
  const seen = [...(await collectOwn(world, owed, others)), ...strange]
  if (!isGateway(target)) {
    // What an opponent does later is a cost of the same units.
    for (const { id } of begun) late.add(id)
    await settle(world, target)
  }
  world.checkWorker()
  const done = unitsDone(sent, seen, (name) => works[name].measured)
  const spent = await stop(beside?.isUncounted ? null : done)
  const after = await world.receiver.clock()
  const here = clockBetween(before, after)
  const arrived = seen.map((one) => ({ ...one, atNs: here(one.atNs) }))
  const marks = await marksOf(world, target)
  const intervals = await stopTail?.()
  const sentIds = new Set(sent.map(({ id }) => id))
  const clock = clockFigures(before, after)
  return runs.map(({ work: name, load }, index): Figures => {
    const work = works[name]
    const mine = sent.filter((one) => one.work === name && one.role !== 'load')
    const ids = new Set(mine.map(({ id }) => id))
    // What belongs to no unit of any is a fault, and counted once.
    const isOurs = (id: string): boolean => ids.has(id) || (index === 0 && !sentIds.has(id))
    const theirs = arrived.filter(({ id }) => isOurs(id))
    const further = isGateway(target) ? work.further : null
    const { measured, doneAtNs, faults } = join(mine, theirs, { ...work, further })
    const hops = marks && hopsOf(measured, marks, work.measured)
    const tail = intervals && tailOf(measured, intervals)
    return {
      ...{ ...latencies(measured), ...spent, units: done, cores, errors: faults },
      ...(load.kind === 'closed' && { perSecond: perSecond(measured, doneAtNs) }),
      ...{ ...(clock && { clock }), ...hops, ...(tail && { tail }) },
      ...(work.from && { figures: sinceSent(measured) }),
    }
  })
}

const workOf = (name: WorkName): Work => works[name]

/** Where the clock of a unit begins later than its plan, `latency` has no other place in a table. */
function sinceSent(measured: readonly Measured[]): Readonly<Record<string, number>> {
  const { p50, max } = spreadOf(histogramOf(measured.map((one) => (one.atNs - one.sentNs) / 1e3)))
  return measured.length === 0 ? {} : { 'from the answer, p50 ms': p50, 'max ms': max }
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

/** What sends the units. Those of an open loop are built before anything is measured. */
async function planned(
  world: World,
  target: Target,
  { runs, pace, beside }: { runs: readonly Run[]; pace: Duration; beside: Beside | undefined },
): Promise<() => Promise<Sent[]>> {
  const { generator } = world
  const [only] = runs
  const { origins } = target
  if (runs.length === 1 && only?.load.kind === 'closed') {
    const part = partOf(world, target, only)
    const { connections } = only.load
    return () => generator.ask('saturate', { part, pace, connections, origins })
  }
  const parts = runs.flatMap((run) =>
    run.load.kind === 'rate' ? [{ ...partOf(world, target, run), perSecond: run.load.perSecond }] : [],
  )
  await generator.ask('plan', { parts: [...parts, ...(beside?.parts ?? [])], pace })
  return () => generator.ask('fire', { origins })
}

/** Units of opponents, which may do more than they owe, and later: it is no fault of who is measured next. */
const lateIds = new WeakMap<World, Set<string>>()

function lateOf(world: World): Set<string> {
  const known = lateIds.get(world) ?? new Set()
  lateIds.set(world, known)
  return known
}

async function react({ receiver, seeded, wabaId, appSecret }: World, target: Target, runs: readonly Run[]) {
  const [url = ''] = target.origins
  const sends = runs.some(({ work }) => work === 'send')
  const answers = runs.some(({ work }) => works[work].answersCalls)
  await receiver.ask('react', {
    ...(target.name !== undefined && { sender: target.name }),
    ...(sends && { statuses: { url, appSecret, wabaId } }),
    ...(answers && { answerCalls: { url, apiKey: seeded.apiKey, sdp: sessionText('answer', 1_200) } }),
  })
}

function watchCores({ generatorPid, receiverPid }: World): () => Cores {
  const [generator, receiver] = [watchThread(generatorPid), watchThread(receiverPid)]
  return () => ({ generator: generator(), receiver: receiver() })
}

/** CPU and WAL from here on. The returned function gives them for a unit; null: nobody knows how many there were. */
export async function watch(
  world: World,
  target: Target,
): Promise<(units: number | null) => Promise<Pick<Figures, 'cpu' | 'others' | 'walBytes'>>> {
  const walBefore = await walBytes(world)
  const worker = isGateway(target) ? world.workerPid : undefined
  const stop = watchCpu({ gateway: target.pids, worker, ...world.servers?.pids })
  return async (units) => {
    const { cpu, others } = stop()
    const walAfter = await walBytes(world)
    const wal = walBefore === null || walAfter === null || !units ? null : (walAfter - walBefore) / units
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
  return sampleTail({ sql, processes, recorders: recordersOf(gateways, target) })
}

/** Of all gateways: the one that a webhook reaches may not be the one with the socket. */
const recordersOf = (gateways: World['gateways'], target: Target): string[] =>
  isGateway(target) ? gateways.map(({ marksPath }) => marksPath) : []

async function marksOf({ gateways }: World, target: Target) {
  const marks = await Promise.all(
    recordersOf(gateways, target).map((path) => readRecorded<Mark>(path, '/').catch(() => [])),
  )
  const all = marks.flat()
  return all.length === 0 ? undefined : all
}
