// Every sample of the corpus, posted to one gateway: its record in the API, its event, and the console's JSON, field
// by field. The form of the samples is in corpus.ts.
import assert from 'node:assert/strict'
import { encodeId, type MessageId, newId } from '../../../../src/shared/ids.ts'
import { describe, test } from '../../../support/harness.ts'
import { addEndpoint } from '../../../support/rows.ts'
import { gateway } from '../../api/gateway.ts'
import { openWorld } from '../../console/console-world.ts'
import { eventually } from '../../platform/cluster/gateway.ts'
import {
  type Effect,
  effects,
  excerpt,
  filled,
  intake,
  isoAt,
  type Json,
  pages,
  type Sample,
  SECOND,
  samplesIn,
  windowOf,
} from './corpus.ts'

const world = await openWorld()
const { sql, workspaceId } = world
const viewer = await world.as('VIEWER')
const { call, keyFor } = gateway(sql)
const key = await keyFor(workspaceId, ['MESSAGES_READ', 'CONVERSATIONS_READ'])
await addEndpoint(sql, workspaceId)
const numberId = newId('number')
const number = { id: encodeId('number', numberId), number: '+15550003333', phoneNumberId: '880000000000001' }
await sql`
  insert into numbers (id, workspace_id, phone_number_id, number, is_default)
  values (${numberId}, ${workspaceId}, ${number.phoneNumberId}, ${number.number}, true)`

const { post } = intake(sql)
const metadata = { display_phone_number: '15550003333', phone_number_id: number.phoneNumberId }

/** A sample with the person who sends it, and a message that we sent to that person. */
interface Case {
  readonly sample: Sample
  readonly waId: string
  readonly own: string
  readonly out: { readonly id: MessageId; readonly providerMessageId: string }
  readonly earlier: readonly string[]
}

let people = 0

async function casesOf(file: string): Promise<Case[]> {
  const cases = samplesIn(file).map((sample): Case => {
    people += 1
    const waId = `3519${String(people).padStart(8, '0')}`
    const out = { id: newId('message'), providerMessageId: `wamid.out.${waId}` }
    const earlier = (sample.before ?? []).map((_, index) => `wamid.before${index}.${waId}`)
    return { sample, waId, own: `wamid.own.${waId}`, out, earlier }
  })
  const rows = cases.map(({ waId, out }) => ({
    ...{ wa_id: waId, contact_id: newId('recipient'), conversation_id: newId('conversation'), ...out },
  }))
  await sql`
    with given as (
      select * from jsonb_to_recordset(${sql.json(rows as never)}) as i (
        wa_id text, contact_id uuid, conversation_id uuid, id uuid, "providerMessageId" text)
    ),
    persons as (
      insert into contacts (id, workspace_id, wa_id) select contact_id, ${workspaceId}, wa_id from given
    ),
    threads as (
      insert into conversations (id, workspace_id, number_id, contact_id)
      select conversation_id, ${workspaceId}, ${numberId}, contact_id from given
    )
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction, type,
      status, text, send_state, created_at)
    select id, ${workspaceId}, conversation_id, ${numberId}, contact_id, "providerMessageId", 'OUTBOUND', 'TEMPLATE',
      'QUEUED', 'Hello', 'ACCEPTED', ${isoAt(-60)}::timestamptz
    from given`
  return cases
}

const nameOf = ({ contact }: Sample): string | null =>
  contact === false || contact?.profile === null ? null : 'Ines Prado'

/** All in one webhook, as the provider posts what it has collected. */
async function postMessages(cases: readonly Case[], messages: readonly Json[]): Promise<void> {
  const contacts = cases
    .filter(({ sample }) => sample.contact !== false)
    .map(({ sample, waId }) => ({ profile: { name: 'Ines Prado' }, wa_id: waId, ...sample.contact }))
  const { status, record } = await post('messages', {
    messaging_product: 'whatsapp',
    metadata,
    contacts,
    messages,
  })
  assert.deepEqual([status, record.skipped, record.failed], [200, {}, 0])
}

const wordsOf = ({ out, earlier, waId }: Case, ids: ReadonlyMap<string, string>): Record<string, string> => {
  const [before] = earlier
  const known = before === undefined ? {} : { $before: before, $ourBefore: ids.get(before) ?? '' }
  const sent = {
    $out: out.providerMessageId,
    $ourOut: encodeId('message', out.id),
    $own: out.providerMessageId,
  }
  return { ...known, ...sent, $to: waId, $at: isoAt(0) }
}

const none: ReadonlyMap<string, string> = new Map()

async function sendAll(cases: readonly Case[]): Promise<void> {
  const before = cases.flatMap((one) =>
    (one.sample.before ?? []).map((message, index) => ({
      ...{ id: one.earlier[index], from: one.waId, timestamp: String(SECOND - 10) },
      ...filled(message, wordsOf(one, none)),
    })),
  )
  await postMessages(cases, before)
  const messages = cases.map((one) => ({
    ...{ id: one.own, from: one.waId, timestamp: String(SECOND) },
    ...filled(one.sample.message, wordsOf(one, none)),
  }))
  await postMessages(cases, messages)
}

async function reportAll(cases: readonly Case[]): Promise<void> {
  const most = Math.max(...cases.map(({ sample }) => sample.statuses?.length ?? 0))
  for (let turn = 0; turn < most; turn += 1) {
    const statuses = cases.flatMap((one) => {
      const status = one.sample.statuses?.[turn]
      return status === undefined ? [] : [filled(status, wordsOf(one, none))]
    })
    assert.equal((await post('messages', { metadata, statuses })).status, 200)
  }
}

const inApi = (path: string) => pages(async (query) => (await call(key, { path: `${path}?${query}` })).json)
const inConsole = (path: string) =>
  pages(async (query) => (await viewer('GET', `/workspaces/${world.ws}${path}?${query}`)).body)

const [messages, revisions, groups, statuses] = await Promise.all(
  ['messages', 'revisions', 'groups', 'statuses'].map(casesOf),
)
assert.ok(messages && revisions && groups && statuses)
await sendAll([...messages, ...revisions, ...groups])
await reportAll(statuses)
// What a status says of the recipient is learnt beside it.
const learnt = statuses.filter(({ sample }) => sample.expect.record.userId)
await eventually(async () => {
  const known =
    await sql`select from contacts where wa_id = any(${learnt.map(({ waId }) => waId)}) and user_id is not null`
  return known.count === learnt.length
})

/** What the API and the console show afterwards, and what endpoints got. */
const records = new Map((await inApi('/messages/chat')).map((one) => [one.providerMessageId, one]))
const ids = new Map([...records].map(([providerMessageId, { id }]) => [providerMessageId, id]))
// Beside the name of the customer, they are as the API shows them.
const shownMessages = new Map(
  (await inConsole('/messages')).map(({ contactName: _, ...one }) => [one.id, one]),
)
const conversations = new Map((await inConsole('/conversations')).map((one) => [one.id, one]))
const events = new Map<string, Json[]>()
for (const { body } of await sql<{ body: Buffer }[]>`
  select body from events where workspace_id = ${workspaceId} order by id`) {
  const event = JSON.parse(body.toString())
  events.set(event.data.messageId, [...(events.get(event.data.messageId) ?? []), event])
}

const recordOf = (providerMessageId: string): Json =>
  records.get(providerMessageId) ?? assert.fail(`no record of ${providerMessageId}`)
const nobody = { userId: null, username: null }

const nothingElse = {
  ...{
    direction: 'INBOUND',
    template: null,
    error: null,
    media: null,
    details: null,
    metadata: {},
    caller: null,
  },
  ...{ sentAt: null, deliveredAt: null, readAt: null, failedAt: null, ...nobody },
}

function checkMessage(one: Case): void {
  const { sample, waId, own } = one
  const { optChange, effect = 'reply', ...expected } = filled(sample.expect, wordsOf(one, ids))
  const does = effects[effect] ?? assert.fail(`no effect ${effect}`)
  const record = recordOf(own)
  const fromName = nameOf(sample)
  assert.deepEqual(record, {
    ...nothingElse,
    ...{ id: record.id, conversationId: record.conversationId, providerMessageId: own },
    ...{ from: waId, fromName, to: number.number, numberId: number.id, createdAt: isoAt(0) },
    ...(does.isUnread ? { status: 'RECEIVED' } : { status: 'READ', readAt: isoAt(0) }),
    ...expected,
  })
  const [event, ...more] = events.get(record.id) ?? []
  assert.deepEqual(more, [])
  assert.deepEqual([event.event, Object.keys(event)], ['message.received', ['event', 'sentAt', 'data']])
  assert.deepEqual(event.data, {
    ...{ messageId: record.id, conversationId: record.conversationId, text: expected.text },
    ...{
      from: expected.from ?? waId,
      fromName: fromName ?? '',
      to: number.number,
      type: expected.type,
      ...nobody,
    },
    ...(optChange && { optChange }),
    ...(expected.details && { details: expected.details }),
  })
  checkConsole(one, { record, does, optChange })
}

function checkConsole(
  one: Case,
  { record, does, optChange }: { record: Json; does: Effect; optChange: string | undefined },
): void {
  const { sample, earlier } = one
  const waId = sample.expect.from ?? one.waId
  assert.deepEqual(shownMessages.get(record.id), record)
  const before = earlier[0] === undefined ? undefined : recordOf(earlier[0])
  if (sample.original) {
    const { text, details, media } = before
    const original = { media: null, ...filled(sample.original, wordsOf(one, ids)) }
    assert.deepEqual({ text, details, media }, original)
    assert.deepEqual(shownMessages.get(before.id), before)
  }
  const last = does.isShown ? record : before
  const inbound = does.opensWindow ? record : before
  const group = record.details?.group ?? null
  const name = nameOf(sample)
  const person = {
    waId,
    number: `+${waId}`,
    ...nobody,
    name,
    optedOut: optChange === 'opted-out',
    marketingOptedOut: false,
  }
  const conversation = conversations.get(record.conversationId)
  assert.deepEqual(conversation, {
    ...{ id: record.conversationId, numberId: number.id, number: number.number, group },
    contact: group
      ? { waId: '', number: '', ...nobody, name: null, optedOut: false, marketingOptedOut: false }
      : person,
    lastMessage: last === undefined ? null : excerpt(last),
    unreadCount: earlier.length + Number(does.isUnread),
    ...windowOf(inbound),
    callPermission: record.details?.callPermission ?? null,
    ...{ createdAt: conversation.createdAt, updatedAt: conversation.updatedAt },
  })
  if (group) checkAlone(waId)
}

/** What was said in a group changes nothing between the two. */
function checkAlone(waId: string): void {
  const all = [...conversations.values()].filter(({ contact }) => contact.waId === waId)
  const told = all.map(({ contact, unreadCount, lastInboundAt, lastMessage }) => [
    ...[contact.optedOut, unreadCount, lastInboundAt, lastMessage],
  ])
  assert.deepEqual(told, [[false, 0, null, null]])
}

function checkStatuses(one: Case): void {
  const { providerMessageId } = one.out
  const after = recordOf(providerMessageId)
  const { record, events: told } = filled(one.sample.expect, wordsOf(one, ids))
  const { id, conversationId } = after
  assert.deepEqual(after, {
    ...nothingElse,
    ...{ id, conversationId, providerMessageId, direction: 'OUTBOUND', type: 'TEMPLATE', status: 'QUEUED' },
    ...{ text: 'Hello', from: number.number, fromName: null, to: one.waId, numberId: number.id },
    ...{ createdAt: isoAt(-60), caller: after.caller },
    ...record,
  })
  assert.deepEqual(shownMessages.get(id), after)
  assert.deepEqual(
    (events.get(id) ?? []).map(({ event, data }) => [event, data]),
    told.map((data: Json) => [
      'message.status',
      { messageId: id, conversationId, providerMessageId, ...data },
    ]),
  )
}

const posted = { messages, revisions, groups }
for (const [file, cases] of Object.entries(posted))
  describe(`the corpus of ${file}`, () => {
    for (const one of cases) test(one.sample.name, () => checkMessage(one))
  })

describe('the corpus of statuses', () => {
  for (const one of statuses) test(one.sample.name, () => checkStatuses(one))
})

test('the corpus has at least 150 samples, and no two of a name in one file', () => {
  const files = [...Object.keys(posted), 'statuses', 'calls', 'people', 'account', 'kept']
  const all = files.map((file) => samplesIn(file).map(({ name }) => name))
  for (const names of all) assert.equal(new Set(names).size, names.length)
  assert.ok(all.flat().length >= 150, `${all.flat().length} samples`)
})
