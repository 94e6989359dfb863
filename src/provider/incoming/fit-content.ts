// Cuts what a message says so that its event has at most the size of a body, however much of it JSON escapes.
import type { MessageDetails } from '../../contract/records/message-details.ts'
import { storableStart } from '../../shared/storable-text.ts'
import type { MessageContent } from './message-parts.ts'

/** Bytes of JSON. What remains of a body is for the other fields of the event. */
const MAX_DETAILS = 64 * 1024
const MAX_CONTENT = 240 * 1024
/** The most that one UTF-16 unit takes in JSON: six of them as an escape. */
const MOST_BYTES = 6

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

export function fitted(content: MessageContent): MessageContent {
  // Hardly any message is even near it.
  const details = content.details && fittedDetails(content.details)
  const left = MAX_CONTENT - bytesOf(details)
  if (content.text.length * MOST_BYTES <= left || bytesOf(content.text) <= left)
    return { ...content, details }
  const text = storableStart(content.text, Math.floor(left / MOST_BYTES))
  return { ...content, text, details: { ...details, truncated: true } }
}

function fittedDetails(given: MessageDetails): MessageDetails {
  let details = given
  for (const shorten of shorter) {
    for (;;) {
      if (bytesOf(details) <= MAX_DETAILS) return details
      const next = shorten(details)
      if (!next) break
      details = { ...next, truncated: true }
    }
  }
  return details
}

type Shorten = (details: MessageDetails) => MessageDetails | undefined

/** The parts of a card that are lists, those with the longest entries first. */
const listsOfCard = ['addresses', 'urls', 'emails', 'phones'] as const

/** Each gives less, again and again, until it gives undefined. */
const shorter: readonly Shorten[] = [
  (details) =>
    details.reply?.response ? { ...details, reply: { ...details.reply, response: null } } : undefined,
  (details) =>
    details.reply?.responseRaw
      ? { ...details, reply: { ...details.reply, responseRaw: halfText(details.reply.responseRaw) } }
      : undefined,
  (details) =>
    details.contacts && details.contacts.length > 1
      ? { ...details, contacts: half(details.contacts) }
      : undefined,
  // No more than one card is left here.
  ...listsOfCard.map(
    (name): Shorten =>
      (details) => {
        const card = details.contacts?.[0]
        return card && card[name].length > 1
          ? { ...details, contacts: [{ ...card, [name]: half<readonly unknown[]>(card[name]) }] }
          : undefined
      },
  ),
  (details) =>
    details.order && details.order.items.length > 1
      ? { ...details, order: { ...details.order, items: half(details.order.items) } }
      : undefined,
]

const half = <List extends readonly unknown[]>(list: List): List =>
  list.slice(0, Math.floor(list.length / 2)) as unknown as List

const halfText = (text: string): string => storableStart(text, Math.floor(text.length / 2))
