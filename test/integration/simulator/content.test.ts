// Free-form messages of every type: what is accepted, and what is refused with which words.
import assert from 'node:assert/strict'
import { after, before, describe, test } from '../../support/harness.ts'
import { codeOf, detailsOf, NUMBER, type Rig, startRig, uploadTo, wamidOf } from './harness.ts'
import type { Loose } from './receiver.ts'

const TO = '15551230800'

let rig: Rig
const files: Record<string, string> = {}
before(async () => {
  rig = await startRig()
  await rig.control('POST', `handsets/${TO}/messages`, { to: NUMBER, type: 'text', text: 'hi' })
  for (const type of ['image/png', 'audio/ogg', 'video/mp4', 'application/pdf', 'image/webp']) {
    files[type] = await uploadTo(rig, type)
  }
})
after(() => rig.close())

const message = (type: string, content: unknown, extra: Loose = {}): Loose => ({
  messaging_product: 'whatsapp',
  to: TO,
  type,
  [type]: content,
  ...extra,
})

const send = (type: string, content: unknown, extra: Loose = {}) =>
  rig.provider('messages', message(type, content, extra))

const interactive = (type: string, action: Loose, extra: Loose = {}): Loose => ({
  type,
  body: { text: 'Choose' },
  action,
  ...extra,
})

const reply = (id: string, title = id) => ({ type: 'reply', reply: { id, title } })
const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `r${n}`, title: `Row ${n}` }))
const list = (sections: unknown[], button = 'Open') => interactive('list', { button, sections })
const link = { name: 'cta_url', parameters: { display_text: 'Go', url: 'https://x.example/' } }
const card = (index: number, action: Loose = link) => ({
  card_index: index,
  type: 'cta_url',
  header: { type: 'image', image: { link: 'https://x.example/a.png' } },
  action,
})
const flow = (parameters: Loose) => ({
  name: 'flow',
  parameters: { flow_message_version: '3', flow_cta: 'Start', ...parameters },
})

const accepted: [what: string, type: string, content: () => unknown][] = [
  ['a text', 'text', () => ({ body: 'x'.repeat(4096), preview_url: true })],
  ['an uploaded image', 'image', () => ({ id: files['image/png'], caption: 'c'.repeat(1024) })],
  ['a linked video', 'video', () => ({ link: 'https://x.example/v.mp4' })],
  ['a document with its name', 'document', () => ({ id: files['application/pdf'], filename: 'a.pdf' })],
  ['a voice message', 'audio', () => ({ id: files['audio/ogg'], voice: true })],
  ['a sticker', 'sticker', () => ({ id: files['image/webp'] })],
  ['a place, with text for numbers', 'location', () => ({ latitude: '38.7', longitude: -9.1, name: 'Dock' })],
  ['a contact', 'contacts', () => [{ name: { formatted_name: 'Lu' }, phones: [{ phone: '+1' }] }]],
  [
    'reply buttons',
    'interactive',
    () => interactive('button', { buttons: [reply('a'), reply('b'), reply('c')] }),
  ],
  ['a list', 'interactive', () => list([{ rows: rows(10) }])],
  ['a link', 'interactive', () => interactive('cta_url', link)],
  [
    'a location request',
    'interactive',
    () => interactive('location_request_message', { name: 'send_location' }),
  ],
  ['a flow', 'interactive', () => interactive('flow', flow({ flow_id: '1', flow_token: 't' }))],
  ['a product', 'interactive', () => interactive('product', { catalog_id: '1', product_retailer_id: 's' })],
  [
    'products',
    'interactive',
    () =>
      interactive(
        'product_list',
        { catalog_id: '1', sections: [{ title: 'S', product_items: [{ product_retailer_id: 's' }] }] },
        { header: { type: 'text', text: 'H' } },
      ),
  ],
  ['a catalog', 'interactive', () => interactive('catalog_message', { name: 'catalog_message' })],
  ['a carousel', 'interactive', () => interactive('carousel', { cards: [card(0), card(1)] })],
  ['a call button', 'interactive', () => interactive('voice_call', { name: 'voice_call' })],
  [
    'a question for the number',
    'interactive',
    () => interactive('request_contact_info', { name: 'request_contact_info' }),
  ],
]

const refused: [what: string, type: string, content: () => unknown, code: number, details: RegExp][] = [
  ['a text that is too long', 'text', () => ({ body: 'x'.repeat(4097) }), 100, /text\['body'\].*4096/],
  ['a text that is a number', 'text', () => ({ body: 5 }), 100, /text\['body'\] must be a string/],
  ['a text without body', 'text', () => ({}), 100, /The parameter text\['body'\] is required/],
  ['no content', 'text', () => undefined, 131008, /text is required/],
  ['an unknown type', 'poll', () => ({}), 100, /must be one of \{TEMPLATE, TEXT/],
  ['an unknown file', 'image', () => ({ id: '123' }), 100, /image\['id'\] is not a valid.*attachment ID/],
  ['id and link', 'image', () => ({ id: '1', link: 'https://x.example/' }), 100, /exactly one/],
  ['neither id nor link', 'audio', () => ({}), 100, /exactly one/],
  ['a link of another scheme', 'image', () => ({ link: 'ftp://x.example/a' }), 100, /valid URI/],
  ['a caption under a sticker', 'sticker', () => ({ id: files['image/webp'], caption: 'c' }), 100, /caption/],
  ['a long caption', 'image', () => ({ id: files['image/png'], caption: 'c'.repeat(1025) }), 100, /1024/],
  ['a place that is nowhere', 'location', () => ({ latitude: 91, longitude: 0 }), 100, /latitude/],
  ['a contact without a name', 'contacts', () => [{ phones: [] }], 100, /contacts\[0\]\['name'\]/],
  [
    'four buttons',
    'interactive',
    () => interactive('button', { buttons: ['a', 'b', 'c', 'd'].map((id) => reply(id)) }),
    131009,
    /Invalid buttons count.*3/,
  ],
  [
    'a long button',
    'interactive',
    () => interactive('button', { buttons: [reply('a', 'x'.repeat(21))] }),
    131009,
    /\['title'\].*20/,
  ],
  [
    'the same button twice',
    'interactive',
    () => interactive('button', { buttons: [reply('a', 'A'), reply('a', 'B')] }),
    131009,
    /unique/,
  ],
  [
    'eleven rows',
    'interactive',
    () =>
      list([
        { title: 'A', rows: rows(6) },
        { title: 'B', rows: rows(5).map((row) => ({ ...row, id: `b${row.id}` })) },
      ]),
    131009,
    /row count.*10/,
  ],
  [
    'sections without titles',
    'interactive',
    () => list([{ rows: rows(1) }, { rows: [{ id: 'z', title: 'Z' }] }]),
    131009,
    /title is required/,
  ],
  [
    'a list without a button',
    'interactive',
    () => interactive('list', { sections: [{ rows: rows(1) }] }),
    131008,
    /button'\] is required/,
  ],
  [
    'a body that is too long',
    'interactive',
    () => interactive('cta_url', link, { body: { text: 'x'.repeat(1025) } }),
    131009,
    /1024/,
  ],
  [
    'an empty header',
    'interactive',
    () => interactive('cta_url', link, { header: { type: 'text' } }),
    131008,
    /header'\]\['text/,
  ],
  [
    'an unknown file in a header',
    'interactive',
    () => interactive('cta_url', link, { header: { type: 'image', image: { id: '9' } } }),
    100,
    /\['image'\]\['id'\]/,
  ],
  [
    'a flow with id and name',
    'interactive',
    () => interactive('flow', flow({ flow_id: '1', flow_name: 'f' })),
    131009,
    /exactly one of flow_id/,
  ],
  [
    'one card',
    'interactive',
    () => interactive('carousel', { cards: [card(0)] }),
    131009,
    /Invalid cards count/,
  ],
  [
    'cards of two kinds',
    'interactive',
    () => interactive('carousel', { cards: [card(0), card(1, { buttons: [reply('a')] })] }),
    131009,
    /same buttons/,
  ],
  [
    'a header over a permission question',
    'interactive',
    () =>
      interactive(
        'call_permission_request',
        { name: 'call_permission_request' },
        { header: { type: 'text', text: 'H' } },
      ),
    131009,
    /header/,
  ],
  ['an unknown kind', 'interactive', () => interactive('quiz', {}), 131009, /type/],
]

describe('free-form messages inside the window', () => {
  for (const [what, type, content] of accepted) {
    test(`${what} is delivered`, async () => {
      const sent = await send(type, content())
      assert.equal(sent.status, 200, detailsOf(sent))
      assert.equal((sent.body['messages'] as Loose[])[0]?.['message_status'], undefined)
      await rig.expect('status', { id: wamidOf(sent), status: 'delivered' })
    })
  }

  for (const [what, type, content, code, details] of refused) {
    test(`${what} is refused with ${code}`, async () => {
      const answer = await send(type, content())
      assert.equal(codeOf(answer), code, detailsOf(answer))
      assert.match(detailsOf(answer), details)
    })
  }

  test('a file of another kind and a link that nobody has fail after they were accepted', async () => {
    const wrong = wamidOf(await send('image', { id: files['audio/ogg'] }))
    const gone = wamidOf(await send('image', { link: 'https://nobody.invalid/a.png' }))
    for (const [id, code] of [
      [wrong, /131053/],
      [gone, /131052/],
    ] as const) {
      const [failed] = await rig.expect('status', { id, status: 'failed' })
      assert.match(JSON.stringify(failed?.update['errors']), code)
    }
  })

  test('a reaction is only sent; to what is no message it fails with 131009', async () => {
    const written = await rig.control('POST', `handsets/${TO}/messages`, {
      to: NUMBER,
      type: 'text',
      text: 'a',
    })
    const reaction = wamidOf(await send('reaction', { message_id: written.body['id'], emoji: '👍' }))
    await rig.expect('status', { id: reaction, status: 'sent' })
    const nothing = wamidOf(await send('reaction', { message_id: 'wamid.NONE', emoji: '👍' }))
    const toReaction = wamidOf(await send('reaction', { message_id: reaction, emoji: '👍' }))
    for (const id of [nothing, toReaction]) {
      const [failed] = await rig.expect('status', { id, status: 'failed' })
      assert.match(JSON.stringify(failed?.update['errors']), /131009/)
    }
    // A later message has been delivered: nothing more came of the reaction.
    const text = wamidOf(await send('text', { body: 'after' }))
    await rig.expect('status', { id: text, status: 'delivered' })
    assert.equal(rig.matching('status', { id: reaction }).length, 1)
  })

  test('a message of the chat can be quoted, another one not, and a reaction quotes nothing', async () => {
    const written = await rig.control('POST', `handsets/${TO}/messages`, {
      to: NUMBER,
      type: 'text',
      text: 'a',
    })
    const context = { message_id: written.body['id'] }
    assert.equal((await send('text', { body: 'b' }, { context })).status, 200)
    const { body } = await rig.control('GET', `handsets/${TO}`)
    assert.equal((body['inbox'] as Loose[]).at(-1)?.['replyTo'], context.message_id)
    const unknown = await send('text', { body: 'b' }, { context: { message_id: 'wamid.NONE' } })
    assert.equal(codeOf(unknown), 131009)
    const emoji = { message_id: context.message_id, emoji: '👍' }
    assert.equal(codeOf(await send('reaction', emoji, { context })), 100)
  })
})
