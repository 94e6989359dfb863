// Counts the verdicts on uploaded rows.
import { isUserId } from '../../../../web/browser/phone.ts'

export interface Fault {
  readonly line: number
  readonly to: string
  readonly message: string
}

export interface Tally {
  readonly added: number
  readonly duplicates: number
  readonly skipped: number
  readonly invalid: number
  /** The first invalid rows, up to `mostFaults`. */
  readonly faults: readonly Fault[]
  /** The uploaded part of the file, from 0 to 1. */
  readonly part: number
}

export const nothingYet: Tally = { added: 0, duplicates: 0, skipped: 0, invalid: 0, faults: [], part: 0 }

export interface Judged {
  readonly index: number
  readonly to: string
  readonly verdict: 'added' | 'duplicate' | 'skipped' | 'invalid'
  /** Only for an invalid row. */
  readonly message?: string
}

interface Counting {
  /** The line of each row. */
  readonly lines: readonly number[]
  /** The addresses of earlier slices, where the server does not know them. */
  readonly seen: Set<number | string> | undefined
}

const mostFaults = 10_000

/** The tally after these rows as well. */
export function counted(before: Tally, rows: readonly Judged[], { lines, seen }: Counting): Tally {
  const tally = { ...before, faults: [...before.faults] }
  for (const row of rows) {
    const { index, to, message } = row
    tally[sumOf(row, seen)] += 1
    if (message !== undefined && tally.faults.length < mostFaults)
      tally.faults.push({ line: lines[index] ?? index + 1, to, message })
  }
  return tally
}

function sumOf({ verdict, to }: Judged, seen: Counting['seen']) {
  if (verdict === 'invalid') return verdict
  return verdict === 'duplicate' || !isNew(to, seen) ? 'duplicates' : verdict
}

function isNew(to: string, seen: Counting['seen']): boolean {
  if (!seen) return true
  const address = addressIn(to)
  if (seen.has(address)) return false
  seen.add(address)
  return true
}

/** A phone number has at most fifteen digits: a number holds them, in a fraction of the memory of a string. */
const addressIn = (to: string): number | string => (isUserId(to) ? to : Number(to.replaceAll(/\D/g, '')))
