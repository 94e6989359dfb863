import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createCampaignReader } from '../../../../src/campaigns/store/campaigns-read.store.ts'
import { createPartitionStore } from '../../../../src/delivery/store/partitions.store.ts'
import { migrate } from '../../../../src/platform/postgres/migrate.ts'
import { idFloor, newId } from '../../../../src/shared/ids.ts'
import { describe, test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'
import { addTenant } from '../../../support/rows.ts'

const empty = async () => {
  const sql = testPool(await testDatabase(), 6)
  await sql.unsafe('drop schema public cascade; create schema public')
  return sql
}

describe('migrations', () => {
  test('run by four processes at once are applied once', async () => {
    const sql = await empty()
    const applied = await Promise.all([migrate(sql), migrate(sql), migrate(sql), migrate(sql)])
    const names = applied.flat()
    assert.ok(names.length > 0)
    assert.equal(new Set(names).size, names.length)
    assert.deepEqual(await migrate(sql), [])
  })

  test('that were changed after they had been applied are refused', async () => {
    const sql = await empty()
    await migrate(sql)
    await sql`update schema_migrations set checksum = 'other'`
    await assert.rejects(migrate(sql), /was changed after it was applied/)
  })
})

describe('the counts of campaigns', () => {
  test('begin with the recipients that were there before them', async () => {
    const sql = await empty()
    const first = '0001_init.sql'
    const text = await readFile(
      new URL(`../../../../src/platform/postgres/migrations/${first}`, import.meta.url),
      'utf8',
    )
    const checksum = createHash('sha256').update(text).digest('hex')
    await sql.unsafe(`${text};
      create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz default now());
      insert into schema_migrations (name, checksum) values ('${first}', '${checksum}')`)
    const { workspaceId } = await addTenant(sql)
    const id = newId('campaign')
    await sql`
      insert into campaigns (id, workspace_id, name, template_name, template_language)
      values (${id}, ${workspaceId}, 'Spring', 'hello', 'en_US')`
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id, status, replied_at)
      select gen_random_uuid(), ${workspaceId}, ${id}, n::text, case when n > 3 then 'READ' else 'PENDING' end,
        case when n = 5 then now() end
      from generate_series(1, 5) n`
    assert.ok((await migrate(sql)).includes('0002_campaign_counts.sql'))
    const campaign = await createCampaignReader(sql).find(workspaceId, id)
    const { total, pending, read, replied } = campaign?.counts ?? {}
    assert.deepEqual([total, pending, read, replied], [5, 3, 2, 1])
  })
})

describe('day partitions', () => {
  test('take rows by the time within their ids, and go as a whole when they are old', async () => {
    const sql = testPool(await testDatabase())
    const maintenance = createPartitionStore(sql)
    await sql`select ensure_day_partition('events', (now() at time zone 'UTC')::date - 40)`
    const old = idFloor(Date.now() - 40 * 86_400_000 + 1).replace(
      /-0000-0000-000000000000$/,
      '-7000-8000-000000000000',
    )
    for (const id of [old, newId('event')])
      await sql`
        insert into events (id, workspace_id, kind, key, body)
        values (${id}, ${newId('workspace')}, 'message.status', ${newId('conversation')}, 'x')`
    const { dropped } = await maintenance.dropPartitions(30)
    assert.equal(dropped.length, 1)
    assert.match(dropped[0] ?? '', /^events_\d{8}$/)
    assert.equal((await sql`select from events`).count, 1)
    await maintenance.ensurePartitions()
    assert.deepEqual(await maintenance.dropPartitions(30), { dropped: [], discarded: 0 })
  })

  test('ids made by the server are version 7, rise with the clock and are unique', async () => {
    const sql = testPool(await testDatabase())
    const rows = await sql<{ id: string; before: string }[]>`
      select new_uuid()::text as id, uuid_floor(now() - interval '1 second')::text as before
      from generate_series(1, 2000)`
    const ids = rows.map((row) => row.id)
    assert.equal(new Set(ids).size, 2_000)
    for (const { id, before } of rows) {
      assert.equal(id[14], '7')
      assert.ok('89ab'.includes(id[19] ?? ''))
      assert.ok(id > before)
    }
    const micros = ids.map((id) => id.slice(0, 18))
    assert.deepEqual(micros, [...micros].sort())
  })
})
