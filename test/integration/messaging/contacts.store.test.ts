import assert from 'node:assert/strict'
import { personAt } from '../../../src/contract/person.ts'
import { describe, test } from '../../support/harness.ts'
import { testContacts } from '../../support/message-store.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addWorkspace } from '../calls/rows.ts'

const sql = testPool(await testDatabase())

async function nameOf(contactId: string): Promise<string | null> {
  const [row] = await sql<{ name: string | null }[]>`select name from contacts where id = ${contactId}`
  return row?.name ?? null
}

describe('the parties of a provider update', () => {
  test('eight updates of a new customer at once make one contact and one conversation', async () => {
    const { phoneNumberId, workspaceId, number } = await addWorkspace(sql)
    const from = { phoneNumberId, person: personAt('15551230000', 'Ines') }
    const all = await Promise.all(Array.from({ length: 8 }, () => testContacts(sql).resolveParties(from)))
    assert.equal(new Set(all.map((parties) => parties?.contactId)).size, 1)
    assert.equal(new Set(all.map((parties) => parties?.conversationId)).size, 1)
    assert.deepEqual([all[0]?.workspaceId, all[0]?.number], [workspaceId, number])
  })

  test('a new customer is looked up once and made once, with the ids that are found later', async () => {
    const { phoneNumberId } = await addWorkspace(sql)
    let lookups = 0
    const counting = new Proxy(sql, {
      apply(target, self, args: [{ join?: (by: string) => string }]) {
        if (args[0].join?.('').includes('from conversations v')) lookups += 1
        return Reflect.apply(target as never, self, args)
      },
    })
    const from = { phoneNumberId, person: personAt('15551230009', 'Ines') }
    const made = await testContacts(counting).resolveParties(from)
    assert.equal(lookups, 1)
    assert.ok(made)
    assert.equal(await nameOf(made.contactId), 'Ines')
    assert.deepEqual(await testContacts(sql).resolveParties(from), made)
  })

  test('a number of nobody has no parties', async () => {
    const parties = await testContacts(sql).resolveParties({
      phoneNumberId: 'none',
      person: personAt('15551230000', null),
    })
    assert.equal(parties, undefined)
  })

  test('a changed profile name is written, and an absent one keeps the old', async () => {
    const { phoneNumberId } = await addWorkspace(sql)
    const store = testContacts(sql)
    const first = await store.resolveParties({ phoneNumberId, person: personAt('15551230001', 'Ines') })
    assert.ok(first)
    await store.resolveParties({ phoneNumberId, person: personAt('15551230001', 'Ines Prado') })
    const deadline = performance.now() + 5_000
    // The name is written outside the hot path, so only the row shows when it is done.
    while ((await nameOf(first.contactId)) !== 'Ines Prado' && performance.now() < deadline);
    assert.equal(await nameOf(first.contactId), 'Ines Prado')
    await testContacts(sql).resolveParties({ phoneNumberId, person: personAt('15551230001', null) })
    assert.equal(await nameOf(first.contactId), 'Ines Prado')
  })

  test('the cache stays within its bound and still answers right', async () => {
    const { phoneNumberId } = await addWorkspace(sql)
    const store = testContacts(sql, { cacheSize: 2 })
    const ids = new Map<string, string>()
    for (const waId of ['1', '2', '3', '1', '2', '3']) {
      const parties = await store.resolveParties({
        phoneNumberId,
        person: personAt(`1555123000${waId}`, null),
      })
      assert.ok(parties)
      assert.equal(ids.get(waId) ?? parties.conversationId, parties.conversationId)
      ids.set(waId, parties.conversationId)
    }
    assert.equal(new Set(ids.values()).size, 3)
  })

  test('are found by keys, also with a plan from the time when there were few', async () => {
    const database = await testDatabase()
    const one = testPool(database, 1)
    const { phoneNumberId, workspaceId, numberId } = await addWorkspace(one)
    const ask = async (times: number) => {
      const store = testContacts(one)
      const person = personAt('15551230000', null)
      for (let time = 0; time < times; time += 1)
        await store.resolveParties({ phoneNumberId, person, isFresh: true })
    }
    const addMore = (from: number, to: number) => one`
      with person as (
        insert into contacts (id, workspace_id, wa_id)
        select new_uuid(), ${workspaceId}::uuid, '35191' || n from generate_series(${from}::int, ${to}::int) n
        returning id
      )
      insert into conversations (id, workspace_id, number_id, contact_id)
      select new_uuid(), ${workspaceId}::uuid, ${numberId}::uuid, id from person`
    const rowsRead = async () => {
      await one`select pg_stat_force_next_flush()`
      const [row] = await one<{ read: number }[]>`
        select sum(seq_tup_read + idx_tup_fetch)::int as read
        from pg_stat_user_tables where relname in ('contacts', 'contact_aliases', 'conversations')`
      return row?.read ?? Number.NaN
    }
    await addMore(1, 500)
    // A connection keeps its plan from the sixth time on.
    await ask(12)
    await addMore(501, 2_000)
    const before = await rowsRead()
    await ask(10)
    const read = (await rowsRead()) - before
    assert.ok(read <= 10 * 10, `${read} rows`)
  })
})
