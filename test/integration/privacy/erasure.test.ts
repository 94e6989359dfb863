import assert from 'node:assert/strict'
import { Registry } from 'prom-client'
import { personAt } from '../../../src/contract/person.ts'
import { createDeliverySweep } from '../../../src/delivery/delivery.module.ts'
import { createMessageUpdates } from '../../../src/messaging/apply-message-updates.ts'
import { createContactsStore } from '../../../src/messaging/store/contacts.store.ts'
import { createMessageStore } from '../../../src/messaging/store/messages.store.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { newId } from '../../../src/shared/ids.ts'
import { call, message } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import {
  testAccounts,
  testCampaignHooks,
  testConsent,
  testMessageStore,
} from '../../support/message-store.ts'
import { emitEvent } from '../../support/rows.ts'
import { Engine, endpointAt, receiver } from '../delivery/engine.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import {
  ask,
  blobs,
  erase,
  indexedMetadata,
  type Known,
  known,
  lines,
  mentions,
  optOutKey,
  privacy,
  recordOf,
  rowsOf,
  sql,
  worker,
  workUntil,
} from './world.ts'

const phoneNumberIdOf = (who: Known) => `pn-${who.numberId}`

describe('an erasure', () => {
  test('leaves no row and no file that says anything of the person', async () => {
    const who = await known()
    assert.deepEqual(
      (await mentions(who.secret)).sort().join(),
      'attempts,call_timeline,calls,deliveries,events,inbound_elements,media,messages,recipients,request_keys',
    )
    await sql`update contacts set name = ${who.secret} where id = ${who.contactId}`
    const searched = async () =>
      (await sql`select from search_terms where subject_id = ${who.contactId}`).count
    assert.equal(await indexedMetadata(who), 1)
    assert.ok((await searched()) > 0)
    const record = await erase(who)
    assert.equal(await indexedMetadata(who), 0)
    assert.equal(await searched(), 0)
    assert.deepEqual(record.counts, { recipients: 1, calls: 1, messages: 2, files: 1, events: 2 })
    assert.deepEqual([record.status, record.contact, record.total], ['COMPLETED', null, 3])
    assert.deepEqual(await mentions(who.secret), [])
    assert.deepEqual(await mentions(who.waId), [])
    assert.equal(await blobs.open(who.blobKey), undefined)
    assert.ok(!lines.join('\n').includes(who.waId), 'the number is in no log')
    const [delivery] = await sql`select state from deliveries where workspace_id = ${who.workspaceId} limit 1`
    assert.equal(delivery?.['state'], 'DISCARDED')
  })

  test('touches nothing of another workspace that knows the same number, nor of another contact', async () => {
    const stranger = await known()
    const who = await known(stranger.waId)
    const [before, other] = [await rowsOf(stranger.workspaceId), await known()]
    const others = await rowsOf(other.workspaceId)
    await erase(who)
    assert.deepEqual(await rowsOf(stranger.workspaceId), before)
    assert.deepEqual(await rowsOf(other.workspaceId), others)
    assert.ok(await blobs.open(stranger.blobKey))
    assert.deepEqual(
      [await privacy.findErasure(stranger.workspaceId, (await ask(who)) as never)],
      [undefined],
      'nor can another workspace see it',
    )
  })

  test('reaches what an owner has queued, and what receivers answer afterwards', async (t) => {
    const who = await known()
    const asked: { body: string; answer(): void }[] = []
    const url = await receiver(t, (_path, body, response) => {
      asked.push({ body, answer: () => void response.end(who.secret) })
    })
    const endpointId = await endpointAt(sql, who.workspaceId, url)
    const engine = new Engine(sql)
    const node = engine.join()
    t.after(() => engine.close())
    // Within a conversation one at a time: the second waits in the memory of the owner.
    for (const turn of [1, 2])
      node.dispatch(
        await emitEvent(sql, who.workspaceId, {
          ...{ key: who.conversationId, routedTo: endpointId },
          body: `{"turn":${turn},"text":"${who.secret}"}`,
        }),
      )
    await eventually(() => asked.length === 1)
    const { readAnew } = createDeliverySweep({
      ...{ sql, hot: sql, router: engine.router, registry: new Registry() },
      ...{ servingSids: async () => [], clock: systemClock },
    })
    const id = await ask(who)
    let reached = false
    const one = worker(undefined, async (workspaceId) => reached && readAnew(workspaceId))
    for (let round = 0; round < 3; round += 1) {
      await one.runJob()
      await sql`update contact_jobs set due_at = now() - interval '1 second' where id = ${id}`
    }
    assert.equal((await recordOf(who, id)).status, 'RUNNING', 'the owner was not reached')
    reached = true
    await workUntil('COMPLETED', id, [one])
    asked[0]?.answer()
    const other = { key: newId('conversation'), routedTo: endpointId, body: '{"of":"another"}' }
    node.dispatch(await emitEvent(sql, who.workspaceId, other))
    await eventually(() => asked.length === 2)
    asked[1]?.answer()
    await eventually(
      async () =>
        (await sql`select from deliveries where endpoint_id = ${endpointId} and attempt_count = 1`).count ===
        2,
    )
    assert.deepEqual(
      asked.map(({ body }) => body.includes(who.secret)),
      [true, false],
    )
    const [erased] = await sql`
      select count(*)::int as count from deliveries
      where key = ${who.conversationId} and (first_response_body is not null or first_response_headers is not null)`
    assert.equal(erased?.['count'], 0)
  })

  test('asked for twice at once is one, and goes on where a worker that died has left it', async () => {
    const who = await known()
    for (let index = 0; index < 450; index += 1) await message(sql, who, { sendState: 'ACCEPTED' })
    const ids = await Promise.all([ask(who), ask(who), ask(who)])
    assert.equal(new Set(ids).size, 1)
    const [id = ''] = ids
    // A worker takes it and dies in the middle: its claim runs out.
    const [job] = await sql`
      update contact_jobs set status = 'RUNNING', claim = claim + 1, due_at = now() - interval '1 second'
      where id = ${id} returning claim`
    assert.ok(job)
    await workUntil('COMPLETED', id, [worker(), worker(), worker()])
    const { counts } = await recordOf(who, id)
    assert.equal(counts.messages, 452, 'each counted once, whoever erased it')
    assert.deepEqual(await mentions(who.secret), [])
  })

  test('waits for a live call and for a message on its way to the provider', async () => {
    const who = await known()
    const live = await call(sql, who, { status: 'ACCEPTED' })
    const sending = await message(sql, who, { sendState: 'SENDING' })
    const id = await ask(who)
    const one = worker()
    await one.runJob()
    assert.equal((await recordOf(who, id)).status, 'RUNNING')
    assert.equal((await sql`select from calls where id = ${live}`).count, 1)
    // The provider tells of a call that is erased already.
    await sql`
      insert into inbound_elements (id, workspace_id, reason, people, body)
      values (new_uuid(), ${who.workspaceId}, 'unknownCall', ${[who.waId]}, ${who.secret})`
    await sql`update calls set status = 'COMPLETED' where id = ${live}`
    await sql`update contact_jobs set due_at = now() - interval '1 second' where id = ${id}`
    await one.runJob()
    assert.equal((await recordOf(who, id)).status, 'RUNNING')
    await sql`update messages set send_state = 'ACCEPTED' where id = ${sending}`
    await workUntil('COMPLETED', id)
    assert.deepEqual(await rowsOf(who.workspaceId).then(({ messages, calls }) => [messages, calls]), [0, 0])
    assert.deepEqual([await mentions(who.secret), await mentions(who.waId)], [[], []])
  })

  test('is complete only when the files are gone: a store that fails is asked again', async () => {
    const who = await known()
    const id = await ask(who)
    const one = worker()
    for (let round = 0; round < 10; round += 1) {
      await sql`update contact_jobs set due_at = now() - interval '1 second' where id = ${id}`
      await one.runJob()
    }
    assert.equal((await recordOf(who, id)).status, 'RUNNING')
    assert.ok(await blobs.open(who.blobKey))
    await workUntil('COMPLETED', id)
    assert.equal(await blobs.open(who.blobKey), undefined)
  })

  test('of somebody who is only on the list of a campaign takes that row', async () => {
    const who = await known()
    await sql`update recipients set wa_id = '15550009999' where workspace_id = ${who.workspaceId}`
    const record = await erase({ ...who, waId: '15550009999' })
    assert.deepEqual([record.counts.recipients, record.counts.messages], [1, 0])
    assert.equal((await rowsOf(who.workspaceId))['recipients'], 0)
  })

  test('takes rows of lists that came while it waited', async () => {
    const who = await known()
    const live = await call(sql, who, { status: 'ACCEPTED' })
    const id = await ask(who)
    const one = worker()
    await one.runJob()
    assert.equal((await rowsOf(who.workspaceId))['recipients'], 0)
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id, variables)
      select new_uuid(), workspace_id, id, ${who.waId}, ${sql.json({ secret: who.secret })}
      from campaigns where workspace_id = ${who.workspaceId}`
    await sql`update calls set status = 'COMPLETED' where id = ${live}`
    await workUntil('COMPLETED', id)
    assert.deepEqual([await mentions(who.secret), await mentions(who.waId)], [[], []])
    assert.equal((await recordOf(who, id)).counts.recipients, 2)
  })

  test('takes what the person wrote in a group with its events, and leaves what others wrote there', async () => {
    const who = await known()
    const contacts = createContactsStore(sql, { optOutKey })
    const updates = createMessageUpdates({
      store: testMessageStore(sql),
      contacts,
      ...{ dispatch: () => undefined, clock: systemClock, ignored: (type) => assert.fail(type) },
      campaignSendFailed: () => undefined,
      consent: testConsent(sql),
    })
    const say = (from: string, text: string) =>
      updates.applyInbound({
        ...{
          type: 'inboundMessage',
          phoneNumberId: phoneNumberIdOf(who),
          from: personAt(from),
          at: new Date(),
        },
        ...{ providerMessageId: `wamid.${newId('message')}`, messageType: 'TEXT', text, media: null },
        details: { group: { id: 'boats' } },
      })
    const others = `others-${who.contactId}`
    await say('15557009999', others)
    await say(who.waId, who.secret)
    const { counts } = await erase(who)
    assert.deepEqual([counts.messages, counts.events], [3, 3])
    assert.deepEqual(await mentions(who.secret), [])
    assert.deepEqual((await mentions(others)).sort(), ['events', 'messages'])
    const [group] = await sql`
      select v.group_id, v.erased_at, m.text from conversations v left join messages m on m.id = v.last_message_id
      where v.workspace_id = ${who.workspaceId} and v.contact_id is null`
    assert.deepEqual(group, { groupId: 'boats', erasedAt: null, text: others })
  })

  test('hides the empty conversation, and a process that remembers its ids writes to a new one', async () => {
    const who = await known()
    const contacts = createContactsStore(sql, { optOutKey })
    const from = { phoneNumberId: phoneNumberIdOf(who), person: personAt(who.waId, 'Ines') }
    const before = (await contacts.resolveParties(from)) ?? assert.fail()
    assert.equal(before.conversationId, who.conversationId)
    await erase(who)
    const store = createMessageStore(sql, {
      accounts: testAccounts,
      optOutKey,
      campaigns: testCampaignHooks(sql),
    })
    const stale = (await contacts.resolveParties(from)) ?? assert.fail()
    assert.equal(stale.contactId, who.contactId, 'remembered')
    const write = { ...inbound(stale), ...stale }
    assert.equal(await store.insertInbound(write), undefined)
    assert.equal(await store.insertOutbound(outbound(stale)), false)
    const fresh = (await contacts.resolveParties({ ...from, isFresh: true })) ?? assert.fail()
    assert.notEqual(fresh.contactId, who.contactId)
    assert.ok(await store.insertInbound({ ...write, ...fresh }))
    assert.deepEqual(await rowsOf(who.workspaceId).then((rows) => rows['messages']), 1)
  })
})

const inbound = (parties: { contactId: string }) =>
  ({
    id: newId('message'),
    optChange: undefined,
    eventId: newId('event'),
    body: Buffer.from('{}'),
    details: null,
    references: [],
    effects: { isShown: true, isUnread: true, isReply: true, opensWindow: true },
    update: {
      type: 'inboundMessage',
      providerMessageId: `wamid.${parties.contactId}`,
      messageType: 'TEXT',
      text: 'Hello again',
      from: personAt('15550000000', 'Ines'),
      at: new Date(),
      media: null,
      details: null,
    },
  }) as never as Parameters<ReturnType<typeof createMessageStore>['insertInbound']>[0]

const outbound = (parties: object) =>
  ({
    ...parties,
    id: newId('message'),
    text: 'Hi',
    template: { name: 'x', language: 'en_US', variables: {} },
    metadata: {},
    keyId: null,
    idempotencyKey: null,
    idempotencyHash: null,
    createdAt: new Date(),
  }) as never as Parameters<ReturnType<typeof createMessageStore>['insertOutbound']>[0]
