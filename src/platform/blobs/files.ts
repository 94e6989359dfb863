// Stores blobs as files in one folder, for one machine or a volume that all processes share.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BlobStore, ByteRange } from '../../contract/blobs.ts'
import { checkKey } from './key.ts'
import { spool } from './spool.ts'

/** `spoolDir` must be on the file system of `root`: a rename makes a blob appear whole or not at all. */
export function createFileBlobs({ root, spoolDir }: { root: string; spoolDir: string }): BlobStore {
  // 256 folders, so that no folder grows too large to list.
  const pathOf = (key: string): string => {
    const name = checkKey(key)
    const shard = createHash('sha256').update(name).digest('hex').slice(0, 2)
    return join(root, shard, encodeURIComponent(name))
  }
  return {
    async put(key, body, rules) {
      const path = pathOf(key)
      const spooled = await spool(spoolDir, body, rules)
      if (spooled.type !== 'stored') return spooled
      await settle(spooled.path, path)
      return { type: 'stored', sizeBytes: spooled.sizeBytes, sha256: spooled.sha256 }
    },

    async open(key, range) {
      const path = pathOf(key)
      const found = await stat(path).catch(absent)
      return found && { sizeBytes: found.size, body: read(path, range) }
    },

    async delete(key) {
      await rm(pathOf(key), { force: true })
    },

    async close() {},
  }
}

/** A file name is durable once its folder is flushed; a new folder, once its parent is flushed. */
async function settle(from: string, to: string): Promise<void> {
  const shard = dirname(to)
  try {
    const made = await mkdir(shard, { recursive: true })
    await rename(from, to)
    await flush(shard)
    if (made !== undefined) await flush(dirname(shard))
  } catch (error) {
    await rm(from, { force: true })
    throw error
  }
}

async function flush(dir: string): Promise<void> {
  const handle = await open(dir, 'r')
  await handle.sync().finally(() => handle.close())
}

// The generator opens the file on the first read, so a response that is never read leaves nothing open.
async function* read(path: string, range: ByteRange | undefined): AsyncGenerator<Uint8Array> {
  yield* createReadStream(path, { ...range, highWaterMark: 256 * 1024 }) as AsyncIterable<Uint8Array>
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  throw error
}
