// Search of a workspace: what was found, in words and with the page that shows it.
import { AppError } from '../contract/errors.ts'
import type { OneOf } from '../contract/filters.ts'
import type { SearchResult } from '../contract/records/console.ts'
import { phoneOf } from '../shared/address.ts'
import { decodeId, encodeId, type IdKind, type Uuid, type WorkspaceId } from '../shared/ids.ts'
import { toE164 } from '../shared/phone.ts'
import { type SearchQuery, searchQuery } from './search-query.ts'
import type { Found } from './store/people.store.ts'
import type { SearchStore } from './store/search.store.ts'
import { type Hit, mostShown } from './store/search-parts.ts'

export interface Search {
  /** Up to five of each kind. */
  find(workspaceId: WorkspaceId, text: string, abort: AbortSignal): Promise<SearchResult[]>
  /** The addresses of the contacts whom the filter `path` means. */
  contacts(workspaceId: WorkspaceId, text: string, path: string): Promise<OneOf<string>>
  /** The conversations and the latest calls whom a filter of deliveries means. */
  keys(workspaceId: WorkspaceId, text: string, path: string): Promise<OneOf<string>>
}

/** A filter follows one index for each contact. */
const mostFiltered = 20
/** Each has several conversations and calls. */
const mostKeyed = 5

export const createSearch = (store: SearchStore): Search => ({
  async find(workspaceId, text, abort) {
    const query = searchQuery(text)
    try {
      abort.throwIfAborted()
      const { people, hits } = await store.search(workspaceId, query, abort)
      // A conversation, message or call that is named is shown itself.
      const shown = query.id ? [] : people.filter(hasConversation).slice(0, mostShown)
      return [...shown.map(toPerson), ...fewOfEach(hits.map(toResult))]
    } catch (error) {
      // Nobody waits for the answer: what the database says to a statement that was broken off is no failure.
      abort.throwIfAborted()
      throw error
    }
  },

  async contacts(workspaceId, text, path) {
    const query = searchQuery(text)
    const people = await whoIsMeant(store, workspaceId, { query, path, most: mostFiltered })
    const unknown = query.phone?.leads.find((lead) => phoneOf(lead) !== null) ?? query.userId ?? nobody
    return oneOf(people.map(({ address }) => address)) ?? unknown
  },

  async keys(workspaceId, text, path) {
    const id = decodeId('conversation', text) ?? decodeId('call', text)
    if (id !== undefined) return id
    const query = searchQuery(text)
    const people = await whoIsMeant(store, workspaceId, { query, path, most: mostKeyed })
    const contactIds = people.map(({ id: contactId }) => contactId)
    return oneOf(await store.keysOf(workspaceId, contactIds)) ?? noKey
  },
})

/** What no contact has, and no delivery is about: an empty list. */
const nobody = '-'
const noKey = '00000000-0000-0000-0000-000000000000'

function oneOf(values: readonly string[]): OneOf<string> | undefined {
  const [first, ...others] = new Set(values)
  return first === undefined || others.length === 0 ? first : [first, ...others]
}

async function whoIsMeant(
  store: SearchStore,
  workspaceId: WorkspaceId,
  { query, path, most }: { readonly query: SearchQuery; readonly path: string; readonly most: number },
): Promise<readonly Found[]> {
  if (!isOfContact(query)) throw refused(path, whatItTakes)
  const people = await store.people(workspaceId, query)
  const exact = people.filter(({ isExact }) => isExact)
  // Of names, those that go on after what was typed are meant too.
  const meant = exact.length > 0 && !isOnlyName(query) ? exact : people
  if (meant.length > most) throw refused(path, tooMany(query.text, most))
  return meant
}

const contactKinds = new Set<IdKind>(['conversation', 'message', 'call'])

const isOfContact = ({ id, phone, userId, name }: SearchQuery): boolean =>
  id ? contactKinds.has(id.kind) : [phone, userId, name].some((one) => one !== undefined)

const isOnlyName = ({ id, phone, userId }: SearchQuery): boolean =>
  [id, phone, userId].every((one) => one === undefined)

const whatItTakes =
  'Enter a name, a phone number or part of it, a username, a user ID, or an ID that starts with cnv_, msg_ or call_.'

const tooMany = (text: string, most: number): string =>
  `More than ${most} contacts fit “${text}”. Enter more of the name or number.`

const refused = (path: string, message: string): AppError =>
  new AppError('VALIDATION_ERROR', message, { details: [{ path, message }] })

const hasConversation = (found: Found): found is Found & { conversationId: Uuid } =>
  found.conversationId !== null

/** One record can be found in several ways. */
function fewOfEach(results: readonly SearchResult[]): SearchResult[] {
  const seen = new Set<string>()
  const counts = new Map<string, number>()
  return results.filter(({ id, kind }) => {
    const count = counts.get(kind) ?? 0
    if (seen.has(id) || count === mostShown) return false
    seen.add(id)
    counts.set(kind, count + 1)
    return true
  })
}

const numberOf = (address: string | null): string | null => {
  const digits = address?.startsWith('+') ? address.slice(1) : address
  const phone = digits === null || digits === undefined ? null : phoneOf(digits)
  return phone === null ? null : toE164(phone)
}

function toPerson({
  conversationId,
  name,
  username,
  userId,
  address,
  lastAt,
}: Found & { conversationId: Uuid }): SearchResult {
  const id = encodeId('conversation', conversationId)
  const number = numberOf(address)
  const at = username === null ? null : `@${username}`
  const known = [name, at, number === null ? (userId ?? address) : null].filter((one) => one !== null)
  const [title = null, ...details] = known
  return {
    ...{ kind: 'contact', id, title, number, status: null, at: lastAt?.toISOString() ?? null },
    detail: details[0] ?? null,
    link: `/conversations/${id}`,
  }
}

const idKinds: Readonly<Record<Hit['kind'], IdKind>> = {
  conversation: 'conversation',
  message: 'message',
  call: 'call',
  campaign: 'campaign',
  recipient: 'recipient',
  template: 'template',
  number: 'number',
  delivery: 'delivery',
  element: 'element',
  audit: 'audit',
  endpoint: 'endpoint',
  key: 'key',
  member: 'operator',
}

function toResult(hit: Hit): SearchResult {
  const { kind, detail, status } = hit
  const id = encodeId(idKinds[kind], hit.id)
  const isTalk = kind === 'message' || kind === 'call'
  return {
    ...{ kind, id, detail, status, at: hit.at?.toISOString() ?? null },
    title: isTalk ? talkTitle(hit) : (hit.title ?? (numberOf(hit.address) === null ? hit.address : null)),
    number: isTalk ? null : numberOf(hit.address),
    link: linkOf(hit, id),
  }
}

/** Such as `Template to Mia Keller`. */
function talkTitle({ kind, type, direction, title, address }: Hit): string {
  const what = kind === 'call' ? 'Call' : capital((type ?? 'message').replaceAll('_', ' ').toLowerCase())
  return `${what} ${direction === 'INBOUND' ? 'from' : 'to'} ${title ?? numberOf(address) ?? address}`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const pagesOf: Partial<Record<Hit['kind'], string>> = {
  conversation: 'conversations',
  message: 'messages',
  call: 'calls',
  campaign: 'campaigns',
  template: 'templates',
  delivery: 'deliveries',
  element: 'inbound',
  audit: 'audit',
  endpoint: 'endpoints',
}

function linkOf({ kind, parentId, address }: Hit, id: string): string {
  if (kind === 'recipient' && parentId !== null)
    return `/campaigns/${encodeId('campaign', parentId)}?${new URLSearchParams({ to: address ?? '' })}`
  const page = pagesOf[kind]
  // These have no page of their own.
  return page === undefined ? `/${kind}s` : `/${page}/${id}`
}
