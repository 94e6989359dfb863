// Times in requests. Refuses text that is not a time, dates that Date would roll over (31 February), and
// times that Postgres cannot store.
import * as v from 'valibot'
import { shownAs } from './shown.ts'

const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/
const message = 'must be an ISO 8601 time with a zone, such as 2026-11-20T14:21:03.127Z'

/** An unescaped plus of a zone in a query arrives as a space. */
export const time = v.pipe(
  v.string(),
  shownAs({ type: 'string', examples: ['2026-11-20T14:21:03.127Z'] }),
  v.transform((text) => text.replace(/ (\d\d:\d\d)$/, '+$1')),
  v.check((text) => form.test(text) && isDay(text.slice(0, 10)), message),
  v.transform((text) => new Date(text)),
  v.check(isStorable, message),
)

/** True for a time in exactly the format that we write. */
export function isInstant(text: string): boolean {
  const at = new Date(text)
  return isStorable(at) && at.toISOString() === text
}

/** Postgres has no year 0, and toISOString writes a year of five digits in another format. */
function isStorable(at: Date): boolean {
  const year = at.getUTCFullYear()
  return year >= 1 && year <= 9999
}

function isDay(text: string): boolean {
  const at = new Date(text)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text)
}
