// Serves the file of a message. A file without a name is named after the message.
import type { ByteRange, OpenBlob } from '../../contract/blobs.ts'
import type { HttpRequest } from './exchange.ts'
import { fileAnswer } from './file-answer.ts'

export interface ServedAttachment {
  readonly mimeType: string
  readonly fileName: string | null
  readonly sizeBytes: number
  readonly sha256: string
  /** Undefined when the bytes were stored but are gone. */
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
      // Happens when the gateway and the worker use different blob stores.
      if (!blob) throw new Error('the bytes of a stored attachment are not in the blob store')
      return blob.body
    },
  })

// The media types that the provider supports.
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
  'application/msword': '.doc',
  'application/vnd.ms-excel': '.xls',
  'application/vnd.ms-powerpoint': '.ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': '.docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': '.pptx',
}

/** Of a file name; empty for a type that is not known. */
export const endingOf = (mimeType: string): string =>
  endings[mimeType.split(';')[0]?.trim().toLowerCase() ?? ''] ?? ''
