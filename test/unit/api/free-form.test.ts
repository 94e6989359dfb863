import assert from 'node:assert/strict'
import { sends } from '../../../src/api/openapi/free-form-examples.ts'
import { sendBody } from '../../../src/api/schemas/messages.ts'
import { check } from '../../../src/platform/http/validate.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'

const to = '+15551230000'
const messageId = encodeId('message', newId('message'))
const link = 'https://cdn.example.com/a.png'
const a = (length: number) => 'a'.repeat(length)

function faults(fields: object): string[] {
  const checked = check(sendBody, { to, ...fields })
  return checked.ok ? [] : checked.details.map(({ path, message }) => `${path} ${message}`)
}

const read = (fields: object): unknown => {
  const checked = check(sendBody, { to, ...fields })
  return checked.ok
    ? (checked.value as { free?: unknown }).free
    : assert.fail(JSON.stringify(checked.details))
}

const buttons = (...list: unknown[]) => ({ interactive: { kind: 'buttons', body: 'B', buttons: list } })
const list = (...sections: unknown[]) => ({
  interactive: { kind: 'list', body: 'B', list: { button: 'Open', sections } },
})
const rows = (count: number) => Array.from({ length: count }, (_, index) => ({ id: `r${index}`, title: 'R' }))
const reply = (id: string, title = id) => ({ id, title })

describe('the body of a free-form send', () => {
  test('every example is taken', () => {
    for (const [what, body] of Object.entries(sends)) assert.ok(check(sendBody, body).ok, what)
  })

  test('is exactly one kind; the path names the one too many', () => {
    const text = { body: 'Hi' }
    assert.match(faults({})[0] ?? '', /^template is required, or text, media/)
    assert.match(
      faults({ text, reaction: { messageId, emoji: '👍' } })[0] ?? '',
      /^reaction stands beside text/,
    )
    const template = { name: 'hello', language: 'en_US' }
    assert.match(faults({ template, text })[0] ?? '', /^text stands beside template/)
    assert.deepEqual(faults({ template, replyTo: messageId }), ['replyTo does not go with a template'])
    assert.deepEqual(faults({ reaction: { messageId, emoji: '👍' }, replyTo: messageId }), [
      'replyTo does not go with a reaction, which names its own message',
    ])
  })

  // What is just allowed, and the fault of what is just not.
  const edges: readonly (readonly [allowed: object, refused: object, fault: RegExp])[] = [
    [{ text: { body: a(4096) } }, { text: { body: a(4097) } }, /^text\.body must be at most 4096/],
    [{ text: { body: '😀'.repeat(4096) } }, { text: { body: '' } }, /^text\.body must not be empty/],
    [
      { media: { kind: 'image', link, caption: a(1024) } },
      { media: { kind: 'image', link, caption: a(1025) } },
      /^media\.caption must be at most 1024/,
    ],
    [
      { media: { kind: 'voice', link } },
      { media: { kind: 'voice', link, caption: 'no' } },
      /^media\.caption is not a known field/,
    ],
    [
      { media: { kind: 'document', link, fileName: 'a.pdf' } },
      { media: { kind: 'image', link, fileName: 'a.png' } },
      /^media\.fileName is not a known field/,
    ],
    [
      { media: { kind: 'sticker', link } },
      { media: { kind: 'sticker' } },
      /^media must have either id or link/,
    ],
    [
      { media: { kind: 'audio', link } },
      { media: { kind: 'audio', link: 'http://cdn.example.com/a' } },
      /^media\.link must be an address that begins with https/,
    ],
    [
      { media: { kind: 'video', id: encodeId('upload', newId('upload')) } },
      { media: { kind: 'video', id: '1037543291543636' } },
      /^media\.id must be an id that starts with med_/,
    ],
    [
      { location: { latitude: -90, longitude: 180 } },
      { location: { latitude: 90.1, longitude: 0 } },
      /^location\.latitude must be at most 90/,
    ],
    [
      { contacts: Array.from({ length: 257 }, () => ({ name: 'I' })) },
      { contacts: Array.from({ length: 258 }, () => ({ name: 'I' })) },
      /^contacts must have at most 257/,
    ],
    [
      { contacts: [{ name: 'I', phones: [{ phone: '+1555', waId: '15551230000' }] }] },
      { contacts: [{ name: 'I', phones: [{ phone: '+1555', waId: '+1555' }] }] },
      /^contacts\.0\.phones\.0\.waId must be digits/,
    ],
    [
      buttons(reply('1'), reply('2'), reply('3')),
      buttons(reply('1'), reply('2'), reply('3'), reply('4')),
      /^interactive\.buttons must have at most 3/,
    ],
    [
      buttons(reply(a(256), a(20))),
      buttons(reply('x', a(21))),
      /^interactive\.buttons\.0\.title must be at most 20/,
    ],
    [buttons(reply('1'), reply('2')), buttons(reply('1', 'A'), reply('1', 'B')), /two with the same id/],
    [buttons(reply('1'), reply('2')), buttons(reply('1', 'A'), reply('2', 'A')), /two with the same title/],
    [
      list({ rows: rows(10) }),
      list({ title: 'A', rows: rows(6) }, { title: 'B', rows: rows(5) }),
      /^interactive\.list\.sections must have at most 10 rows/,
    ],
    [
      list({ title: 'A', rows: [{ id: 'x', title: 'X' }] }, { title: 'B', rows: rows(1) }),
      list({ title: 'A', rows: [{ id: 'x', title: 'X' }] }, { rows: rows(1) }),
      /must each have a title where there are several/,
    ],
    [
      { interactive: { kind: 'link', body: 'B', link: { title: 'T', url: 'http://example.com' } } },
      { interactive: { kind: 'link', body: 'B', link: { title: 'T', url: 'tel:1' } } },
      /^interactive\.link\.url must be an address/,
    ],
    [
      { interactive: { kind: 'location_request', body: a(1024) } },
      { interactive: { kind: 'location_request', body: a(1025) } },
      /^interactive\.body must be at most 1024/,
    ],
    [
      { interactive: { kind: 'flow', body: 'B', flow: { name: 'times', title: 'T' } } },
      { interactive: { kind: 'flow', body: 'B', flow: { title: 'T' } } },
      /^interactive\.flow must have either id or name/,
    ],
    [
      { interactive: { ...buttons(reply('1')).interactive, header: { kind: 'image', link } } },
      { interactive: { ...buttons(reply('1')).interactive, header: { kind: 'image' } } },
      /^interactive\.header must have either id or link/,
    ],
    [
      { reaction: { messageId, emoji: '👩🏽‍🚀' } },
      { reaction: { messageId, emoji: '👍👍' } },
      /^reaction\.emoji must be one emoji/,
    ],
    [{ reaction: { messageId, emoji: '' } }, { reaction: { messageId, emoji: 'a' } }, /^reaction\.emoji/],
    [{ reaction: { messageId, emoji: '❤' } }, { reaction: { messageId: 'wamid.1', emoji: '❤' } }, /msg_/],
  ]
  for (const [allowed, refused, fault] of edges)
    test(`${String(fault)}`, () => {
      assert.deepEqual(faults(allowed), [])
      assert.match(faults(refused).join('\n'), fault)
    })

  test('becomes what is to be sent, with null for what was left out', () => {
    assert.deepEqual(read({ text: { body: 'Hi' }, replyTo: messageId }), {
      content: { kind: 'text', body: 'Hi', previewUrl: false },
      about: (read({ reaction: { messageId, emoji: '' } }) as { about: string }).about,
    })
    assert.deepEqual(read(list({ rows: rows(1) })), {
      content: {
        kind: 'interactive',
        interactive: {
          header: null,
          body: 'B',
          footer: null,
          action: {
            kind: 'list',
            button: 'Open',
            sections: [{ title: null, rows: [{ id: 'r0', title: 'R', description: null }] }],
          },
        },
      },
      about: null,
    })
  })
})

test('what a flow shows is nested 32 levels at most, however deep the body is', () => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}1${']'.repeat(levels)}`)
  const flow = (levels: number) => ({
    interactive: {
      ...{ kind: 'flow', body: 'B' },
      flow: { id: '1', title: 'T', screen: { name: 'S', data: { a: nested(levels) } } },
    },
  })
  assert.deepEqual(faults(flow(20_000)), [
    'interactive.flow.screen.data must not be nested deeper than 32 levels',
  ])
  assert.deepEqual(faults(flow(30)), [])
})
