// Limits how long a caller waits for a promise, by the injected clock.
import type { Clock } from '../../shared/clock.ts'

export type Outcome<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'failed'; readonly error: unknown }
  /** The work continues, and its outcome is unknown. */
  | { readonly type: 'timedOut' }

/** The outcome of `work` within `ms`. Never rejects, even if `work` throws synchronously. */
export function within<T>(clock: Clock, ms: number, work: () => Promise<T>): Promise<Outcome<T>> {
  return new Promise((resolve) => {
    const timer = clock.after(ms, () => resolve({ type: 'timedOut' }))
    const settle = (outcome: Outcome<T>) => {
      timer.cancel()
      resolve(outcome)
    }
    try {
      work().then(
        (value) => settle({ type: 'done', value }),
        (error) => settle({ type: 'failed', error }),
      )
    } catch (error) {
      settle({ type: 'failed', error })
    }
  })
}
