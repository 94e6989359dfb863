// A reply that is being written: what is kept of it, and the messages that it becomes. Pure.
import type { ThreadEntry } from '../../../../contract/records/console.ts'
import type { MessageRecord } from '../../../../contract/records/message.ts'
import type { UploadRecord } from '../../../../contract/records/upload.ts'
import { fileKind } from './files.ts'

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

export type Drafts = Readonly<Record<string, Draft>>

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

export type Body = Readonly<Record<string, unknown>>

/**
 * One message a file. A text is the caption of the first, where that kind of file has one; else it follows as a message
 * of its own.
 */
export function bodiesOf({ text, files, quoted }: Draft): Body[] {
  const said = text.trim()
  const replyTo = quoted && { replyTo: quoted.id }
  const uploads = files.flatMap(({ upload }) => upload ?? [])
  const captions = said !== '' && said.length <= 1_024
  const captioned = uploads.findIndex(({ mimeType }) => captions && takesCaption(mimeType))
  const media = uploads.map(({ id, mimeType }, index) => ({
    media: { kind: fileKind(mimeType), id, ...(index === captioned && { caption: said }) },
    ...(index === 0 && replyTo),
  }))
  if (said === '' || captioned >= 0) return media
  return [...media, { text: { body: said }, ...(media.length === 0 && replyTo) }]
}

const takesCaption = (mimeType: string): boolean => !['audio', 'sticker'].includes(fileKind(mimeType))

/** Those that are not among the messages of the thread: an answer may be lost, and the message there. */
export function notIn<Of extends { readonly lastKey: string }>(
  entries: readonly ThreadEntry[],
  all: readonly Of[],
): readonly Of[] {
  const arrived = new Set(
    entries.map((entry) => entry.kind === 'message' && entry.message.caller?.idempotencyKey),
  )
  return all.filter(({ lastKey }) => !arrived.has(lastKey))
}
