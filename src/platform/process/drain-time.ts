// The time in which a process ends: no step of a drain may take what the steps after it need.
import type { Clock } from '../../shared/clock.ts'
import type { Log } from '../../shared/log.ts'

export interface Closing {
  close(): Promise<unknown>
}

export interface Ending {
  drain(): Promise<unknown>
}

export interface DrainTime {
  /** What is left for steps, in ms. */
  leftMs(): number
  /** Waits for the work, for `mostMs` at most and only while there is time. Never rejects; the work goes on. */
  step(name: string, work: Promise<unknown>, mostMs?: number): Promise<void>
}

/** Kept for closing the connections. */
const reserveMs = 3_000
/** A step that comes after the time is over, in most cases has nothing to wait for. */
const leastMs = 100

export function startDrainTime(
  totalMs: number,
  { clock, log }: { readonly clock: Clock; readonly log: Pick<Log, 'warn'> },
): DrainTime {
  const endsAt = clock.mono() + totalMs - Math.min(reserveMs, totalMs / 4)
  const leftMs = () => Math.max(leastMs, endsAt - clock.mono())
  return {
    leftMs,
    step(name, work, mostMs = Number.POSITIVE_INFINITY) {
      const forMs = Math.min(mostMs, leftMs())
      return new Promise((resolve) => {
        const giveUp = (error: unknown) => {
          log.warn({ step: name, error: String(error) }, 'drain.step_not_finished')
          resolve()
        }
        const timer = clock.after(forMs, () => giveUp(`took longer than ${Math.round(forMs)} ms`))
        work.then(() => resolve(), giveUp).finally(() => timer.cancel())
      })
    },
  }
}
