// Formats times, numbers and words.
import { signal } from '@preact/signals'

/** The current time. It advances while the page is visible, so that relative times stay correct. */
export const now = signal(Date.now())

export function startClock(): void {
  const tick = () => {
    if (document.visibilityState === 'visible') now.value = Date.now()
  }
  setInterval(tick, 10_000)
  document.addEventListener('visibilitychange', tick)
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const steps = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

export function ago(at: string, from: number): string {
  const seconds = (Date.parse(at) - from) / 1000
  if (Math.abs(seconds) >= 30 * 86_400) return day(at)
  for (const [unit, length] of steps)
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit)
  return seconds > 5 ? relative.format(Math.trunc(seconds), 'second') : 'just now'
}

const dayFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
export const day = (at: string): string => dayFormat.format(new Date(at))

const exactFormat = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'long' })
export const exact = (at: string): string => `${exactFormat.format(new Date(at))} (${at})`

const clockFormat = new Intl.DateTimeFormat('en', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})
/** The time of day, with milliseconds. */
export const clock = (at: string): string => clockFormat.format(new Date(at))

const countFormat = new Intl.NumberFormat('en')
export const count = (value: number): string => countFormat.format(value)

/** 87 ms, 1.24 s, 12 s. */
export function milliseconds(value: number): string {
  if (value < 1_000) return `${count(Math.round(value))} ms`
  return `${count(Number((value / 1_000).toPrecision(3)))} s`
}

/** A share of 1 as 99.95 %: never rounded up to 100 % while anything is missing. */
export function percent(share: number): string {
  const exact = share * 100
  const digits = exact > 99 && exact < 100 ? 2 : 1
  const factor = 10 ** digits
  return `${count(Math.floor(exact * factor + 1e-9) / factor)} %`
}

export const plural = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`

/** NO_ANSWER becomes No answer. */
export const sentence = (word: string): string => {
  const text = word.replaceAll('_', ' ').toLowerCase()
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Indents JSON; returns any other text unchanged. */
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
