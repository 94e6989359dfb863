// Sends the units of a plan: at planned times whatever becomes of those before (open loop), or each connection
// the next when the one before was answered (closed loop). Runs in its own process.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlanContext, Shot } from '../scenarios/work.ts'
import { works } from '../scenarios/works.ts'
import { Line, Lines } from './client.ts'
import { nowNs } from './monotonic.ts'
import type { WorkName } from './opponents.ts'
import { serve } from './part.ts'

export interface Sent {
  readonly work: WorkName
  /** See token.ts. */
  readonly id: string
  /** `follow`: belongs to an earlier one. `load`: is not measured. */
  readonly role: 'warm' | 'measured' | 'load' | 'follow'
  readonly plannedNs: number
  readonly sentNs: number
  readonly answeredNs: number
  /** HTTP status of the answer; 0 without an answer. */
  readonly status: number
}

export interface Part {
  readonly work: WorkName
  readonly context: PlanContext
  /** Is sent, but not measured. */
  readonly isLoad?: boolean
}

export interface Duration {
  readonly warmSeconds: number
  readonly seconds: number
}

export interface GeneratorProtocol {
  /** Open loop. The origins get equal shares of the shots, see `turnOf`. The answer is the number of units. */
  plan: { question: { parts: readonly (Part & { perSecond: number })[]; pace: Duration }; answer: number }
  fire: { question: { origins: readonly string[] }; answer: Sent[] }
  saturate: {
    /** Ends after `most` units, where that is sooner. */
    question: { part: Part; pace: Duration; connections: number; origins: readonly string[]; most?: number }
    answer: Sent[]
  }
}

type Planned = Shot & { readonly work: WorkName; readonly role: Sent['role'] }

/** To each origin. A stall that is longer than so many units take keeps the rest waiting, and is charged for it. */
const mostConnections = 1_024
let planned: Planned[] = []
/** Numbers and customers take turns over all runs: the next run goes on where the last one ended. */
let units = 0

function nextUnits(count: number): number {
  const from = units
  units += count
  return from
}

/** The slots of an open loop: their times do not depend on what happens in the run. */
function planOf(
  { work, context, isLoad, perSecond }: Part & { perSecond: number },
  pace: Duration,
): Planned[] {
  const warm = Math.round(perSecond * pace.warmSeconds)
  const total = warm + Math.round(perSecond * pace.seconds)
  const from = nextUnits(total)
  return Array.from({ length: total }, (_, index) => {
    const paced = index < warm ? 'warm' : 'measured'
    const role: Sent['role'] = isLoad ? 'load' : paced
    return works[work]
      .unit(context, from + index, (index * 1_000) / perSecond)
      .map((shot): Planned => ({ ...shot, work, role: shot.isFollow ? 'follow' : role }))
  }).flat()
}

async function fire(origins: readonly string[]): Promise<Sent[]> {
  const lines = origins.map((origin) => new Lines(origin, mostConnections))
  const startNs = nowNs() + 50e6
  const waiting: Promise<Sent>[] = []
  const first = new Map<string, Promise<Sent>>()
  for (const [index, shot] of planned.entries()) {
    const plannedNs = startNs + shot.atMs * 1e6
    // Sleep although a timer can fire late. A busy loop would take CPU time from the measured processes.
    for (let leftMs = until(plannedNs); leftMs > 0; leftMs = until(plannedNs)) await sleep(leftMs)
    const line = lines[turnOf(index, lines.length)] as Lines
    const sending = () => send(line, shot, plannedNs)
    // A provider sends the end of a call only after its connect webhook was answered.
    const before = shot.isFollow ? first.get(shot.id) : undefined
    const sent = before === undefined ? sending() : before.then(sending)
    waiting.push(sent)
    if (!shot.isFollow) first.set(shot.id, sent)
  }
  const sent = await Promise.all(waiting)
  for (const line of lines) line.close()
  return sent
}

/**
 * Equal shares without a period (the golden ratio): connects and terminates alternate, so in plain turns one of two
 * gateways would get every connect and the other every terminate.
 */
const turnOf = (index: number, origins: number): number =>
  Math.floor((((index * (Math.sqrt(5) - 1)) / 2) % 1) * origins)

const until = (atNs: number): number => (atNs - nowNs()) / 1e6

async function send(line: Line | Lines, shot: Planned, plannedNs: number): Promise<Sent> {
  const { id, role, work, request } = shot
  const sentNs = nowNs()
  const status = await line.request(request)
  return { work, id, role, plannedNs, sentNs, answeredNs: nowNs(), status }
}

async function saturate(question: GeneratorProtocol['saturate']['question']): Promise<Sent[]> {
  const { part, pace, connections, origins, most = Number.POSITIVE_INFINITY } = question
  const { work, context } = part
  const startNs = nowNs()
  const [measuredNs, endNs] = [
    startNs + pace.warmSeconds * 1e9,
    startNs + (pace.warmSeconds + pace.seconds) * 1e9,
  ]
  const all: Sent[] = []
  let index = 0
  const unit = async (line: Line): Promise<void> => {
    index += 1
    const role = nowNs() < measuredNs ? 'warm' : 'measured'
    for (const shot of works[work].unit(context, nextUnits(1), 0)) {
      const sent = await send(line, { ...shot, work, role: shot.isFollow ? 'follow' : role }, nowNs())
      all.push(sent)
      // A refused connection must not be tried in a tight loop.
      if (sent.status === 0) await sleep(10)
    }
  }
  const drive = async (line: Line): Promise<void> => {
    while (nowNs() < endNs && index < most) await unit(line)
    line.close()
  }
  const lines = Array.from(
    { length: connections },
    (_, line) => new Line(origins[line % origins.length] ?? ''),
  )
  await Promise.all(lines.map(drive))
  return all
}

serve<GeneratorProtocol>({
  plan({ parts, pace }) {
    planned = parts.flatMap((part) => planOf(part, pace)).sort((a, b) => a.atMs - b.atMs)
    return planned.filter((shot) => !shot.isFollow).length
  },
  fire: ({ origins }) => fire(origins),
  saturate,
})
