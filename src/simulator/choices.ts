// What a user can tap under a message of the business, and what the phone sends then.
import * as v from 'valibot'
import { ControlError, readBody } from './control-error.ts'
import { deliverFromHandset } from './inbound.ts'
import type { Handset } from './model.ts'
import type { TemplateSend } from './template-check.ts'
import { buttonsOf, isType, type TemplateRecord } from './template-record.ts'
import type { Choice, InboxItem } from './views.ts'
import { timeOf, type World } from './world.ts'

type Loose = Readonly<Record<string, unknown>>

const loose = (value: unknown): Loose => (typeof value === 'object' && value !== null ? (value as Loose) : {})
const list = (value: unknown): Loose[] => (Array.isArray(value) ? value.map(loose) : [])
const words = (value: unknown): string => (typeof value === 'string' ? value : '')

const replyChoices = (buttons: unknown): Choice[] =>
  list(buttons).map(({ reply }) => ({
    kind: 'button_reply',
    id: words(loose(reply)['id']),
    title: words(loose(reply)['title']),
  }))

/** The choices of interactive messages by their kinds. */
const INTERACTIVE: Readonly<Record<string, (action: Loose) => Choice[]>> = {
  button: ({ buttons }) => replyChoices(buttons),
  list: ({ sections }) =>
    list(sections)
      .flatMap(({ rows }) => list(rows))
      .map(({ id, title, description }) => ({
        ...{ kind: 'list_reply', id: words(id), title: words(title) },
        ...(typeof description === 'string' ? { description } : {}),
      })),
  flow: ({ parameters }) => {
    const { flow_cta: title, flow_token: token } = loose(parameters)
    return [{ kind: 'flow', id: 'flow', title: words(title), payload: words(token) || 'unused' }]
  },
  address_message: () => [{ kind: 'address', id: 'address', title: 'Provide address' }],
  location_request_message: () => [{ kind: 'location', id: 'location', title: 'Send location' }],
  request_contact_info: () => [{ kind: 'contact', id: 'contact', title: 'Share my number' }],
  product: (action) => order(action['catalog_id'], [words(action['product_retailer_id'])]),
  product_list: ({ catalog_id: catalog, sections }) =>
    order(
      catalog,
      list(sections)
        .flatMap((section) => list(section['product_items']))
        .map((item) => words(item['product_retailer_id'])),
    ),
  catalog_message: () => order('1', ['sku-1']),
  carousel: ({ cards }) => list(cards).flatMap(({ action }) => replyChoices(loose(action)['buttons'])),
}

const order = (catalog: unknown, products: readonly string[]): Choice[] => [
  { kind: 'order', id: 'order', title: 'Order', payload: words(catalog), products },
]

export function interactiveChoices(content: object): Choice[] {
  const { type, action } = content as { type?: unknown; action?: unknown }
  return INTERACTIVE[words(type)]?.(loose(action)) ?? []
}

/** The buttons of a template that answer. The payload of a quick reply comes with the message. */
export function templateChoices(template: TemplateRecord, send: TemplateSend): Choice[] {
  return buttonsOf(template).flatMap(({ type, text }, index): Choice[] => {
    const filled = send.components.find((one) => isType(one, 'BUTTON') && String(one.index) === String(index))
    const parameter = loose(filled?.parameters[0])
    const title = text ?? ''
    if (type === 'QUICK_REPLY') {
      return [{ kind: 'button', id: `${index}`, title, payload: words(parameter['payload']) || title }]
    }
    if (type === 'FLOW') {
      const token = words(loose(parameter['action'])['flow_token'])
      return [{ kind: 'flow', id: `${index}`, title, payload: token || 'unused' }]
    }
    if (type === 'REQUEST_CONTACT_INFO') {
      return [{ kind: 'contact', id: `${index}`, title: 'Share my number' }]
    }
    return []
  })
}

const ChoiceBody = v.strictObject({
  /** The wamid of the message from the business. */
  id: v.string(),
  /** The id of the choice. Default: the first one. */
  choice: v.optional(v.string()),
  /** What the user filled into a flow or an address form. */
  response: v.optional(v.record(v.string(), v.unknown()), {}),
  latitude: v.optional(v.number(), 38.7),
  longitude: v.optional(v.number(), -9.1),
})
type ChoiceBody = v.InferOutput<typeof ChoiceBody>

type Answer = Readonly<{ type: string; content: unknown; text: string }>

const interactive = (type: string, content: Loose, text: string): Answer => ({
  type: 'interactive',
  content: { type, [type]: content },
  text,
})

const formReply = (name: string, response: Loose): Answer =>
  interactive('nfm_reply', { name, body: 'Sent', response_json: JSON.stringify(response) }, 'Sent')

type Maker = (choice: Choice, body: ChoiceBody, handset: Handset) => Answer

const ANSWERS: Readonly<Record<Choice['kind'], Maker>> = {
  button_reply: ({ id, title }) => interactive('button_reply', { id, title }, title),
  list_reply: ({ id, title, description }) =>
    interactive('list_reply', { id, title, ...(description === undefined ? {} : { description }) }, title),
  button: ({ title, payload }) => ({ type: 'button', content: { payload, text: title }, text: title }),
  flow: ({ payload }, { response }) => formReply('flow', { flow_token: payload, ...response }),
  address: (_, { response }) => formReply('address_message', { saved_address_id: '', values: response }),
  location: (_, { latitude, longitude }) => ({
    type: 'location',
    content: { latitude, longitude },
    text: 'location',
  }),
  contact: (_, __, { waId }) => ({
    type: 'contacts',
    content: [{ origin: 'contact_request', phones: [{ phone: `+${waId}`, wa_id: waId, type: 'CELL' }] }],
    text: `+${waId}`,
  }),
  order: ({ payload, products = [] }) => ({
    type: 'order',
    content: {
      catalog_id: payload,
      text: '',
      product_items: products.map((product_retailer_id) => ({
        ...{ product_retailer_id, quantity: 1, item_price: 30, currency: 'EUR' },
      })),
    },
    text: 'order',
  }),
}

/** `POST handsets/:address/choose`: the user taps. Returns the wamid of the answer. */
export function choose(world: World, handset: Handset, body: unknown): string {
  const chosen = readBody(ChoiceBody, body)
  const item = handset.inbox.find((one: InboxItem) => one.id === chosen.id)
  if (item === undefined) throw new ControlError(404, `the handset has no message ${chosen.id}`)
  const choice = item.choices.find(({ id }) => chosen.choice === undefined || id === chosen.choice)
  if (choice === undefined) throw new ControlError(409, 'there is nothing to choose')
  const number = world.numbers.get(item.phoneNumberId)
  if (number === undefined) throw new ControlError(404, `there is no business number ${item.phoneNumberId}`)
  // Who shares the number is known by it from now on.
  if (choice.kind === 'contact') handset.numberKnownAt.set(number.id, timeOf(world))
  const answer = ANSWERS[choice.kind](choice, chosen, handset)
  return deliverFromHandset(world, number, handset, { ...answer, replyTo: item.id })
}
