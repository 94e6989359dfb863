// Lists by change: a program that polls with the `updatedUntil` of its poll before sees every change, also one
// that is committed late.
import assert from 'node:assert/strict'
import { createCallReader } from '../../../../src/calls/store/calls-read.store.ts'
import { createCampaignReader } from '../../../../src/campaigns/store/campaigns-read.store.ts'
import type { Page, PageRequest } from '../../../../src/contract/page.ts'
import { createConversationReader } from '../../../../src/messaging/store/conversations-read.store.ts'
import { createMessageReader } from '../../../../src/messaging/store/messages-read.store.ts'
import { completeUntil } from '../../../../src/platform/postgres/list-order.ts'
import type { Sql } from '../../../../src/platform/postgres/sql.ts'
import { encodeId, newId } from '../../../../src/shared/ids.ts'
import { call, message, thread, workspace } from '../../../support/fixtures.ts'
import { describe, test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'

const sql = testPool(await testDatabase())
const minute = 60_000
const ago = (minutes: number) => new Date(Date.now() - minutes * minute)

interface Polled {
  read(filter: { readonly updatedSince: Date }, page: PageRequest): Promise<Page<{ readonly id: string }>>
  /** Adds a row; returns its id as the list shows it. */
  add(db?: Sql): Promise<string>
  /** Changes what the record of the first row shows. */
  change(db: Sql): Promise<unknown>
}

const lists: Readonly<Record<string, () => Promise<Polled>>> = {
  async messages() {
    const party = await thread(sql, await workspace(sql))
    return {
      read: (filter, page) => createMessageReader(sql).list(party.workspaceId, filter, page),
      add: async (db = sql) => encodeId('message', await message(db as typeof sql, party, {})),
      change: (db) =>
        db`update messages set status = 'DELIVERED' where id = (select min(id::text)::uuid from messages
          where workspace_id = ${party.workspaceId})`,
    }
  },
  async calls() {
    const party = await thread(sql, await workspace(sql))
    return {
      read: (filter, page) => createCallReader(sql).list(party.workspaceId, filter, page),
      add: async (db = sql) => encodeId('call', await call(db as typeof sql, party, {})),
      change: (db) =>
        db`update calls set status = 'COMPLETED', updated_at = now() where id = (select min(id::text)::uuid from calls
          where workspace_id = ${party.workspaceId})`,
    }
  },
  async conversations() {
    const workspaceId = await workspace(sql)
    return {
      read: (filter, page) => createConversationReader(sql).list(workspaceId, filter, page),
      add: async (db = sql) =>
        encodeId('conversation', (await thread(db as typeof sql, workspaceId)).conversationId),
      change: (db) =>
        db`update conversations set updated_at = now() where id = (select min(id::text)::uuid from conversations
          where workspace_id = ${workspaceId})`,
    }
  },
  async campaigns() {
    const workspaceId = await workspace(sql)
    return {
      read: (filter, page) => createCampaignReader(sql).list(workspaceId, filter, page),
      async add(db = sql) {
        const id = newId('campaign')
        await db`
          insert into campaigns (id, workspace_id, name, template_name, template_language)
          values (${id}, ${workspaceId}, 'c', 't', 'en')`
        return encodeId('campaign', id)
      },
      change: (db) =>
        db`update campaigns set name = 'd', updated_at = now() where id = (select min(id::text)::uuid from campaigns
          where workspace_id = ${workspaceId})`,
    }
  },
}

/** All pages of one poll. */
async function poll({ read }: Polled, updatedSince: Date, limit = 2) {
  const ids: string[] = []
  const until = new Set<string | undefined>()
  for (let after: PageRequest['after'], first = true; first || after; first = false) {
    const page = await read({ updatedSince }, { limit, after })
    ids.push(...page.data.map(({ id }) => id))
    until.add(page.updatedUntil)
    after = page.next
  }
  const [updatedUntil, ...others] = until
  assert.deepEqual(others, [], 'every page says the same')
  return {
    ids,
    next: new Date(updatedUntil ?? assert.fail('the list does not say until when it is complete')),
  }
}

for (const [name, make] of Object.entries(lists))
  describe(`the list of ${name} by change`, () => {
    test('is in the order of the changes, the oldest first, and leaves out what has not changed since', async () => {
      const list = await make()
      const ids = [await list.add(), await list.add(), await list.add()]
      assert.deepEqual((await poll(list, ago(1))).ids, ids)
      await list.change(sql)
      assert.deepEqual((await poll(list, ago(1))).ids, [ids[1], ids[2], ids[0]])
      assert.deepEqual((await poll(list, ago(-1))).ids, [])
    })

    test('shows at the next poll what is committed after this one, however long that took', async () => {
      const list = await make()
      const first = await list.add()
      let added = ''
      const { next, seen } = await sql.begin(async (tx) => {
        added = await list.add(tx)
        await list.change(tx)
        // Committed later, but with a later time.
        const overtaking = await list.add()
        const { ids, next: until } = await poll(list, ago(1))
        assert.deepEqual(ids, [first, overtaking])
        return { next: until, seen: overtaking }
      })
      const { ids } = await poll(list, next)
      for (const id of [added, first]) assert.ok(ids.includes(id), `${id} of ${ids}, not ${seen} alone`)
    })

    test('goes forward: a poll continues where the one before was complete, never before its own start', async () => {
      const list = await make()
      await list.add()
      const { next } = await poll(list, ago(1))
      assert.ok(next > ago(1) && next <= new Date())
      const start = ago(-1)
      assert.deepEqual((await poll(list, start)).next, start)
    })
  })

test('a list is complete until the oldest transaction began that is open', async () => {
  await sql.begin(async (tx) => {
    const [row] = await tx<[{ at: Date }]>`select now() as at`
    // The margin would hide that the transaction was not seen.
    assert.ok((await completeUntil(sql, 0)) <= row.at, 'it may still write')
    await tx`create temporary table written () on commit drop`
    await sql`select pg_sleep(0.002)`
    assert.ok((await completeUntil(sql, 0)) <= row.at, 'it has written')
  })
  const [row] = await sql<[{ at: Date }]>`select now() as at`
  assert.ok((await completeUntil(sql, 0)) >= row.at, 'it is committed')
})

test('what a send does before the record shows it is no change of a message', async () => {
  const list = (await lists['messages']?.()) ?? assert.fail()
  const ids = [await list.add(), await list.add()]
  await sql`update messages set send_state = 'SENDING', send_attempts = 1, send_due_at = now() - interval '1 second'`
  assert.deepEqual((await poll(list, ago(1))).ids, ids)
})
