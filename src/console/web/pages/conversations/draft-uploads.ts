// The files of what somebody has begun to write. Uploads go on while another conversation is open.
import type { UploadRecord } from '../../../../contract/records/upload.ts'
import { toApiError } from '../../core/api.ts'
import { bytes } from '../../core/format.ts'
import { randomText } from '../../core/random-text.ts'
import { uploadFile } from '../../core/upload-file.ts'
import type { DraftFile } from './draft.ts'
import { changeDraft } from './drafts.ts'
import { fileProblem } from './files.ts'

/** What was chosen from disk, for another try. */
const chosen = new Map<string, File>()

export function attach(id: string, files: Iterable<File>): void {
  for (const file of files) {
    const problem = fileProblem(file, bytes)
    const added: DraftFile = {
      ...{
        key: randomText(),
        name: file.name || 'File',
        mimeType: file.type,
        sizeBytes: file.size,
        progress: 0,
      },
      ...(problem !== undefined && { problem, isRefused: true }),
    }
    chosen.set(added.key, file)
    changeDraft(id, (draft) => ({ ...draft, files: [...draft.files, added] }))
    if (problem === undefined) void upload(id, added.key)
  }
}

export function removeFile(id: string, key: string): void {
  chosen.delete(key)
  changeDraft(id, (draft) => ({ ...draft, files: draft.files.filter((file) => file.key !== key) }))
}

export async function upload(id: string, key: string): Promise<void> {
  const file = chosen.get(key)
  if (!file) return
  const change = (changes: Partial<DraftFile>) =>
    changeDraft(id, (draft) => ({
      ...draft,
      files: draft.files.map((one) => (one.key === key ? { ...without(one), ...changes } : one)),
    }))
  change({ progress: 0 })
  try {
    const done = await uploadFile<UploadRecord>(`/conversations/${id}/files`, file, {
      onProgress: (progress) => change({ progress }),
    })
    chosen.delete(key)
    change({ progress: 1, upload: done })
  } catch (failure) {
    change({ problem: toApiError(failure).message })
  }
}

const without = ({ problem: _, ...file }: DraftFile): DraftFile => file
