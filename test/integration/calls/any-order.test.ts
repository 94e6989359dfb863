// The provider's updates about a call lead to one state, in any order, any number of times and at any node.

import assert from 'node:assert/strict'
import fc from 'fast-check'
import type { CallUpdate } from '../../../src/calls/apply-call-update.ts'
import { personAt } from '../../../src/contract/person.ts'
import { describe, test } from '../../support/harness.ts'
import { testContacts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'
import { Cluster, connectUpdate, offerSdp, terminateUpdate, until } from './gateway.ts'
import { addWorkspace, type Workspace } from './rows.ts'

const database = await testDatabase()
const sql = testPool(database)
const pools = [testPool(database), testPool(database)]

const error = { code: '138019', title: 'Call setup failed', details: null, class: 'callFailed' } as const
type Ending = Parameters<typeof terminateUpdate>[1]

interface Story {
  readonly ends: string
  readonly reason: string | null
  /** Only for a placed call; an inbound call begins with its connect. */
  readonly statuses?: readonly ('RINGING' | 'ACCEPTED' | 'REJECTED')[]
  readonly ending?: Ending
}

const inbound: readonly Story[] = [
  { ends: 'RINGING', reason: null },
  { ends: 'MISSED', reason: 'CALLER_GAVE_UP', ending: {} },
  { ends: 'FAILED', reason: 'PROVIDER_ERROR', ending: { error } },
  { ends: 'COMPLETED', reason: 'HUNG_UP', ending: { durationSeconds: 5 } },
]

const outbound: readonly Story[] = [
  { ends: 'RINGING', reason: null, statuses: ['RINGING'] },
  { ends: 'ACCEPTED', reason: null, statuses: ['RINGING', 'ACCEPTED'] },
  { ends: 'REJECTED', reason: 'CUSTOMER_DECLINED', statuses: ['RINGING', 'REJECTED'], ending: {} },
  { ends: 'REJECTED', reason: 'CUSTOMER_DECLINED', statuses: ['REJECTED'], ending: { error } },
  { ends: 'NO_ANSWER', reason: 'RANG_OUT', statuses: ['RINGING'], ending: {} },
  { ends: 'FAILED', reason: 'PROVIDER_ERROR', statuses: ['RINGING'], ending: { error } },
  {
    ...{ ends: 'COMPLETED', reason: 'HUNG_UP', statuses: ['RINGING', 'ACCEPTED'] },
    ending: { durationSeconds: 5 },
  },
  {
    ...{ ends: 'FAILED', reason: 'PROVIDER_ERROR', statuses: ['RINGING', 'ACCEPTED'] },
    ending: { durationSeconds: 5, error },
  },
]

function tellingsOf(workspace: Workspace, story: Story, opaque: string | null): CallUpdate[] {
  const direction = story.statuses ? 'OUTBOUND' : 'INBOUND'
  const named = opaque === null ? {} : { wacid: `wacid.${opaque}`, opaque }
  const connect = connectUpdate(workspace, { direction, ...named })
  const { wacid, phoneNumberId, at } = connect
  const common = { type: 'callStatus', wacid, phoneNumberId, at, opaque, recipient: null } as const
  const statuses = (story.statuses ?? []).map((status) => ({ ...common, status }))
  const ending = story.ending && terminateUpdate(connect, { direction, opaque, ...story.ending })
  return [connect, ...statuses, ...(ending ? [ending] : [])]
}

/** The order of the updates, the node that gets each, and whether all are applied at once. */
const tellings = (count: number) =>
  fc.record({
    isAtOnce: fc.boolean(),
    order: fc
      .array(fc.nat(count - 1), { maxLength: count * 2 })
      .chain((more) => {
        const all = [...Array(count).keys(), ...more]
        return fc.shuffledSubarray(all, { minLength: all.length })
      })
      .chain((order) => fc.tuple(...order.map((update) => fc.tuple(fc.constant(update), fc.nat(1))))),
  })

const callsPerStory = 40
const seed = Date.now() % 2 ** 31

async function tell(story: Story): Promise<{ cluster: Cluster; wacids: string[] }> {
  const workspace = await addWorkspace(sql, { forward: true, events: ['call.status', 'call.accepted'] })
  const clock = new SimulatedClock(Date.now())
  const cluster = new Cluster(sql, { clock, confirmEveryMs: 60_000 })
  const nodes = pools.map((pool) => cluster.node(pool))
  // Half of the stories have an endpoint that the second node owns, and of which the first one knows.
  if ((seed + [...inbound, ...outbound].indexOf(story)) % 2 === 0) {
    cluster.endpointOwner = nodes[1]?.sid
    await nodes[0]?.applyCallUpdate(connectUpdate(workspace, { person: personAt('15551229999') }))
  }
  const begin = opener(workspace, nodes[0])
  const orders = fc.sample(tellings(tellingsOf(workspace, story, null).length), {
    numRuns: callsPerStory,
    seed,
  })
  const wacids = await Promise.all(
    orders.map(async ({ isAtOnce, order }) => {
      const updates = tellingsOf(workspace, story, story.statuses ? await begin() : null)
      const steps = order.map(
        ([update, node]) =>
          () =>
            nodes[node]?.applyCallUpdate(updates[update] as CallUpdate),
      )
      if (isAtOnce) await Promise.all(steps.map((step) => step()))
      else for (const step of steps) await step()
      return updates[0]?.wacid ?? ''
    }),
  )
  await clock.advance(2_000)
  return { cluster, wacids }
}

/** Places each call to a new contact, because no contact can have two calls at once. */
function opener({ phoneNumberId, workspaceId }: Workspace, node: ReturnType<Cluster['node']> | undefined) {
  let last = 15_551_230_000
  return async () => {
    last += 1
    const from = { phoneNumberId, person: personAt(String(last)) }
    const parties = await testContacts(sql).resolveParties(from)
    if (!parties || !node) throw new Error('no such number')
    const caller = { workspaceId, apiKeyId: null }
    const session = { sdpType: 'offer', sdp: offerSdp } as const
    const input = { session, idempotencyKey: null }
    return (await node.commands.place(caller, parties.conversationId, input)).record.id
  }
}

interface Ended {
  readonly wacid: string
  readonly status: string
  readonly reason: string | null
  readonly version: number
  readonly code: string | null
  readonly events: string[]
  readonly notes: string[]
}

const rowsOf = (wacids: readonly string[]) => sql<Ended[]>`
  select c.wacid, c.status, c.end_reason as reason, c.version, c.error ->> 'code' as code,
    array(select convert_from(e.body, 'utf8')::jsonb -> 'data' ->> 'status' from events e
      where e.key = c.id order by e.id) as events,
    array(select note -> 2 ->> 'status' from jsonb_array_elements(c.timeline) with ordinality as one (note, place)
      where note ->> 1 = 'status' order by place) as notes
  from calls c
  where c.wacid = any(${wacids as string[]})`

async function check(story: Story): Promise<void> {
  const { cluster, wacids } = await tell(story)
  const hasSettled = async () => (await rowsOf(wacids)).every(({ status }) => status === story.ends)
  await until(hasSettled).catch(() => undefined)
  const rows = await rowsOf(wacids)
  assert.equal(rows.length, wacids.length, `one call each (seed ${seed})`)
  for (const { wacid, events, notes, ...row } of rows) {
    const found = { status: row.status, reason: row.reason, code: row.code }
    const code = story.ends === 'FAILED' ? error.code : null
    assert.deepEqual(found, { status: story.ends, reason: story.reason, code }, `${wacid}, seed ${seed}`)
    assert.equal(events.length, row.version, `one event a version: ${events} of ${wacid}, seed ${seed}`)
    assert.equal(new Set(events).size, events.length, `no status twice: ${events}, seed ${seed}`)
    assert.equal(events.at(-1), story.ends)
    // The first status is the call itself, which is not noted, unless the call had ended before it was known.
    const first = events.length === 1 && story.ending && !story.statuses ? 0 : 1
    assert.deepEqual(notes, events.slice(first), `the timeline says the same, seed ${seed}`)
  }
  const forwards = cluster.direct.map(({ body }) => JSON.parse(Buffer.from(body).toString()).call.wacid)
  assert.equal(new Set(forwards).size, forwards.length, 'none is forwarded twice')
}

function titleOf({ statuses = [], ending, ends }: Story): string {
  const facts = Object.keys(ending ?? {}).join(' and ') || 'no more'
  return `${['connect', ...statuses, ...(ending ? [`terminate with ${facts}`] : [])].join(', ')}: ${ends}`
}

describe('an inbound call whose updates come in any order at two nodes', () => {
  for (const story of inbound) test(titleOf(story), () => check(story))
})

describe('a placed call whose updates come in any order at two nodes', () => {
  for (const story of outbound) test(titleOf(story), () => check(story))
})

test('an inbound call rings at once, and its connect is answered when other nodes can find its owner', async () => {
  const workspace = await addWorkspace(sql, { forward: true })
  const cluster = new Cluster(sql)
  const [first, second] = [cluster.node(), cluster.node()]
  const callOf = async (wacid: string) =>
    (
      await sql<{ status: string; forwardState: string }[]>`
      select status, forward_state from calls where wacid = ${wacid}`
    )[0]
  let claim: () => void = () => undefined
  cluster.beforeClaim = () => new Promise((resolve) => (claim = resolve))
  const update = connectUpdate(workspace)
  let isAnswered = false
  const applied = first.applyCallUpdate(update).then(() => {
    isAnswered = true
  })
  await until(async () => cluster.direct.length === 1 && (await callOf(update.wacid))?.forwardState === 'OK')
  assert.equal(isAnswered, false)
  cluster.beforeClaim = () => Promise.resolve()
  claim()
  await applied
  await second.applyCallUpdate(terminateUpdate(update))
  assert.equal((await callOf(update.wacid))?.status, 'MISSED')
  assert.deepEqual([cluster.statuses(), cluster.direct.length], [['RINGING', 'MISSED'], 1])
})
