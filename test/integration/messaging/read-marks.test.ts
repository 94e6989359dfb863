import assert from 'node:assert/strict'
import { createReadMarkStore } from '../../../src/messaging/store/read-marks.store.ts'
import { message, thread, workspace } from '../../support/fixtures.ts'
import { test } from '../../support/harness.ts'
import { testAccounts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

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
