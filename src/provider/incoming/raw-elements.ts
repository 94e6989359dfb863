// Puts beside each parsed element where it stands in its webhook, so that it can be kept as it came. Finds what no reader
// looked at: a part that is not known, a list that is none, a change without any element.
import { type Element, skipped, type WebhookContext } from './element.ts'
import { list, record } from './fields.ts'
import { peopleIn } from './people-in.ts'

type Loose = Readonly<Record<string, unknown>>

/** Where an element came from. Without a change it is the whole body; without a list the whole change. */
export interface RawElement {
  readonly wabaId: string | null
  /** `time` of its entry. */
  readonly time: Date | null
  readonly change: Loose | undefined
  /** The name of the list in the change's value, and the element in it. */
  readonly part: string | null
  readonly given: unknown
  /** The change has nothing besides this element. */
  readonly isAlone: boolean
  /** Those of the change. */
  readonly contacts: Contacts
}

export interface ReadElement {
  readonly element: Element
  readonly raw: RawElement
}

/** The lists of each field in the order in which its reader goes through them. */
const readLists: Readonly<Record<string, readonly string[]>> = {
  messages: ['messages', 'statuses', 'errors'],
  calls: ['calls', 'statuses'],
  user_preferences: ['user_preferences'],
  user_id_update: ['user_id_update'],
}

/** What stands around the elements. Errors of calls are read with their call. */
const around: Readonly<Record<string, readonly string[]>> = {
  messages: ['messaging_product', 'metadata', 'contacts'],
  calls: ['messaging_product', 'metadata', 'contacts', 'errors'],
  user_preferences: ['messaging_product', 'metadata', 'contacts'],
  user_id_update: ['messaging_product', 'metadata', 'contacts'],
}

const isOwn = (names: Readonly<Record<string, readonly string[]>>, field: unknown): field is string =>
  typeof field === 'string' && Object.hasOwn(names, field)

const namesOf = (names: Readonly<Record<string, readonly string[]>>, field: unknown): readonly string[] =>
  isOwn(names, field) ? (names[field] ?? []) : []

/** The whole body, of which nothing could be read. */
export const wholeBody = (element: Element, body: unknown): ReadElement => ({
  element,
  raw: {
    ...{ wabaId: null, time: null, change: undefined, part: null, given: body, isAlone: true },
    contacts: createContacts([]),
  },
})

interface Contacts {
  /** Those who have one of these addresses. */
  of(addresses: readonly string[]): unknown[]
}

/**
 * Looked through once for all elements of a change: a webhook may have a thousand of both. What stands there twice is
 * given once.
 */
function createContacts(given: readonly unknown[]): Contacts {
  let index: ReturnType<typeof indexOf> | undefined
  return {
    of(addresses) {
      index ??= indexOf(given)
      const { contacts, placesOf } = index
      const places = new Set(addresses.flatMap((address) => placesOf.get(address) ?? []))
      return [...places].sort((a, b) => a - b).map((place) => contacts[place])
    },
  }
}

function indexOf(given: readonly unknown[]) {
  // Of what is nested too deep nobody can say whom it names.
  const readable = given.filter((contact) => peopleIn(contact).areAll)
  const contacts = [...new Map(readable.map((contact) => [JSON.stringify(contact), contact])).values()]
  const placesOf = new Map<string, number[]>()
  for (const [place, contact] of contacts.entries())
    for (const address of peopleIn(contact).addresses) {
      const places = placesOf.get(address)
      if (places) places.push(place)
      else placesOf.set(address, [place])
    }
  return { contacts, placesOf }
}

/** `elements`: what the reader of the field made of this change. */
export function withRaw(
  elements: readonly Element[],
  change: Loose,
  { wabaId, time }: Pick<WebhookContext, 'wabaId' | 'time'>,
): ReadElement[] {
  const value = record(change['value'])
  const { field } = change
  const given = namesOf(readLists, field).flatMap((part) => list(value[part]).map((one) => ({ part, one })))
  const unread = unreadParts(value, field)
  const account = wabaId === '' ? null : wabaId
  const contacts = createContacts(list(value['contacts']))
  // Written out: in Node 20 a literal that begins with a spread costs microseconds, and this is done for each webhook.
  const rawOf = (part: string | null, one: unknown, isAlone: boolean): RawElement => {
    return { wabaId: account, time, contacts, change, part, given: one, isAlone }
  }
  // A reader that refuses the change, or reads another list, has another number of elements.
  if (given.length !== elements.length)
    return elements.map((element) => ({ element, raw: rawOf(null, undefined, true) }))
  const isAlone = given.length + unread.length === 1
  const read = given.map(({ part, one }, index) => ({
    element: elements[index] as Element,
    raw: rawOf(part, one, isAlone),
  }))
  if (unread.length === 0 && read.length > 0) return read
  if (read.length + unread.length === 0)
    return [{ element: skipped('malformed'), raw: rawOf(null, undefined, true) }]
  return [
    ...read,
    ...unread.map(({ part, element }) => ({ element, raw: rawOf(part, value[part], isAlone) })),
  ]
}

function unreadParts(value: Loose, field: unknown): { part: string; element: Element }[] {
  if (!isOwn(readLists, field)) return []
  const lists = namesOf(readLists, field)
  const known = namesOf(around, field)
  return Object.entries(value).flatMap(([part, content]) => {
    if (content === null || known.includes(part) || (Array.isArray(content) && lists.includes(part)))
      return []
    return [{ part, element: skipped(lists.includes(part) ? 'malformed' : 'unknown') }]
  })
}

/**
 * The change as it came, with this element alone. Of several contacts only those stay who are in the element: what
 * is kept of one person must say nothing of another.
 */
export function changeOf({ change, part, given, isAlone, contacts }: RawElement): unknown {
  if (change === undefined) return given
  if (part === null || isAlone) return change
  const value = record(change['value'])
  const kept = Object.entries(value).flatMap(([name, content]): [string, unknown][] => {
    if (name === part) return [[name, Array.isArray(content) ? [given] : given]]
    if (name === 'contacts') return [[name, contacts.of(peopleIn(given).addresses)]]
    return namesOf(around, change['field']).includes(name) ? [[name, content]] : []
  })
  return { ...change, value: Object.fromEntries(kept) }
}
