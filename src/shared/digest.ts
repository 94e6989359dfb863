// The digest of a value: recognises a request that is repeated.
import { createHash } from 'node:crypto'

/** SHA-256 in hex of the JSON of a value. Equal for equal values, whatever the order of their fields. */
export const digestOf = (value: unknown): string =>
  createHash('sha256').update(canonical(value)).digest('hex')

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
