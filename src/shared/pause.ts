import type { Clock } from './clock.ts'

/** Resolves after `ms`, or as soon as `signal` aborts; leaves no timer behind. */
export function pause(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const stop = () => {
      timer.cancel()
      resolve()
    }
    const timer = clock.after(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    signal?.addEventListener('abort', stop, { once: true })
  })
}
