// One workspace for each list of the API, with rows that every filter tells apart, and the rows that each
// filter must keep.
import type { Scope } from '../../../src/contract/scopes.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import {
  type CampaignId,
  encodeId,
  type IdKind,
  newId,
  type Uuid,
  type WorkspaceId,
} from '../../../src/shared/ids.ts'
import { call, message, number, type Thread, thread, workspace } from '../../support/fixtures.ts'

export type Facts = Readonly<Record<string, unknown>>

export interface Filter {
  /** Its name in the query, where that is not the name of the filter. */
  readonly parameter?: string
  /** As it stands in the query. */
  readonly value: string
  keeps(facts: Facts): boolean
  /** Values that are answered 400 with the name of the filter. */
  readonly wrong: readonly string[]
}

export interface List {
  readonly workspaceId: WorkspaceId
  readonly path: string
  /** In the order of the list. */
  readonly rows: readonly (Facts & { readonly id: string })[]
  readonly filters: Readonly<Record<string, Filter>>
  /** Adds a row; returns its id when a reader in the middle of the list will see it. */
  add(): Promise<string | undefined>
}

export const scopes: readonly Scope[] = [
  ...(['MESSAGES_READ', 'CONVERSATIONS_READ', 'CATALOG_READ', 'CALLS_READ', 'CAMPAIGNS_READ'] as const),
]

const minute = 60_000
const now = Date.now()
const since = new Date(now - 20 * minute)
const until = new Date(now - 10 * minute)
const within = new Date(now - 15 * minute)
const msBefore = (at: Date) => new Date(at.getTime() - 1)

const is = (name: string, value: string, wrong: readonly string[], shown = value): Filter => ({
  value: shown,
  keeps: (facts) => facts[name] === value,
  wrong: ['', ...wrong],
})

const badTimes = ['yesterday', '2026-02-31', '2026-01-01T00:00:00', '1700000000']
const period = (name: string): Record<string, Filter> => ({
  since: { value: since.toISOString(), keeps: (facts) => (facts[name] as Date) >= since, wrong: badTimes },
  until: { value: until.toISOString(), keeps: (facts) => (facts[name] as Date) < until, wrong: badTimes },
})

const idIs = <Kind extends IdKind>(name: string, kind: Kind, uuid: Uuid<Kind>): Filter =>
  is(name, encodeId(kind, uuid), ['1', uuid, encodeId(kind === 'number' ? 'call' : 'number', newId('call'))])

const contactIs = (waId: string): Filter =>
  is('contact', waId, ['x', '123', '+0123456789', 'NaN'], encodeURIComponent(`+${waId}`))

/** The four conversations of two numbers and two contacts; the filters ask for the first one. */
async function square(sql: Pool): Promise<readonly [Thread, Thread, Thread, Thread]> {
  const first = await thread(sql, await workspace(sql))
  const [one, other] = [{ id: first.numberId, number: first.number }, await number(sql, first.workspaceId)]
  const second = await thread(sql, first.workspaceId, one)
  const across = async ({ contactId, ...rest }: Thread): Promise<Thread> => {
    const conversationId = newId('conversation')
    await sql`
      insert into conversations (id, workspace_id, number_id, contact_id)
      values (${conversationId}, ${first.workspaceId}, ${other.id}, ${contactId})`
    return { ...rest, contactId, conversationId, numberId: other.id, number: other.number }
  }
  return [first, second, await across(first), await across(second)]
}

const threadFacts = ({ conversationId, numberId, waId }: Thread) => ({
  conversationId: encodeId('conversation', conversationId),
  numberId: encodeId('number', numberId),
  contact: waId,
})

const threadFilters = ({ conversationId, numberId, waId }: Thread) => ({
  conversationId: idIs('conversationId', 'conversation', conversationId),
  contact: contactIs(waId),
  numberId: idIs('numberId', 'number', numberId),
})

async function campaign(sql: Pool, workspaceId: WorkspaceId, status = 'DRAFT'): Promise<CampaignId> {
  const id = newId('campaign')
  await sql`
    insert into campaigns (id, workspace_id, name, status, template_name, template_language)
    values (${id}, ${workspaceId}, 'c', ${status}, 't', 'en')`
  return id
}

/** First and last the values that every filter keeps; between them, values that one filter leaves out. */
const changes = (base: object, others: readonly object[]) => [
  base,
  ...others.map((other) => ({ ...base, ...other })),
  base,
]

async function messages(sql: Pool): Promise<List> {
  const [own, ...others] = await square(sql)
  const { workspaceId } = own
  const [campaignId, otherId] = [await campaign(sql, workspaceId), await campaign(sql, workspaceId)]
  const metadata = { order: 'A-1', shop: 'North' }
  const base = {
    direction: 'INBOUND',
    status: 'READ',
    type: 'IMAGE',
    campaignId,
    metadata,
    createdAt: within,
  }
  const rows: (Facts & { id: string })[] = []
  const insert = (party: Thread, row: Facts) =>
    message(sql, party, { ...row, metadata: sql.json(row['metadata'] as never) })
  const write = async (party: Thread, row: Facts) => {
    const id = encodeId('message', await insert(party, row))
    const campaignOf = row['campaignId'] as CampaignId | null
    const shown = campaignOf && encodeId('campaign', campaignOf)
    rows.unshift({ ...row, ...threadFacts(party), id, campaignId: shown })
  }
  // No two messages can have one of these.
  const named = { idempotencyKey: 'order-1', providerMessageId: `wamid.${newId('message')}` }
  await write(own, { ...base, ...named })
  await write(own, { ...base, idempotencyKey: 'order-2', providerMessageId: `${named.providerMessageId}x` })
  for (const row of changes(base, [
    ...[{ direction: 'OUTBOUND' }, { status: 'RECEIVED' }, { type: 'TEXT' }],
    ...[{ campaignId: null }, { campaignId: otherId }],
    ...[{ metadata: {} }, { metadata: { ...metadata, order: 'A-2' } }, { metadata: { A: 'order-1' } }],
    ...[{ createdAt: since }, { createdAt: msBefore(since) }, { createdAt: until }],
  ]))
    await write(own, { ...row })
  for (const other of others) await write(other, base)
  return {
    ...{ workspaceId, path: '/messages/chat', rows },
    filters: {
      direction: is('direction', 'INBOUND', ['inbound', 'BOTH']),
      status: is('status', 'READ', ['read', 'PENDING', 'READ,sent', 'READ,', ',READ', 'READ, SENT']),
      type: is('type', 'IMAGE', ['image', 'PHOTO']),
      ...threadFilters(own),
      campaignId: idIs('campaignId', 'campaign', campaignId),
      idempotencyKey: is('idempotencyKey', named.idempotencyKey, ['x'.repeat(256)]),
      providerMessageId: is('providerMessageId', named.providerMessageId, ['x'.repeat(513)]),
      metadata: {
        parameter: 'metadata[order]',
        value: metadata.order,
        keeps: (facts) => (facts['metadata'] as Partial<typeof metadata>).order === metadata.order,
        wrong: [],
      },
      ...period('createdAt'),
    },
    add: async () => void (await insert(own, base)),
  }
}

async function calls(sql: Pool): Promise<List> {
  const [own, ...others] = await square(sql)
  const base = { direction: 'OUTBOUND', status: 'RINGING', createdAt: within }
  const rows: (Facts & { id: string })[] = []
  const write = async (party: Thread, row: Facts) => {
    const id = encodeId('call', await call(sql, party, { ...row }))
    const live = ['INITIATED', 'RINGING', 'ACCEPTED'].includes(String(row['status']))
    rows.unshift({ ...row, ...threadFacts(party), live: String(live), id })
  }
  for (const row of changes(base, [
    ...[{ direction: 'INBOUND' }, { status: 'ACCEPTED' }, { status: 'MISSED' }, { status: 'COMPLETED' }],
    ...[{ createdAt: since }, { createdAt: msBefore(since) }, { createdAt: until }],
  ]))
    await write(own, { ...row })
  for (const other of others) await write(other, base)
  return {
    ...{ workspaceId: own.workspaceId, path: '/calls', rows },
    filters: {
      direction: is('direction', 'OUTBOUND', ['outbound', 'ANY']),
      status: is('status', 'RINGING', ['ringing', 'DONE']),
      live: is('live', 'true', ['1', 'TRUE', 'yes']),
      ...threadFilters(own),
      ...period('createdAt'),
    },
    add: async () => void (await call(sql, own, base)),
  }
}

async function conversations(sql: Pool): Promise<List> {
  const [own, ...others] = await square(sql)
  const known = { id: own.numberId, number: own.number }
  const parties: Thread[] = [own, ...others]
  for (let more = 0; more < 4; more += 1) parties.push(await thread(sql, own.workspaceId, known))
  const times = [within, msBefore(until), since, msBefore(within), msBefore(since), until, within, within]
  const rows = []
  for (const [index, party] of parties.entries()) {
    const [unread, updatedAt] = [index === 0 || index % 3 === 1, times[index] ?? within]
    await sql`
      update conversations set unread_count = ${unread ? 2 : 0}, updated_at = ${updatedAt}
      where id = ${party.conversationId}`
    const { conversationId: id, ...facts } = threadFacts(party)
    rows.push({ ...facts, id, unread: String(unread), updatedAt })
  }
  rows.sort((a, b) => b.updatedAt.getTime() - a.updatedAt.getTime() || (a.id < b.id ? 1 : -1))
  const { contact, numberId } = threadFilters(own)
  return {
    ...{ workspaceId: own.workspaceId, path: '/conversations', rows },
    filters: { unread: is('unread', 'true', ['1', 'True']), numberId, contact, ...period('updatedAt') },
    add: async () => void (await thread(sql, own.workspaceId, known)),
  }
}

async function templates(sql: Pool): Promise<List> {
  const workspaceId = await workspace(sql)
  const rows: (Facts & { id: string })[] = []
  const base = { name: 'order', language: 'en_US', status: 'APPROVED', category: 'UTILITY' }
  const insert = async (row: typeof base) => {
    const id = newId('template')
    const components = sql.json([{ type: 'BODY', text: 'x' }])
    await sql`insert into templates ${sql({ ...row, id, workspaceId, components } as never)}`
    return encodeId('template', id)
  }
  const write = async (row: typeof base) => rows.unshift({ ...row, id: await insert(row) })
  let later = 0
  await write(base)
  for (const row of [
    ...[{ name: 'other' }, { language: 'de' }, { language: 'en_GB', status: 'PAUSED' }],
    ...[
      { name: 'third', category: 'MARKETING' },
      { name: 'fourth', status: 'REJECTED' },
    ],
  ])
    await write({ ...base, ...row })
  return {
    ...{ workspaceId, path: '/templates', rows },
    filters: {
      name: is('name', 'order', ['x'.repeat(513)]),
      language: is('language', 'en_US', ['x'.repeat(513)]),
      status: is('status', 'APPROVED', ['approved', 'OK']),
      category: is('category', 'UTILITY', ['utility', 'OTHER']),
    },
    add: async () => void (await insert({ ...base, name: `later_${later++}` })),
  }
}

async function numbers(sql: Pool): Promise<List> {
  const workspaceId = await workspace(sql)
  const rows: { id: string }[] = []
  for (let index = 0; index < 4; index += 1)
    rows.unshift({ id: encodeId('number', (await number(sql, workspaceId)).id) })
  return {
    ...{ workspaceId, path: '/numbers', rows, filters: {} },
    add: async () => void (await number(sql, workspaceId)),
  }
}

async function campaigns(sql: Pool): Promise<List> {
  const workspaceId = await workspace(sql)
  const rows: (Facts & { id: string })[] = []
  for (const status of ['PAUSED', 'DRAFT', 'PAUSED', 'RUNNING', 'COMPLETED'])
    rows.unshift({ status, id: encodeId('campaign', await campaign(sql, workspaceId, status)) })
  return {
    ...{ workspaceId, path: '/campaigns', rows },
    filters: { status: is('status', 'PAUSED', ['paused', 'HELD']) },
    add: async () => void (await campaign(sql, workspaceId, 'PAUSED')),
  }
}

async function recipients(sql: Pool): Promise<List> {
  const workspaceId = await workspace(sql)
  const campaignId = await campaign(sql, workspaceId)
  const write = async (index: number, status: string) => {
    const [id, to] = [newId('recipient'), `1555000${index}`]
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id, status)
      values (${id}, ${workspaceId}, ${campaignId}, ${to}, ${status})`
    return { id: encodeId('recipient', id), to, status }
  }
  const rows: (Facts & { id: string })[] = []
  for (const [index, status] of ['FAILED', 'PENDING', 'FAILED', 'SENT'].entries())
    rows.push(await write(1_000 + index, status))
  let added = 2_000
  return {
    ...{ workspaceId, path: `/campaigns/${encodeId('campaign', campaignId)}/recipients`, rows },
    filters: {
      status: is('status', 'FAILED', ['failed', 'READY']),
      to: is('to', '15550001002', ['x', '123'], '%2B15550001002'),
    },
    add: async () => (await write(added++, 'PENDING')).id,
  }
}

export const lists = { messages, calls, conversations, templates, numbers, campaigns, recipients }
