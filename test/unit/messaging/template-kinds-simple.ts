// Templates with a header or a plain button, one of each kind: with variables that fit it and the components of the send.
import type { Variables } from '../../../src/messaging/template-variables.ts'

export interface Kind {
  readonly title: string
  readonly components: readonly unknown[]
  /** The kinds of the variables that a send must give, by name. */
  readonly takes: Readonly<Record<string, string>>
  /** The same of those that it may give. */
  readonly may?: Readonly<Record<string, string>>
  readonly variables: Variables
  readonly sent: readonly unknown[]
}

export const body = (text: string) => ({ type: 'BODY', text })
export const buttons = (...list: object[]) => ({ type: 'BUTTONS', buttons: list })
export const textOf = (text: string) => ({ type: 'text', text })
export const header = (type: string, value: object) => ({
  type: 'header',
  parameters: [{ type, [type]: value }],
})

const headers: readonly Kind[] = [
  {
    title: 'named text',
    components: [{ type: 'HEADER', format: 'TEXT', text: 'At {{store}}' }, body('Hi {{first_name}}')],
    takes: { store: 'TEXT', first_name: 'TEXT' },
    variables: { store: 'Dock', first_name: 'Ines' },
    sent: [
      { type: 'header', parameters: [{ type: 'text', parameter_name: 'store', text: 'Dock' }] },
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ines' }] },
    ],
  },
  {
    title: 'positional text',
    components: [{ type: 'HEADER', format: 'TEXT', text: 'At {{1}}' }, body('Hi {{2}}, {{1}}')],
    takes: { 'header.1': 'TEXT', '1': 'TEXT', '2': 'TEXT' },
    variables: { 'header.1': 'Dock', '1': 'a', '2': 'b' },
    sent: [
      { type: 'header', parameters: [textOf('Dock')] },
      { type: 'body', parameters: [textOf('a'), textOf('b')] },
    ],
  },
  {
    title: 'image header by link',
    components: [{ type: 'HEADER', format: 'IMAGE' }],
    takes: { 'header.1': 'MEDIA' },
    variables: { 'header.1': 'https://x.example/a.png' },
    sent: [header('image', { link: 'https://x.example/a.png' })],
  },
  {
    title: 'video header by id',
    components: [{ type: 'HEADER', format: 'VIDEO' }],
    takes: { 'header.1': 'MEDIA' },
    variables: { 'header.1': '1037543291543636' },
    sent: [header('video', { id: '1037543291543636' })],
  },
  {
    title: 'GIF header',
    components: [{ type: 'HEADER', format: 'GIF' }],
    takes: { 'header.1': 'MEDIA' },
    variables: { 'header.1': '77' },
    sent: [header('gif', { id: '77' })],
  },
  {
    title: 'document header with a file name',
    components: [{ type: 'HEADER', format: 'DOCUMENT' }, body('Your invoice')],
    takes: { 'header.1': 'MEDIA' },
    may: { 'header.fileName': 'FILE_NAME' },
    variables: { 'header.1': 'https://x.example/a.pdf', 'header.fileName': 'invoice.pdf' },
    sent: [header('document', { link: 'https://x.example/a.pdf', filename: 'invoice.pdf' })],
  },
  {
    title: 'location header',
    components: [{ type: 'HEADER', format: 'LOCATION' }, body('Here we are')],
    takes: {
      'header.latitude': 'LATITUDE',
      'header.longitude': 'LONGITUDE',
      'header.name': 'TEXT',
      'header.address': 'TEXT',
    },
    variables: {
      'header.latitude': '38.7',
      'header.longitude': '-9.1',
      'header.name': 'North Dock',
      'header.address': 'Pier 2',
    },
    sent: [
      header('location', { latitude: '38.7', longitude: '-9.1', name: 'North Dock', address: 'Pier 2' }),
    ],
  },
  {
    title: 'product header',
    components: [{ type: 'HEADER', format: 'PRODUCT' }, body('Look'), buttons({ type: 'SPM', text: 'View' })],
    takes: { 'header.productId': 'PRODUCT_ID', 'header.catalogId': 'CATALOG_ID' },
    variables: { 'header.productId': 'sku-1', 'header.catalogId': '1949' },
    sent: [header('product', { product_retailer_id: 'sku-1', catalog_id: '1949' })],
  },
]

const plainButtons: readonly Kind[] = [
  {
    title: 'URL button with a suffix, and one without',
    components: [
      body('Track it'),
      buttons(
        { type: 'URL', text: 'Shop', url: 'https://shop.example' },
        { type: 'URL', text: 'Track', url: 'https://shop.example/o/{{1}}' },
      ),
    ],
    takes: { 'button.1': 'URL_SUFFIX' },
    variables: { 'button.1': 'A-4471' },
    sent: [{ type: 'button', sub_type: 'url', index: '1', parameters: [textOf('A-4471')] }],
  },
  {
    title: 'quick replies with a payload and without',
    components: [
      body('Keep it?'),
      buttons({ type: 'QUICK_REPLY', text: 'Keep' }, { type: 'QUICK_REPLY', text: 'Move' }),
    ],
    takes: {},
    may: { 'button.0': 'PAYLOAD', 'button.1': 'PAYLOAD' },
    variables: { 'button.1': 'MOVE_7' },
    sent: [
      {
        type: 'button',
        sub_type: 'quick_reply',
        index: '1',
        parameters: [{ type: 'payload', payload: 'MOVE_7' }],
      },
    ],
  },
  {
    title: 'copy code',
    components: [body('Save'), buttons({ type: 'COPY_CODE', example: 'SAVE20' })],
    takes: { 'button.0': 'CODE' },
    variables: { 'button.0': 'SAVE25' },
    sent: [
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '0',
        parameters: [{ type: 'coupon_code', coupon_code: 'SAVE25' }],
      },
    ],
  },
  {
    title: 'phone number',
    components: [
      body('Ring us'),
      buttons({ type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550002222' }),
    ],
    takes: {},
    variables: {},
    sent: [],
  },
  {
    title: 'request for contact info',
    components: [body('Which number is yours?'), buttons({ type: 'REQUEST_CONTACT_INFO' })],
    takes: {},
    variables: {},
    sent: [],
  },
  {
    title: 'voice call with a payload',
    components: [body('Talk to us'), buttons({ type: 'VOICE_CALL', text: 'Call' })],
    takes: {},
    may: { 'button.0': 'PAYLOAD', 'button.0.ttlMinutes': 'MINUTES' },
    variables: { 'button.0': 'ticket-9', 'button.0.ttlMinutes': '1440' },
    sent: [
      {
        type: 'button',
        sub_type: 'voice_call',
        index: '0',
        parameters: [
          { type: 'ttl_minutes', ttl_minutes: 1440 },
          { type: 'payload', payload: 'ticket-9' },
        ],
      },
    ],
  },
  {
    title: 'call permission request',
    components: [body('May we call you?'), { type: 'call_permission_request' }],
    takes: {},
    variables: {},
    sent: [],
  },
]

export const simpleKinds: readonly Kind[] = [...headers, ...plainButtons]
