// Reads the parts of a message that are more than text, see contract/records/message-details.ts. What is malformed
// counts as absent, so that it does not lose the message.
import * as v from 'valibot'
import type { InboundMedia } from '../../contract/provider-updates.ts'
import { sha256Hex } from '../../contract/provider-words.ts'
import type { MessageType } from '../../contract/records/message.ts'
import type {
  ContactCard,
  ContextDetails,
  LocationDetails,
  MediaDetails,
  MediaKind,
  MessageDetails,
  MessageReference,
  OrderDetails,
  ReferralDetails,
  ReplyDetails,
  UnsupportedDetails,
} from '../../contract/records/message-details.ts'
import { errorsIn, list, optional, readCount, readId, readText, record } from './fields.ts'
import { storableObject } from './storable-json.ts'

export type Content = Readonly<Record<string, unknown>>

export interface MessageContent {
  readonly messageType: MessageType
  readonly text: string
  readonly media: InboundMedia | null
  /** Null where the message is its text alone. */
  readonly details: MessageDetails | null
}

/** Null where it is absent, empty or no text. */
export const textIn = (content: Content, name: string, maxLength = 512): string | null => {
  const read = readText(content[name], maxLength)
  return read === '' ? null : read
}

const urlIn = (content: Content, name: string) => textIn(content, name, 2_048)

/** Our id is looked up where the message is written. */
export function referenceIn(content: Content, name: string): MessageReference | null {
  const providerMessageId = readId(content[name])
  return providerMessageId === null ? null : { messageId: null, providerMessageId }
}

export const mediaDetails = (kind: MediaKind, content: Content): MediaDetails => {
  const sha256 = textIn(content, 'sha256')
  return {
    kind,
    mimeType: textIn(content, 'mime_type', 255),
    fileName: textIn(content, 'filename', 255),
    caption: textIn(content, 'caption', 4_096),
    sha256: sha256 === null ? null : sha256Hex(sha256),
    voice: content['voice'] === true,
    animated: content['animated'] === true,
  }
}

const degrees = (given: unknown, most: number): number | null => {
  const number = typeof given === 'string' && given.trim() !== '' ? Number(given) : given
  return typeof number === 'number' && Math.abs(number) <= most ? number : null
}

export const locationDetails = (content: Content): LocationDetails => ({
  latitude: degrees(content['latitude'], 90),
  longitude: degrees(content['longitude'], 180),
  name: textIn(content, 'name', 1_024),
  address: textIn(content, 'address', 1_024),
  url: urlIn(content, 'url'),
})

const MAX_CARDS = 257
const MAX_OF_A_CARD = 20

const several = <Part>(given: unknown, read: (part: Content) => Part | null): Part[] =>
  list(given)
    .slice(0, MAX_OF_A_CARD)
    .flatMap((part) => read(record(part)) ?? [])

export const contactCards = (given: unknown): ContactCard[] =>
  list(given)
    .slice(0, MAX_CARDS)
    .map((one) => contactCard(record(one)))

function contactCard(card: Content): ContactCard {
  const name = record(card['name'])
  const company = record(card['org'])
  const organization = {
    company: textIn(company, 'company'),
    department: textIn(company, 'department'),
    title: textIn(company, 'title'),
  }
  return {
    name: textIn(name, 'formatted_name') ?? textIn(name, 'first_name'),
    phones: several(card['phones'], (one) => ({
      phone: textIn(one, 'phone', 64),
      waId: textIn(one, 'wa_id', 64),
      type: textIn(one, 'type', 64),
    })),
    emails: several(card['emails'], (one) => {
      const email = textIn(one, 'email')
      return email === null ? null : { email, type: textIn(one, 'type', 64) }
    }),
    addresses: several(card['addresses'], (one) => ({
      street: textIn(one, 'street'),
      city: textIn(one, 'city'),
      state: textIn(one, 'state'),
      zip: textIn(one, 'zip', 64),
      country: textIn(one, 'country'),
      type: textIn(one, 'type', 64),
    })),
    urls: several(card['urls'], (one) => {
      const url = urlIn(one, 'url')
      return url === null ? null : { url, type: textIn(one, 'type', 64) }
    }),
    organization: Object.values(organization).some((part) => part !== null) ? organization : null,
    birthday: textIn(card, 'birthday', 64),
    origin: textIn(card, 'origin', 64),
  }
}

const MAX_ITEMS = 500

// As text, because a fraction of a currency is not exact as a number.
const decimal = optional(
  v.pipe(v.union([v.number(), v.string()]), v.transform(String), v.regex(/^-?\d{1,18}(\.\d{1,9})?$/)),
)

export const orderDetails = (content: Content): OrderDetails => ({
  catalogId: textIn(content, 'catalog_id', 128),
  text: textIn(content, 'text', 4_096) ?? '',
  items: list(content['product_items'])
    .slice(0, MAX_ITEMS)
    .flatMap((one) => {
      const item = record(one)
      const productId = textIn(item, 'product_retailer_id')
      if (productId === null) return []
      return {
        productId,
        quantity: readCount(item['quantity']),
        price: v.parse(decimal, item['item_price']),
        currency: textIn(item, 'currency', 16),
      }
    }),
})

const noReply = { id: null, title: null, description: null, payload: null, response: null, responseRaw: null }

export const templateButton = (content: Content): ReplyDetails => ({
  ...noReply,
  kind: 'template_button',
  title: textIn(content, 'text', 1_024),
  payload: textIn(content, 'payload', 1_024),
})

const MAX_RESPONSE = 32_000

/** The choice that an interactive message holds; null where it is none that this version knows. */
export function replyDetails(content: Content): ReplyDetails | null {
  for (const kind of ['button', 'list'] as const) {
    const given = content[`${kind}_reply`]
    if (given === undefined) continue
    const chosen = record(given)
    const description = textIn(chosen, 'description', 1_024)
    return { ...noReply, kind, id: textIn(chosen, 'id'), title: textIn(chosen, 'title'), description }
  }
  if (content['nfm_reply'] === undefined) return null
  const form = record(content['nfm_reply'])
  const responseRaw = textIn(form, 'response_json', MAX_RESPONSE)
  return {
    ...noReply,
    kind: form['name'] === 'address_message' ? 'address' : 'flow',
    title: textIn(form, 'body', 1_024),
    response: storableObject(form['response_json'], MAX_RESPONSE),
    responseRaw,
  }
}

/** Null where the message neither quotes, nor was forwarded, nor asks about a product. */
export function contextDetails(given: unknown): ContextDetails | null {
  if (given === undefined) return null
  const content = record(given)
  const providerMessageId = readId(content['id'])
  const forwarded = content['forwarded'] === true
  const frequentlyForwarded = content['frequently_forwarded'] === true
  const referred = record(content['referred_product'])
  const productId = textIn(referred, 'product_retailer_id')
  const product = productId === null ? null : { catalogId: textIn(referred, 'catalog_id', 128), productId }
  if (providerMessageId === null && !forwarded && !frequentlyForwarded && product === null) return null
  return {
    messageId: null,
    providerMessageId,
    forwarded: forwarded || frequentlyForwarded,
    frequentlyForwarded,
    product,
  }
}

export function referralDetails(given: unknown): ReferralDetails | null {
  if (given === undefined) return null
  const content = record(given)
  const referral: ReferralDetails = {
    sourceType: textIn(content, 'source_type', 64),
    sourceId: textIn(content, 'source_id', 128),
    sourceUrl: urlIn(content, 'source_url'),
    headline: textIn(content, 'headline'),
    body: textIn(content, 'body', 2_048),
    mediaType: textIn(content, 'media_type', 64),
    mediaUrl: urlIn(content, 'image_url') ?? urlIn(content, 'video_url'),
    thumbnailUrl: urlIn(content, 'thumbnail_url'),
    clickId: textIn(content, 'ctwa_clid'),
    welcomeText: textIn(record(content['welcome_message']), 'text', 2_048),
  }
  return Object.values(referral).some((part) => part !== null) ? referral : null
}

export function unsupportedDetails(type: string | null, errors: unknown): UnsupportedDetails {
  const told = errorsIn(errors).slice(0, 10)
  return { type, errors: told.map(({ code, title, details }) => ({ code, title, details })) }
}
