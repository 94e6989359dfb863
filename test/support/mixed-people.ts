// What the provider posts about many people, half of whom hide their number: messages, statuses, calls, choices about
// marketing and changes of number or id, in a random order with a fixed seed. Each person is named now by number, now by
// user id, now by both.

import { Story } from './mixed-people-story.ts'
import { type Item, type Json, type MixedPerson, personOf, type Webhook } from './mixed-person.ts'

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
