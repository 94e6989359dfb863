// Example bodies of messages that are no templates. A test checks each against the schema.
import { ids } from './examples.ts'

const to = '+15557000101'
const uploaded = 'med_01m7x2s1c3fz8r6k9w2v5h7j4q'

export const upload = {
  id: uploaded,
  mimeType: 'application/pdf',
  fileName: 'invoice.pdf',
  sizeBytes: 48_213,
  sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  expiresAt: '2026-12-20T14:21:03.127Z',
}

export const sends = {
  'A text that quotes a message': { to, text: { body: 'Yes, until 8 pm.' }, replyTo: ids.inbound },
  'An uploaded document': {
    to,
    media: { kind: 'document', id: uploaded, caption: 'Your invoice', fileName: 'A-4471.pdf' },
  },
  'An image by its link': { to, media: { kind: 'image', link: 'https://cdn.example.com/dock.jpg' } },
  'A location': {
    to,
    location: { latitude: 38.7072, longitude: -9.1355, name: 'North Dock', address: '1 Quay Street' },
  },
  'A contact card': {
    to,
    contacts: [
      { name: 'Ines Duarte', phones: [{ phone: '+15557000101', waId: '15557000101', type: 'WORK' }] },
    ],
  },
  'Reply buttons': {
    to,
    interactive: {
      kind: 'buttons',
      body: 'Keep the order?',
      buttons: [
        { id: 'keep', title: 'Keep' },
        { id: 'cancel', title: 'Cancel' },
      ],
    },
  },
  'A list': {
    to,
    interactive: {
      kind: 'list',
      body: 'When do you come?',
      list: {
        button: 'Choose',
        sections: [{ title: 'Today', rows: [{ id: 'noon', title: '12 to 2 pm', description: 'Gate 3' }] }],
      },
    },
  },
  'A link button': {
    to,
    interactive: {
      kind: 'link',
      body: 'Your order is on its way.',
      link: { title: 'Track it', url: 'https://example.com/t/A-4471' },
    },
  },
  'A request for the location': { to, interactive: { kind: 'location_request', body: 'Where are you?' } },
  'A flow': {
    to,
    interactive: {
      kind: 'flow',
      body: 'Tell us when to deliver.',
      flow: { id: '1034215871', title: 'Choose a time', token: 'A-4471', screen: { name: 'TIMES' } },
    },
  },
  'A reaction': { to, reaction: { messageId: ids.inbound, emoji: '\u{1f44d}' } },
} as const
