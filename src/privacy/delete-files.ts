// Deletes files whose rows are gone. A file that cannot be deleted now is tried again until it is.
import type { BlobStore } from '../contract/blobs.ts'

export interface FileDeletions {
  /** Files that are due. Other processes leave them alone for a minute. */
  claimDue(limit: number): Promise<readonly string[]>
  /** Forgets the file, or has it deleted once more where a download may still write it. */
  deleted(key: string): Promise<void>
}

const atOnce = 50

/** True where there may be more. Throws the first failure after all have been tried. */
export async function deleteDueFiles(ports: {
  readonly files: FileDeletions
  readonly blobs: Pick<BlobStore, 'delete'>
}): Promise<boolean> {
  const keys = await ports.files.claimDue(atOnce)
  const results = await Promise.allSettled(
    keys.map(async (key) => {
      await ports.blobs.delete(key)
      await ports.files.deleted(key)
    }),
  )
  for (const result of results) if (result.status === 'rejected') throw result.reason
  return keys.length === atOnce
}
