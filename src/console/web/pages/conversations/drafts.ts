// What somebody has begun to write, for each conversation. It outlives going elsewhere and reloading the page, until
// the tab is closed. Uploads go on while another conversation is open.
import { effect, signal } from '@preact/signals'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import type { UploadRecord } from '../../../../contract/records/upload.ts'
import { toApiError } from '../../core/api.ts'
import { readKept, writeKept } from '../../core/kept.ts'
import { randomText } from '../../core/random-text.ts'
import { uploadFile } from '../../core/upload-file.ts'
import { fileProblem } from './files.ts'

export interface DraftFile {
  readonly key: string
  readonly name: string
  readonly mimeType: string
  readonly sizeBytes: number
  /** From 0 to 1, while it is uploaded. */
  readonly progress: number
  readonly upload?: UploadRecord
  readonly problem?: string
  /** Nothing helps but another file. */
  readonly isRefused?: boolean
}

export interface Draft {
  readonly text: string
  readonly files: readonly DraftFile[]
  readonly quoted?: MessageRecord
}

type Drafts = Readonly<Record<string, Draft>>

const empty: Draft = { text: '', files: [] }

export const isEmpty = ({ text, files, quoted }: Draft): boolean =>
  text.trim() === '' && files.length === 0 && quoted === undefined

/** What is kept of drafts: no file that is not uploaded yet, or no longer. */
export function keptDrafts(all: Drafts, nowMs: number): Drafts {
  const kept = Object.entries(all).map(([id, draft]): [string, Draft] => {
    const files = draft.files.filter(({ upload }) => upload && Date.parse(upload.expiresAt) > nowMs)
    return [id, { ...draft, files }]
  })
  return Object.fromEntries(kept.filter(([, draft]) => !isEmpty(draft)))
}

const KEPT = 'drafts'
const drafts = signal<Drafts>({})
let isRead = false

/** Read on first use, because only then the operator is known. */
function all(): Drafts {
  if (!isRead) {
    isRead = true
    drafts.value = keptDrafts(readKept<Drafts>(KEPT) ?? {}, Date.now())
    effect(() => writeKept(KEPT, keptDrafts(drafts.value, Date.now())))
  }
  return drafts.value
}

export const draftOf = (id: string): Draft => all()[id] ?? empty

export function changeDraft(id: string, change: Partial<Draft> | ((draft: Draft) => Draft)): void {
  const draft = draftOf(id)
  const next = typeof change === 'function' ? change(draft) : { ...draft, ...change }
  const { [id]: _, ...others } = all()
  drafts.value = isEmpty(next) ? others : { ...others, [id]: next }
}

export const unquote = (id: string): void => changeDraft(id, ({ text, files }) => ({ text, files }))

/** What was chosen from disk, for another try. */
const chosen = new Map<string, File>()

export function attach(id: string, files: Iterable<File>): void {
  for (const file of files) {
    const problem = fileProblem(file)
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
