// Whether what the pages show is up to date: the live socket and the reads report what does not answer, and since when.
// Pages keep what they show meanwhile.
import { computed, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'

interface Failure {
  /** Of HTTP; 0: there was no answer. */
  readonly status: number
  readonly code: string
}

export interface Stale {
  readonly what: 'database' | 'gateway'
  /** When what is shown was true; null: never since the page was opened. */
  readonly asOf: number | null
}

/** What the live socket reports. */
export const liveStale = signal<Stale | undefined>(undefined)

/** The reads that failed and are tried again. */
const failing = signal<ReadonlyMap<object, Stale>>(new Map())

export const stale = computed<Stale | undefined>(() => liveStale.value ?? [...failing.value.values()][0])

let answeredAt: number | null = null

/** Any answer tells that everything answered then: no route does without the database. */
export function noteAnswer(): void {
  answeredAt = Date.now()
}

const statuses: Readonly<Record<number, Stale['what']>> = {
  0: 'gateway',
  502: 'gateway',
  503: 'database',
  504: 'gateway',
}

/** Undefined for an error that a repeat would only repeat. */
export function outageOf(error: Failure | undefined): Stale['what'] | undefined {
  if (error === undefined || (error.status === 503 && error.code === 'OVERLOADED')) return undefined
  return error.code === 'UNEXPECTED' || error.code === 'CANCELLED' ? undefined : statuses[error.status]
}

const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 15_000

/** Reads again, ever more rarely, while an outage is the reason why there is no answer. */
export function useRetry(error: Failure | undefined, retry: () => void): void {
  const what = outageOf(error)
  useEffect(() => {
    if (what === undefined) return
    const token = {}
    failing.value = new Map(failing.value).set(token, { what, asOf: answeredAt })
    let wait = FIRST_WAIT_MS
    let timer = setTimeout(again, wait)
    function again() {
      if (document.visibilityState === 'visible') retry()
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
      timer = setTimeout(again, wait)
    }
    return () => {
      clearTimeout(timer)
      const left = new Map(failing.value)
      left.delete(token)
      failing.value = left
    }
  }, [what])
}
