// What the handsets show of times, numbers and values. The formats are those of all our pages; the clock is theirs.
import { signal } from '@preact/signals'
import { formatsOf } from '../../web/browser/format.ts'

/** Advances every second, for call timers and for states that expire. */
export const now = signal(Date.now())

export function startClock(): void {
  setInterval(() => {
    now.value = Date.now()
  }, 1000)
}

export const { callLength, clock, duration, phone, plural, time } = formatsOf()

export const pretty = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2)
