// What the provider posts about many people, half of whom hide their number: messages, statuses, calls, choices about
// marketing and changes of number or id, in a random order with a fixed seed. Each person is named now by number, now by
// user id, now by both.

import { Story } from './mixed-people-story.ts'

// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
export type Json = any

/**
 * - `phone`, `id`: only ever named so
 * - `both`: named by either, and by both at least once
 * - `newId`: hides the number, and gets another id
 * - `newNumber`: gets another number, and with it another id
 * - `formerOwner`, `nextOwner`: one number, which went from the first to the second without a word of the provider
 */
export type Kind = 'phone' | 'id' | 'both' | 'newId' | 'newNumber' | 'formerOwner' | 'nextOwner'

export interface Naming {
  readonly phone?: string
  readonly userId?: string
}

export interface MixedPerson {
  readonly kind: Kind
  readonly name: string
  /** All that the provider ever named the person by. */
  readonly addresses: readonly string[]
  /** As the person is known in the end. */
  readonly address: string
  readonly userId: string | null
  /** Provider's ids of what the person sent, and of calls. */
  readonly messages: string[]
  readonly calls: string[]
  saysStop: boolean
  stopsMarketing: boolean
}

export interface Webhook {
  readonly field: string
  readonly value: Json
  readonly gateway: 0 | 1
  /** The other gateway gets it too. */
  readonly isRepeated: boolean
}

export interface Item {
  readonly field: 'messages' | 'calls' | 'user_preferences'
  readonly list: 'messages' | 'statuses' | 'calls' | 'user_preferences'
  readonly number: number
  readonly contact: Json | null
  readonly element: Json
}

/** Numbers from 0 to 1, the same for a seed (mulberry32). */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const kinds: readonly Kind[] = [
  ...(['both', 'id', 'newNumber', 'phone', 'both', 'newId', 'newNumber', 'id'] as const),
  ...(['both', 'newId', 'formerOwner', 'nextOwner'] as const),
]

export function personOf(index: number): MixedPerson & { readonly before: Naming; readonly after: Naming } {
  const kind = kinds[index % kinds.length] ?? 'both'
  const digits = String(kind === 'nextOwner' ? index - 1 : index).padStart(5, '0')
  const [phone, phone2] = [`3519110${digits}`, `3519220${digits}`]
  const [userId, userId2] = [`PT.44${index}a`, `PT.99${index}b`]
  const of: Record<Kind, readonly [Naming, Naming]> = {
    phone: [{ phone }, { phone }],
    id: [{ userId }, { userId }],
    both: [
      { phone, userId },
      { phone, userId },
    ],
    newId: [{ userId }, { userId: userId2 }],
    newNumber: [
      { phone, userId },
      { phone: phone2, userId: userId2 },
    ],
    formerOwner: [
      { phone, userId },
      { phone, userId },
    ],
    nextOwner: [
      { phone, userId },
      { phone, userId },
    ],
  }
  const [before, after] = of[kind]
  const all = [before.phone, before.userId, after.phone, after.userId]
  const own = kind === 'formerOwner' ? [userId] : all
  return {
    ...{ kind, name: `Person ${index}`, before, after, messages: [], calls: [], saysStop: false },
    ...{ stopsMarketing: false, userId: after.userId ?? null },
    address: (kind === 'formerOwner' ? undefined : after.phone) ?? after.userId ?? '',
    addresses: [...new Set(own.filter((address) => address !== undefined))],
  }
}

export interface Mixed {
  readonly people: readonly MixedPerson[]
  readonly webhooks: readonly Webhook[]
  /** How many elements the webhooks have. */
  readonly count: number
  /** How many of them show a number. */
  readonly withNumber: number
}

export interface MixedOptions {
  readonly people: number
  readonly seed: number
  readonly phoneNumberIds: readonly [string, string]
  /** The provider's second 0. */
  readonly from: number
  /** A message of ours to the person, of which statuses tell. */
  readonly sentTo: (index: number) => { readonly id: string; readonly number: number } | null
}

export function mixedPeople({ people: size, seed, phoneNumberIds, from, sentTo }: MixedOptions): Mixed {
  const roll = dice(seed)
  const under = (max: number) => Math.floor(roll() * max)
  const people = Array.from({ length: size }, (_, index) => personOf(index))
  const items = people.flatMap((person, index) => {
    const story = new Story(person, { index, from, under })
    story.talk()
    story.choose()
    story.ring()
    story.change()
    const sent = sentTo(index)
    if (sent) story.report(sent)
    return story.items
  })
  const order = items.map((item) => ({ item, key: roll() })).sort((a, b) => a.key - b.key)
  const webhooks = inWebhooks(
    order.map(({ item }) => item),
    phoneNumberIds,
    under,
  )
  const withNumber = items.filter(
    ({ element }) => element.from ?? element.recipient_id ?? element.wa_id,
  ).length
  return { people, webhooks, count: items.length, withNumber }
}

/** As the provider batches: one field and one number in each. */
function inWebhooks(
  items: readonly Item[],
  phoneNumberIds: readonly [string, string],
  under: (max: number) => number,
): Webhook[] {
  const webhooks: Webhook[] = []
  const open = new Map<string, Item[]>()
  const post = (batch: readonly Item[]) => {
    const [first] = batch
    if (!first) return
    const value: Json = { messaging_product: 'whatsapp' }
    value.metadata = { display_phone_number: '1555', phone_number_id: phoneNumberIds[first.number] }
    const contacts = batch.flatMap(({ contact }) => (contact === null ? [] : [contact]))
    if (contacts.length > 0) value.contacts = contacts
    for (const { list, element } of batch) value[list] = [...(value[list] ?? []), element]
    const gateway = under(2) === 0 ? 0 : 1
    webhooks.push({ field: first.field, value, gateway, isRepeated: under(10) === 0 })
  }
  for (const item of items) {
    const key = `${item.field} ${item.number}`
    const batch = [...(open.get(key) ?? []), item]
    open.set(key, batch)
    if (batch.length < 1 + under(8)) continue
    post(batch)
    open.delete(key)
  }
  for (const batch of open.values()) post(batch)
  return webhooks
}
