// A message that is no template: as a caller gives it, and as it is stored.
import type { FreeMessage, MessageContent } from '../contract/message-content.ts'
import type { MessageType } from '../contract/records/message.ts'
import type { MessageDetails } from '../contract/records/message-details.ts'
import type { MessageId, NumberId, UploadId } from '../shared/ids.ts'

export type GivenFile = { readonly link: string } | { readonly uploadId: UploadId }

/** What a caller asks to be sent. */
export interface FreeInput {
  readonly content: MessageContent<GivenFile>
  /** The message that this one quotes or reacts to. */
  readonly about: MessageId | null
}

/** What is stored of a message that may be sent. */
export interface FreeSend {
  readonly message: FreeMessage
  readonly type: MessageType
  readonly text: string
  readonly details: MessageDetails | null
  readonly upload: StoredUpload | null
}

export interface StoredUpload {
  readonly id: UploadId
  readonly numberId: NumberId
  readonly providerMediaId: string
  readonly mimeType: string
  readonly fileName: string
  readonly sizeBytes: number
  /** Hex. */
  readonly sha256: string
  readonly blobKey: string
}

export interface ReferencedMessage {
  readonly id: MessageId
  readonly providerMessageId: string | null
  readonly type: MessageType
  readonly createdAt: Date
}
