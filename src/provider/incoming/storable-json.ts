// JSON text of a customer, as an object that Postgres can store. It cannot store NUL and lone surrogates, which JSON
// may escape.
import { storable } from '../../shared/storable-text.ts'

const MAX_DEPTH = 32

/** Throws where it is nested too deeply. */
function storableValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) throw new RangeError('the JSON is nested too deeply')
  if (Array.isArray(value)) return value.map((one) => storableValue(one, depth - 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [storable(name), storableValue(one, depth - 1)]),
  )
}

/** Null unless the text is one JSON object of at most this length that is not nested too deeply. */
export function storableObject(given: unknown, maxLength: number): Record<string, unknown> | null {
  if (typeof given !== 'string' || given.length > maxLength) return null
  try {
    const parsed: unknown = JSON.parse(given)
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null
    return storableValue(parsed, MAX_DEPTH) as Record<string, unknown>
  } catch {
    return null
  }
}
