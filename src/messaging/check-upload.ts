// Whether a file that was uploaded can be sent as what it shall be. Pure.
import type { SentMediaKind } from '../contract/message-content.ts'
import type { StoredUpload } from './free-form-content.ts'
import { typesInstead } from './media-kinds.ts'
import type { SenderNumber } from './ports.ts'

export interface UploadFault {
  readonly code: 'MEDIA_NOT_FOUND' | 'MEDIA_UNSUITABLE'
  /** Continues the path of the id. */
  readonly message: string
}

export type CheckedUpload =
  | { readonly upload: StoredUpload; readonly fault?: undefined }
  | { readonly fault: UploadFault }

/** `number`: that of the send; null where a preview has none. */
export function checkUpload(
  upload: StoredUpload | null | undefined,
  { kind, number }: { readonly kind: SentMediaKind; readonly number: SenderNumber | null },
): CheckedUpload {
  if (!upload)
    return {
      fault: {
        code: 'MEDIA_NOT_FOUND',
        message:
          'names no uploaded file of this workspace, or one that has expired; upload it with POST /media',
      },
    }
  const message = unsuitable(upload, kind, number)
  return message === undefined ? { upload } : { fault: { code: 'MEDIA_UNSUITABLE', message } }
}

function unsuitable(
  { numberId, mimeType }: StoredUpload,
  kind: SentMediaKind,
  number: SenderNumber | null,
): string | undefined {
  if (number && numberId !== number.numberId)
    return `was uploaded for another number than ${number.number}; upload the file for that number`
  const types = typesInstead(kind, mimeType)
  return types && `is ${mimeType}; this kind takes ${types.join(', ')}`
}
