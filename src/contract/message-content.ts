// What a message holds that is no template. `File` is how a file is named: as the caller does, or as the provider does.
import type { ContactCard } from './records/message-details.ts'

/** `voice`: audio that is played as a voice message. */
export const sentMediaKinds = ['image', 'video', 'audio', 'voice', 'document', 'sticker'] as const
export type SentMediaKind = (typeof sentMediaKinds)[number]

export interface SentMedia<File> {
  readonly kind: SentMediaKind
  readonly file: File
  readonly caption: string | null
  /** Of a document. */
  readonly fileName: string | null
}

export type InteractiveHeader<File> =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'image' | 'video' | 'document'
      readonly file: File
      /** Of a document. */
      readonly fileName?: string
    }

export interface ListSection {
  readonly title: string | null
  readonly rows: readonly {
    readonly id: string
    readonly title: string
    readonly description: string | null
  }[]
}

export interface SentFlow {
  readonly flow: { readonly id: string } | { readonly name: string }
  /** The text of the button that opens it. */
  readonly title: string
  /** Comes back with the answer. */
  readonly token: string | null
  readonly isDraft: boolean
  /** The first screen, with what it shows. Null: the flow asks its own server. */
  readonly screen: { readonly name: string; readonly data: Readonly<Record<string, unknown>> | null } | null
}

export type InteractiveAction =
  | { readonly kind: 'buttons'; readonly buttons: readonly { readonly id: string; readonly title: string }[] }
  | { readonly kind: 'list'; readonly button: string; readonly sections: readonly ListSection[] }
  | { readonly kind: 'link'; readonly title: string; readonly url: string }
  | { readonly kind: 'location_request' }
  | ({ readonly kind: 'flow' } & SentFlow)

export interface Interactive<File> {
  readonly header: InteractiveHeader<File> | null
  readonly body: string
  readonly footer: string | null
  readonly action: InteractiveAction
}

export type SentCard = Pick<ContactCard, 'phones' | 'emails' | 'urls' | 'organization'> & {
  readonly name: string
}

export type MessageContent<File> =
  | { readonly kind: 'text'; readonly body: string; readonly previewUrl: boolean }
  | { readonly kind: 'media'; readonly media: SentMedia<File> }
  | {
      readonly kind: 'location'
      /** Degrees. */
      readonly latitude: number
      readonly longitude: number
      readonly name: string | null
      readonly address: string | null
    }
  | { readonly kind: 'contacts'; readonly contacts: readonly SentCard[] }
  | { readonly kind: 'interactive'; readonly interactive: Interactive<File> }
  /** An empty emoji takes an earlier reaction away. */
  | { readonly kind: 'reaction'; readonly emoji: string }

/** An https address, or the provider's id of an uploaded file. */
export type ProviderFile = { readonly link: string } | { readonly providerMediaId: string }

/** A message in the provider's terms: what it holds, and which message it quotes or reacts to. */
export interface FreeMessage {
  readonly content: MessageContent<ProviderFile>
  /** The provider's id of that message. */
  readonly about: string | null
}

/** The file that a message has, if any. */
export function fileOf<File>(content: MessageContent<File>): File | undefined {
  if (content.kind === 'media') return content.media.file
  if (content.kind !== 'interactive') return undefined
  const { header } = content.interactive
  return header && header.kind !== 'text' ? header.file : undefined
}

/** The same with another way to name its file. */
export function withFile<From, To>(
  content: MessageContent<From>,
  name: (file: From) => To,
): MessageContent<To> {
  if (content.kind === 'media')
    return { kind: 'media', media: { ...content.media, file: name(content.media.file) } }
  if (content.kind !== 'interactive') return content
  const { header, ...rest } = content.interactive
  const named = header && header.kind !== 'text' ? { ...header, file: name(header.file) } : header
  return { kind: 'interactive', interactive: { ...rest, header: named } }
}
