// Waiting on the injected clock.
import type { Clock } from '../shared/clock.ts'

export type Outcome<T> =
  | { readonly type: 'done'; readonly value: T }
  | { readonly type: 'failed'; readonly error: unknown }
  /** It goes on; what became of it is unknown. */
  | { readonly type: 'timedOut' }

/** What became of `work` within `ms`; never rejects, also when `work` throws at once. */
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
