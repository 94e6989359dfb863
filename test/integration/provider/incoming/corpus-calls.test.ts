// The samples of calls, of people with a number, with a user id, and with both: each posted for another person to a
// gateway with the actors of calls. The updates that calls get, the record in the API, the queued events, the body that
// is handed to the port of direct events, and the console's JSON, field by field. The form of the samples is in corpus.ts.
import assert from 'node:assert/strict'
import { encodeId, newId } from '../../../../src/shared/ids.ts'
import { describe, test } from '../../../support/harness.ts'
import { testContacts } from '../../../support/message-store.ts'
import { addEndpoint } from '../../../support/rows.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'
import { gateway } from '../../api/gateway.ts'
import { Cluster, offerSdp } from '../../calls/gateway.ts'
import { openWorld } from '../../console/console-world.ts'
import { eventually } from '../../platform/cluster/gateway.ts'
import {
  filled,
  intake,
  isoAt,
  type Json,
  pages,
  type Sample,
  SECOND,
  samplesIn,
  shownUpdate,
} from './corpus.ts'

const world = await openWorld()
const { sql, workspaceId } = world
const viewer = await world.as('VIEWER')
const { call, keyFor } = gateway(sql)
const key = await keyFor(workspaceId, ['CALLS_READ', 'CONVERSATIONS_READ'])
const endpointId = await addEndpoint(sql, workspaceId, {
  events: ['message.received', 'call.status', 'call.ringing', 'call.accepted'],
})
const numberId = newId('number')
const number = { id: encodeId('number', numberId), number: '+15550003333', phoneNumberId: '880000000000001' }
await sql`
  insert into numbers (id, workspace_id, phone_number_id, number, is_default, endpoint_id, forward_calls)
  values (${numberId}, ${workspaceId}, ${number.phoneNumberId}, ${number.number}, true, ${endpointId}, true)`

// The clock stands still at the time of the samples: the times of a record are exact, and nothing is late.
const cluster = new Cluster(sql, { clock: new SimulatedClock(SECOND * 1_000) })
const node = cluster.node()
const updates: Json[] = []
const { post } = intake(sql, (update) => {
  updates.push(shownUpdate(update))
  return node.applyCallUpdate(update)
})
const metadata = { display_phone_number: '15550003333', phone_number_id: number.phoneNumberId }
const samples = samplesIn('calls')
const sampleOf = (name: string): Sample =>
  samples.find((one) => one.name === name) ?? assert.fail(`no sample ${name}`)

interface Case {
  readonly sample: Sample
  readonly words: Readonly<Record<string, string>>
  /** Those of the sample itself. */
  readonly updates: readonly Json[]
}

/** A call of ours to the person of a sample. */
async function placed(to: Json): Promise<Record<string, string>> {
  const nobody = { phone: null, userId: null, parentUserId: null, username: null, name: 'Ines Prado' }
  const { phoneNumberId } = number
  const parties = await testContacts(sql).resolveParties({
    ...{ phoneNumberId, person: { ...nobody, ...to } },
    at: new Date(isoAt(-60)),
  })
  assert.ok(parties)
  const { record } = await node.commands.place({ workspaceId, apiKeyId: null }, parties.conversationId, {
    session: { sdpType: 'offer', sdp: offerSdp },
    idempotencyKey: null,
  })
  return { $own: record.wacid ?? assert.fail('the provider has named the call'), $ourOwn: record.id }
}

async function posted(sample: Sample, index: number): Promise<Case> {
  const person = { $phone: String(3_519_330_000_000 + index), $user: `PT.5510092800${index}` }
  const own = sample.placed ? await placed(filled(sample.placed, person)) : { $own: `wacid.own${index}` }
  const words = { ...person, ...own, $endpoint: encodeId('endpoint', endpointId) }
  for (const name of (sample.before ?? []) as readonly string[]) await postOne(sampleOf(name), words)
  return { sample, words, updates: await postOne(sample, words) }
}

async function postOne({ name, value, expect }: Sample, words: Case['words']): Promise<Json[]> {
  const from = updates.length
  const { status, record } = await post('calls', { metadata, ...filled(value, words) })
  assert.deepEqual([status, record.skipped, record.failed], [200, expect.skipped ?? {}, 0], name)
  return updates.slice(from)
}

const cases: Case[] = []
for (const [index, sample] of samples.entries()) cases.push(await posted(sample, index))
const withCall = cases.filter(({ sample }) => sample.expect.record)

// A direct event is sent beside the answer to the webhook, and its outcome is noted later.
const rung = cases.filter(({ sample }) => sample.expect.direct).length
await eventually(async () => {
  const open = await sql`select from calls where forward_state = 'ATTEMPTING'`
  return cluster.direct.length >= rung && open.count === 0
})

// What an update says of whom we called is learnt beside it, after the events of the call were written.
const learnt = cases.filter(({ sample }) => sample.expect.told)
await eventually(async () => {
  const users = learnt.map(({ words }) => words['$user'] ?? '')
  const known = await sql`select from contacts where user_id = any(${users})`
  return known.count === learnt.length
})

const inApi = (path: string) => pages(async (query) => (await call(key, { path: `${path}?${query}` })).json)
const inConsole = (path: string) =>
  pages(async (query) => (await viewer('GET', `/workspaces/${world.ws}${path}?${query}`)).body)

const records = new Map((await inApi('/calls')).map((one) => [one.wacid, one]))
const shownCalls = new Map((await inConsole('/calls')).map((one) => [one.id, one]))
const lists = [await inApi('/conversations'), await inConsole('/conversations')] as const
const [conversations, shownConversations] = lists.map((list) => new Map(list.map((one) => [one.id, one])))
const events = (await sql<{ body: Buffer }[]>`select body from events order by id`).map(
  ({ body }): Json => JSON.parse(body.toString()),
)
const directs = cluster.direct.map(({ body, ...rest }) => ({ ...rest, body: JSON.parse(String(body)) }))

const recordOf = ({ words }: Case): Json => records.get(words['$own']) ?? assert.fail('no record')

const nothingElse = {
  ...{ direction: 'INBOUND', fromName: 'Ines Prado', userId: null, username: null },
  ...{ to: number.number, numberId: number.id, phoneNumberId: number.phoneNumberId, createdAt: isoAt(0) },
  ...{ ringingAt: null, acceptedAt: null, endedAt: null, durationSeconds: null, endReason: null },
  lastForwardError: null,
}

async function checkRecord(one: Case): Promise<void> {
  const { sample, words } = one
  const record = recordOf(one)
  const { id, conversationId } = record
  if (words['$ourOwn']) assert.equal(id, words['$ourOwn'])
  assert.deepEqual(record, {
    ...{ ...nothingElse, id, conversationId, wacid: words['$own'] },
    ...filled(sample.expect.record, words),
  })
  assert.deepEqual((await call(key, { path: `/calls/${id}` })).json, record)
  assert.deepEqual(shownCalls.get(id), record)
  const { timeline, ...shown } = (await viewer('GET', `/workspaces/${world.ws}/calls/${id}`)).body
  assert.deepEqual(shown, record)
  const statuses = timeline.filter(({ kind }: Json) => kind === 'status')
  assert.deepEqual(
    statuses.map(({ detail }: Json) => detail.status),
    sample.expect.events.slice(1),
  )
  assert.doesNotMatch(JSON.stringify(timeline), /v=0/)
}

/** One for each status, in order. The last has the duration. */
function checkEvents(one: Case): void {
  const { id, conversationId, wacid, direction, contactWaId, userId, username, durationSeconds } =
    recordOf(one)
  const statuses: readonly string[] = one.sample.expect.events
  // The first event of a call that we place is written before the provider names the call.
  const told = statuses.map((status) => ({
    ...{ callId: id, conversationId, wacid: status === 'INITIATED' ? '' : wacid, direction, status },
    ...{ contactWaId, userId, username, ...one.sample.expect.told, occurredAt: isoAt(0) },
    durationSeconds: status === 'COMPLETED' ? durationSeconds : null,
  }))
  assert.deepEqual(
    events.filter(({ data }) => data.callId === id),
    told.map((data) => ({ event: 'call.status', sentAt: isoAt(0), data })),
  )
}

/** The session is that of the connect, which is the sample itself or came before it. */
function sessionOf({ before = [], expect }: Sample): Json {
  const [first] = [expect, ...before.map((name) => sampleOf(name).expect)].flatMap(({ updates: got }) =>
    got.filter(({ type }: Json) => type === 'callConnect'),
  )
  return first.session
}

function checkDirect(one: Case): void {
  const { direct: kind } = one.sample.expect
  const { id, wacid, direction, from, fromName, userId, username, to, conversationId } = recordOf(one)
  const { phoneNumberId } = number
  const rings = kind === 'call.ringing'
  const handedOver = {
    ...{ endpointId, workspaceId, kind },
    headers: rings ? { 'x-communication-answer-by': isoAt(30) } : {},
    body: {
      ...{ event: kind, channel: 'CHAT' },
      call: {
        ...{ id, wacid, direction, status: rings ? 'RINGING' : 'ACCEPTED', from, fromName, userId, username },
        ...{
          to,
          phoneNumberId,
          conversationId,
          durationSeconds: null,
          session: kind && sessionOf(one.sample),
        },
      },
    },
  }
  assert.deepEqual(
    directs.filter(({ body }) => body.call.id === id),
    kind ? [handedOver] : [],
  )
}

/** The thread, alike in the API and in the console. A call of the contact opens the window, as does a pick-up. */
function checkConversation(one: Case): void {
  const { conversationId, contactWaId, userId, username, direction, acceptedAt } = recordOf(one)
  const opens = direction === 'INBOUND' || acceptedAt !== null
  const conversation = conversations?.get(conversationId)
  assert.deepEqual(conversation, {
    ...{ id: conversationId, numberId: number.id, number: number.number, group: null },
    contact: {
      ...{
        waId: contactWaId,
        number: contactWaId && `+${contactWaId}`,
        userId,
        username,
        name: 'Ines Prado',
      },
      ...{ optedOut: false, marketingOptedOut: false },
    },
    ...{ lastMessage: null, unreadCount: 0, lastInboundAt: null, callPermission: null },
    windowExpiresAt: opens ? isoAt(86_400) : null,
    ...{ createdAt: conversation.createdAt, updatedAt: conversation.updatedAt },
  })
  assert.deepEqual(shownConversations?.get(conversationId), conversation)
}

describe('the corpus of calls', () => {
  for (const one of cases)
    test(one.sample.name, async () => {
      assert.deepEqual(one.updates, filled(one.sample.expect.updates, one.words))
      if (!one.sample.expect.record) {
        assert.equal(records.get(one.words['$own']), undefined)
        return
      }
      await checkRecord(one)
      checkEvents(one)
      checkDirect(one)
      checkConversation(one)
    })

  test('makes no other call, person, event or direct event', () => {
    const told = withCall.flatMap(({ sample }) => sample.expect.events)
    assert.deepEqual(
      [records.size, shownCalls.size, conversations?.size, events.length, directs.length],
      [withCall.length, withCall.length, withCall.length, told.length, rung],
    )
  })
})
