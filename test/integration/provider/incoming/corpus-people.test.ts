// The samples from and about people who hide their number, or have just shown it, each posted for another person: the
// record in the API, the event, and the console's JSON, field by field.
import assert from 'node:assert/strict'
import { encodeId, newId } from '../../../../src/shared/ids.ts'
import { describe, test } from '../../../support/harness.ts'
import { addEndpoint } from '../../../support/rows.ts'
import { gateway } from '../../api/gateway.ts'
import { openWorld } from '../../console/console-world.ts'
import {
  effects,
  excerpt,
  filled,
  intake,
  isoAt,
  type Json,
  pages,
  type Sample,
  samplesIn,
  windowOf,
} from './corpus.ts'

const world = await openWorld()
const { sql, workspaceId } = world
const viewer = await world.as('VIEWER')
const { call, keyFor } = gateway(sql)
const key = await keyFor(workspaceId, ['MESSAGES_READ', 'CONVERSATIONS_READ'])
await addEndpoint(sql, workspaceId, { events: ['message.received', 'contact.updated'] })
const numberId = newId('number')
const number = { id: encodeId('number', numberId), number: '+15550003333', phoneNumberId: '880000000000001' }
await sql`
  insert into numbers (id, workspace_id, phone_number_id, number, is_default)
  values (${numberId}, ${workspaceId}, ${number.phoneNumberId}, ${number.number}, true)`
const { post } = intake(sql)

/** A message of ours that samples name. */
async function sent(): Promise<{ readonly $out: string; readonly $ourOut: string }> {
  const [id, contactId, conversationId] = [newId('message'), newId('recipient'), newId('conversation')]
  await sql`insert into contacts (id, workspace_id, wa_id) values (${contactId}, ${workspaceId}, '351900000000')`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id)
    values (${conversationId}, ${workspaceId}, ${numberId}, ${contactId})`
  await sql`
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction, type,
      status, text, send_state)
    values (${id}, ${workspaceId}, ${conversationId}, ${numberId}, ${contactId}, 'wamid.out', 'OUTBOUND', 'TEMPLATE',
      'QUEUED', 'Hello', 'ACCEPTED')`
  return { $out: 'wamid.out', $ourOut: encodeId('message', id) }
}

const ours = await sent()

interface Case {
  readonly sample: Sample
  readonly words: Readonly<Record<string, string>>
}

async function posted(sample: Sample, index: number): Promise<Case> {
  const [phone, newPhone] = [3_519_110_000_000 + index, 3_519_220_000_000 + index].map(String)
  const words = {
    ...{ $user: `PT.4410092800${index}`, $newUser: `PT.992001100${index}`, $parent: `PT.ENT.771900${index}` },
    ...{ $phone: `${phone}`, $e164: `+${phone}`, $newPhone: `${newPhone}`, $newNumber: `+${newPhone}` },
    ...{ $own: `wamid.own${index}`, $before: `wamid.before${index}`, $number: number.phoneNumberId, ...ours },
  }
  for (const { field = 'messages', value } of [...(sample.before ?? []), sample]) {
    const { status, record } = await post(field, filled(value, words))
    assert.deepEqual([status, record.skipped, record.failed], [200, {}, 0], sample.name)
  }
  return { sample, words }
}

const cases: Case[] = []
for (const [index, sample] of samplesIn('people').entries()) cases.push(await posted(sample, index))

const inApi = (path: string) => pages(async (query) => (await call(key, { path: `${path}?${query}` })).json)
const inConsole = (path: string) =>
  pages(async (query) => (await viewer('GET', `/workspaces/${world.ws}${path}?${query}`)).body)

const records = new Map((await inApi('/messages/chat')).map((one) => [one.providerMessageId, one]))
// Beside the name of the customer, they are as the API shows them.
const shownMessages = new Map(
  (await inConsole('/messages')).map(({ contactName: _, ...one }) => [one.id, one]),
)
const inLists = [await inApi('/conversations'), await inConsole('/conversations')] as const
const [conversations, shownConversations] = inLists.map((list) => new Map(list.map((one) => [one.id, one])))
const events = (await sql<{ body: Buffer }[]>`select body from events order by id`).map(
  ({ body }): Json => JSON.parse(body.toString()),
)

const recordOf = (providerMessageId: string | undefined): Json =>
  records.get(providerMessageId) ?? assert.fail(`no record of ${providerMessageId}`)

const nothingElse = {
  ...{ direction: 'INBOUND', template: null, error: null, media: null, metadata: {}, caller: null },
  ...{
    sentAt: null,
    deliveredAt: null,
    readAt: null,
    failedAt: null,
    status: 'RECEIVED',
    createdAt: isoAt(0),
  },
  ...{ to: number.number, numberId: number.id },
}

function checkMessage({ sample, words }: Case): void {
  const { record: expected, optChange } = filled(sample.expect, words)
  const record = recordOf(words['$own'])
  const { id, conversationId } = record
  assert.deepEqual(record, {
    ...{ ...nothingElse, id, conversationId, providerMessageId: words['$own'] },
    ...expected,
  })
  assert.deepEqual(shownMessages.get(id), record)
  const told = events.filter(({ event, data }) => event === 'message.received' && data.messageId === id)
  const { text, type, from, fromName, userId, username, details } = expected
  assert.deepEqual(
    told.map(({ data }) => data),
    [
      {
        ...{ messageId: id, conversationId, text, type, from, userId, username, to: number.number },
        ...{ fromName: fromName ?? '', ...(optChange && { optChange }), ...(details && { details }) },
      },
    ],
  )
}

/** The thread, alike in the API and in the console. */
function checkConversation({ sample, words }: Case): void {
  const { contact, effect = 'reply' } = filled(sample.expect, words)
  const does = effects[effect] ?? assert.fail(`no effect ${effect}`)
  const before = records.get(words['$before'])
  const record = records.get(words['$own']) ?? before
  const last = does.isShown ? record : before
  const group = record.details?.group ?? null
  const conversation = conversations?.get(record.conversationId)
  assert.deepEqual(conversation, {
    ...{ id: record.conversationId, numberId: number.id, number: number.number, group },
    contact: { optedOut: false, marketingOptedOut: false, ...contact },
    lastMessage: last === undefined ? null : excerpt(last),
    unreadCount: Number(does.isUnread) + Number(before !== undefined),
    ...windowOf(does.opensWindow ? record : before),
    callPermission: record.details?.callPermission ?? null,
    ...{ createdAt: conversation.createdAt, updatedAt: conversation.updatedAt },
  })
  assert.deepEqual(shownConversations?.get(record.conversationId), conversation)
}

function checkChoice({ sample, words }: Case): void {
  const { conversationId } = recordOf(words['$before'])
  const { changed } = filled(sample.expect, words)
  const told = events.filter(
    ({ event, data }) => event === 'contact.updated' && data.userId === words['$user'],
  )
  assert.deepEqual(told.at(-1)?.data, { conversationId, ...changed })
}

describe('the corpus of people', () => {
  for (const one of cases)
    test(one.sample.name, () => {
      const { record, changed } = one.sample.expect
      if (record) checkMessage(one)
      if (changed) checkChoice(one)
      checkConversation(one)
    })
})
