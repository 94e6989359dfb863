// Writes bytes on their way into a store to a private temporary file, and counts and hashes them.
import { createHash, randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PutResult, PutRules } from '../../contract/blobs.ts'

export interface Spooled extends Extract<PutResult, { type: 'stored' }> {
  readonly path: string
}

export type SpoolResult = Spooled | Exclude<PutResult, { type: 'stored' }>

/** `stored`: the file is flushed to disk and belongs to the caller. Otherwise the file is already deleted. */
export async function spool(
  dir: string,
  body: AsyncIterable<Uint8Array>,
  rules: PutRules,
): Promise<SpoolResult> {
  await mkdir(dir, { recursive: true })
  const path = join(dir, randomUUID())
  const file = await open(path, 'wx', 0o600)
  let result: SpoolResult | undefined
  try {
    result = judge(path, await write(file, body, rules), rules)
    return result
  } finally {
    await file.close()
    if (result?.type !== 'stored') await rm(path, { force: true })
  }
}

interface Written {
  readonly sizeBytes: number
  readonly sha256: string
}

async function write(
  file: FileHandle,
  body: AsyncIterable<Uint8Array>,
  { limitBytes, signal }: PutRules,
): Promise<Written | undefined> {
  const hash = createHash('sha256')
  let sizeBytes = 0
  for await (const chunk of body) {
    signal?.throwIfAborted()
    sizeBytes += chunk.byteLength
    if (sizeBytes > limitBytes) return undefined
    hash.update(chunk)
    await file.appendFile(chunk)
  }
  await file.sync()
  return { sizeBytes, sha256: hash.digest('hex') }
}

function judge(path: string, written: Written | undefined, rules: PutRules): SpoolResult {
  if (!written) return { type: 'tooLarge' }
  if (rules.sha256 !== null && rules.sha256 !== written.sha256)
    return { type: 'mismatch', sha256: written.sha256 }
  return { type: 'stored', path, ...written }
}

/** Deletes files that a crash left half-written. Returns how many. */
export async function clearSpool(dir: string, olderThanMs: number): Promise<number> {
  const before = Date.now() - olderThanMs
  let removed = 0
  for (const name of await readdir(dir).catch(() => [])) {
    const path = join(dir, name)
    const found = await stat(path).catch(() => undefined)
    if (!found || found.mtimeMs > before) continue
    await rm(path, { force: true })
    removed += 1
  }
  return removed
}
