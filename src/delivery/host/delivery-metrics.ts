// Metrics of the delivery engine. Nothing here queries Postgres, and no label identifies a customer.
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { type Clock, systemClock } from '../../shared/clock.ts'
import { idTimeMs } from '../../shared/ids.ts'
import { mark } from '../../shared/marks.ts'
import type { AttemptOutcome, AttemptReport } from '../attempt.ts'
import type { DirectItem, DirectResult, QueuedItem } from '../endpoint.ts'
import { queueNameOf } from '../endpoint-state.ts'
import type { AttemptRecord } from '../settle-attempt.ts'

export type Priority = 'direct' | 'first' | 'retry'
type Item = QueuedItem | DirectItem

export const priorityOf = (item: Item): Priority => {
  if (!('deliveryId' in item)) return 'direct'
  return queueNameOf(item) === 'retries' ? 'retry' : 'first'
}

/** The outcome as a label: few values, whatever receivers answer. */
function codeOf(outcome: AttemptOutcome): string {
  if ('code' in outcome) return outcome.code
  return outcome.statusCode === null ? 'frame' : statusClass(outcome.statusCode)
}

const statusClass = (status: number): string => `${Math.floor(status / 100)}xx`

/** The result of a direct event contains a status or an error. */
function codeOfDirect(result: DirectResult): string {
  if (result.type === 'delivered') return 'none'
  const status = /^HTTP_(\d+)$/.exec(result.code)?.[1]
  return status === undefined ? result.code : statusClass(Number(status))
}

export interface Waiting {
  readonly direct: number
  readonly first: number
  readonly retry: number
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

function seriesIn(registers: Registry[]) {
  const seconds = (name: string, help: string, ...labelNames: string[]) =>
    new Histogram({ name: `switchboard_${name}_seconds`, help, labelNames, buckets, registers })
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `switchboard_${name}_total`, help, labelNames, registers })
  return {
    wait: seconds('delivery_wait', 'From when a delivery was due to its first byte or frame', 'lane'),
    parked: seconds(
      'delivery_parked',
      'Of that, in the actor: for the concurrency limit, the key, a dial',
      'lane',
    ),
    receiver: seconds('receiver', 'From the first byte of a request to the head of its answer', 'lane'),
    duration: seconds('attempt', 'Attempts of queued deliveries, whole', 'lane', 'outcome'),
    attempts: counter('attempts', 'Attempts by what came of them', 'lane', 'outcome', 'code'),
    requests: counter('connection_requests', 'Requests that had a connection'),
    reused: counter('connection_reuses', 'Of those, on a connection that was open already'),
    dials: counter('dials', 'Connections opened, or not', 'transport', 'result'),
    blocked: counter('blocked_addresses', 'Attempts refused for their address', 'code'),
    timers: counter('retry_timers', 'Timers of retries', 'result'),
    switchedOff: counter('endpoints_switched_off', 'Endpoints switched off after failures in a row'),
    warnings: counter('endpoint_warnings', 'Endpoints warned of at 10, 14 and 18 failures in a row'),
  }
}

/** One sample per priority, read at the scrape. */
function laneGauge(registers: Registry[], name: string, help: string) {
  let read: () => Partial<Waiting> = () => ({})
  new Gauge({
    name: `switchboard_${name}`,
    help,
    labelNames: ['lane'],
    registers,
    collect() {
      for (const [priority, value] of Object.entries(read())) this.set({ lane: priority }, value)
    },
  })
  return (from: () => Partial<Waiting>) => {
    read = from
  }
}

/** The Prometheus metrics of one process's delivery engine. */
export class DeliveryMetrics {
  readonly #series: ReturnType<typeof seriesIn>
  readonly #clock: Clock
  readonly #underWay = { direct: 0, first: 0, retry: 0 }
  readonly #arrivals = new WeakMap<Item, number>()
  /** Direct events without a result, the oldest first. */
  readonly #asked = new Set<{ readonly at: number }>()
  /** Sets the source of the number of waiting deliveries, which is read at each scrape. */
  readonly readWaiting: (from: () => Waiting) => void

  constructor(registry: Registry, clock: Clock = systemClock) {
    const registers = [registry]
    this.#series = seriesIn(registers)
    this.#clock = clock
    laneGauge(registers, 'attempts_in_flight', 'Requests and frames under way')(() => this.#underWay)
    laneGauge(
      registers,
      'oldest_waiting_seconds',
      'Age of the oldest event that waits',
    )(() => {
      const [oldest] = this.#asked
      return { direct: oldest ? (clock.mono() - oldest.at) / 1000 : 0 }
    })
    this.readWaiting = laneGauge(registers, 'deliveries_parked', 'Deliveries that wait in actors')
  }

  /** An actor took the items in: from now on they count as parked while they wait. */
  arrived(items: readonly Item[]): void {
    const now = this.#clock.mono()
    for (const item of items) this.#arrivals.set(item, now)
  }

  /** An attempt begins. Returns the wall clock, for `posted`. */
  begun(item: Item): number {
    mark('handedOver', item.body)
    const priority = priorityOf(item)
    this.#underWay[priority] += 1
    const arrivedAt = this.#arrivals.get(item)
    if (arrivedAt !== undefined)
      this.#series.parked.observe({ lane: priority }, (this.#clock.mono() - arrivedAt) / 1000)
    return this.#clock.now()
  }

  /** A request has ended with this report. */
  posted(item: Item, begunAt: number, report: AttemptReport): void {
    const priority = priorityOf(item)
    const { dnsMs = 0, connectMs = 0, tlsMs = 0, firstByteMs } = report.timings
    this.#underWay[priority] -= 1
    if (firstByteMs !== undefined) this.#series.receiver.observe({ lane: priority }, firstByteMs / 1000)
    if (report.outcome.type === 'blocked') this.#series.blocked.inc({ code: report.outcome.code })
    if (report.remoteAddress === null) return
    this.#sent(item, begunAt + dnsMs + connectMs + tlsMs)
    this.#series.requests.inc()
    if (report.reusedConnection) this.#series.reused.inc()
  }

  /** A socket accepted a frame, or did not. */
  framed(item: Item, isWritten: boolean): void {
    if (isWritten) mark('written', item.body)
    this.#underWay[priorityOf(item)] -= 1
    if (isWritten) this.#sent(item, this.#clock.now())
  }

  /** The result of a queued delivery's attempt, on either transport. */
  attempted({ item, report }: AttemptRecord): void {
    const priority = priorityOf(item)
    const outcome = report.outcome.type
    this.#series.duration.observe({ lane: priority, outcome }, report.durationMs / 1000)
    this.#series.attempts.inc({ lane: priority, outcome, code: codeOf(report.outcome) })
  }

  /** Measures a direct event until its result. */
  async direct(send: () => Promise<DirectResult>): Promise<DirectResult> {
    const one = { at: this.#clock.mono() }
    this.#asked.add(one)
    const result = await send().finally(() => this.#asked.delete(one))
    this.#series.attempts.inc({ lane: 'direct', outcome: result.type, code: codeOfDirect(result) })
    return result
  }

  /** `outcome` of a dial that failed; undefined when it succeeded. */
  dialled(transport: 'https' | 'socket', outcome: AttemptOutcome | undefined): void {
    this.#series.dials.inc({ transport, result: outcome === undefined ? 'open' : codeOf(outcome) })
    if (transport === 'socket' && outcome?.type === 'blocked')
      this.#series.blocked.inc({ code: outcome.code })
  }

  timersSet(count: number, isSet: boolean): void {
    this.#series.timers.inc({ result: isSet ? 'set' : 'failed' }, count)
  }

  warned(event: string): void {
    if (event === 'endpoint.switched_off') this.#series.switchedOff.inc()
    if (event === 'endpoint.failing') this.#series.warnings.inc()
  }

  #sent(item: Item, atMs: number): void {
    const dueAtMs = 'deliveryId' in item ? (item.dueAtMs ?? idTimeMs(item.deliveryId)) : item.askedAtMs
    // Clocks of machines differ by milliseconds, so the difference may be negative.
    if (dueAtMs !== undefined)
      this.#series.wait.observe({ lane: priorityOf(item) }, Math.max(0, atMs - dueAtMs) / 1000)
  }
}
