// What the records of messages that are no templates show beside their text. Pure.
import type { Interactive, MessageContent, SentMedia } from '../contract/message-content.ts'
import type { InteractiveDetails, MediaKind, MessageDetails } from '../contract/records/message-details.ts'
import { encodeId } from '../shared/ids.ts'
import type { GivenFile, ReferencedMessage, StoredUpload } from './free-form-content.ts'

/** What the record of the message shows beside its text. */
export function detailsOf(
  content: MessageContent<GivenFile>,
  upload: StoredUpload | null,
  about: ReferencedMessage | null,
): MessageDetails {
  if (content.kind === 'reaction')
    return about
      ? { reaction: { ...namesOf(about), emoji: content.emoji || null, removed: content.emoji === '' } }
      : {}
  return {
    ...ownDetails(content, upload),
    ...(about && {
      context: { ...namesOf(about), forwarded: false, frequentlyForwarded: false, product: null },
    }),
  }
}

const namesOf = ({ id, providerMessageId }: ReferencedMessage) => ({
  messageId: encodeId('message', id),
  providerMessageId: providerMessageId ?? '',
})

function ownDetails(content: MessageContent<GivenFile>, upload: StoredUpload | null): MessageDetails {
  switch (content.kind) {
    case 'media':
      return { media: mediaDetails(content.media, upload) }
    case 'location': {
      const { latitude, longitude, name, address } = content
      return { location: { latitude, longitude, name, address, url: null } }
    }
    case 'contacts':
      return {
        contacts: content.contacts.map((card) => ({ ...card, addresses: [], birthday: null, origin: null })),
      }
    case 'interactive':
      return { interactive: interactiveDetails(content.interactive) }
    default:
      return {}
  }
}

function mediaDetails({ kind, file, caption, fileName }: SentMedia<GivenFile>, upload: StoredUpload | null) {
  return {
    kind: (kind === 'voice' ? 'audio' : kind) satisfies MediaKind,
    mimeType: upload?.mimeType ?? null,
    fileName: fileName ?? (kind === 'document' ? (upload?.fileName ?? null) : null),
    caption,
    sha256: upload?.sha256 ?? null,
    voice: kind === 'voice',
    animated: false,
    ...('link' in file && { link: file.link }),
  }
}

function interactiveDetails({ header, body, footer, action }: Interactive<GivenFile>): InteractiveDetails {
  const common = { kind: action.kind, header: headerDetails(header), body, footer }
  switch (action.kind) {
    case 'buttons':
      return { ...common, buttons: action.buttons.map((button) => ({ ...button })) }
    case 'list':
      return {
        ...common,
        list: {
          button: action.button,
          sections: action.sections.map(({ title, rows }) => ({
            title,
            rows: rows.map((row) => ({ ...row })),
          })),
        },
      }
    case 'link':
      return { ...common, link: { title: action.title, url: action.url } }
    case 'location_request':
      return common
    case 'flow': {
      const { flow, title, screen } = action
      const named = { id: 'id' in flow ? flow.id : null, name: 'name' in flow ? flow.name : null }
      return { ...common, flow: { ...named, title, screen: screen?.name ?? null } }
    }
  }
}

function headerDetails(header: Interactive<GivenFile>['header']): InteractiveDetails['header'] {
  if (!header) return null
  if (header.kind === 'text') return { kind: 'text', text: header.text, link: null }
  return { kind: header.kind, text: null, link: 'link' in header.file ? header.file.link : null }
}
