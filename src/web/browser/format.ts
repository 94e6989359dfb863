// Times, numbers and sizes as every page shows them. Words are English; the order of a date and the marks in a number
// are those of the browser's region. Every time has 24 hours.

import { phone } from './phone.ts'

export type Instant = string | number | Date

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** English as the region writes it; that of the world where the region has none of its own. */
function englishOf(locale: string): string {
  const { region } = new Intl.Locale(locale).maximize()
  if (region === undefined || region === 'US') return 'en-US'
  const { locale: known } = new Intl.DateTimeFormat(`en-${region}`).resolvedOptions()
  return known === `en-${region}` ? known : 'en-001'
}

/** Without a locale and a zone: those of the browser. */
export function formatsOf(locale?: string, timeZone?: string) {
  const numbers = new Intl.NumberFormat(locale)
  const english = englishOf(numbers.resolvedOptions().locale)
  const timesBy = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(english, { ...options, timeZone, hourCycle: 'h23' })
    return (at: Instant): string => format.format(new Date(at))
  }
  const dayOfYear = { day: 'numeric', month: 'short' } as const
  const date = { ...dayOfYear, year: 'numeric' } as const
  const minute = { hour: '2-digit', minute: '2-digit' } as const
  const second = { ...minute, second: '2-digit' } as const
  const milli = { ...second, fractionalSecondDigits: 3 } as const
  const year = timesBy({ year: 'numeric' })
  const ofThisYear = (within: (at: Instant) => string, beyond: (at: Instant) => string) => (at: Instant) =>
    year(at) === year(Date.now()) ? within(at) : beyond(at)
  const inFull = timesBy({ ...date, ...milli, timeZoneName: 'shortOffset' })
  return {
    ...numbersOf(locale),
    phone,
    callLength,
    /** Nov 22, 2026 */
    day: timesBy(date),
    /** Nov 22 */
    dayOfYear: timesBy(dayOfYear),
    /** 14:05 */
    time: timesBy(minute),
    /** 14:05:09 */
    timeToSecond: timesBy(second),
    /** 14:05:09.123: for timelines of one day */
    clock: timesBy(milli),
    /** Nov 22, 14:05, with the year where it is another */
    moment: ofThisYear(timesBy({ ...dayOfYear, ...minute }), timesBy({ ...date, ...minute })),
    /** Nov 22, 14:05:09.123: for logs */
    logged: ofThisYear(timesBy({ ...dayOfYear, ...milli }), timesBy({ ...date, ...milli })),
    /** Nov 22, 2026, 14:05:09.123 GMT+1: for the details of one record */
    inFull,
    /** With zone, and again in UTC as it stands in logs of servers: for titles */
    exact: (at: Instant): string => `${inFull(at)} (${new Date(at).toISOString()})`,
    /** Europe/Lisbon (GMT+1), the zone of every time above */
    zone: (): string => zoneOf(timeZone),
  }
}

function zoneOf(timeZone: string | undefined): string {
  const format = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' })
  const name = format.resolvedOptions().timeZone
  const offset = format.formatToParts(new Date()).find(({ type }) => type === 'timeZoneName')?.value
  return offset === undefined || name === 'UTC' ? name : `${name} (${offset})`
}

function numbersOf(locale: string | undefined) {
  const whole = new Intl.NumberFormat(locale)
  const tenths = new Intl.NumberFormat(locale, { maximumFractionDigits: 1 })
  const share = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })
  const count = (value: number): string => whole.format(value)
  return {
    count,
    /** 41 deliveries */
    plural: (value: number, one: string, many = `${one}s`): string =>
      `${count(value)} ${value === 1 ? one : many}`,
    /** A share from 0 to 1 as 99.8%. Only what is all is 100%, and only what is nothing is 0%. */
    percent(ratio: number): string {
      if (ratio > 0 && ratio < 0.001) return `<${share.format(0.001)}`
      if (ratio < 1 && ratio > 0.999) return `>${share.format(0.999)}`
      return share.format(ratio)
    },
    /** 740 bytes, 12 KiB, 1.4 MiB */
    bytes(size: number): string {
      if (size < 1_024) return `${count(size)} ${size === 1 ? 'byte' : 'bytes'}`
      // What would be rounded to 1,024 KiB is 1 MiB.
      if (size < 1_048_064) return `${count(Math.round(size / 1_024))} KiB`
      return size < 1_073_217_536
        ? `${tenths.format(size / 1_048_576)} MiB`
        : `${tenths.format(size / 1_073_741_824)} GiB`
    },
    /** 85 ms, 1.2 s, 42 s, 1 min 5 s, 2 h 3 min, 3 d 4 h */
    duration(ms: number): string {
      const rounded = Math.max(0, Math.round(ms))
      if (rounded < SECOND) return `${rounded} ms`
      if (rounded < 9_950) return `${tenths.format(rounded / SECOND)} s`
      return twoUnits(Math.round(rounded / SECOND) * SECOND)
    },
  }
}

function twoUnits(ms: number): string {
  const pair = (large: number, one: string, small: number, other: string): string => {
    const rest = Math.floor((ms % large) / small)
    return rest === 0
      ? `${Math.floor(ms / large)} ${one}`
      : `${Math.floor(ms / large)} ${one} ${rest} ${other}`
  }
  if (ms < MINUTE) return `${ms / SECOND} s`
  if (ms < HOUR) return pair(MINUTE, 'min', SECOND, 's')
  return ms < DAY ? pair(HOUR, 'h', MINUTE, 'min') : pair(DAY, 'd', HOUR, 'h')
}

/** The length of a call: 1:05, or 1:02:05. */
function callLength(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / SECOND))
  const [hours, minutes] = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60]
  const two = (value: number) => String(value).padStart(2, '0')
  return `${hours > 0 ? `${hours}:${two(minutes)}` : minutes}:${two(seconds % 60)}`
}
