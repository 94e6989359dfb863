import { afterHalves } from '../../shared/deadline.ts'

/**
 * One time limit for everything an attempt does, from name resolution to the last byte of the answer. Time that this
 * process stood still does not count, as in ../../shared/deadline.ts: an answer may be here, unread.
 */
export interface Deadline {
  /** Made when it is first read: a request on an open connection needs none, and it costs as much as a signature. */
  readonly signal: AbortSignal
  readonly isOver: boolean
  /** Called once, when the time is up or the attempt is interrupted. Whoever sets it clears it. */
  onOver: (() => void) | undefined
  /** True when we interrupted the attempt ourselves; false when its time was up. */
  isInterrupted(): boolean
  /** The time is up after so long from now, unless it is before. */
  shorten(ms: number): void
  /** Releases the timers. Must be called when the attempt is over. */
  clear(): void
}

export const startDeadline = (ms: number, outer?: AbortSignal): Deadline => new AttemptDeadline(ms, outer)

class AttemptDeadline implements Deadline {
  onOver: (() => void) | undefined
  readonly #timers: (() => void)[] = []
  #isCleared = false
  readonly #outer: AbortSignal | undefined
  readonly #interrupt = () => this.#end('interrupted')
  #controller: AbortController | undefined
  #reason: 'expired' | 'interrupted' | undefined

  constructor(ms: number, outer: AbortSignal | undefined) {
    this.shorten(ms)
    this.#outer = outer
    if (outer?.aborted) this.#end('interrupted')
    outer?.addEventListener('abort', this.#interrupt, { once: true })
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#reason !== undefined) this.#controller.abort(this.#reason)
    return this.#controller.signal
  }

  get isOver(): boolean {
    return this.#reason !== undefined
  }

  isInterrupted(): boolean {
    return this.#reason === 'interrupted'
  }

  shorten(ms: number): void {
    this.#timers.push(afterHalves(ms, () => setImmediate(() => this.#end('expired'))))
  }

  clear(): void {
    this.#isCleared = true
    for (const cancel of this.#timers) cancel()
    this.#outer?.removeEventListener('abort', this.#interrupt)
  }

  #end(reason: 'expired' | 'interrupted'): void {
    if (this.#reason !== undefined || this.#isCleared) return
    this.#reason = reason
    this.#controller?.abort(reason)
    this.onOver?.()
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
