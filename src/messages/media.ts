// What the attachments of inbound messages need of the world; the wiring provides it.
import type { ByteRange, OpenBlob } from '../contract/blobs.ts'
import type { ProviderAccount } from '../contract/provider.ts'
import type { MessageId, WorkspaceId } from '../shared/ids.ts'

/** A file to fetch from the provider, taken for this process until the lease ends. */
export interface MediaJob {
  readonly messageId: MessageId
  readonly workspaceId: WorkspaceId
  readonly providerMediaId: string
  /** Hex, as the webhook announced it. */
  readonly sha256: string | null
  readonly createdAt: Date
  /** This one included. */
  readonly attempts: number
  /** Null where the workspace has no token of the provider. */
  readonly account: ProviderAccount | null
}

export interface StoredMedia {
  readonly state: 'STORED'
  readonly mimeType: string
  readonly fileName: string | null
  readonly sizeBytes: number
  readonly sha256: string
  readonly blobKey: string
}

export type MediaState = StoredMedia | { readonly state: 'PENDING' | 'LOST' | 'NONE' }

export interface MediaStore {
  /** PENDING files whose time has come. Two processes never get the same. */
  claimDue(limit: number): Promise<MediaJob[]>
  /** One of them, where its time has come and nobody else has it. */
  claim(id: MessageId): Promise<MediaJob | undefined>
  stored(id: MessageId, file: { sizeBytes: number; sha256: string; blobKey: string }): Promise<void>
  /** Renews the lease. This and the next two do nothing where somebody else has taken the job since. */
  keep(job: MediaJob): Promise<void>
  postpone(job: MediaJob, delayMs: number): Promise<void>
  giveUp(job: MediaJob): Promise<void>
  /** NONE: a message without a file; undefined: no such message. */
  find(workspaceId: WorkspaceId, id: MessageId): Promise<MediaState | undefined>
}

export interface Attachment extends StoredMedia {
  /** Undefined where the bytes are gone although they were stored. */
  open(range?: ByteRange): Promise<OpenBlob | undefined>
}

export const blobKeyOf = ({ workspaceId, messageId }: Pick<MediaJob, 'workspaceId' | 'messageId'>): string =>
  `${workspaceId}/${messageId}`
