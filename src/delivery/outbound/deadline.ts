/** One time limit for everything an attempt does, from name resolution to the last byte of the answer. */
export interface Deadline {
  readonly signal: AbortSignal
  /** True when we interrupted the attempt ourselves; false when its time was up. */
  isInterrupted(): boolean
  /** Releases the timer. Must be called when the attempt is over. */
  clear(): void
}

const INTERRUPTED = 'interrupted'

export function startDeadline(ms: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort('expired'), ms)
  const interrupt = () => controller.abort(INTERRUPTED)
  if (outer?.aborted) interrupt()
  outer?.addEventListener('abort', interrupt, { once: true })
  return {
    signal: controller.signal,
    isInterrupted: () => controller.signal.reason === INTERRUPTED,
    clear() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', interrupt)
    },
  }
}

/** The promise's value, or undefined as soon as the signal fires. The promise itself is not cancelled. */
export function unlessStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
