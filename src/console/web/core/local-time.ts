// Between an instant and the value of a field for a date and time, which is in the operator's time zone.
import { moment } from './format.ts'

export function toInstant(local: string): string {
  const at = new Date(local)
  return local === '' || Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

export function toLocal(instant: string): string {
  const at = new Date(instant)
  if (instant === '' || Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

/** An instant to the minute; the text itself where it is none, as in an address that somebody wrote. */
export const momentOrText = (instant: string): string =>
  Number.isNaN(new Date(instant).getTime()) ? instant : moment(instant)
