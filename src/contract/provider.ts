// The provider port: what the features ask of the chat provider. Its adapter is in src/provider/outgoing.
import type { FreeMessage } from './message-content.ts'
import type { ProviderErrorClass } from './provider-errors.ts'
import type { ParameterFormat, TemplateCategory, TemplateStatus } from './records/catalog.ts'

/** The account on whose behalf a request is made. */
export interface ProviderAccount {
  readonly workspaceId: string
  readonly phoneNumberId: string
  /** Needed only for templates and the list of numbers. */
  readonly wabaId: string | null
  readonly accessToken: string
}

export interface ProviderError {
  /** The provider's code as text, or ours: UNREACHABLE, TIMEOUT, CONNECTION_LOST, UNREADABLE_ANSWER, ... */
  readonly code: string
  readonly title: string
  readonly details: string | null
  readonly subcode?: string | null
  /** The provider's id of the request. */
  readonly traceId?: string | null
  /** Null if there was no answer. */
  readonly httpStatus: number | null
  readonly class: ProviderErrorClass
  readonly retryAfterMs: number | null
}

/**
 * - `refused`: the provider refused the request, which had no effect
 * - `unknown`: bytes were sent and no usable answer came back. Never repeat a send: the provider has no
 *   idempotency
 * - `notSent`: certainly nothing reached the provider; safe to repeat
 */
export type ProviderResult<T> =
  | { readonly type: 'ok'; readonly value: T }
  | { readonly type: 'refused'; readonly error: ProviderError }
  | { readonly type: 'unknown'; readonly error: ProviderError }
  | { readonly type: 'notSent'; readonly error: ProviderError }

export type ProviderAnswer<T> = Promise<ProviderResult<T>>

interface Addressed {
  /** Digits, or a user id. */
  readonly to: string
  /** The provider returns it in every status of the message. At most 512 characters. */
  readonly opaque: string
  /** Called right before the request is sent. False cancels the request, which is then `notSent`. */
  readonly isWanted?: (() => boolean) | undefined
}

export interface FreeFormMessage extends Addressed, FreeMessage {}

export interface TemplateMessage extends Addressed {
  readonly template: {
    readonly name: string
    readonly language: string
    /** In the provider's format; empty for a template without parameters. */
    readonly components: readonly unknown[]
  }
}

export interface SentMessage {
  readonly providerMessageId: string
  /** Held for a quality assessment: the provider releases or drops it later. Never send it again. */
  readonly held: boolean
  /** The number that the provider sends to, as digits: it may be written differently than the one that was asked. */
  readonly recipientPhone: string | null
}

export interface CallPermissionRequest {
  readonly to: string
  readonly text?: string | undefined
  readonly opaque: string
}

export interface OutboundCall {
  /** Digits, or a user id. */
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

/** Where a file can be downloaded with the account's token, for about five minutes. */
export interface MediaLocation {
  readonly url: string
  readonly mimeType: string | null
  readonly sizeBytes: number | null
  /** Hex. */
  readonly sha256: string | null
}

/** The file is larger than the provider may send: no other attempt brings less. */
export class MediaTooLargeError extends Error {}

export interface MediaDownload {
  readonly mimeType: string | null
  /** The size that the provider announces; null if it announces none. */
  readonly sizeBytes: number | null
  /** Can be read once. Throws if the connection breaks or the time is over, and MediaTooLargeError. */
  readonly body: AsyncIterable<Uint8Array>
  /** Hex digest of the body. Throws until the body was read to its end. */
  sha256(): string
}

export interface MediaFile {
  readonly mimeType: string
  readonly fileName: string
  readonly bytes: Uint8Array | FileStream
}

/** The sample of a template's header, in memory: a broken upload goes on from where it was. */
export interface SampleFile extends MediaFile {
  readonly bytes: Uint8Array
}

/** Bytes that are read once, while they are sent. */
export interface FileStream {
  readonly sizeBytes: number
  readonly pieces: AsyncIterable<Uint8Array>
}

export interface ProviderTemplate {
  readonly providerTemplateId: string
  readonly name: string
  readonly language: string
  readonly status: TemplateStatus
  readonly category: TemplateCategory
  readonly parameterFormat: ParameterFormat
  readonly components: readonly unknown[]
  readonly rejectedReason: string | null
}

export interface TemplateList {
  readonly templates: readonly ProviderTemplate[]
  /** Every template of the account, also those that cannot be read. Null: the list may not name all. */
  readonly named: readonly Pick<ProviderTemplate, 'name' | 'language'>[] | null
}

export type TemplateDefinition = Pick<
  ProviderTemplate,
  'name' | 'language' | 'category' | 'parameterFormat' | 'components'
>

export type CreatedTemplate = Pick<ProviderTemplate, 'providerTemplateId' | 'status' | 'category'>

export interface ProviderNumber {
  readonly phoneNumberId: string
  /** E.164 with the leading plus. */
  readonly number: string
  readonly displayName: string
  readonly status: string
  readonly qualityRating: string
  readonly messagesPerSecond: number
  /** The provider's word for the limit of the portfolio, such as TIER_2K; null: not told. */
  readonly messagingLimit?: string | null
}

/** Never rejects; every method has a deadline. */
export interface Provider {
  sendTemplate(account: ProviderAccount, message: TemplateMessage): ProviderAnswer<SentMessage>
  /** Anything but a template: the provider takes it only within 24 hours of the customer's last message or call. */
  sendMessage(account: ProviderAccount, message: FreeFormMessage): ProviderAnswer<SentMessage>
  /** With `typing`, the user also sees the typing indicator, for up to 25 s. */
  markRead(
    account: ProviderAccount,
    providerMessageId: string,
    options?: { readonly typing?: boolean },
  ): ProviderAnswer<null>
  requestCallPermission(account: ProviderAccount, request: CallPermissionRequest): ProviderAnswer<SentMessage>
  callPermission(account: ProviderAccount, address: string): ProviderAnswer<CallPermissionState>

  placeCall(account: ProviderAccount, call: OutboundCall): ProviderAnswer<{ readonly wacid: string }>
  preAccept(account: ProviderAccount, wacid: string, sdp: string): ProviderAnswer<null>
  /** After a `preAccept`, the SDP must be the same as there. */
  accept(account: ProviderAccount, wacid: string, sdp: string, opaque?: string): ProviderAnswer<null>
  reject(account: ProviderAccount, wacid: string): ProviderAnswer<null>
  terminate(account: ProviderAccount, wacid: string): ProviderAnswer<null>

  mediaUrl(account: ProviderAccount, providerMediaId: string): ProviderAnswer<MediaLocation>
  /** `url` must come from `mediaUrl`, because the request sends the account's token to it. */
  downloadMedia(account: ProviderAccount, url: string): ProviderAnswer<MediaDownload>

  /** Messages from the account's number can use the file for 30 days. */
  uploadMedia(account: ProviderAccount, file: MediaFile): ProviderAnswer<{ readonly providerMediaId: string }>

  /** For the review of a template with a media header. Goes on where it broke off. */
  uploadSample(account: ProviderAccount, file: SampleFile): ProviderAnswer<{ readonly handle: string }>

  listTemplates(account: ProviderAccount): ProviderAnswer<TemplateList>
  createTemplate(account: ProviderAccount, definition: TemplateDefinition): ProviderAnswer<CreatedTemplate>
  listNumbers(account: ProviderAccount): ProviderAnswer<ProviderNumber[]>
}
