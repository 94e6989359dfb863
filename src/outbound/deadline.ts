/** One time limit over everything an attempt does, from the first look-up to the last byte of the answer. */
export interface Deadline {
  readonly signal: AbortSignal
  /** Whether we broke the attempt off ourselves, rather than its time being up. */
  isInterrupted(): boolean
  /** Lets go of the timer; must be called when the attempt is over. */
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

/** What the promise resolves to, or undefined as soon as the signal fires; the promise itself goes on unheeded. */
export function unlessStopped<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}
