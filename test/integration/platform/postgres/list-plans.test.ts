import assert from 'node:assert/strict'
import {
  busyCustomer,
  consoleCases,
  type ListCase,
  listCases,
  type SearchCase,
  searchCases,
} from '../../../../bench/lists/list-cases.ts'
import { indexesOf, plansIn, scannedWhole, sortsToLimit } from '../../../../bench/lists/plans.ts'
import { seedLists } from '../../../../bench/lists/seed-lists.ts'
import { createMessageReader } from '../../../../src/messaging/store/messages-read.store.ts'
import { connectPool, type Pool } from '../../../../src/platform/postgres/sql.ts'
import { type ConversationId, decodeId, type WorkspaceId } from '../../../../src/shared/ids.ts'
import { before, describe, test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'

const database = await testDatabase()
const pool = testPool(database, 1)
const plansOf = (work: (sql: Pool) => Promise<unknown>) => plansIn(pool, work)
const big = ['messages', 'message_metadata', 'conversations', 'calls', 'contacts', 'search_terms']

describe('the plans of the lists', () => {
  let cases: ListCase[] = []
  let searches: SearchCase[] = []
  let ofConsole: ReturnType<typeof consoleCases> = []
  let around: { workspaceId: WorkspaceId; conversationId: ConversationId }

  before(async () => {
    const sql = connectPool({ url: database.url, max: 1, name: 'test', statementTimeoutMs: 60_000 })
    const workspace = await seedLists(sql, { messages: 60_000, conversations: 20_000, calls: 20_000 })
    const busy = await busyCustomer(sql)
    around = { workspaceId: workspace.workspaceId, conversationId: busy.conversationId }
    cases = listCases(workspace, busy)
    searches = searchCases(workspace, busy)
    ofConsole = consoleCases(workspace, busy)
    await sql.end()
  })

  test('every list and filter, first page and next, reads no big table whole and sorts no more than a page', async () => {
    assert.ok(cases.length > 40)
    const empty: string[] = []
    for (const { name, read } of [...cases, ...ofConsole]) {
      const plans = await plansOf(async (sql) => {
        const { data, next } = await read(sql)
        if (data.length === 0) empty.push(name)
        if (next) await read(sql, next)
      })
      assert.ok(plans.length >= 2, name)
      assert.deepEqual(
        plans.flatMap((plan) => scannedWhole(plan, big)),
        [],
        name,
      )
      assert.ok(!plans.some((plan) => sortsToLimit(plan)), name)
    }
    assert.deepEqual(empty, [
      'messages status=QUEUED',
      'messages type=STICKER',
      'messages contact=15550000000',
      'messages idempotencyKey=no order',
      'messages providerMessageId=wamid.none',
      'messages metadata=none',
      'calls status=FAILED',
      'calls contact=15550000000',
      'conversations contact=15550000000',
      'inbox unread first windowOpen',
      'inbox windowOpen',
    ])
  })

  test('a search reads no big table whole, whatever is typed', async () => {
    const nobody: string[] = []
    for (const { name, search } of searches) {
      const plans = await plansOf(async (sql) => {
        const { people, hits } = await search(sql)
        if (people.length + hits.length === 0) nobody.push(name)
      })
      assert.deepEqual(
        plans.flatMap((plan) => scannedWhole(plan, big)),
        [],
        name,
      )
      assert.ok(!plans.some((plan) => sortsToLimit(plan)), name)
    }
    assert.deepEqual(nobody, [
      ...['search nobody', 'search no number', 'search a user id'],
      ...['search no message', 'search no call', 'search no delivery', 'search no event'],
    ])
  })

  test('a key and an id of the provider are read from their unique index, with other filters too', async () => {
    for (const [filter, index] of [
      ['idempotencyKey', 'messages_idempotency'],
      ['providerMessageId', 'messages_provider_message_id_key'],
    ] as const) {
      const asked = cases.filter(({ name }) => name.includes(`${filter}=`))
      assert.equal(asked.length, 3)
      for (const { name, read } of asked)
        for (const plan of await plansOf(read)) assert.ok(indexesOf(plan).includes(index), name)
    }
  })

  test('a key, a template and an error of the message log are read from indexes that hold nothing inbound', async () => {
    const indexes = {
      'log apiKeyId': 'messages_key',
      'log template=order_late': 'messages_template',
      'log errorCode=131047': 'messages_error',
    }
    for (const [name, index] of Object.entries(indexes)) {
      const one = ofConsole.find((asked) => asked.name.startsWith(name))
      assert.ok(one, name)
      for (const plan of await plansOf(one.read)) assert.ok(indexesOf(plan).includes(index), name)
    }
  })

  test('messages up to a time are read without those of the week after it', async () => {
    const asked = cases.filter(({ name }) => name.startsWith('messages') && name.includes('until'))
    assert.equal(asked.length, 4)
    for (const { name, read } of asked)
      for (const plan of (await plansOf(read)).slice(-2))
        assert.ok(indexesOf(plan).includes('messages_late'), name)
  })

  const indexOf: Readonly<Record<string, string>> = {
    none: 'message_metadata_pkey',
    conversationId: 'messages_conversation',
    updatedSince: 'messages_changes',
  }

  test('pairs of metadata are read in the order of their index, and by a narrower filter where there is one', async () => {
    const asked = cases.filter(({ name }) => name.includes('metadata='))
    assert.equal(asked.length, 8)
    for (const { name, read } of asked) {
      const narrower = /conversationId|updatedSince/.exec(name)?.[0] ?? 'none'
      const index = indexOf[narrower]
      // The last statement is the list; before it, pairs may be counted.
      const plans = (await plansOf(read)).slice(-2)
      for (const plan of plans)
        assert.equal(
          indexesOf(plan).find((one) => one.startsWith('message')),
          index,
          name,
        )
    }
  })

  test('calls are read from the index of their log and the one of live calls, in the order of the list', async () => {
    const indexes: Readonly<Record<string, readonly string[]>> = {
      'calls direction=OUTBOUND': ['calls_live', 'calls_log_state'],
      'calls status=MISSED': ['calls_log_state'],
      'calls live=true': ['calls_live'],
      'calls updatedSince': ['calls_live', 'calls_log_changes'],
      'calls conversationId': ['calls_contact'],
    }
    for (const [name, expected] of Object.entries(indexes)) {
      const one = cases.find((asked) => asked.name === name)
      assert.ok(one, `${name} is none of ${cases.map((asked) => asked.name)}`)
      for (const plan of await plansOf(one.read)) {
        // Where a workspace has nearly all calls, those of the most frequent kind are read in the order of all.
        const found = indexesOf(plan).filter((index) => index.startsWith('calls_') && index !== 'calls_pkey')
        if (found.length > 0) assert.deepEqual([...new Set(found)].toSorted(), expected, name)
      }
    }
  })

  test('the page around a message is found as the pages of a list are', async () => {
    const plans = await plansOf(async (sql) => {
      const messages = createMessageReader(sql)
      const { data } = await messages.list(around.workspaceId, around, { limit: 100 })
      const id = decodeId('message', data.at(-1)?.id ?? '') ?? assert.fail('nobody said anything')
      const begin = await messages.beginAround(around.workspaceId, { ...around, id, newer: 24 })
      assert.ok(begin?.after)
    })
    assert.deepEqual(
      plans.flatMap((plan) => scannedWhole(plan, big)),
      [],
    )
    assert.ok(!plans.some((plan) => sortsToLimit(plan)))
  })

  test('a statement without an index is found out', async () => {
    const plans = await plansOf(
      (sql) => sql`select id from messages where text = ${'Order 7 is ready.'} order by id limit 50`,
    )
    assert.ok(plans.every((plan) => sortsToLimit(plan)))
    assert.deepEqual(
      plans.flatMap((plan) => scannedWhole(plan, big)),
      ['messages', 'messages'],
    )
  })
})
