// Types and ports of the attachments of inbound messages. messaging.module.ts provides the ports.
import type { ByteRange, OpenBlob } from '../contract/blobs.ts'
import type { ProviderAccount } from '../contract/provider.ts'
import type { MessageId, WorkspaceId } from '../shared/ids.ts'

/** A file to fetch from the provider, claimed by this process until the lease ends. */
export interface MediaJob {
  readonly messageId: MessageId
  readonly workspaceId: WorkspaceId
  readonly providerMediaId: string
  /** Hex, as the webhook announced it. */
  readonly sha256: string | null
  readonly createdAt: Date
  /** Includes the current attempt. */
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
  /** Claims PENDING files that are due. Two processes never get the same file. */
  claimDue(limit: number): Promise<MediaJob[]>
  /** Claims this file where it is due and no other process has it. */
  claim(id: MessageId): Promise<MediaJob | undefined>
  /** False where the file was deleted meanwhile, with its message. */
  stored(id: MessageId, file: { sizeBytes: number; sha256: string; blobKey: string }): Promise<boolean>
  /** Renews the lease. This, `postpone` and `giveUp` do nothing once another process has claimed the job. */
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
