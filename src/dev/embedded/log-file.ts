import { mkdirSync, openSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const LIMIT_BYTES = 8 << 20

/** Opens a log to append to. What a long one has so far goes into a second file, in place of what is there. */
export function openLog(path: string): number {
  mkdirSync(dirname(path), { recursive: true })
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > LIMIT_BYTES) renameSync(path, `${path}.old`)
  return openSync(path, 'a', 0o600)
}
