import assert from 'node:assert/strict'
import type { MessageFilter } from '../../../src/contract/filters.ts'
import type { Page } from '../../../src/contract/page.ts'
import type { MessageRecord } from '../../../src/contract/records/message.ts'
import { createMessageReader } from '../../../src/messaging/store/messages-read.store.ts'
import { decodeId, encodeId } from '../../../src/shared/ids.ts'
import { eventually } from '../../e2e/scene.ts'
import { message, type Thread, thread, workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

const database = await testDatabase()
const sql = testPool(database)
const reader = createMessageReader(sql)
const ids = (page: Page<MessageRecord>) => page.data.map(({ id }) => id)

describe('the messages with a pair of metadata', () => {
  const having = (party: Thread, metadata: Record<string, string>) =>
    message(sql, party, { metadata: sql.json(metadata) }).then((id) => encodeId('message', id))

  test('all pairs must be there, whatever is rare, and none of another workspace counts', async () => {
    const [mine, theirs] = [await thread(sql, await workspace(sql)), await thread(sql, await workspace(sql))]
    const first = await having(mine, { order: 'A-1', shop: 'North' })
    const second = await having(mine, { order: 'A-2', shop: 'North', note: '☕ "x"' })
    await having(theirs, { order: 'A-1', shop: 'North' })
    await having(mine, {})
    const found = async (metadata: Record<string, string>, more: MessageFilter = {}) =>
      ids(await reader.list(mine.workspaceId, { metadata, ...more }, { limit: 50 }))
    assert.deepEqual(await found({ order: 'A-1' }), [first])
    assert.deepEqual(await found({ shop: 'North' }), [second, first])
    assert.deepEqual(await found({ shop: 'North', order: 'A-2' }), [second])
    assert.deepEqual(await found({ order: 'A-2', shop: 'North', note: '☕ "x"' }), [second])
    for (const other of [
      { shop: 'north' },
      { North: 'shop' },
      { order: 'A-1', shop: 'South' },
      { sho: 'pNorth' },
    ])
      assert.deepEqual(await found(other), [], JSON.stringify(other))
    assert.deepEqual(await found({ shop: 'North' }, { updatedSince: new Date(0) }), [first, second])
    const several = { status: ['QUEUED', 'SENT'] as const, conversationId: mine.conversationId }
    assert.deepEqual(await found({ shop: 'North' }, several), [second, first])
    assert.deepEqual(await found({ shop: 'North' }, { status: several.status }), [second, first])
  })

  test('pages hold every message once, newest first', async () => {
    const party = await thread(sql, await workspace(sql))
    const written: string[] = []
    for (let index = 0; index < 5; index += 1) {
      written.unshift(await having(party, { shop: 'North', order: `A-${index}` }))
      await having(party, { shop: 'South' })
    }
    const seen: string[] = []
    for (let after: readonly string[] | undefined; ; ) {
      const page = await reader.list(party.workspaceId, { metadata: { shop: 'North' } }, { limit: 2, after })
      seen.push(...ids(page))
      after = page.next
      if (!after) break
    }
    assert.deepEqual(seen, written)
  })

  test('the index follows the message: changed, deleted, and written before there was one', async () => {
    const party = await thread(sql, await workspace(sql))
    const { workspaceId } = party
    const rows = async () =>
      (await sql`select from message_metadata where workspace_id = ${workspaceId}`).count
    const found = async (order: string) =>
      ids(await reader.list(workspaceId, { metadata: { order } }, { limit: 50 }))
    const id = await having(party, { order: 'A-1', shop: 'North' })
    const uuid = decodeId('message', id) ?? ''
    await sql`update messages set metadata = ${sql.json({ order: 'A-2' })} where id = ${uuid}`
    assert.deepEqual([await found('A-1'), await found('A-2'), await rows()], [[], [id], 1])
    await sql`delete from message_metadata where workspace_id = ${workspaceId}`
    assert.deepEqual(await found('A-2'), [])
    for (const _ of ['once', 'twice']) {
      await sql`call index_earlier_metadata()`.simple()
      assert.deepEqual([await found('A-2'), await rows()], [[id], 1])
    }
    await sql`delete from messages where id = ${uuid}`
    assert.equal(await rows(), 0)
  })
})

test('metadata that is emptied while earlier messages are indexed is not indexed', async () => {
  const party = await thread(sql, await workspace(sql))
  const { workspaceId } = party
  const id = await message(sql, party, { metadata: sql.json({ order: 'A-1' }) })
  await sql`delete from message_metadata where workspace_id = ${workspaceId}`
  // It gives up waiting again and again, and begins the batch again.
  const other = testPool(database, 1)
  await other`set lock_timeout = '10ms'`
  const isWaiting = async () =>
    (
      await sql`
        select from pg_stat_activity
        where query like 'call index_earlier_metadata%' and wait_event_type = 'Lock' and datname = current_database()`
    ).count === 1
  let indexing: PromiseLike<unknown> | undefined
  await sql.begin(async (tx) => {
    await tx`update messages set metadata = '{}' where id = ${id}`
    indexing = other`call index_earlier_metadata()`.simple().execute()
    await eventually('the batch waits for the message', isWaiting)
  })
  await indexing
  assert.equal((await sql`select from message_metadata where workspace_id = ${workspaceId}`).count, 0)
})
