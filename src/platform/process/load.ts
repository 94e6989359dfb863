// Sheds requests when the process is overloaded: lists first, then other reads, then sends. Calls and the
// webhooks of the provider are never shed; only the limit of requests in flight refuses them.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Clock, Timer } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'
import type { Pool } from '../postgres/sql.ts'

/** In the order in which they are given up. */
export const requestClasses = ['list', 'read', 'send', 'call'] as const
export type RequestClass = (typeof requestClasses)[number]

/** How many classes are shed. */
export type LoadLevel = 0 | 1 | 2 | 3

export interface Pressure {
  /** p99 of the delay of the event loop over the last second, in ms. */
  readonly loopMs: number
  /** The wait for a connection of the pool and its answer, in ms. */
  readonly poolMs: number
  /** Requests in flight, as a share of the most. */
  readonly fullness: number
}

export interface Load {
  admits(requestClass: RequestClass): boolean
  /** False: Postgres has been away for so long that a request would only wait for it. Without LOAD_SHEDDING, too. */
  isAvailable(): boolean
  level(): LoadLevel
  /** Of the last second. */
  pressure(): Pressure
  stop(): void
}

export interface LoadOptions {
  /** The setting LOAD_SHEDDING: without it nothing is shed. */
  readonly isEnabled: boolean
  readonly sql: Pool
  /** The pool tells nothing about load while Postgres is away. */
  readonly postgresAwayMs: () => number
  readonly fullness: () => number
  readonly clock: Clock
  readonly log: Pick<Log, 'warn' | 'info'>
}

/** From these on, one, two and three classes are shed. */
const marks = { loopMs: [100, 200, 400], poolMs: [250, 500, 1_000], fullness: [0.5, 0.7, 0.85] } as const

const passed = (value: number, steps: readonly number[]): number =>
  steps.filter((step) => value >= step).length

export const levelOf = ({ loopMs, poolMs, fullness }: Pressure): LoadLevel =>
  Math.max(
    passed(loopMs, marks.loopMs),
    passed(poolMs, marks.poolMs),
    passed(fullness, marks.fullness),
  ) as LoadLevel

export const isAdmitted = (requestClass: RequestClass, level: LoadLevel): boolean =>
  requestClasses.indexOf(requestClass) >= level

/** A shorter outage, such as a restart, is waited for. */
const goneMs = 3_000
const sampleMs = 1_000
// Each wakes a process that has nothing to do, and is far below the first mark.
const poolSampleMs = 500
const resolutionMs = 20

export function watchLoad(options: LoadOptions): Load {
  const { clock, log, isEnabled } = options
  const loop = monitorEventLoopDelay({ resolution: resolutionMs })
  loop.enable()
  const pool = watchPool(options)
  let before: LoadLevel = 0
  let level: LoadLevel = 0
  let pressure: Pressure = { loopMs: 0, poolMs: 0, fullness: 0 }
  const sample = () => {
    const loopMs = Math.max(0, loop.percentile(99) / 1e6 - resolutionMs)
    loop.reset()
    pressure = { loopMs, poolMs: pool.worstMs(), fullness: options.fullness() }
    const now = isEnabled ? levelOf(pressure) : 0
    // A pause of one second, for example of the garbage collector, is no overload.
    const next = Math.min(before, now) as LoadLevel
    before = now
    if (next > level) log.warn({ shed: requestClasses.slice(0, next) }, 'load.shedding')
    else if (next < level) log.info({ shed: requestClasses.slice(0, next) }, 'load.eased')
    level = next
    timer = clock.after(sampleMs, sample)
  }
  let timer: Timer = clock.after(sampleMs, sample)
  return {
    admits: (requestClass) => isAdmitted(requestClass, level),
    isAvailable: () => options.postgresAwayMs() < goneMs,
    level: () => level,
    pressure: () => pressure,
    stop() {
      timer.cancel()
      pool.stop()
      loop.disable()
    },
  }
}

/** The longest wait since the last question, with the one that still goes on. */
function watchPool({ sql, postgresAwayMs, clock }: LoadOptions) {
  let worst = 0
  let askedAt: number | undefined
  const ask = async () => {
    askedAt = clock.mono()
    await sql`select 1`.catch(() => undefined)
    worst = Math.max(worst, clock.mono() - askedAt)
    askedAt = undefined
  }
  let isOver = false
  const next = () => {
    if (!isOver) timer = clock.after(poolSampleMs, () => void ask().finally(next))
  }
  let timer: Timer | undefined
  next()
  return {
    worstMs() {
      const waiting = askedAt === undefined ? 0 : clock.mono() - askedAt
      const most = Math.max(worst, waiting)
      worst = 0
      return postgresAwayMs() > 0 ? 0 : most
    },
    stop() {
      isOver = true
      timer?.cancel()
    },
  }
}
