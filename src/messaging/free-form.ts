// Messages that are no templates: what their records show, what a preview shows, and whether they may be sent. Pure.
import { AppError, type ErrorDetail } from '../contract/errors.ts'
import {
  fileOf,
  type Interactive,
  type MessageContent,
  type ProviderFile,
  type SentMediaKind,
  withFile,
} from '../contract/message-content.ts'
import type { MessagePreview, MessageType } from '../contract/records/message.ts'
import { checkUpload } from './check-upload.ts'
import type { FreeInput, FreeSend, GivenFile, ReferencedMessage, StoredUpload } from './free-form-content.ts'
import { detailsOf } from './free-form-details.ts'
import type { SendContext } from './ports.ts'
import { isOpenAt } from './window.ts'

/** Throws where the message may not be sent now. */
export function checkFree(input: FreeInput, context: SendContext, nowMs: number): FreeSend {
  if (!isOpenAt(context.windowExpiresAt, nowMs)) throw windowClosed(context.windowExpiresAt)
  const upload = uploadOf(input.content, context)
  const about = checkReference(input, context.reference, nowMs)
  return resolved(input.content, upload, about)
}

/** The same for a preview, which is given outside the window too. */
export function previewFree(input: FreeInput, context: SendContext, nowMs: number): FreePreview {
  const upload = context.number ? uploadOf(input.content, context) : context.upload
  const { type, text } = resolved(input.content, upload, checkReference(input, context.reference, nowMs))
  return { ...noTemplate, ...shownParts(input.content, text), type, text, template: null }
}

type FreePreview = Omit<MessagePreview, 'to' | 'userId' | 'windowExpiresAt'>

/** What only templates have. */
const noTemplate = {
  ...{ headerFormat: null, offer: null, cards: [], missingVariables: [], unexpectedVariables: [] },
  ...{ invalidVariables: [], unsupportedParts: [] },
} as const

function windowClosed(expiresAt: Date | null): AppError {
  const since =
    expiresAt === null
      ? 'the customer has never written or called'
      : `the 24 hours after the customer's last message or call ended at ${expiresAt.toISOString()}`
  return new AppError('WINDOW_CLOSED', `${since}; only templates can be sent`)
}

const pathOfFile = ({ kind }: MessageContent<unknown>): string =>
  kind === 'media' ? 'media.id' : 'interactive.header.id'

const refused = (code: 'MEDIA_NOT_FOUND' | 'MEDIA_UNSUITABLE' | 'MESSAGE_NOT_FOUND', detail: ErrorDetail) =>
  new AppError(code, `${detail.path} ${detail.message}`, { details: [detail] })

function uploadOf(content: MessageContent<GivenFile>, context: SendContext): StoredUpload | null {
  const file = fileOf(content)
  if (file === undefined || 'link' in file) return null
  const checked = checkUpload(context.upload, { kind: kindOf(content), number: context.number })
  if (!checked.fault) return checked.upload
  const { code, message } = checked.fault
  throw refused(code, { path: pathOfFile(content), message })
}

function kindOf(content: MessageContent<unknown>): SentMediaKind {
  if (content.kind === 'media') return content.media.kind
  const header = content.kind === 'interactive' ? content.interactive.header : null
  return header && header.kind !== 'text' ? header.kind : 'document'
}

/** The provider takes reactions to messages of the last 30 days. */
const reactionMs = 30 * 86_400_000

function checkReference(
  { content, about }: FreeInput,
  found: ReferencedMessage | null,
  nowMs: number,
): ReferencedMessage | null {
  if (about === null) return null
  const isReaction = content.kind === 'reaction'
  const path = isReaction ? 'reaction.messageId' : 'replyTo'
  const refuse = (message: string) => refused('MESSAGE_NOT_FOUND', { path, message })
  if (!found) throw refuse('names no message of this conversation')
  if (found.providerMessageId === null) throw refuse('names a message that the provider has not taken yet')
  if (isReaction && found.type === 'REACTION') throw refuse('names a reaction, which takes no reaction')
  if (isReaction && nowMs - found.createdAt.getTime() >= reactionMs)
    throw refuse('names a message of more than 30 days ago')
  return found
}

function resolved(
  content: MessageContent<GivenFile>,
  upload: StoredUpload | null,
  about: ReferencedMessage | null,
): FreeSend {
  const provided = withFile(content, (file) =>
    'link' in file ? file : { providerMediaId: upload?.providerMediaId ?? '' },
  )
  const message = {
    content: upload ? withFileName(provided, upload.fileName) : provided,
    about: about?.providerMessageId ?? null,
  }
  const details = detailsOf(content, upload, about)
  return {
    message,
    upload,
    type: typeOf(content),
    text: textOf(content),
    details: Object.keys(details).length === 0 ? null : details,
  }
}

/** The provider does not take the name from the upload: the customer would see a document without one. */
function withFileName(content: MessageContent<ProviderFile>, name: string): MessageContent<ProviderFile> {
  if (kindOf(content) !== 'document') return content
  if (content.kind === 'media') {
    const { media } = content
    return { kind: 'media', media: { ...media, fileName: media.fileName ?? name } }
  }
  if (content.kind !== 'interactive') return content
  const { interactive } = content
  const { header } = interactive
  if (header?.kind !== 'document') return content
  return { kind: 'interactive', interactive: { ...interactive, header: { ...header, fileName: name } } }
}

const mediaTypes = {
  image: 'IMAGE',
  video: 'VIDEO',
  audio: 'AUDIO',
  voice: 'AUDIO',
  document: 'DOCUMENT',
  sticker: 'STICKER',
} as const satisfies Record<SentMediaKind, MessageType>

const types = {
  text: 'TEXT',
  location: 'LOCATION',
  contacts: 'CONTACTS',
  interactive: 'INTERACTIVE',
  reaction: 'REACTION',
} as const satisfies Record<Exclude<MessageContent<never>['kind'], 'media'>, MessageType>

const typeOf = (content: MessageContent<unknown>): MessageType =>
  content.kind === 'media' ? mediaTypes[content.media.kind] : types[content.kind]

/** As the customer reads it; empty where there is no text. */
function textOf(content: MessageContent<unknown>): string {
  switch (content.kind) {
    case 'text':
      return content.body
    case 'media':
      return content.media.caption ?? ''
    case 'location':
      return placeOf(content)
    case 'contacts':
      return ''
    case 'interactive':
      return interactiveText(content.interactive)
    case 'reaction':
      return content.emoji
  }
}

type Place = Extract<MessageContent<never>, { kind: 'location' }>

function placeOf({ latitude, longitude, name, address }: Place): string {
  const named = [name, address].filter((part) => part !== null && part !== '').join(', ')
  return named === '' ? `${latitude},${longitude}` : named
}

const interactiveText = ({ header, body, footer }: Interactive<unknown>): string =>
  [header?.kind === 'text' ? header.text : null, body, footer].filter((part) => part !== null).join('\n')

function shownParts(
  content: MessageContent<GivenFile>,
  text: string,
): Pick<MessagePreview, 'header' | 'body' | 'footer' | 'buttons'> {
  const file = fileOf(content)
  const link = file && 'link' in file ? file.link : null
  if (content.kind !== 'interactive') return { header: link, body: text, footer: null, buttons: [] }
  const { header, body, footer, action } = content.interactive
  return { header: header?.kind === 'text' ? header.text : link, body, footer, buttons: shownButtons(action) }
}

function shownButtons(action: Interactive<never>['action']): MessagePreview['buttons'] {
  switch (action.kind) {
    case 'buttons':
      return action.buttons.map(({ title }) => ({ type: 'QUICK_REPLY', text: title }))
    case 'list':
      return [{ type: 'LIST', text: action.button }]
    case 'link':
      return [{ type: 'URL', text: action.title, url: action.url }]
    case 'location_request':
      return [{ type: 'LOCATION_REQUEST', text: 'Send location' }]
    case 'flow':
      return [{ type: 'FLOW', text: action.title }]
  }
}
