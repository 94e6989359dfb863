// What the pages show of times, numbers and words. Every format is made here or in `web/browser`: pages format nothing.
import { signal } from '@preact/signals'
import { DAY, formatsOf, HOUR, type Instant, MINUTE, SECOND } from '../../../web/browser/format.ts'

// biome-ignore lint/performance/noBarrelFile: pages take all formats from one place.
export { sentence } from './sentence.ts'

/** The current time. It advances while the page is visible, so that relative times stay correct. */
export const now = signal(Date.now())

export function startClock(): void {
  const tick = () => {
    if (document.visibilityState === 'visible') now.value = Date.now()
  }
  setInterval(tick, 10_000)
  document.addEventListener('visibilitychange', tick)
}

/** What each makes is said where they are made. */
export const {
  bytes,
  callLength,
  clock,
  count,
  day,
  duration,
  exact,
  inFull,
  logged,
  moment,
  percent,
  phone,
  plural,
  time,
  timeToSecond,
  zone,
} = formatsOf()

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const steps = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
] as const

/** 5 min. ago, in 2 hr.; the day when it is a month away. */
export function ago(at: Instant, from: number): string {
  const away = new Date(at).getTime() - from
  if (Math.abs(away) >= 30 * DAY) return day(at)
  for (const [unit, length] of steps)
    if (Math.abs(away) >= length) return relative.format(Math.trunc(away / length), unit)
  return away > 5 * SECOND ? relative.format(Math.trunc(away / SECOND), 'second') : 'just now'
}

/** Indents JSON; returns any other text unchanged. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
