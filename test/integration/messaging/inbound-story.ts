// Mixes of inbound messages, and everything that was written of them.

import assert from 'node:assert/strict'
import type { WrittenDelivery } from '../../../src/contract/dispatch.ts'
import { personAt } from '../../../src/contract/person.ts'
import type { InboundMessageUpdate } from '../../../src/contract/provider-updates.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import type { Tenant } from '../../support/rows.ts'

const startMs = Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000

export const inbound = (tenant: Tenant, patch: Partial<InboundMessageUpdate> = {}): InboundMessageUpdate => ({
  ...{ type: 'inboundMessage', phoneNumberId: tenant.phoneNumberId, from: personAt('15557000001', 'Ines') },
  ...{ providerMessageId: `wamid.${newId('message')}`, at: new Date(startMs) },
  ...{ messageType: 'TEXT', text: 'Hello', media: null, details: null },
  ...patch,
})

/** A pseudo-random whole number below a limit. */
function randomOf(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

export const people = ['15557000001', '15557000002', '15557000003', '15557000004', '15557000005']

type Said = Pick<InboundMessageUpdate, 'messageType' | 'text' | 'media' | 'details'>

/** `before`: the provider's ids of what was said already. */
function anything(random: (below: number) => number, before: readonly string[]): Said {
  const plain = { messageType: 'TEXT', media: null, details: null } as const
  const earlier = { messageId: null, providerMessageId: before[random(before.length)] ?? 'wamid.none' }
  const kinds: Said[] = [
    ...[0, 1, 2, 3, 4, 5].map((index) => ({
      ...plain,
      text: `Order ${index} "quoted" \\ ✓ ${random(1_000)}`,
    })),
    { ...plain, text: random(2) === 0 ? 'STOP' : 'start' },
    { ...plain, text: 'to all', details: { group: { id: 'boats' } } },
    {
      ...plain,
      ...{ messageType: 'IMAGE', text: 'a boat' },
      media: { providerMediaId: `m${random(1_000)}`, mimeType: 'image/png', fileName: null, sha256: 'c2hh' },
    },
    { ...plain, text: 'yes', details: { context: { ...earlier, forwarded: false } as never } },
    { ...plain, messageType: 'EDIT', text: 'changed', details: { edit: earlier } },
    { ...plain, messageType: 'REVOKE', text: '', details: { revoke: earlier } },
    { ...plain, messageType: 'SYSTEM', text: '' },
  ]
  return kinds[random(kinds.length)] ?? assert.fail()
}

/** Chunks of what arrives at the same time. */
export function story(tenant: Tenant, seed: number): InboundMessageUpdate[][] {
  const random = randomOf(seed)
  const all: InboundMessageUpdate[] = []
  const said = (waId: string, what: Said): InboundMessageUpdate =>
    inbound(tenant, {
      ...{ from: personAt(waId, 'Ines'), providerMessageId: `wamid.${tenant.workspaceId}.${all.length}` },
      // Never two at the same time, and not in the order in which they come.
      ...{ at: new Date(startMs + random(600) * 1_000 + all.length), ...what },
    })
  const hello: Said = { messageType: 'TEXT', text: 'Hello', media: null, details: null }
  const next = (waId: string, what: Said) => {
    const update = said(waId, what)
    all.push(update)
    return update
  }
  const chunk = (size: number) => {
    const before = all.map(({ providerMessageId }) => providerMessageId)
    return Array.from({ length: size }, () => {
      const repeated = random(12) === 0 ? all.at(-1 - random(20)) : undefined
      return repeated ?? next(people[random(people.length)] ?? '', anything(random, before))
    })
  }
  return [
    ...people.map((waId) => [next(waId, hello)]),
    ...people.map((waId) => [next(waId, { ...hello, details: { group: { id: 'boats' } } })]),
    ...Array.from({ length: 4 }, () => chunk(5 + random(30))),
  ]
}

/** Everything that was written, with names that do not depend on the tenant in the place of ids. */
export async function written(
  sql: Pool,
  { workspaceId, number }: Tenant,
  sent: readonly WrittenDelivery[],
): Promise<unknown> {
  const messages = await sql<{ id: string; name: string; waId: string; groupId: string | null }[]>`
    select m.id, m.provider_message_id as name, m.type, m.status, m.text, m.details, m.from_name, m.created_at,
      m.read_at, c.wa_id, v.group_id, a.provider_media_id, a.mime_type
    from messages m
    join conversations v on v.id = m.conversation_id
    join contacts c on c.id = m.contact_id
    left join media a on a.message_id = m.id
    where m.workspace_id = ${workspaceId}
    order by m.id`
  const conversations = await sql<{ id: string; name: string }[]>`
    select v.id, coalesce(v.group_id, c.wa_id) as name, v.last_message_id, v.last_message_at, v.unread_count,
      v.last_inbound_at, v.last_event_id, c.opt_state, r.replied_at
    from conversations v
    left join contacts c on c.id = v.contact_id
    left join recipients r on r.id = v.campaign_recipient_id
    where v.workspace_id = ${workspaceId}
    order by name`
  const contacts = await sql<{ id: string; name: string }[]>`
    select id, 'writer ' || wa_id as name from contacts where workspace_id = ${workspaceId} order by 2`
  const events = await sql<{ id: string; key: string; body: Buffer }[]>`
    select e.id, e.key, e.body from deliveries d join events e on e.id = d.event_id
    where d.workspace_id = ${workspaceId} order by d.id`
  const data = ({ body }: { body: Uint8Array }) =>
    (JSON.parse(Buffer.from(body).toString()) as { data: { messageId: string; details?: unknown } }).data
  const names = new Map<string, string>([
    ...messages.flatMap(({ id, name }): [string, string][] => [
      [id, name],
      [encodeId('message', id), name],
    ]),
    ...[...conversations, ...contacts].flatMap(({ id, name }): [string, string][] => [
      [id, name],
      [encodeId('conversation', id), name],
    ]),
  ])
  for (const event of events) names.set(event.id, `event of ${names.get(data(event).messageId)}`)
  const told = (one: { key: string; body: Uint8Array }) => ({ key: one.key, data: data(one) })
  const all = {
    // In each conversation in its order.
    ...{ messages: grouped(messages, ({ waId, groupId }) => groupId ?? waId), conversations },
    events: grouped(events.map(told), ({ key }) => names.get(key) ?? key),
    sent: grouped(
      sent.map((one) => ({ ...told(one), after: one.after, kind: one.kind, event: one.eventId })),
      ({ key }) => names.get(key) ?? key,
    ),
  }
  return JSON.parse(
    JSON.stringify(all, (_, value: unknown) =>
      typeof value === 'string' ? (names.get(value) ?? value) : value,
    )
      .replaceAll(workspaceId, '')
      .replaceAll(number, ''),
  )
}

function grouped<One>(rows: readonly One[], nameOf: (row: One) => string): Record<string, One[]> {
  const groups: Record<string, One[]> = {}
  for (const row of rows) {
    const group = groups[nameOf(row)] ?? []
    group.push(row)
    groups[nameOf(row)] = group
  }
  return groups
}
