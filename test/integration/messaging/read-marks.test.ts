import assert from 'node:assert/strict'
import { createReadMarkStore } from '../../../src/messaging/store/read-marks.store.ts'
import { message, thread, workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testAccounts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { rowsRead } from '../../support/rows-read.ts'

const sql = testPool(await testDatabase())

test('a message that was read from the beginning marks what came before it, and nothing after it', async () => {
  const store = createReadMarkStore(sql, testAccounts)
  const own = await thread(sql, await workspace(sql))
  const received = (minutes: number, status: string) =>
    message(sql, own, {
      ...{ direction: 'INBOUND', type: 'TEXT', status, createdAt: new Date(Date.now() - minutes * 60_000) },
    })
  const [before, reaction, after] = [
    await received(3, 'RECEIVED'),
    await received(2, 'READ'),
    await received(1, 'RECEIVED'),
  ]
  const target = async () => (await store.message(own.workspaceId, reaction)) ?? assert.fail()
  assert.equal((await target()).isUnread, true)
  assert.equal(await store.markUpTo(await target()), 1)
  assert.equal((await target()).isUnread, false)
  const rows =
    await sql`select id, status from messages where id in (${before}, ${after}) order by created_at`
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['READ', 'RECEIVED'],
  )
})

describe('the newest message, below which typing is shown', () => {
  const store = createReadMarkStore(sql, testAccounts)
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

  test('is the one that was written last, although older ones came after it', async () => {
    const own = await thread(sql, await workspace(sql))
    const received = (minutes: number) =>
      message(sql, own, {
        ...{ direction: 'INBOUND', type: 'TEXT', status: 'READ', createdAt: minutesAgo(minutes) },
      })
    await received(9)
    const newest = await received(1)
    for (let late = 0; late < 40; late += 1) await received(5 + late)
    await message(sql, own)
    const found = await store.newestInbound(own.workspaceId, own.conversationId, 'any')
    assert.equal(found?.target?.id, newest)
  })

  test('is one that is shown on the phone', async () => {
    const own = await thread(sql, await workspace(sql))
    const received = (type: 'TEXT' | 'EDIT' | 'REVOKE' | 'SYSTEM', minutes: number) =>
      message(sql, own, { direction: 'INBOUND', type, status: 'READ', createdAt: minutesAgo(minutes) })
    await received('SYSTEM', 9)
    const target = async () =>
      (await store.newestInbound(own.workspaceId, own.conversationId, 'any'))?.target?.id
    assert.equal(await target(), undefined)
    const shown = await received('TEXT', 8)
    for (const type of ['EDIT', 'REVOKE', 'SYSTEM'] as const) await received(type, 1)
    assert.equal(await target(), shown)
  })

  test('is found without reading the whole conversation', async () => {
    const own = await thread(sql, await workspace(sql))
    const { workspaceId, conversationId, numberId, contactId } = own
    await sql`
      insert into messages (id, workspace_id, conversation_id, number_id, contact_id, direction, type, status, text, created_at)
      select new_uuid(), ${workspaceId}, ${conversationId}, ${numberId}, ${contactId}, 'INBOUND', 'TEXT', 'READ', 'Hi',
        now() - make_interval(mins => 5000 - n)
      from generate_series(1, 5000) n`
    await sql`analyze messages`
    const reads = await rowsRead(sql, () => store.newestInbound(workspaceId, conversationId, 'any'), {
      ...{ table: 'messages', text: 'left join lateral' },
    })
    assert.equal(reads.length, 1)
    assert.ok((reads[0] ?? Number.NaN) <= 60, `${reads[0]} rows`)
  })
})
