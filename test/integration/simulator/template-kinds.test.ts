// Templates of every kind: what they are created from, and what a send must bring along.
import assert from 'node:assert/strict'
import { after, before, describe, test } from '../../support/harness.ts'
import { ACCOUNT, codeOf, detailsOf, type Rig, startRig, templateTo } from './harness.ts'
import type { Loose } from './receiver.ts'

let rig: Rig
let sample: string
before(async () => {
  rig = await startRig()
  sample = await uploadSample('image/png', Buffer.from('a picture'))
})
after(() => rig.close())

const post = (path: string, headers: Record<string, string>, bytes?: Buffer): Promise<Loose> =>
  fetch(`${rig.url}${path}`, {
    method: 'POST',
    headers,
    ...(bytes === undefined ? {} : { body: new Uint8Array(bytes) }),
  }).then(async (answer) => (await answer.json()) as Loose)

/** Uploads in two parts, as an interrupted upload does. Returns the handle. */
async function uploadSample(type: string, bytes: Buffer): Promise<string> {
  const authorization = `OAuth ${rig.token}`
  const session = await post(`/v24.0/app/uploads?file_type=${type}&file_length=${bytes.length}`, {
    authorization,
  })
  const path = `/v24.0/${session['id']}`
  await post(path, { authorization, file_offset: '0' }, bytes.subarray(0, 4))
  const where = (await fetch(`${rig.url}${path}`, { headers: { authorization } })).json() as Promise<Loose>
  assert.equal((await where)['file_offset'], 4)
  const wrong = await post(path, { authorization, file_offset: '0' }, bytes)
  assert.equal((wrong['error'] as Loose)['code'], 100)
  const last = await post(path, { authorization, file_offset: '4' }, bytes.subarray(4))
  return String(last['h'])
}

const create = (name: string, components: unknown[], extra: Loose = {}) =>
  rig.request('POST', `/v24.0/${ACCOUNT}/message_templates`, {
    ...{ name, language: 'en_US', category: 'MARKETING', components },
    ...extra,
  })

const body = { type: 'BODY', text: 'Have a look.' }
const image = { link: 'https://x.example/a.png' }
const imageHeader = () => ({ type: 'HEADER', format: 'IMAGE', example: { header_handle: [sample] } })

/** Creates the template, has it approved, and returns a function that sends it with these components. */
async function approved(name: string, components: unknown[], extra: Loose = {}) {
  const { status, body: made } = await create(name, components, extra)
  assert.equal(status, 200, JSON.stringify(made))
  await rig.control('POST', `templates/${made['id']}/status`, { status: 'APPROVED' })
  return (filled: unknown[]) =>
    rig.provider(
      'messages',
      templateTo('15551230850', { template: { name, language: { code: 'en_US' }, components: filled } }),
    )
}

const button = (subType: string, parameters: unknown[], index = 0) => ({
  type: 'button',
  ...{ sub_type: subType, index, parameters },
})
const header = (parameter: Loose) => ({ type: 'header', parameters: [parameter] })
const carouselCard = (index: number) => ({
  card_index: index,
  components: [header({ type: 'image', image }), button('url', [{ type: 'text', text: 'a' }])],
})

type Kind = Readonly<{
  components: () => unknown[]
  extra?: Loose
  /** What a complete send has. */
  complete: unknown[]
  /** What is missing something, with the code of the refusal. */
  lacking: readonly (readonly [components: unknown[], code: number])[]
}>

const place = { latitude: '1', longitude: '2', name: 'Dock', address: 'Pier 2' }
const item = { product_retailer_id: 's', catalog_id: '1' }
const urlButton = { type: 'URL', text: 'Go', url: 'https://x.example/{{1}}', example: ['a'] }

const kinds: Readonly<Record<string, Kind>> = {
  picture_header: {
    components: () => [imageHeader(), body],
    complete: [header({ type: 'image', image })],
    lacking: [
      [[], 132000],
      [[header({ type: 'image', image: { id: '9' } })], 131053],
      [[header({ type: 'video', video: image })], 132012],
    ],
  },
  location_header: {
    components: () => [{ type: 'HEADER', format: 'LOCATION' }, body],
    complete: [header({ type: 'location', location: place })],
    lacking: [
      [[], 132000],
      [[header({ type: 'location', location: { latitude: 1, longitude: 2 } })], 131008],
    ],
  },
  one_product: {
    components: () => [
      { type: 'HEADER', format: 'PRODUCT' },
      body,
      { type: 'BUTTONS', buttons: [{ type: 'SPM', text: 'View' }] },
    ],
    complete: [header({ type: 'product', product: item })],
    lacking: [[[header({ type: 'product', product: { catalog_id: '1' } })], 131008]],
  },
  many_products: {
    components: () => [body, { type: 'BUTTONS', buttons: [{ type: 'MPM', text: 'View' }] }],
    complete: [button('mpm', [{ type: 'action', action: { sections: [] } }])],
    lacking: [[[], 131008]],
  },
  coupon: {
    components: () => [body, { type: 'BUTTONS', buttons: [{ type: 'COPY_CODE', example: ['SAVE'] }] }],
    complete: [button('copy_code', [{ type: 'coupon_code', coupon_code: 'SAVE' }])],
    lacking: [
      [[], 131008],
      [[button('copy_code', [{ type: 'text', text: 'SAVE' }])], 132012],
    ],
  },
  link_button: {
    components: () => [body, { type: 'BUTTONS', buttons: [{ type: 'QUICK_REPLY', text: 'No' }, urlButton] }],
    complete: [button('url', [{ type: 'text', text: 'a' }], 1)],
    lacking: [
      [[], 131008],
      [[button('url', [{ type: 'text', text: 'a' }], 0)], 132012],
      [[button('url', [{ type: 'text', text: 'a' }], 7)], 132012],
    ],
  },
  offer: {
    components: () => [
      body,
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Ends soon', has_expiration: true } },
    ],
    complete: [
      {
        type: 'limited_time_offer',
        parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1 } }],
      },
    ],
    lacking: [[[], 131008]],
  },
  cards: {
    components: () => [
      body,
      {
        type: 'carousel',
        cards: [0, 1].map(() => ({
          components: [
            imageHeader(),
            { type: 'body', text: 'Card' },
            { type: 'buttons', buttons: [urlButton] },
          ],
        })),
      },
    ],
    complete: [{ type: 'carousel', cards: [carouselCard(1), carouselCard(0)] }],
    lacking: [
      [[], 132000],
      [[{ type: 'carousel', cards: [carouselCard(0)] }], 132000],
      [[{ type: 'carousel', cards: [carouselCard(0), { card_index: 1, components: [] }] }], 132000],
    ],
  },
  login_code: {
    components: () => [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 5 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
    ],
    extra: { category: 'AUTHENTICATION' },
    complete: [
      { type: 'body', parameters: [{ type: 'text', text: '123456' }] },
      button('url', [{ type: 'text', text: '123456' }]),
    ],
    lacking: [[[{ type: 'body', parameters: [{ type: 'text', text: '123456' }] }], 131008]],
  },
  contact_info: {
    components: () => [body, { type: 'BUTTONS', buttons: [{ type: 'REQUEST_CONTACT_INFO' }] }],
    complete: [],
    lacking: [],
  },
}

describe('templates of every kind', () => {
  for (const [name, { components, extra, complete, lacking }] of Object.entries(kinds)) {
    test(`${name}: complete it is sent, incomplete it is refused`, async () => {
      const send = await approved(name, components(), extra)
      for (const [filled, code] of lacking) {
        const answer = await send(filled)
        assert.equal(codeOf(answer), code, `${JSON.stringify(filled)}: ${detailsOf(answer)}`)
      }
      const answer = await send(complete)
      assert.equal(answer.status, 200, detailsOf(answer))
    })
  }

  test('an authentication template is listed with the text and the link that the provider gives it', async () => {
    const listed = await rig.request('GET', `/v24.0/${ACCOUNT}/message_templates?name=login_code`)
    const [template] = listed.body['data'] as { components: Loose[] }[]
    const [text, footer, buttons] = template?.components ?? []
    assert.match(String(text?.['text']), /^\*\{\{1\}\}\* is your verification code\. For your security/)
    assert.equal(footer?.['text'], 'This code expires in 5 minutes.')
    const [button] = (buttons?.['buttons'] ?? []) as Loose[]
    assert.equal(button?.['type'], 'URL')
  })

  test('a media header needs the handle of an upload of its kind', async () => {
    const headerOf = (format: string, handle: string) => [
      { type: 'HEADER', format, example: { header_handle: [handle] } },
      body,
    ]
    assert.equal(codeOf(await create('no_sample', [{ type: 'HEADER', format: 'IMAGE' }, body])), 100)
    assert.equal(codeOf(await create('unknown_sample', headerOf('IMAGE', '4::none'))), 100)
    assert.equal(codeOf(await create('other_sample', headerOf('VIDEO', sample))), 100)
    assert.equal((await create('right_sample', headerOf('IMAGE', sample))).status, 200)
  })

  test('an upload of another type, and bytes for no upload, are refused', async () => {
    const headers = { authorization: `OAuth ${rig.token}`, file_offset: '0' }
    const html = await post('/v24.0/app/uploads?file_type=text/html&file_length=3', headers)
    assert.equal((html['error'] as Loose)['code'], 100)
    const lost = await post('/v24.0/upload:none', headers, Buffer.from('a'))
    assert.equal((lost['error'] as Loose)['error_subcode'], 33)
  })
})
