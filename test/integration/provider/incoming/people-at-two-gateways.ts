// Posts what many people send, mixed, to two gateways over one Postgres, as the provider does: in any order, some of it
// twice, and again whatever was not answered 200. Then looks at every row that became of it.
import assert from 'node:assert/strict'
import { moveMerged } from '../../../../src/messaging/store/contact-merge.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { type Mixed, mixedPeople } from '../../../support/mixed-people.ts'
import type { MixedPerson, Webhook } from '../../../support/mixed-person.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'
import { Cluster } from '../../calls/gateway.ts'
import { addWorkspace } from '../../calls/rows.ts'
import { eventually } from '../../platform/cluster/gateway.ts'
import { intake } from './corpus.ts'

const AT_ONCE = 6
const MOST_TRIES = 20

export type Outcome = Awaited<ReturnType<typeof postAll>>

/** Two gateways, each with its own connections, caches and actors, and what they made of the people. */
export async function postAll(size: number, seed: number) {
  const database = await testDatabase()
  const sql = testPool(database)
  const events = ['message.received', 'message.status', 'contact.updated', 'call.status']
  const workspace = await addWorkspace(sql, { events })
  const { workspaceId, numberId } = workspace
  const second = { numberId: newId('number'), phoneNumberId: 'pn-second' }
  await sql`
    insert into numbers (id, workspace_id, phone_number_id, number, is_default)
    values (${second.numberId}, ${workspaceId}, ${second.phoneNumberId}, '+15557654321', false)`
  const numbers = [{ numberId, phoneNumberId: workspace.phoneNumberId }, second] as const
  const cluster = new Cluster(sql)
  const gateways = [0, 1].map(() => {
    const pool = testPool(database)
    return intake(pool, cluster.node(pool).applyCallUpdate)
  })
  const mixed = mixedPeople({
    ...{ people: size, seed, from: Math.floor(Date.now() / 1_000) - 3_600 },
    phoneNumberIds: [numbers[0].phoneNumberId, numbers[1].phoneNumberId],
    sentTo: (index) => (index % 3 === 0 ? { id: `wamid.out${index}`, number: index % 2 } : null),
  })
  await send(sql, workspaceId, { mixed, numbers })
  const repeats = await post(gateways, mixed.webhooks)
  await eventually(async () => (await moveMerged(sql)) === 0)
  // The servers of tests do not do so on their own, and the checks join whole tables.
  await sql`analyze`
  return { sql, workspaceId, mixed, repeats }
}

type Gateway = ReturnType<typeof intake>
type Sql = ReturnType<typeof testPool>

/** Messages of ours to every third person, under the address of the beginning. */
async function send(
  sql: Sql,
  workspaceId: string,
  { mixed, numbers }: { readonly mixed: Mixed; readonly numbers: readonly { readonly numberId: string }[] },
): Promise<void> {
  for (const [index, { addresses, kind }] of mixed.people.entries()) {
    if (index % 3 !== 0) continue
    const ids = { contact: newId('recipient'), conversation: newId('conversation') }
    const numberId = numbers[index % 2]?.numberId ?? ''
    // Sent under the user id where the number is another person's too.
    const address = addresses[kind === 'nextOwner' ? 1 : 0] ?? ''
    await sql`
      with person as (
        insert into contacts (id, workspace_id, wa_id, user_id)
        values (${ids.contact}, ${workspaceId}, ${address}, ${/^\d/.test(address) ? null : address})
      ),
      thread as (
        insert into conversations (id, workspace_id, number_id, contact_id)
        values (${ids.conversation}, ${workspaceId}, ${numberId}, ${ids.contact})
      )
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction,
        type, status, text, send_state)
      values (new_uuid(), ${workspaceId}, ${ids.conversation}, ${numberId}, ${ids.contact}, ${`wamid.out${index}`},
        'OUTBOUND', 'TEMPLATE', 'QUEUED', 'Hello', 'ACCEPTED')`
  }
}

/** Returns how often the provider had to post again. */
async function post(gateways: readonly Gateway[], webhooks: readonly Webhook[]): Promise<number> {
  let repeats = 0
  const deliver = async (gateway: Gateway | undefined, { field, value }: Webhook) => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const answer = await gateway?.post(field, value)
      if (answer?.status === 200) {
        assert.deepEqual([answer.record.failed, answer.record.skipped], [0, {}])
        return
      }
      repeats += 1
    }
    assert.fail(`refused ${MOST_TRIES} times: ${JSON.stringify(value)}`)
  }
  const rest = webhooks.values()
  const work = async () => {
    for (const webhook of rest) {
      const other = webhook.isRepeated ? [gateways[1 - webhook.gateway]] : []
      await Promise.all([gateways[webhook.gateway], ...other].map((one) => deliver(one, webhook)))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE * gateways.length }, work))
  return repeats
}

interface ContactRow {
  readonly id: string
  readonly address: string
  readonly userId: string | null
  readonly isOptedOut: boolean
  readonly isMarketingOptedOut: boolean
  readonly aliases: readonly string[]
}

const contactsOf = ({ sql, workspaceId }: Outcome) => sql<ContactRow[]>`
  select c.id, c.wa_id as address, c.user_id, c.opt_state is not distinct from 'opted-out' as is_opted_out,
    c.marketing_opt_out_at is not null as is_marketing_opted_out,
    array(select address from contact_aliases a where a.contact_id = c.id order by address) as aliases
  from contacts c
  where c.workspace_id = ${workspaceId} and c.erased_at is null`

/** Every element is stored once, under the person who is named in it, and nobody else was made. */
export async function checkPeople(outcome: Outcome): Promise<void> {
  const { people } = outcome.mixed
  const contacts = await contactsOf(outcome)
  const byName = new Map(contacts.flatMap((one) => [one.address, ...one.aliases].map((name) => [name, one])))
  const names = new Set(people.flatMap(({ addresses }) => addresses))
  assert.deepEqual(
    [...byName.keys()].filter((name) => !names.has(name)),
    [],
    'no address but those that the provider named',
  )
  for (const person of people) {
    const { name, kind, addresses, address, userId } = person
    const found = addresses.map((one) => byName.get(one))
    const [contact] = kind === 'formerOwner' ? [byName.get(userId ?? '')] : found
    assert.ok(contact, `${name}, ${kind}, is known`)
    assert.deepEqual(
      new Set(found.map((one) => one?.id)),
      new Set([contact.id]),
      `${name}, ${kind}, is one contact`,
    )
    assert.deepEqual(
      [contact.address, contact.userId],
      [address, userId],
      `${name}, ${kind}, has the latest address`,
    )
    checkConsent(person, contact)
  }
  assert.equal(contacts.length, people.length)
}

/** The two who had one number share what either has chosen. */
function checkConsent(person: MixedPerson, contact: ContactRow): void {
  const { name, kind, saysStop, stopsMarketing } = person
  const isShared = kind === 'formerOwner' || kind === 'nextOwner'
  if (saysStop || !isShared) assert.equal(contact.isOptedOut, saysStop, `${name}, ${kind}: STOP`)
  if (stopsMarketing || !isShared)
    assert.equal(contact.isMarketingOptedOut, stopsMarketing, `${name}, ${kind}: marketing`)
}

interface StoredRow {
  readonly ref: string
  readonly fromName: string | null
  readonly told: number
  readonly isTogether: boolean
  readonly addresses: readonly string[]
}

export async function checkMessages({ sql, workspaceId, mixed }: Outcome): Promise<void> {
  const stored = await sql<StoredRow[]>`
    with told as materialized (
      select convert_from(body, 'UTF8')::jsonb #>> '{data,messageId}' as id
      from events
      where workspace_id = ${workspaceId} and kind = 'message.received'
    ),
    counted as (select id, count(*)::int as count from told group by id)
    select m.provider_message_id as ref, m.from_name, array[c.wa_id] || array(
        select address from contact_aliases a where a.contact_id = c.id) as addresses,
      coalesce(told.count, 0) as told,
      c.erased_at is null and v.contact_id = c.id and v.number_id = m.number_id and v.erased_at is null as is_together
    from messages m
    join contacts c on c.id = m.contact_id
    join conversations v on v.id = m.conversation_id
    left join counted told on told.id = shown_id('msg', m.id)
    where m.workspace_id = ${workspaceId} and m.direction = 'INBOUND'`
  const rows = new Map(stored.map((row) => [row.ref, row]))
  assert.equal(rows.size, stored.length)
  let count = 0
  for (const { messages, address, name, kind, userId } of mixed.people)
    for (const ref of messages) {
      count += 1
      const row = rows.get(ref)
      assert.ok(row, `${ref} of ${name}, ${kind}, is stored`)
      const { isTogether, told } = row
      assert.deepEqual([isTogether, told], [true, 1], `${ref} of ${name}, ${kind}: conversation, event`)
      assert.ok(
        row.addresses.includes(kind === 'formerOwner' ? (userId ?? '') : address),
        `${ref}: ${name}, ${kind}`,
      )
    }
  assert.equal(stored.length, count)
}

export async function checkThreads({ sql, workspaceId }: Outcome): Promise<void> {
  const wrong = await sql`
    select v.id
    from conversations v
    cross join lateral (
      select count(*) filter (where m.status = 'RECEIVED')::int as unread,
        max(m.created_at) filter (where m.direction = 'INBOUND' and m.type <> 'SYSTEM') as latest
      from messages m
      where m.conversation_id = v.id
    ) m
    where v.workspace_id = ${workspaceId} and v.erased_at is null
      and (v.unread_count <> m.unread or v.last_inbound_at is distinct from m.latest)`
  assert.deepEqual(
    wrong.map(({ id }) => id),
    [],
    'unread messages and windows',
  )
  const [twice] = await sql`
    select count(*)::int as count
    from (
      select from conversations
      where workspace_id = ${workspaceId} and erased_at is null
      group by number_id, contact_id
      having count(*) > 1
    ) twice`
  assert.equal(twice?.['count'], 0)
}

export async function checkReports({ sql, workspaceId, mixed }: Outcome): Promise<void> {
  const sent = await sql`
    select from messages where workspace_id = ${workspaceId} and direction = 'OUTBOUND' and status = 'READ'`
  assert.equal(sent.count, Math.ceil(mixed.people.length / 3), 'every status has arrived')
  const calls = await sql<{ wacid: string; status: string; address: string }[]>`
    select k.wacid, k.status, c.wa_id as address
    from calls k
    join contacts c on c.id = k.contact_id
    where k.workspace_id = ${workspaceId}`
  const expected = mixed.people.flatMap(({ calls, address }) =>
    calls.map((wacid) => [wacid, 'MISSED', address]),
  )
  assert.deepEqual(
    calls.map(({ wacid, status, address }) => [wacid, status, address]).sort(),
    expected.sort(),
  )
  const [lost] = await sql`
    select count(*)::int as count
    from events e
    where e.workspace_id = ${workspaceId} and not exists (select from deliveries d where d.event_id = e.id)`
  assert.equal(lost?.['count'], 0, 'every event has its delivery')
}
