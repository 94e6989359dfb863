// Runs work periodically, one round at a time and out of step with other workers. No failure ends the loop.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../shared/log.ts'

export interface LoopOptions {
  readonly name: string
  readonly everyMs: number
  /** True: the round was full, so the next one follows at once. A long round ends between batches when it is aborted. */
  readonly run: (signal: AbortSignal) => Promise<unknown>
  readonly log: Pick<Log, 'warn'>
}

export interface Loop {
  /** Resolves when the running round has ended. */
  stop(): Promise<void>
}

const longestBackoffMs = 30_000
/** What a loop finds waits for nothing else, so that after an outage it must not sleep long. */
const mostRoundsSkipped = 5
const longestFirstMs = 5_000

/**
 * Failures lengthen the pause up to five rounds or 30 s, but never shorten it below `everyMs`. The jitter of 10 % keeps
 * workers that were started together from querying Postgres together.
 */
export const pauseAfter = (everyMs: number, failures: number): number =>
  Math.max(everyMs, Math.min(longestBackoffMs, everyMs * Math.min(mostRoundsSkipped, 2 ** failures))) *
  (0.95 + Math.random() / 10)

export function startLoop({ name, everyMs, run, log }: LoopOptions): Loop {
  const stopped = new AbortController()
  let failures = 0

  async function rounds(): Promise<void> {
    await pause(Math.random() * Math.min(everyMs, longestFirstMs), stopped)
    while (!stopped.signal.aborted) {
      const more = await round()
      if (!more) await pause(pauseAfter(everyMs, failures), stopped)
    }
  }

  async function round(): Promise<boolean> {
    try {
      const more = await run(stopped.signal)
      failures = 0
      return more === true
    } catch (error) {
      failures += 1
      log.warn({ loop: name, failures, error: String(error) }, 'loop.failed')
      return false
    }
  }

  const running = rounds()
  return {
    async stop() {
      stopped.abort()
      await running
    },
  }
}

/** Resolves early when the signal aborts. */
const pause = (ms: number, { signal }: AbortController): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)
