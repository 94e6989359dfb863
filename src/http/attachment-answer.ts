// The file of a message as an answer, with a name for those that came without one.
import type { ByteRange, OpenBlob } from '../contract/blobs.ts'
import type { HttpRequest } from './exchange.ts'
import { fileAnswer } from './file-answer.ts'

export interface ServedAttachment {
  readonly mimeType: string
  readonly fileName: string | null
  readonly sizeBytes: number
  readonly sha256: string
  /** Undefined where the bytes are gone although they were stored. */
  open(range?: ByteRange): Promise<OpenBlob | undefined>
}

export const attachmentAnswer = (
  request: Pick<HttpRequest, 'header'>,
  found: ServedAttachment,
  messageId: string,
): ReturnType<typeof fileAnswer> =>
  fileAnswer(request, {
    ...found,
    fileName: found.fileName ?? `${messageId}${endingOf(found.mimeType)}`,
    async body(range) {
      const blob = await found.open(range)
      // A gateway that looks in another place than the worker put it.
      if (!blob) throw new Error('the bytes of a stored attachment are not in the blob store')
      return blob.body
    },
  })

// What the provider passes on (its list of media types).
const endings: Readonly<Record<string, string>> = {
  'audio/aac': '.aac',
  'audio/amr': '.amr',
  'audio/mpeg': '.mp3',
  'audio/mp4': '.m4a',
  'audio/ogg': '.ogg',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/webp': '.webp',
  'video/mp4': '.mp4',
  'video/3gpp': '.3gp',
  'application/pdf': '.pdf',
  'text/plain': '.txt',
}

const endingOf = (mimeType: string): string =>
  endings[mimeType.split(';')[0]?.trim().toLowerCase() ?? ''] ?? ''
