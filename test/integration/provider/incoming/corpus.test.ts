// Every sample of the corpus, posted to one gateway: its record in the API, its event, and the console's JSON, field
// by field. See test/fixtures/provider/corpus/README.md.
import assert from 'node:assert/strict'
import type { ProviderUpdate } from '../../../../src/contract/provider-updates.ts'
import { encodeId, newId } from '../../../../src/shared/ids.ts'
import { describe, test } from '../../../support/harness.ts'
import { addEndpoint } from '../../../support/rows.ts'
import { gateway } from '../../api/gateway.ts'
import { openWorld } from '../../console/console-world.ts'
import { filled, intake, isoAt, type Json, type Sample, SECOND, samplesIn } from './corpus.ts'

/** Kept only, or switched on later: they are posted, and nothing of theirs may be lost with others. */
const isOn = { people: false }

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

const { post, others } = intake(sql)
const metadata = { display_phone_number: '15550003333', phone_number_id: number.phoneNumberId }

let people = 0
const nextPerson = () => {
  people += 1
  return `3519${String(people).padStart(8, '0')}`
}

/** A message that we sent to this person, of which the provider's id is `wamid.out` and the number. */
async function sent(waId: string): Promise<{ id: string; providerMessageId: string }> {
  const [id, contactId, conversationId] = [newId('message'), newId('recipient'), newId('conversation')]
  const providerMessageId = `wamid.out.${waId}`
  await sql`insert into contacts (id, workspace_id, wa_id) values (${contactId}, ${workspaceId}, ${waId})`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id)
    values (${conversationId}, ${workspaceId}, ${numberId}, ${contactId})`
  await sql`
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction, type,
      status, text, send_state, created_at)
    values (${id}, ${workspaceId}, ${conversationId}, ${numberId}, ${contactId}, ${providerMessageId}, 'OUTBOUND',
      'TEMPLATE', 'QUEUED', 'Hello', 'ACCEPTED', ${isoAt(-60)})`
  return { id: encodeId('message', id), providerMessageId }
}

async function recordOf(providerMessageId: string): Promise<Json> {
  const path = `/messages/chat?providerMessageId=${encodeURIComponent(providerMessageId)}`
  const { status, json } = await call(key, { path })
  assert.equal(status, 200)
  return json.data[0] ?? assert.fail(`no record of ${providerMessageId}`)
}

async function eventsOf(messageId: string): Promise<Json[]> {
  const rows = await sql<{ body: Buffer }[]>`
    select body from events where workspace_id = ${workspaceId}
      and convert_from(body, 'UTF8')::jsonb #>> '{data,messageId}' = ${messageId}
    order by id`
  return rows.map(({ body }) => JSON.parse(body.toString()))
}

/** What the console's thread shows of a message, and its conversation. */
async function inConsole(record: Json): Promise<{ message: Json; conversation: Json }> {
  const path = `/workspaces/${world.ws}/conversations/${record.conversationId}`
  const thread = await viewer('GET', `${path}/messages`)
  const { status, body } = await viewer('GET', path)
  assert.deepEqual([thread.status, status], [200, 200])
  return { message: thread.body.data.find((one: Json) => one.id === record.id), conversation: body }
}

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
  ...{ sentAt: null, deliveredAt: null, readAt: null, failedAt: null },
}

async function postMessages(waId: string, sample: Sample, messages: readonly Json[]): Promise<void> {
  const contacts = [{ profile: { name: 'Ines Prado' }, wa_id: waId, ...sample.contact }]
  const around = { messaging_product: 'whatsapp', metadata, ...(sample.contact !== false && { contacts }) }
  const { status, record } = await post('messages', { ...around, messages })
  assert.deepEqual([status, record.skipped, record.failed], [200, {}, 0])
}

const nameOf = ({ contact }: Sample): string | null =>
  contact === false || contact?.profile === null ? null : 'Ines Prado'

/** By `effect`: what the conversation shows after the message. */
const effects: Readonly<Record<string, { isShown: boolean; isUnread: boolean; opensWindow: boolean }>> = {
  reply: { isShown: true, isUnread: true, opensWindow: true },
  window: { isShown: true, isUnread: false, opensWindow: true },
  shown: { isShown: true, isUnread: false, opensWindow: false },
  none: { isShown: false, isUnread: false, opensWindow: false },
  earlier: { isShown: false, isUnread: false, opensWindow: false },
}

const excerpt = (record: Json) => ({
  ...{ id: record.id, direction: record.direction, type: record.type },
  ...{ text: record.text, at: record.createdAt },
})

async function checkMessage(sample: Sample): Promise<void> {
  const waId = nextPerson()
  const out = await sent(waId)
  const own = `wamid.own.${waId}`
  const earlier = (sample.before ?? []).map((_, index) => `wamid.before${index}.${waId}`)
  const words: Record<string, string> = { $out: out.providerMessageId, $ourOut: out.id, $at: isoAt(0) }
  for (const [index, message] of (sample.before ?? []).entries()) {
    const around = { id: earlier[index], from: waId, timestamp: String(SECOND - 10) }
    await postMessages(waId, sample, [{ ...around, ...filled(message, words) }])
    words['$before'] = earlier[index] ?? ''
    words['$ourBefore'] = (await recordOf(earlier[index] ?? '')).id
  }
  const around = { id: own, from: waId, timestamp: String(SECOND) }
  await postMessages(waId, sample, [{ ...around, ...filled(sample.message, words) }])
  const { optChange, effect = 'reply', ...expected } = filled(sample.expect, words)
  const does = effects[effect] ?? assert.fail(`no effect ${effect}`)
  const record = await recordOf(own)
  const fromName = nameOf(sample)
  assert.deepEqual(record, {
    ...nothingElse,
    ...{ id: record.id, conversationId: record.conversationId, providerMessageId: own },
    ...{ from: waId, fromName, to: number.number, numberId: number.id, createdAt: isoAt(0) },
    ...(does.isUnread ? { status: 'RECEIVED' } : { status: 'READ', readAt: isoAt(0) }),
    ...expected,
  })
  const [event, ...more] = await eventsOf(record.id)
  assert.deepEqual(more, [])
  assert.deepEqual([event.event, Object.keys(event)], ['message.received', ['event', 'sentAt', 'data']])
  assert.deepEqual(event.data, {
    ...{ messageId: record.id, conversationId: record.conversationId, text: expected.text },
    ...{ from: waId, fromName: fromName ?? '', to: number.number, type: expected.type },
    ...(optChange && { optChange }),
    ...(expected.details && { details: expected.details }),
  })
  await checkConsole({ sample, record, does, waId, earlier, words, optChange })
}

async function checkConsole(given: {
  sample: Sample
  record: Json
  does: { isShown: boolean; isUnread: boolean; opensWindow: boolean }
  waId: string
  earlier: readonly string[]
  words: Readonly<Record<string, string>>
  optChange: string | undefined
}): Promise<void> {
  const { sample, record, does, waId, earlier, words, optChange } = given
  const { message, conversation } = await inConsole(record)
  assert.deepEqual(message, record)
  const before = earlier[0] === undefined ? undefined : await recordOf(earlier[0])
  if (sample.original) {
    const original = { media: null, ...filled(sample.original, words) }
    const { text, details, media } = before
    assert.deepEqual({ text, details, media }, original)
    assert.deepEqual((await inConsole(before)).message, before)
  }
  const last = does.isShown ? record : before
  const inbound = does.opensWindow ? record : before
  const group = record.details?.group ?? null
  const person = { waId, number: `+${waId}`, name: nameOf(sample), optedOut: optChange === 'opted-out' }
  assert.deepEqual(conversation, {
    ...{ id: record.conversationId, numberId: number.id, number: number.number, group },
    contact: group ? { waId: '', number: '', name: null, optedOut: false } : person,
    lastMessage: last === undefined ? null : excerpt(last),
    unreadCount: earlier.length + Number(does.isUnread),
    lastInboundAt: inbound?.createdAt ?? null,
    windowExpiresAt: inbound ? new Date(Date.parse(inbound.createdAt) + 86_400_000).toISOString() : null,
    callPermission: record.details?.callPermission ?? null,
    ...{ createdAt: conversation.createdAt, updatedAt: conversation.updatedAt },
  })
  if (group) await checkAlone(waId)
}

/** What was said in a group changes nothing between the two. */
async function checkAlone(waId: string): Promise<void> {
  const { json } = await call(key, { path: `/conversations?contact=${waId}` })
  const [{ contact, unreadCount, lastInboundAt, lastMessage }, ...more] = json.data
  assert.deepEqual(more, [])
  assert.deepEqual([contact.optedOut, unreadCount, lastInboundAt, lastMessage], [false, 0, null, null])
}

async function checkStatuses(sample: Sample): Promise<void> {
  const waId = nextPerson()
  const out = await sent(waId)
  const before = await recordOf(out.providerMessageId)
  const words = { $own: out.providerMessageId, $to: waId }
  for (const status of sample.statuses ?? [])
    assert.equal((await post('messages', { metadata, statuses: [filled(status, words)] })).status, 200)
  const { record, events } = filled(sample.expect, words)
  const after = await recordOf(out.providerMessageId)
  assert.deepEqual(after, { ...before, ...record })
  assert.deepEqual((await inConsole(after)).message, after)
  const { conversationId } = before
  const ids = { messageId: before.id, conversationId, providerMessageId: out.providerMessageId }
  assert.deepEqual(
    (await eventsOf(before.id)).map(({ data }) => data),
    events.map((one: Json) => ({ ...ids, ...one })),
  )
}

const shown = ({ phoneNumberId: _, ...update }: Json): Json => {
  const { class: __, ...error } = update.error ?? {}
  return JSON.parse(JSON.stringify({ ...update, ...(update.error && { error }) }))
}

async function checkCall({ value, expect }: Sample): Promise<void> {
  const from = others.length
  const { status, record } = await post('calls', { metadata, ...value })
  assert.deepEqual([status, record.skipped], [200, expect.skipped ?? {}])
  const updates: readonly ProviderUpdate[] = others.slice(from)
  assert.deepEqual(updates.map(shown), filled(expect.updates, {}))
}

async function checkKept({ field = 'messages', value, expect }: Sample): Promise<void> {
  const [[before], from] = [await rows(), others.length]
  const { status, record } = await post(field, filled(value, { $number: number.phoneNumberId }))
  assert.deepEqual([status, record.skipped, record.kinds], [200, expect.skipped, {}])
  assert.deepEqual([(await rows())[0], others.length], [before, from])
}

const rows = () => sql`
  select (select count(*) from messages) as messages, (select count(*) from contacts) as contacts,
    (select count(*) from contacts where opt_state is not null) as opted, (select count(*) from events) as events`

const files: readonly (readonly [string, (sample: Sample) => Promise<void>])[] = [
  ['messages', checkMessage],
  ['revisions', checkMessage],
  ['groups', checkMessage],
  ['statuses', checkStatuses],
  ['calls', checkCall],
  ['kept', checkKept],
]

for (const [file, check] of files)
  describe(`the corpus of ${file}`, () => {
    for (const sample of samplesIn(file)) test(sample.name, () => check(sample))
  })

test('the corpus has at least 150 samples, and no two of a name in one file', () => {
  const all = files.map(([file]) => samplesIn(file).map(({ name }) => name))
  for (const names of all) assert.equal(new Set(names).size, names.length)
  assert.ok(all.flat().length >= 150, `${all.flat().length} samples`)
})

test('a sample of a person without a number is answered, and takes nothing else with it', async () => {
  assert.equal(isOn.people, false, 'assert these field by field once people are known by their ids')
  for (const { field = 'messages', value } of samplesIn('people')) {
    const words = { $number: number.phoneNumberId, $out: 'wamid.out', $ourOut: 'msg_' }
    assert.equal((await post(field, filled(value, words))).status, 200)
  }
})
