// What a message holds, in the provider's form.
import type {
  FreeMessage,
  Interactive,
  InteractiveAction,
  MessageContent,
  ProviderFile,
  SentCard,
  SentMedia,
} from '../../contract/message-content.ts'

type Json = Readonly<Record<string, unknown>>

/** `type`, the object of that name, and `context` where the message quotes another. */
export function freeMessage({ content, about }: FreeMessage): Json {
  if (content.kind === 'reaction')
    return { type: 'reaction', reaction: { message_id: about, emoji: content.emoji } }
  return { ...(about !== null && { context: { message_id: about } }), ...typed(content) }
}

type Quotable = Exclude<MessageContent<ProviderFile>, { kind: 'reaction' }>

function typed(content: Quotable): Json {
  switch (content.kind) {
    case 'text':
      return { type: 'text', text: { body: content.body, preview_url: content.previewUrl } }
    case 'media':
      return mediaMessage(content.media)
    case 'location': {
      const { latitude, longitude, name, address } = content
      return { type: 'location', location: { latitude, longitude, ...known({ name, address }) } }
    }
    case 'contacts':
      return { type: 'contacts', contacts: content.contacts.map(card) }
    case 'interactive':
      return { type: 'interactive', interactive: interactive(content.interactive) }
  }
}

const fileJson = (file: ProviderFile): Json =>
  'link' in file ? { link: file.link } : { id: file.providerMediaId }

function mediaMessage({ kind, file, caption, fileName }: SentMedia<ProviderFile>): Json {
  if (kind === 'voice') return { type: 'audio', audio: { ...fileJson(file), voice: true } }
  return { type: kind, [kind]: { ...fileJson(file), ...known({ caption, filename: fileName }) } }
}

const card = ({ name, phones, emails, urls, organization }: SentCard): Json => ({
  // The provider takes no card with nothing but the whole name.
  name: { formatted_name: name, first_name: name },
  ...(phones.length > 0 && {
    phones: phones.map(({ phone, waId, type }) => known({ phone, wa_id: waId, type })),
  }),
  ...(emails.length > 0 && { emails: emails.map(known) }),
  ...(urls.length > 0 && { urls: urls.map(known) }),
  ...(organization && { org: known(organization) }),
})

function interactive({ header, body, footer, action }: Interactive<ProviderFile>): Json {
  return {
    type: interactiveTypes[action.kind],
    ...(header && { header: headerJson(header) }),
    body: { text: body },
    ...(footer !== null && { footer: { text: footer } }),
    action: actionJson(action),
  }
}

const interactiveTypes = {
  buttons: 'button',
  list: 'list',
  link: 'cta_url',
  location_request: 'location_request_message',
  flow: 'flow',
} as const satisfies Record<InteractiveAction['kind'], string>

const headerJson = (header: NonNullable<Interactive<ProviderFile>['header']>): Json =>
  header.kind === 'text'
    ? { type: 'text', text: header.text }
    : {
        type: header.kind,
        [header.kind]: {
          ...fileJson(header.file),
          ...(header.fileName !== undefined && { filename: header.fileName }),
        },
      }

function actionJson(action: InteractiveAction): Json {
  switch (action.kind) {
    case 'buttons':
      return { buttons: action.buttons.map((reply) => ({ type: 'reply', reply })) }
    case 'list':
      return {
        button: action.button,
        sections: action.sections.map(({ title, rows }) => ({ ...known({ title }), rows: rows.map(known) })),
      }
    case 'link':
      return { name: 'cta_url', parameters: { display_text: action.title, url: action.url } }
    case 'location_request':
      return { name: 'send_location' }
    case 'flow':
      return { name: 'flow', parameters: flowJson(action) }
  }
}

function flowJson({
  flow,
  title,
  token,
  isDraft,
  screen,
}: Extract<InteractiveAction, { kind: 'flow' }>): Json {
  return {
    flow_message_version: '3',
    ...('id' in flow ? { flow_id: flow.id } : { flow_name: flow.name }),
    flow_cta: title,
    ...known({ flow_token: token }),
    ...(isDraft && { mode: 'draft' }),
    ...(screen === null
      ? { flow_action: 'data_exchange' }
      : {
          flow_action: 'navigate',
          flow_action_payload: { screen: screen.name, ...known({ data: screen.data }) },
        }),
  }
}

/** Without the fields that are null. */
const known = (fields: object): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null))
