// Work that comes round: never twice at once, never in step with other workers, and no failure ends it.

import { setTimeout as sleep } from 'node:timers/promises'

export interface LoopOptions {
  readonly name: string
  readonly everyMs: number
  /** True: there was as much as fits in one round, so the next follows at once. */
  readonly run: () => Promise<unknown>
  readonly log: { warn(fields: object, event: string): void }
}

export interface Loop {
  /** Resolves when the round under way has ended. */
  stop(): Promise<void>
}

const longestBackoffMs = 30_000
const longestFirstMs = 5_000

/**
 * Failures make rounds rarer, up to half a minute; never more frequent than they are without. A tenth of jitter:
 * workers that were started together should not knock at Postgres together.
 */
export const pauseAfter = (everyMs: number, failures: number): number =>
  Math.max(everyMs, Math.min(longestBackoffMs, everyMs * 2 ** failures)) * (0.95 + Math.random() / 10)

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
      const more = await run()
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

/** Or until the signal is given. */
const pause = (ms: number, { signal }: AbortController): Promise<void> =>
  sleep(ms, undefined, { signal }).catch(() => undefined)
