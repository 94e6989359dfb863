// Every list of the big workspace with each of its filters, alone and in the combinations that backends use.

import { createCallReader } from '../../src/calls/store/calls-read.store.ts'
import { searchQuery } from '../../src/console/search-query.ts'
import { createSearchStore } from '../../src/console/store/search.store.ts'
import { createThreadStore } from '../../src/console/store/threads.store.ts'
import { campaignsIn, mergeThread } from '../../src/console/thread.ts'
import { unreadFirst } from '../../src/console/unread-first.ts'
import type { CallFilter, ConversationFilter, MessageFilter } from '../../src/contract/filters.ts'
import type { Page, PageRequest } from '../../src/contract/page.ts'
import { createConversationReader } from '../../src/messaging/store/conversations-read.store.ts'
import { createMessageReader } from '../../src/messaging/store/messages-read.store.ts'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { type ConversationId, decodeId, encodeId } from '../../src/shared/ids.ts'
import type { BigWorkspace } from './seed-lists.ts'

export interface ListCase {
  readonly name: string
  /** Relative to /api/v1. */
  readonly path: string
  /** Reads the same page from the store. `after` is the end of the previous page. */
  read(sql: Pool, after?: readonly string[]): Promise<Page<unknown>>
}

export const pageSize = 50

/** What somebody types into the search of the console. */
export interface SearchCase {
  readonly name: string
  search(sql: Pool): Promise<{ readonly people: readonly unknown[]; readonly hits: readonly unknown[] }>
}

export function searchCases(
  { workspaceId, numberIds }: BigWorkspace,
  { conversationId }: Busy,
): SearchCase[] {
  const typed = {
    ...{
      'one letter': 'c',
      'a word of all': 'customer',
      'a name': 'Customer 12',
      'a last word': '12',
      nobody: 'zoe',
    },
    ...{ 'a whole number': '+1 556 000 0012', 'first digits': '1556', 'last digits': '0012' },
    ...{
      'no number': '999 999',
      'a user id': 'US.13491208655302741918',
      'a key': 'order-6',
      'a part of keys': 'order-',
    },
    ...{ 'an id of the provider': 'wamid.7', 'a conversation': encodeId('conversation', conversationId) },
    ...{ 'a part of an id': encodeId('number', numberIds[0] ?? conversationId).slice(0, -3) },
    ...{ 'no message': encodeId('message', conversationId), 'no call': encodeId('call', conversationId) },
    ...{ 'no delivery': encodeId('delivery', conversationId), 'no event': encodeId('event', conversationId) },
  }
  return Object.entries(typed).map(([name, text]) => ({
    name: `search ${name}`,
    search: (sql) =>
      createSearchStore(sql).search(workspaceId, searchQuery(text), new AbortController().signal),
  }))
}

/** A customer with many rows (low `lease`, see seed-lists.ts) and the conversation with this customer. */
export interface Busy {
  readonly waId: string
  readonly conversationId: ConversationId
}

export async function busyCustomer(sql: Pool): Promise<Busy> {
  const [busy] = await sql<Busy[]>`
    select c.wa_id, v.id as conversation_id
    from conversations v
    join contacts c on c.id = v.contact_id
    where c.wa_id = '15560000000'`
  if (!busy) throw new Error('the workspace was not seeded')
  return busy
}

export function listCases(workspace: BigWorkspace, { waId: contact, conversationId }: Busy): ListCase[] {
  const numberId = workspace.numberIds[1]
  const { campaignId } = workspace
  const [since, until] = [daysAgo(46), daysAgo(45)]
  const updatedSince = daysAgo(46)
  const [idempotencyKey, providerMessageId] = ['order-6', 'wamid.7']
  const wide = { since: daysAgo(80), until: daysAgo(1) }
  const messages: MessageFilter[] = [
    ...[{}, { direction: 'INBOUND' as const }, { direction: 'OUTBOUND' as const }],
    ...[{ status: 'FAILED' as const }, { status: 'READ' as const }, { status: 'QUEUED' as const }],
    ...[{ type: 'IMAGE' as const }, { type: 'TEMPLATE' as const }, { type: 'STICKER' as const }],
    ...[{ conversationId }, { contact }, { contact: '15550000000' }, { numberId }, { campaignId }],
    ...[
      { status: ['FAILED', 'QUEUED'] as const },
      { status: ['READ', 'FAILED'] as const, numberId: workspace.numberIds },
    ],
    ...[{ contact: [contact, '15550000000'] }, { numberId: workspace.numberIds, updatedSince }],
    ...[{ idempotencyKey }, { idempotencyKey: 'no order' }],
    ...[{ providerMessageId }, { providerMessageId: 'wamid.none' }],
    ...[{ metadata: { order: 'A-5' } }, { metadata: { order: 'none' } }, { metadata: { shop: 'North' } }],
    ...[{ metadata: { shop: 'North', order: 'A-5' } }, { metadata: { shop: 'North' }, since, until }],
    ...[
      { metadata: { shop: 'North' }, conversationId },
      { metadata: { shop: 'North' }, status: ['DELIVERED', 'FAILED'] as const },
      { metadata: { shop: 'North' }, updatedSince },
    ],
    ...[{ since }, { until }, { since, until }, wide],
    ...[{ updatedSince }, { updatedSince, direction: 'OUTBOUND' as const }],
    ...[
      { idempotencyKey, status: 'DELIVERED' as const },
      { providerMessageId, direction: 'OUTBOUND' as const },
      { numberId, status: 'FAILED' as const },
      { conversationId, direction: 'INBOUND' as const },
    ],
  ]
  const calls: CallFilter[] = [
    ...[{}, { direction: 'INBOUND' as const }, { direction: 'OUTBOUND' as const }],
    ...[{ status: 'MISSED' as const }, { status: 'FAILED' as const }, { live: true }, { live: false }],
    ...[{ conversationId }, { contact }, { contact: '15550000000' }, { numberId }],
    ...[{ status: ['MISSED', 'FAILED'] as const }, { contact: [contact, '15550000000'] }],
    ...[{ since }, { until }, { since, until }, wide, { numberId, status: 'MISSED' as const }],
    ...[{ updatedSince }, { updatedSince, direction: 'OUTBOUND' as const }, { updatedSince, live: true }],
    ...[
      { numberId, live: true },
      { status: ['ACCEPTED', 'COMPLETED'] as const, direction: 'INBOUND' as const },
    ],
  ]
  const conversations: ConversationFilter[] = [
    ...[{}, { unread: true }, { unread: false }, { numberId }, { contact }, { contact: '15550000000' }],
    ...[{ numberId: workspace.numberIds }, { contact: [contact, '15550000000'], unread: true }],
    ...[{ since }, { until }, { since, until }, wide, { unread: true, numberId }],
    ...[{ updatedSince }, { updatedSince, unread: true }],
  ]
  const { workspaceId } = workspace
  return [
    ...messages.map((filter) =>
      listCase('/messages/chat', filter, (sql, page) =>
        createMessageReader(sql).list(workspaceId, filter, page),
      ),
    ),
    ...calls.map((filter) =>
      listCase('/calls', filter, (sql, page) => createCallReader(sql).list(workspaceId, filter, page)),
    ),
    ...conversations.map((filter) =>
      listCase('/conversations', filter, (sql, page) =>
        createConversationReader(sql).list(workspaceId, filter, page),
      ),
    ),
  ]
}

/** Only the console has these filters. */
const logFilters = (
  { keyId, rareKeyId: apiKeyId, numberIds: [, numberId] }: BigWorkspace,
  span: { readonly since: Date; readonly until: Date },
): MessageFilter[] => [
  ...[
    { apiKeyId },
    { apiKeyId: keyId },
    { apiKeyId: keyId, status: 'FAILED' as const },
    { apiKeyId, ...span },
  ],
  ...[{ template: 'order_ready' }, { template: 'order_late' }],
  ...[{ template: 'order_ready', status: 'DELIVERED' as const, since: span.since }],
  ...[{ errorCode: '131026' }, { errorCode: '131047' }, { errorCode: '131026', numberId }],
]

/** Lists that only the console has. Their pages go on from a place of several parts. */
export function consoleCases(
  workspace: BigWorkspace,
  { conversationId }: Busy,
): Pick<ListCase, 'name' | 'read'>[] {
  const { workspaceId, numberIds } = workspace
  const numberId = numberIds[1]
  const inbox = (name: string, filter: ConversationFilter): Pick<ListCase, 'name' | 'read'> => ({
    name: `inbox ${name}`,
    read: (sql, after) =>
      unreadFirst(createConversationReader(sql), workspaceId, filter, { limit: pageSize, after }),
  })
  return [
    ...logFilters(workspace, { since: daysAgo(46), until: daysAgo(45) }).map((filter) =>
      listCase('/log', filter, (sql, page) => createMessageReader(sql).list(workspaceId, filter, page)),
    ),
    inbox('unread first', {}),
    inbox('unread first numberId', { numberId }),
    inbox('unread first windowOpen', { windowOpen: true }),
    {
      name: 'inbox windowOpen',
      read: (sql, after) =>
        createConversationReader(sql).list(workspaceId, { windowOpen: true }, { limit: pageSize, after }),
    },
    {
      name: 'thread',
      async read(sql, after) {
        const page = { limit: pageSize, after }
        const messages = await createMessageReader(sql).list(workspaceId, { conversationId }, page)
        const calls = await createCallReader(sql).list(workspaceId, { conversationId }, page)
        const thread = mergeThread(messages, calls, pageSize)
        const last = thread.data.at(-1)
        const id = last && (decodeId('message', last.id) ?? decodeId('call', last.id))
        if (!id) throw new Error('nobody said anything')
        const store = createThreadStore(sql)
        await store.beginAround(workspaceId, { conversationId, id, newer: 24 })
        await store.campaignNames(workspaceId, campaignsIn(thread.data))
        await store.campaignsOf(workspaceId, conversationId)
        return thread
      },
    },
  ]
}

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

type Value = string | boolean | Date | readonly string[] | Readonly<Record<string, string>>

type List = (sql: Pool, page: PageRequest) => Promise<Page<unknown>>

function listCase(list: string, filter: object, read: List): ListCase {
  const values: [name: string, value: Value][] = Object.entries(filter)
  const query = new URLSearchParams({ limit: String(pageSize) })
  for (const [name, value] of values.flatMap(parametersOf)) query.set(name, textOf(name, value))
  return {
    name: [list.split('/')[1], ...values.map(([name, value]) => word(name, value))].join(' '),
    path: `${list}?${query}`,
    read: (sql, after) => read(sql, { limit: pageSize, after }),
  }
}

/** A map is one parameter for each of its keys. */
const parametersOf = ([name, value]: [string, Value]): [string, Value][] =>
  name === 'metadata' ? Object.entries(value).map(([key, one]) => [`metadata[${key}]`, one]) : [[name, value]]

const idKinds = {
  conversationId: 'conversation',
  numberId: 'number',
  campaignId: 'campaign',
  apiKeyId: 'key',
} as const

function textOf(name: string, value: Value): string {
  if (value instanceof Date) return value.toISOString()
  const kind = idKinds[name as keyof typeof idKinds]
  const values = Array.isArray(value) ? value : [value]
  return values.map((one) => (kind ? encodeId(kind, one as never) : String(one))).join(',')
}

/** Such as `status=FAILED`. Ids and times have no value, because their values differ from run to run. */
function word(name: string, value: Value): string {
  if (name === 'metadata') return `metadata=${Object.values(value).join('+')}`
  return value instanceof Date || name in idKinds ? name : `${name}=${String(value)}`
}
