import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCallReader } from '../../../src/calls/store/calls-read.store.ts'
import { type Person, personAt } from '../../../src/contract/person.ts'
import type { Claim } from '../../../src/messaging/identity.ts'
import { moveMerged } from '../../../src/messaging/store/contact-merge.ts'
import { createContactsStore } from '../../../src/messaging/store/contacts.store.ts'
import { createConversationReader } from '../../../src/messaging/store/conversations-read.store.ts'
import { createMessageReader } from '../../../src/messaging/store/messages-read.store.ts'
import type { Sql } from '../../../src/platform/postgres/sql.ts'
import { type ConversationId, decodeId, newId, type Uuid, type WorkspaceId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testContacts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addWorkspace } from '../calls/rows.ts'

const sql = testPool(await testDatabase())
const conversations = createConversationReader(sql)
const messages = createMessageReader(sql)

let serial = 0
/** Numbers and ids of nobody else. */
function someone() {
  serial += 1
  return { phone: String(351_910_000_000 + serial), userId: `PT.${4_000_000 + serial}` }
}
const person = (patch: Partial<Person>): Person => ({
  ...{ phone: null, userId: null, parentUserId: null, username: null, name: null },
  ...patch,
})

type World = Awaited<ReturnType<typeof addWorkspace>> & { readonly workspaceId: WorkspaceId }

const seen = async ({ phoneNumberId }: World, who: Partial<Person>, at = new Date()) =>
  (await testContacts(sql).resolveParties({ phoneNumberId, person: person(who), at })) ?? assert.fail()

/** Writes a message as it stands in a conversation, whoever resolves its parties meanwhile. */
async function write(
  world: World,
  { contactId, conversationId }: { readonly contactId: Uuid; readonly conversationId: ConversationId },
  text: string,
) {
  const id = newId('message')
  await sql`
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text)
    values (${id}, ${world.workspaceId}, ${conversationId}, ${world.numberId}, ${contactId}, 'INBOUND', 'TEXT',
      'RECEIVED', ${text})`
  await sql`
    update conversations
    set last_message_id = ${id}, last_message_at = now(), unread_count = unread_count + 1, last_inbound_at = now()
    where id = ${conversationId}`
  return id
}

async function threadsOf({ workspaceId }: World) {
  const { data } = await conversations.list(workspaceId, {}, { limit: 50 })
  return Promise.all(
    data.map(async ({ id, contact, unreadCount }) => {
      const conversationId = decodeId('conversation', id) as ConversationId
      const list = await messages.list(workspaceId, { conversationId }, { limit: 50 })
      const { waId, userId } = contact
      return { waId, userId, unreadCount, texts: list.data.map(({ text }) => text).sort() }
    }),
  )
}

/** Resolves when a statement waits for what this transaction holds. */
async function isAwaited(tx: Sql) {
  const [me] = await tx<{ pid: number }[]>`select pg_backend_pid() as pid`
  const waiting = () => sql`
    select from pg_stat_activity where ${me?.pid ?? 0}::integer = any(pg_blocking_pids(pid))`
  while ((await waiting()).length === 0) await sleep(20)
}

describe('a person who is seen by number and by id', () => {
  test('in any order, with messages under both, is one contact with one conversation and all messages', async () => {
    for (const order of [
      ['phone', 'userId'],
      ['userId', 'phone'],
    ] as const) {
      const world = await addWorkspace(sql)
      const who = someone()
      for (const key of order) await write(world, await seen(world, { [key]: who[key] }), key)
      assert.equal((await threadsOf(world)).length, 2)
      await seen(world, who)
      const one = { waId: who.phone, userId: who.userId, unreadCount: 2, texts: ['phone', 'userId'] }
      assert.deepEqual(await threadsOf(world), [one])
      for (const key of order)
        assert.equal((await seen(world, { [key]: who[key] })).address, who.phone, 'known by either')
    }
  })

  test('at eight processes at once, is one contact', async () => {
    const world = await addWorkspace(sql)
    const who = someone()
    const namings = [who, { phone: who.phone }, { userId: who.userId }, who]
    await Promise.all([...namings, ...namings].map((naming) => seen(world, naming)))
    await seen(world, who)
    const threads = await threadsOf(world)
    assert.deepEqual(
      threads.map(({ waId, userId }) => [waId, userId]),
      [[who.phone, who.userId]],
    )
  })

  test('is found under the id of the conversation that went, and what was written late comes along', async () => {
    const world = await addWorkspace(sql)
    const who = someone()
    const byId = await seen(world, { userId: who.userId })
    const byPhone = await seen(world, { phone: who.phone })
    await seen(world, who)
    const gone = await conversations.find(world.workspaceId, byId.conversationId)
    assert.equal(decodeId('conversation', gone?.id ?? ''), byPhone.conversationId)
    await write(world, byId, 'late')
    await sql`
      insert into calls (id, workspace_id, conversation_id, number_id, contact_id, direction, status, version, owner_epoch)
      values (${newId('call')}, ${world.workspaceId}, ${byId.conversationId}, ${world.numberId}, ${byId.contactId},
        'OUTBOUND', 'COMPLETED', 1, 1)`
    await moveMerged(sql)
    assert.deepEqual(
      (await threadsOf(world)).map(({ texts }) => texts),
      [['late']],
    )
    const old = await messages.list(world.workspaceId, { conversationId: byId.conversationId }, { limit: 5 })
    assert.equal(old.data.length, 1)
    const calls = await createCallReader(sql).list(
      world.workspaceId,
      { conversationId: byId.conversationId },
      { limit: 5 },
    )
    assert.equal(calls.data.length, 1)
  })

  test('whose id another process learns while the contact of that id is made is one contact', async () => {
    const world = await addWorkspace(sql)
    const who = someone()
    const making = await sql.begin(async (tx) => {
      // A new contact waits for its workspace, after it was looked for.
      await tx`select from workspaces where id = ${world.workspaceId} for update`
      const made = seen(world, { userId: who.userId })
      await isAwaited(tx)
      const contactId = randomUUID() as Uuid
      await tx`
        insert into contacts (id, workspace_id, wa_id, user_id)
        values (${contactId}, ${world.workspaceId}, ${who.phone}, ${who.userId})`
      await tx`
        insert into contact_aliases (workspace_id, address, contact_id)
        values (${world.workspaceId}, ${who.userId}, ${contactId})`
      return { made, contactId }
    })
    assert.equal((await making.made).contactId, making.contactId)
    assert.equal((await threadsOf(world)).length, 1)
  })

  test('becomes one while the status of a message is written, without a deadlock', async () => {
    const world = await addWorkspace(sql)
    const who = someone()
    const byId = await seen(world, { userId: who.userId })
    const messageId = await write(world, byId, 'hi')
    await sql`update messages set direction = 'OUTBOUND', status = 'SENT' where id = ${messageId}`
    await seen(world, { phone: who.phone })
    const merging = await sql.begin(async (tx) => {
      await tx`select from messages where id = ${messageId} for no key update`
      const merged = seen(world, who)
      await isAwaited(tx)
      await tx`select from conversations where id = ${byId.conversationId} for no key update nowait`
      return { merged }
    })
    await merging.merged
    assert.deepEqual(
      (await threadsOf(world)).map(({ texts }) => texts),
      [['hi']],
    )
  })

  test('waits, in a conversation that begins, for whoever merges the contact, and holds nothing meanwhile', async () => {
    const world = await addWorkspace(sql)
    const who = someone()
    const { contactId } = await seen(world, { phone: who.phone })
    await sql`delete from conversations where contact_id = ${contactId}`
    const { begun } = await sql.begin(async (tx) => {
      await tx`select from contacts where id = ${contactId} for update`
      const begun = seen(world, { phone: who.phone })
      await isAwaited(tx)
      // Waits for another who has written this key.
      await tx`
        insert into conversations (id, workspace_id, number_id, contact_id)
        values (new_uuid(), ${world.workspaceId}, ${world.numberId}, ${contactId})`
      return { begun }
    })
    assert.equal((await begun).contactId, contactId)
  })

  test('of another workspace is another person', async () => {
    const [one, other] = [await addWorkspace(sql), await addWorkspace(sql)]
    const who = someone()
    await write(one, await seen(one, { userId: who.userId }), 'mine')
    await seen(other, who)
    assert.deepEqual(
      (await threadsOf(one)).map(({ waId, texts }) => [waId, texts]),
      [['', ['mine']]],
    )
  })
})

describe('a number', () => {
  test('with another id than before is another person from then on, and told late it is not', async () => {
    const world = await addWorkspace(sql)
    const [who, next] = [someone(), someone()]
    const at = (second: number) => new Date(Date.UTC(2026, 10, 20) + second * 1_000)
    const first = await seen(world, who, at(1))
    await write(world, first, 'from the first')
    const again = { phone: who.phone, userId: next.userId }
    await write(world, await seen(world, again, at(3)), 'from the second')
    assert.equal(
      (await seen(world, who, at(2))).contactId,
      first.contactId,
      'said before the number was given away',
    )
    assert.equal((await seen(world, who, at(2))).conversationId, first.conversationId)
    const threads = (await threadsOf(world)).sort((a, b) => a.waId.localeCompare(b.waId))
    assert.deepEqual(threads, [
      { waId: '', userId: who.userId, unreadCount: 1, texts: ['from the first'] },
      { waId: who.phone, userId: next.userId, unreadCount: 1, texts: ['from the second'] },
    ])
  })

  test('that the provider says has changed carries the conversation over, whichever message comes first', async () => {
    for (const isSeenFirst of [false, true]) {
      const world = await addWorkspace(sql)
      const [who, next] = [someone(), someone()]
      await write(world, await seen(world, who), 'before')
      if (isSeenFirst) await write(world, await seen(world, next), 'after')
      const claim: Claim = {
        ...{ person: person(next), also: [who.phone, who.userId], proof: 'statement', at: new Date() },
      }
      await Promise.all([1, 2].map(() => testContacts(sql).learn(world.workspaceId, claim)))
      if (!isSeenFirst) await write(world, await seen(world, next), 'after')
      const thread = { waId: next.phone, userId: next.userId, unreadCount: 2, texts: ['after', 'before'] }
      assert.deepEqual(await threadsOf(world), [thread])
    }
  })

  test('in the spelling of the provider and in that of the sender is one person', async () => {
    const world = await addWorkspace(sql)
    serial += 1
    const [asked, told] = [`55519${87_000_000 + serial}`, `5551${87_000_000 + serial}`]
    const contacts = testContacts(sql)
    const sent = await contacts.partiesOf(world, { person: personAt(asked) })
    const received = await seen(world, { phone: told })
    assert.equal(received.contactId, sent.contactId, 'by the rules of the country')
    const [other, strange] = [someone().phone, someone().phone]
    const first = await contacts.partiesOf(world, { person: personAt(other) })
    const answer = { person: personAt(strange), also: [other], proof: 'answer', at: new Date() } as const
    await contacts.learn(world.workspaceId, answer)
    assert.equal((await seen(world, { phone: strange })).contactId, first.contactId, 'by the answer')
  })

  test('of another person from now on is theirs in every spelling', async () => {
    const world = await addWorkspace(sql)
    serial += 1
    const [asked, told] = [`55519${87_000_000 + serial}`, `5551${87_000_000 + serial}`]
    const [who, next] = [someone().userId, someone().userId]
    await testContacts(sql).partiesOf(world, { person: personAt(asked) })
    const first = await seen(world, { phone: told, userId: who }, new Date(1_000))
    assert.equal((await seen(world, { phone: asked })).contactId, first.contactId)
    const second = await seen(world, { phone: told, userId: next }, new Date(2_000))
    assert.notEqual(second.contactId, first.contactId)
    for (const phone of [told, asked])
      assert.equal((await seen(world, { phone })).contactId, second.contactId, phone)
    assert.equal((await seen(world, { userId: who })).contactId, first.contactId)
  })

  test('that an answer tells is learnt from the next one where this one could not be written', async () => {
    const world = await addWorkspace(sql)
    const who = someone()
    const known = await seen(world, { phone: who.phone })
    let isAway = true
    const contacts = createContactsStore(sql, {
      optOutKey: async () => {
        if (isAway) throw new Error('away')
        return undefined
      },
    })
    const answer = { person: person(who), also: [who.phone], proof: 'answer', at: new Date() } as const
    await assert.rejects(contacts.learn(world.workspaceId, answer), /away/)
    isAway = false
    await contacts.learn(world.workspaceId, answer)
    assert.equal((await seen(world, { userId: who.userId })).contactId, known.contactId)
  })
})
