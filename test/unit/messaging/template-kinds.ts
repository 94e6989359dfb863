// One template of each kind that the provider has, with variables that fit it and the components of the send.
import { body, buttons, header, type Kind, simpleKinds, textOf } from './template-kinds-simple.ts'

const action = (value: object) => [{ type: 'action', action: value }]

export const sections = JSON.stringify([
  { title: 'New', products: ['sku-1', 'sku-2'] },
  { title: 'Old', products: ['sku-3'] },
])

export const multiProduct = [body('Our picks'), buttons({ type: 'MPM', text: 'View items' })]

const mediaCard = {
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::a'] } },
    body('{{1}} for {{2}}'),
    buttons(
      { type: 'QUICK_REPLY', text: 'More' },
      {
        type: 'URL',
        text: 'Buy',
        url: 'https://shop.example/p/{{1}}',
        example: ['https://shop.example/p/x'],
      },
    ),
  ],
}

const productCard = {
  components: [{ type: 'header', format: 'product' }, buttons({ type: 'spm', text: 'View' })],
}

export const productCarousel = [{ type: 'carousel', cards: [productCard, productCard] }]

const appButtons: readonly Kind[] = [
  {
    title: 'flow without a token',
    components: [body('Book'), buttons({ type: 'FLOW', text: 'Book', flow_id: '7' })],
    takes: {},
    may: { 'button.0': 'FLOW_TOKEN', 'button.0.data': 'JSON' },
    variables: {},
    sent: [{ type: 'button', sub_type: 'flow', index: '0', parameters: action({ flow_token: 'unused' }) }],
  },
  {
    title: 'flow with a token and data',
    components: [body('Book'), buttons({ type: 'FLOW', text: 'Book', flow_id: '7' })],
    takes: {},
    may: { 'button.0': 'FLOW_TOKEN', 'button.0.data': 'JSON' },
    variables: { 'button.0': 'order-7', 'button.0.data': '{"day":"Tuesday"}' },
    sent: [
      {
        type: 'button',
        sub_type: 'flow',
        index: '0',
        parameters: action({ flow_token: 'order-7', flow_action_data: { day: 'Tuesday' } }),
      },
    ],
  },
  {
    title: 'catalog',
    components: [body('Shop'), buttons({ type: 'CATALOG', text: 'View catalog' })],
    takes: { 'button.0': 'PRODUCT_ID' },
    variables: { 'button.0': 'sku-1' },
    sent: [
      {
        type: 'button',
        sub_type: 'CATALOG',
        index: '0',
        parameters: action({ thumbnail_product_retailer_id: 'sku-1' }),
      },
    ],
  },
  {
    title: 'multi-product',
    components: multiProduct,
    takes: { 'button.0.sections': 'PRODUCT_SECTIONS' },
    may: { 'button.0': 'PRODUCT_ID' },
    variables: { 'button.0.sections': sections },
    sent: [
      {
        type: 'button',
        sub_type: 'mpm',
        index: '0',
        parameters: action({
          thumbnail_product_retailer_id: 'sku-1',
          sections: [
            {
              title: 'New',
              product_items: [{ product_retailer_id: 'sku-1' }, { product_retailer_id: 'sku-2' }],
            },
            { title: 'Old', product_items: [{ product_retailer_id: 'sku-3' }] },
          ],
        }),
      },
    ],
  },
]

const codeSent = [
  { type: 'body', parameters: [textOf('123456')] },
  { type: 'button', sub_type: 'url', index: '0', parameters: [textOf('123456')] },
]

const authentication: readonly Kind[] = [
  ...['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'].map((otp) => ({
    title: `authentication, ${otp}`,
    components: [body('*{{1}}* is your code.'), buttons({ type: 'OTP', otp_type: otp, text: 'Copy code' })],
    takes: { '1': 'TEXT' },
    may: { 'button.0': 'CODE' },
    variables: { '1': '123456' },
    sent: codeSent,
  })),
  {
    title: 'authentication, as the provider lists it',
    components: [
      body('*{{1}}* is your code.'),
      buttons({
        type: 'URL',
        text: 'Copy code',
        url: 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}',
      }),
    ],
    takes: { '1': 'TEXT' },
    may: { 'button.0': 'CODE' },
    variables: { '1': '123456', 'button.0': '123456' },
    sent: codeSent,
  },
  {
    title: 'authentication, as submitted',
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      buttons({ type: 'OTP', otp_type: 'COPY_CODE' }),
    ],
    takes: { '1': 'TEXT' },
    may: { 'button.0': 'CODE' },
    variables: { '1': '123456' },
    sent: codeSent,
  },
]

const composed: readonly Kind[] = [
  {
    title: 'limited-time offer',
    components: [
      { type: 'HEADER', format: 'IMAGE' },
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Expiring!', has_expiration: true } },
      body('Hi {{1}}'),
      buttons(
        { type: 'COPY_CODE', example: 'SAVE20' },
        { type: 'URL', text: 'Book', url: 'https://shop.example/{{1}}' },
      ),
    ],
    takes: {
      'header.1': 'MEDIA',
      '1': 'TEXT',
      'offer.expiresAt': 'TIMESTAMP',
      'button.0': 'CODE',
      'button.1': 'URL_SUFFIX',
    },
    variables: {
      'header.1': '77',
      '1': 'Ines',
      'offer.expiresAt': '2026-12-24T18:00:00+01:00',
      'button.0': 'SAVE20',
      'button.1': 'x',
    },
    sent: [
      header('image', { id: '77' }),
      { type: 'body', parameters: [textOf('Ines')] },
      {
        type: 'limited_time_offer',
        parameters: [
          { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_798_131_600_000 } },
        ],
      },
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '0',
        parameters: [{ type: 'coupon_code', coupon_code: 'SAVE20' }],
      },
      { type: 'button', sub_type: 'url', index: '1', parameters: [textOf('x')] },
    ],
  },
  {
    title: 'offer without an end',
    components: [
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Today', has_expiration: false } },
      body('Hi'),
    ],
    takes: {},
    variables: {},
    sent: [],
  },
  {
    title: 'carousel of media',
    components: [body('Hi {{1}}'), { type: 'CAROUSEL', cards: [mediaCard, mediaCard] }],
    takes: {
      '1': 'TEXT',
      'card.0.header.1': 'MEDIA',
      'card.0.1': 'TEXT',
      'card.0.2': 'TEXT',
      'card.0.button.1': 'URL_SUFFIX',
      'card.1.header.1': 'MEDIA',
      'card.1.1': 'TEXT',
      'card.1.2': 'TEXT',
      'card.1.button.1': 'URL_SUFFIX',
    },
    may: { 'card.0.button.0': 'PAYLOAD', 'card.1.button.0': 'PAYLOAD' },
    variables: {
      '1': 'Ines',
      'card.0.header.1': '77',
      'card.0.1': 'Aloe',
      'card.0.2': '$9',
      'card.0.button.0': 'MORE_ALOE',
      'card.0.button.1': 'aloe',
      'card.1.header.1': 'https://shop.example/fern.png',
      'card.1.1': 'Fern',
      'card.1.2': '$7',
      'card.1.button.1': 'fern',
    },
    sent: [
      { type: 'body', parameters: [textOf('Ines')] },
      {
        type: 'carousel',
        cards: [
          {
            card_index: 0,
            components: [
              header('image', { id: '77' }),
              { type: 'body', parameters: [textOf('Aloe'), textOf('$9')] },
              reply('MORE_ALOE'),
              { type: 'button', sub_type: 'url', index: '1', parameters: [textOf('aloe')] },
            ],
          },
          {
            card_index: 1,
            components: [
              header('image', { link: 'https://shop.example/fern.png' }),
              { type: 'body', parameters: [textOf('Fern'), textOf('$7')] },
              reply('More'),
              { type: 'button', sub_type: 'url', index: '1', parameters: [textOf('fern')] },
            ],
          },
        ],
      },
    ],
  },
  {
    title: 'carousel of products',
    components: productCarousel,
    takes: {
      'card.0.header.productId': 'PRODUCT_ID',
      'card.0.header.catalogId': 'CATALOG_ID',
      'card.1.header.productId': 'PRODUCT_ID',
      'card.1.header.catalogId': 'CATALOG_ID',
    },
    variables: {
      'card.0.header.productId': 'sku-1',
      'card.0.header.catalogId': '1949',
      'card.1.header.productId': 'sku-2',
      'card.1.header.catalogId': '1949',
    },
    sent: [
      {
        type: 'carousel',
        cards: ['sku-1', 'sku-2'].map((product, index) => ({
          card_index: index,
          components: [header('product', { product_retailer_id: product, catalog_id: '1949' })],
        })),
      },
    ],
  },
]

function reply(payload: string) {
  return { type: 'button', sub_type: 'quick_reply', index: '0', parameters: [{ type: 'payload', payload }] }
}

export const kinds: readonly Kind[] = [...simpleKinds, ...appButtons, ...authentication, ...composed]
