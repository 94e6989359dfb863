// The provider port: what the domains ask of the chat provider. One adapter, in src/provider.
import type { ProviderErrorClass } from './provider-errors.ts'
import type { TemplateCategory, TemplateStatus } from './records/catalog.ts'

/** On whose behalf a request is made. */
export interface ProviderAccount {
  readonly workspaceId: string
  readonly phoneNumberId: string
  /** Needed for templates and the list of numbers only. */
  readonly wabaId: string | null
  readonly accessToken: string
}

export interface ProviderError {
  /** The provider's code as text, or one of ours: UNREACHABLE, TIMEOUT, CONNECTION_LOST, UNREADABLE_ANSWER, ... */
  readonly code: string
  readonly title: string
  readonly details: string | null
  /** Null when there was no answer. */
  readonly httpStatus: number | null
  readonly class: ProviderErrorClass
  readonly retryAfterMs: number | null
}

/**
 * - `refused`: the provider said no; the request had no effect
 * - `unknown`: bytes went out and no usable answer came back. The provider has no idempotency: never repeat a send
 * - `notSent`: certainly nothing reached the provider; safe to repeat
 */
export type ProviderResult<T> =
  | { readonly type: 'ok'; readonly value: T }
  | { readonly type: 'refused'; readonly error: ProviderError }
  | { readonly type: 'unknown'; readonly error: ProviderError }
  | { readonly type: 'notSent'; readonly error: ProviderError }

export type ProviderAnswer<T> = Promise<ProviderResult<T>>

export interface TemplateMessage {
  readonly to: string
  readonly template: {
    readonly name: string
    readonly language: string
    /** In the provider's form; empty for a template without parameters. */
    readonly components: readonly unknown[]
  }
  /** Comes back in every status of the message; at most 512 characters. */
  readonly opaque: string
  /** Asked right before the request goes out; false: it does not, which is `notSent`. */
  readonly isWanted?: (() => boolean) | undefined
}

export interface SentMessage {
  readonly providerMessageId: string
  /** Kept back for a quality assessment: released or dropped later, never to be sent again. */
  readonly held: boolean
}

export interface CallPermissionRequest {
  readonly to: string
  readonly text?: string | undefined
  readonly opaque: string
}

export interface OutboundCall {
  readonly to: string
  /** The SDP offer. */
  readonly sdp: string
  readonly opaque: string
}

export interface CallPermissionState {
  readonly status: 'NONE' | 'TEMPORARY' | 'PERMANENT'
  readonly expiresAt: Date | null
  readonly mayCall: boolean
  readonly mayRequest: boolean
}

/** Where a file can be fetched for about five minutes, with the account's token. */
export interface MediaLocation {
  readonly url: string
  readonly mimeType: string | null
  readonly sizeBytes: number | null
  /** Hex. */
  readonly sha256: string | null
}

export interface MediaDownload {
  readonly mimeType: string | null
  /** As announced; null when the provider does not say. */
  readonly sizeBytes: number | null
  /** Once only. Throws when the connection breaks, the time is over or the file is larger than allowed. */
  readonly body: AsyncIterable<Uint8Array>
  /** Hex digest of what was read; throws before the end of the body. */
  sha256(): string
}

export interface MediaFile {
  readonly mimeType: string
  readonly fileName: string
  readonly bytes: Uint8Array
}

export interface ProviderTemplate {
  readonly providerTemplateId: string
  readonly name: string
  readonly language: string
  readonly status: TemplateStatus
  readonly category: TemplateCategory
  readonly parameterFormat: 'NAMED' | 'POSITIONAL'
  readonly components: readonly unknown[]
  readonly rejectedReason: string | null
}

export type TemplateDefinition = Pick<
  ProviderTemplate,
  'name' | 'language' | 'category' | 'parameterFormat' | 'components'
>

export type CreatedTemplate = Pick<ProviderTemplate, 'providerTemplateId' | 'status' | 'category'>

export interface ProviderNumber {
  readonly phoneNumberId: string
  /** E.164 with its plus. */
  readonly number: string
  readonly displayName: string
  readonly status: string
  readonly qualityRating: string
  readonly messagesPerSecond: number
}

/** Never rejects; every method has a deadline. */
export interface Provider {
  sendTemplate(account: ProviderAccount, message: TemplateMessage): ProviderAnswer<SentMessage>
  /** With `typing` the user also sees the typing indicator, for up to 25 s. */
  markRead(
    account: ProviderAccount,
    providerMessageId: string,
    options?: { readonly typing?: boolean },
  ): ProviderAnswer<null>
  requestCallPermission(account: ProviderAccount, request: CallPermissionRequest): ProviderAnswer<SentMessage>
  callPermission(account: ProviderAccount, waId: string): ProviderAnswer<CallPermissionState>

  placeCall(account: ProviderAccount, call: OutboundCall): ProviderAnswer<{ readonly wacid: string }>
  preAccept(account: ProviderAccount, wacid: string, sdp: string): ProviderAnswer<null>
  /** The SDP must be the one of preAccept, where there was one. */
  accept(account: ProviderAccount, wacid: string, sdp: string, opaque?: string): ProviderAnswer<null>
  reject(account: ProviderAccount, wacid: string): ProviderAnswer<null>
  terminate(account: ProviderAccount, wacid: string): ProviderAnswer<null>

  mediaUrl(account: ProviderAccount, providerMediaId: string): ProviderAnswer<MediaLocation>
  /** `url` as mediaUrl gave it: it is sent the account's token. */
  downloadMedia(account: ProviderAccount, url: string): ProviderAnswer<MediaDownload>

  /** The file can be sent for 30 days, from the account's number. */
  uploadMedia(account: ProviderAccount, file: MediaFile): ProviderAnswer<{ readonly providerMediaId: string }>

  listTemplates(account: ProviderAccount): ProviderAnswer<ProviderTemplate[]>
  createTemplate(account: ProviderAccount, definition: TemplateDefinition): ProviderAnswer<CreatedTemplate>
  listNumbers(account: ProviderAccount): ProviderAnswer<ProviderNumber[]>
}
