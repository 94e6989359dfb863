// What arrives together is written together, and comes to the same as one after the other.

import assert from 'node:assert/strict'
import type { WrittenDelivery } from '../../../src/contract/dispatch.ts'
import { personAt } from '../../../src/contract/person.ts'
import { createMessageUpdates, type MessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import { createMessageHandover } from '../../../src/messaging/host/handed-messages.ts'
import type { MessageStore } from '../../../src/messaging/ports.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { type EndpointId, newId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testConsent, testContacts, testMessageStore } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant, type Tenant } from '../../support/rows.ts'
import { inbound, people, story, written } from './inbound-story.ts'

const database = await testDatabase()
const sql = testPool(database, 8)
interface Gateway {
  readonly apply: MessageUpdates['applyInbound']
  readonly sent: WrittenDelivery[]
  /** How many messages each statement had. */
  readonly sizes: number[]
  /** Hear to which endpoints the messages of a number went. */
  readonly noted: ((phoneNumberId: string, ids: readonly EndpointId[]) => void)[]
}

function gatewayOf(patch: (store: MessageStore) => Partial<MessageStore> = () => ({})): Gateway {
  const real = testMessageStore(sql)
  const store = { ...real, ...patch(real) }
  const [sent, sizes]: [WrittenDelivery[], number[]] = [[], []]
  const noted: Gateway['noted'] = []
  const { applyInbound: apply } = createMessageUpdates({
    store: {
      ...store,
      tryInbounds: (writes) => {
        sizes.push(writes.length)
        return store.tryInbounds(writes)
      },
    },
    contacts: testContacts(sql),
    dispatch: (deliveries) => sent.push(...deliveries),
    clock: systemClock,
    ignored: (type) => assert.fail(type),
    campaignSendFailed: () => undefined,
    consent: testConsent(sql),
    noteEndpoints(phoneNumberId, ids) {
      for (const note of noted) note(phoneNumberId, ids)
    },
  })
  return { apply, sent, sizes, noted }
}

/** Writes each message by the statement for any one. */
const oneByOne = () =>
  gatewayOf(() => ({ tryInbounds: async (writes) => writes.map(() => 'again' as const) }))

interface Owning {
  isOwner: boolean
}

/** Two gateways, of which the second one owns every endpoint. */
function pairOf() {
  const gateways = [gatewayOf(), gatewayOf()] as const
  const states: readonly [Owning, Owning] = [{ isOwner: false }, { isOwner: true }]
  const [first, owner] = gateways.map(({ apply, noted }, index) => {
    const handover = createMessageHandover({
      router: {
        lastKnown: () => ({ nodeId: 'owner', sid: 'owner', address: '' }),
        askAt: async (_, { id, message }) =>
          owner?.asked.ask(id, JSON.parse(JSON.stringify(message))) ?? lost,
      },
      session: { state: 'serving' },
      endpoints: { has: () => states[index]?.isOwner ?? false },
      ...{ clock: systemClock, log: { warn: (fields: object) => assert.fail(JSON.stringify(fields)) } },
    })
    noted.push(handover.noteEndpoints)
    return { apply: handover.through(apply), asked: handover.asked(apply) }
  })
  assert.ok(first && owner)
  return { apply: first.apply, gateways, states }
}

const lost = { type: 'unavailable' } as const

async function tenantWithReceiver(): Promise<Tenant> {
  const tenant = await addTenant(sql)
  await addEndpoint(sql, tenant.workspaceId)
  return tenant
}

const conversationOf = async (tenant: Tenant, waId: string) => {
  const [row] = await sql<{ id: string }[]>`
    select v.id from conversations v join contacts c on c.id = v.contact_id
    where v.workspace_id = ${tenant.workspaceId} and c.wa_id = ${waId} and v.erased_at is null`
  return row?.id ?? assert.fail('no conversation')
}

const texts = async (tenant: Tenant, waId: string) => {
  const rows = await sql<{ text: string }[]>`
    select m.text from messages m join contacts c on c.id = m.contact_id
    where m.workspace_id = ${tenant.workspaceId} and c.wa_id = ${waId} order by m.id`
  return rows.map(({ text }) => text)
}

describe('inbound messages that arrive together', () => {
  for (const seed of [1, 2, 3, 4])
    test(`come to the same as one after the other (mix ${seed})`, async () => {
      const [one, many] = [oneByOne(), gatewayOf()]
      const [slow, fast] = [await tenantWithReceiver(), await tenantWithReceiver()]
      for (const update of story(slow, seed).flat()) await one.apply(update)
      for (const chunk of story(fast, seed)) await Promise.all(chunk.map((update) => many.apply(update)))
      assert.ok(many.sizes.some((size) => size > 3))
      assert.deepEqual(await written(sql, fast, many.sent), await written(sql, slow, one.sent))
      // What is plain has a statement of its own where it comes alone.
      const [plain, single] = [await tenantWithReceiver(), gatewayOf()]
      for (const update of story(plain, seed).flat()) await single.apply(update)
      assert.deepEqual(await written(sql, plain, single.sent), await written(sql, slow, one.sent))
    })

  test('come to the same at the gateway that owns the endpoint, which gets all after the first', async () => {
    const [one, pair] = [oneByOne(), pairOf()]
    const [slow, fast] = [await tenantWithReceiver(), await tenantWithReceiver()]
    for (const update of story(slow, 5).flat()) await one.apply(update)
    const [here, owner] = pair.gateways
    for (const chunk of story(fast, 5)) {
      await pair.apply(chunk[0] ?? assert.fail())
      await Promise.all(chunk.map(pair.apply))
    }
    const sent = [...here.sent, ...owner.sent]
    assert.deepEqual(await written(sql, fast, sent), await written(sql, slow, one.sent))
    assert.equal(here.sent.length, 1)
    assert.ok(owner.sizes.some((size) => size > 3))
    // It owns the endpoint no more: what comes is written where it came.
    pair.states[1].isOwner = false
    await pair.apply(inbound(fast, { text: 'here' }))
    assert.deepEqual([here.sent.length, owner.sent.length], [2, sent.length - 1])
  })

  test('wait for no conversation that somebody has locked, and its own messages keep their order', async () => {
    const tenant = await tenantWithReceiver()
    const { apply, sent } = gatewayOf()
    const from = (waId: string, text: string) => inbound(tenant, { from: personAt(waId), text })
    for (const waId of people) await apply(from(waId, 'hello'))
    const [locked = '', ...others] = people
    const id = await conversationOf(tenant, locked)
    const waiting = await sql.begin(async (tx) => {
      await tx`select from conversations where id = ${id} for update`
      const late = [1, 2, 3].map((index) => apply(from(locked, `late ${index}`)))
      // The others are written while it is locked, in several rounds, or this never ends.
      for (let round = 0; round < 3; round += 1) {
        await Promise.all(others.map((waId) => apply(from(waId, `round ${round}`))))
        // Keeps the transaction awake.
        await tx`select`
      }
      const last = apply(from(locked, 'late 4'))
      await Promise.all(others.map((waId) => apply(from(waId, 'round 3'))))
      assert.deepEqual(await texts(tenant, locked), ['hello'])
      return { all: [...late, last] }
    })
    await Promise.all(waiting.all)
    assert.deepEqual(await texts(tenant, locked), ['hello', 'late 1', 'late 2', 'late 3', 'late 4'])
    const chain = sent.filter(({ key }) => key === id)
    assert.deepEqual(
      chain.map(({ after }) => after),
      [null, ...chain.slice(0, -1).map(({ eventId }) => eventId)],
    )
  })

  test('one that Postgres refuses fails alone', async () => {
    const tenant = await tenantWithReceiver()
    const { apply, sizes } = gatewayOf()
    for (const waId of people) await apply(inbound(tenant, { from: personAt(waId), text: 'hello' }))
    const all = people.map((waId, index) =>
      apply(inbound(tenant, { from: personAt(waId), text: index === 2 ? 'nul \u0000' : 'fine' })),
    )
    const results = await Promise.allSettled(all)
    assert.ok(sizes.includes(people.length))
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled'],
    )
    for (const [index, waId] of people.entries())
      assert.deepEqual(await texts(tenant, waId), index === 2 ? ['hello'] : ['hello', 'fine'])
  })

  test('of a contact that was erased meanwhile go to the new one', async () => {
    const tenant = await tenantWithReceiver()
    const { apply } = gatewayOf()
    for (const waId of people) await apply(inbound(tenant, { from: personAt(waId), text: 'hello' }))
    const [erased = ''] = people
    const before = await conversationOf(tenant, erased)
    await sql`
      update contacts set wa_id = 'erased', erased_at = now()
      where workspace_id = ${tenant.workspaceId} and wa_id = ${erased}`
    await Promise.all(people.map((waId) => apply(inbound(tenant, { from: personAt(waId), text: 'again' }))))
    assert.notEqual(await conversationOf(tenant, erased), before)
    for (const waId of people)
      assert.deepEqual(await texts(tenant, waId), waId === erased ? ['again'] : ['hello', 'again'])
  })

  test('which two gateways get at the same time are written once, and nobody waits for the other forever', async () => {
    const tenant = await tenantWithReceiver()
    const gateways = [gatewayOf(), gatewayOf()]
    for (const { apply } of gateways)
      for (const waId of people) await apply(inbound(tenant, { from: personAt(waId), text: 'hello' }))
    for (let round = 0; round < 10; round += 1) {
      const updates = Array.from({ length: 20 }, (_, index) =>
        inbound(tenant, { from: personAt(people[index % people.length] ?? ''), text: `round ${round}` }),
      )
      const reversed = [...updates].reverse()
      await Promise.all([
        ...updates.map((update) => gateways[0]?.apply(update)),
        ...reversed.map((update) => gateways[1]?.apply(update)),
      ])
    }
    for (const waId of people) assert.equal((await texts(tenant, waId)).length, 2 + 10 * 4)
    const [counts] = await sql`
      select count(*)::int as events, count(distinct e.id)::int as known,
        (select sum(unread_count)::int from conversations where workspace_id = ${tenant.workspaceId}) as unread
      from events e join deliveries d on d.event_id = e.id where e.workspace_id = ${tenant.workspaceId}`
    assert.deepEqual(counts, { events: 210, known: 210, unread: 210 })
  })

  test('the first answer to a campaign is marked, and the next ones share statements again', async () => {
    const tenant = await tenantWithReceiver()
    const { apply, sizes } = gatewayOf()
    const campaignId = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language, number_id)
      values (${campaignId}, ${tenant.workspaceId}, 'Sale', 'hello', 'en_US', ${tenant.numberId})`
    for (const waId of people) {
      await apply(inbound(tenant, { from: personAt(waId), text: 'hello' }))
      const recipientId = newId('recipient')
      await sql`
        insert into recipients (id, workspace_id, campaign_id, wa_id, status)
        values (${recipientId}, ${tenant.workspaceId}, ${campaignId}, ${waId}, 'SENT')`
      await sql`
        update conversations set campaign_recipient_id = ${recipientId}, campaign_sent_at = now()
        where id = ${await conversationOf(tenant, waId)}`
    }
    const replied = () => sql`
      select replied_at from recipients where campaign_id = ${campaignId} and replied_at is not null order by id`
    // Written before, and told after it.
    const [early = ''] = people
    await apply(inbound(tenant, { from: personAt(early), text: 'early', at: new Date(Date.now() - 60_000) }))
    assert.equal((await replied()).length, 0)
    const answers = (text: string) =>
      Promise.all(
        people.map((waId) => apply(inbound(tenant, { from: personAt(waId), text, at: new Date() }))),
      )
    await answers('first')
    const marked = await replied()
    assert.equal(marked.length, people.length)
    sizes.length = 0
    await answers('second')
    assert.deepEqual(sizes, [people.length])
    assert.deepEqual([...(await replied())], [...marked])
  })
})
