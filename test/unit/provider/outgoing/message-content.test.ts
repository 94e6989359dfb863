import assert from 'node:assert/strict'
import type { MessageContent, ProviderFile } from '../../../../src/contract/message-content.ts'
import { freeMessage } from '../../../../src/provider/outgoing/message-content.ts'
import { describe, test } from '../../../support/harness.ts'

const file = { providerMediaId: '1037543291543636' }
const asked = (
  action: Extract<MessageContent<ProviderFile>, { kind: 'interactive' }>['interactive']['action'],
) => ({ kind: 'interactive', interactive: { header: null, body: 'B', footer: null, action } }) as const

/** In the documented shapes of the provider. */
const shapes: readonly (readonly [what: string, content: MessageContent<ProviderFile>, json: object])[] = [
  [
    'a text',
    { kind: 'text', body: 'Hi', previewUrl: true },
    { type: 'text', text: { body: 'Hi', preview_url: true } },
  ],
  [
    'a document',
    { kind: 'media', media: { kind: 'document', file, caption: 'C', fileName: 'a.pdf' } },
    { type: 'document', document: { id: file.providerMediaId, caption: 'C', filename: 'a.pdf' } },
  ],
  [
    'a voice message',
    { kind: 'media', media: { kind: 'voice', file, caption: null, fileName: null } },
    { type: 'audio', audio: { id: file.providerMediaId, voice: true } },
  ],
  [
    'an image by its link',
    { kind: 'media', media: { kind: 'image', file: { link: 'https://a/b' }, caption: null, fileName: null } },
    { type: 'image', image: { link: 'https://a/b' } },
  ],
  [
    'a location',
    { kind: 'location', latitude: 1.5, longitude: -2, name: 'N', address: null },
    { type: 'location', location: { latitude: 1.5, longitude: -2, name: 'N' } },
  ],
  [
    'a contact',
    {
      kind: 'contacts',
      contacts: [
        {
          name: 'Ines',
          phones: [{ phone: '+1', waId: '1', type: null }],
          emails: [],
          urls: [],
          organization: { company: 'Dock', department: null, title: null },
        },
      ],
    },
    {
      type: 'contacts',
      contacts: [
        {
          name: { formatted_name: 'Ines', first_name: 'Ines' },
          phones: [{ phone: '+1', wa_id: '1' }],
          org: { company: 'Dock' },
        },
      ],
    },
  ],
  [
    'reply buttons',
    {
      kind: 'interactive',
      interactive: {
        header: { kind: 'image', file },
        body: 'B',
        footer: 'F',
        action: { kind: 'buttons', buttons: [{ id: '1', title: 'One' }] },
      },
    },
    {
      type: 'interactive',
      interactive: {
        type: 'button',
        header: { type: 'image', image: { id: file.providerMediaId } },
        body: { text: 'B' },
        footer: { text: 'F' },
        action: { buttons: [{ type: 'reply', reply: { id: '1', title: 'One' } }] },
      },
    },
  ],
  [
    'a list',
    asked({
      kind: 'list',
      button: 'Open',
      sections: [{ title: null, rows: [{ id: 'r', title: 'R', description: null }] }],
    }),
    {
      type: 'interactive',
      interactive: {
        type: 'list',
        body: { text: 'B' },
        action: { button: 'Open', sections: [{ rows: [{ id: 'r', title: 'R' }] }] },
      },
    },
  ],
  [
    'a link',
    asked({ kind: 'link', title: 'Go', url: 'https://a/b' }),
    {
      type: 'interactive',
      interactive: {
        type: 'cta_url',
        body: { text: 'B' },
        action: { name: 'cta_url', parameters: { display_text: 'Go', url: 'https://a/b' } },
      },
    },
  ],
  [
    'a request for the location',
    asked({ kind: 'location_request' }),
    {
      type: 'interactive',
      interactive: {
        type: 'location_request_message',
        body: { text: 'B' },
        action: { name: 'send_location' },
      },
    },
  ],
  [
    'a flow',
    asked({
      kind: 'flow',
      flow: { id: '7' },
      title: 'Go',
      token: 't',
      isDraft: true,
      screen: { name: 'S', data: { a: 1 } },
    }),
    {
      type: 'interactive',
      interactive: {
        type: 'flow',
        body: { text: 'B' },
        action: {
          name: 'flow',
          parameters: {
            flow_message_version: '3',
            flow_id: '7',
            flow_cta: 'Go',
            flow_token: 't',
            mode: 'draft',
            flow_action: 'navigate',
            flow_action_payload: { screen: 'S', data: { a: 1 } },
          },
        },
      },
    },
  ],
]

describe('a message in the form of the provider', () => {
  for (const [what, content, json] of shapes)
    test(what, () => {
      assert.deepEqual(freeMessage({ content, about: null }), json)
      assert.deepEqual(freeMessage({ content, about: 'wamid.1' }), {
        context: { message_id: 'wamid.1' },
        ...json,
      })
    })

  test('a reaction names its message and quotes none', () => {
    assert.deepEqual(freeMessage({ content: { kind: 'reaction', emoji: '👍' }, about: 'wamid.1' }), {
      type: 'reaction',
      reaction: { message_id: 'wamid.1', emoji: '👍' },
    })
  })
})
