import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createCampaignReader } from '../../../../src/campaigns/store/campaigns-read.store.ts'
import { createPartitionStore } from '../../../../src/delivery/store/partitions.store.ts'
import { migrate } from '../../../../src/platform/postgres/migrate.ts'
import type { Pool } from '../../../../src/platform/postgres/sql.ts'
import { idFloor, newId } from '../../../../src/shared/ids.ts'
import { ownFolder } from '../../../support/embedded.ts'
import { describe, test } from '../../../support/harness.ts'
import { testDatabase, testPool } from '../../../support/postgres.ts'
import { addTenant } from '../../../support/rows.ts'
import { eventually } from '../cluster/gateway.ts'

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

const folderOf = (files: Readonly<Record<string, string>>) => {
  const dir = mkdtempSync(join(ownFolder(), 'migrations-'))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  return pathToFileURL(`${dir}/`)
}
const initial = async () => {
  const sql = testPool(await testDatabase(), 6)
  await sql`create table ledger (id integer primary key)`
  return sql
}

/** Reads the table in a transaction that stays open until `end` is called. */
const longRead = (sql: Pool) => longUse(sql, 'select from ledger')

/** The same without a snapshot, for which every index that is built concurrently would wait. */
const longLock = (sql: Pool) => longUse(sql, 'lock table ledger in access share mode')

const longUse = async (sql: Pool, statement: string) => {
  const connection = await sql.reserve()
  await connection`begin`
  await connection.unsafe(statement)
  return {
    async end() {
      await connection`commit`
      connection.release()
    },
  }
}

describe('a migration of a table that is in use', () => {
  test('lets the others pass while it waits for a long read, and is applied after it', async () => {
    const sql = await initial()
    const read = await longRead(sql)
    let waits = 0
    let waited: () => void = () => undefined
    const hasWaited = new Promise<void>((resolve) => {
      waited = resolve
    })
    const migrating = migrate(sql, {
      folder: folderOf({ '0901_amount.sql': 'alter table ledger add column amount integer' }),
      pauseMs: 50,
      onWait: ({ migration }) => {
        assert.equal(migration, '0901_amount.sql')
        waits += 1
        // The transaction of the try is over: nobody waits for a lock on the table, and none is held but the read's.
        if (waits === 2) waited()
      },
    })
    await hasWaited
    for (let id = 0; id < 5; id += 1) await sql`insert into ledger (id) values (${id})`
    await read.end()
    assert.deepEqual(await migrating, ['0901_amount.sql'])
    assert.equal((await sql`select amount from ledger`).count, 5)
  })

  test('gives up when the table is never free, and has changed nothing', async () => {
    const sql = await initial()
    const read = await longRead(sql)
    const folder = folderOf({
      '0901_two.sql': 'create table other (id integer); alter table ledger add column amount integer',
    })
    await assert.rejects(
      migrate(sql, { folder, pauseMs: 10, limitMs: 1 }),
      /0901_two\.sql could not get its lock/,
    )
    assert.equal((await sql`select from pg_class where relname = 'other'`).count, 0)
    await read.end()
    assert.deepEqual(await migrate(sql, { folder }), ['0901_two.sql'])
  })

  test('builds an index while others write, also after a build that was broken off', async () => {
    const sql = await initial()
    await sql`insert into ledger (id) select n from generate_series(1, 1000) n`
    // What a build leaves that fails: here on two equal values.
    await sql`alter table ledger add column amount integer default 7`
    await assert.rejects(sql.unsafe('create unique index concurrently ledger_amount on ledger (amount)'))
    await sql`update ledger set amount = id`
    const folder = folderOf({
      '0901_index_concurrently.sql': `-- Finds amounts; this comment has a semicolon.
create unique index concurrently if not exists ledger_amount on ledger (amount);
create index concurrently if not exists ledger_both on ledger (id, amount);`,
    })
    const read = await longRead(sql)
    const migrating = migrate(sql, { folder, pauseMs: 10 })
    await sql`insert into ledger (id, amount) values (5000, 5000)`
    await read.end()
    assert.deepEqual(await migrating, ['0901_index_concurrently.sql'])
    const indexes = await sql<{ name: string; valid: boolean }[]>`
      select indexrelid::regclass::text as name, indisvalid as valid
      from pg_index where indrelid = 'ledger'::regclass order by 1`
    assert.deepEqual(
      indexes.map(({ name, valid }) => [name, valid]),
      [
        ['ledger_amount', true],
        ['ledger_both', true],
        ['ledger_pkey', true],
      ],
    )
  })
})

describe('a migration that builds indexes', () => {
  test('goes on at the statement that got no lock: what was built before it is not built again', async () => {
    const sql = await initial()
    const folder = folderOf({
      '0901_index_concurrently.sql': `
create index concurrently if not exists ledger_rising on ledger (id);
drop index concurrently if exists ledger_last;
alter index if exists ledger_rising rename to ledger_last;
alter table ledger add column if not exists amount integer;`,
    })
    const built = async () => (await sql`select 'ledger_last'::regclass::oid as oid`)[0]?.['oid']
    const read = await longLock(sql)
    const builds: Promise<unknown>[] = []
    let waited: () => void = () => undefined
    const hasWaited = new Promise<void>((resolve) => {
      waited = resolve
    })
    const migrating = migrate(sql, {
      ...{ folder, pauseMs: 10 },
      onWait: () => {
        builds.push(built())
        if (builds.length === 3) waited()
      },
    })
    await hasWaited
    await read.end()
    await migrating
    assert.deepEqual([...new Set(await Promise.all([...builds, built()]))].length, 1)
  })

  test('waits for older transactions, and does not give the build up for them', async () => {
    const sql = await initial()
    const folder = folderOf({
      '0901_index_concurrently.sql': 'create index concurrently if not exists ledger_again on ledger (id);',
    })
    const writer = await sql.reserve()
    await writer`begin`
    await writer`insert into ledger (id) values (1)`
    const migrating = migrate(sql, { folder, onWait: () => assert.fail('it has given up') })
    // Longer than any statement may wait that holds others up.
    await eventually(async () => {
      const [row] = await sql`
        select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like 'create index concurrently%'
          and now() - query_start > interval '1500 milliseconds'`
      return row !== undefined
    })
    await sql`insert into ledger (id) values (2)`
    await writer`commit`
    writer.release()
    assert.deepEqual(await migrating, ['0901_index_concurrently.sql'])
  })

  test('counts how long it waits against its limit, not how long it works', async () => {
    const sql = await initial()
    await sql`insert into ledger (id) select n from generate_series(1, 20) n`
    await sql.unsafe(`
      create function slowly(id integer) returns integer language plpgsql immutable
        as 'begin perform pg_sleep(0.1); return id; end'`)
    const read = await longRead(sql)
    let waits = 0
    const migrating = migrate(sql, {
      folder: folderOf({
        '0901_amount.sql': `create index ledger_slow on ledger (slowly(id));
          alter table ledger add column amount integer`,
      }),
      ...{ pauseMs: 10, limitMs: 1_100 },
      onWait: ({ waitedMs }) => {
        waits += 1
        assert.ok(waitedMs <= 1_100, `${waitedMs}`)
        if (waits === 1) void read.end()
      },
    })
    assert.deepEqual(await migrating, ['0901_amount.sql'])
    assert.ok(waits > 0)
  })
})

describe('the indexes of the delivery log', () => {
  test('are built for the days that have deliveries, and take the place of the earlier ones', async () => {
    const sql = await empty()
    const own = new URL('../../../../src/platform/postgres/migrations/', import.meta.url)
    const earlier = pathToFileURL(`${mkdtempSync(join(ownFolder(), 'migrations-'))}/`)
    for (const name of readdirSync(own))
      if (name < '0046') copyFileSync(new URL(name, own), new URL(name, earlier))
    await migrate(sql, { folder: earlier })
    await sql`
      insert into deliveries (id, workspace_id, event_id, endpoint_id, kind, key, state)
      select uuidv7(-n * interval '1 day'), new_uuid(), new_uuid(), new_uuid(), 'call.status', new_uuid(),
        case when m = 1 then 'PENDING' else 'DELIVERED' end
      from generate_series(0, 1) n, generate_series(1, 100) m`
    const applied = await migrate(sql)
    assert.ok(applied.includes('0046_log_of_deliveries_concurrently.sql'))
    const indexes = await sql<{ parent: string; days: number; own: number; valid: boolean }[]>`
      select parent.relname as parent, count(*)::integer as days,
        count(*) filter (where child.relname ~ '^deliveries_[0-9]{8}_rising')::integer as own,
        bool_and(c.indisvalid) and bool_and(p.indisvalid) as valid
      from pg_index p
      join pg_class parent on parent.oid = p.indexrelid
      join pg_inherits i on i.inhparent = p.indexrelid
      join pg_index c on c.indexrelid = i.inhrelid
      join pg_class child on child.oid = c.indexrelid
      where p.indrelid = 'deliveries'::regclass
      group by parent.relname
      order by parent.relname`
    const partitions = await sql`select from pg_inherits where inhparent = 'deliveries'::regclass`
    const built = [
      'deliveries_log_first',
      'deliveries_log_key',
      'deliveries_log_kind',
      'deliveries_log_others',
      'deliveries_log_state',
      'deliveries_log_undelivered',
      'deliveries_pending',
    ]
    assert.deepEqual(
      indexes.map(({ parent, days, own, valid }) => [parent, days, own, valid]),
      ['deliveries_due', 'deliveries_failed', ...built, 'deliveries_open', 'deliveries_pkey']
        .sort()
        .map((name) => [name, partitions.count, built.includes(name) ? 2 : 0, true]),
    )
    // No day has an index that is not one of its table's.
    const [all] = await sql<{ count: number }[]>`
      select count(*)::integer as count from pg_index x
      join pg_inherits i on i.inhrelid = x.indrelid
      where i.inhparent = 'deliveries'::regclass`
    assert.equal(all?.count, indexes.length * partitions.count)
  })

  test('grow at their end, as do those of messages, conversations and calls: at the front pages stay half empty', async () => {
    const sql = testPool(await testDatabase())
    const falling = await sql`
      select indexrelid::regclass::text as name from pg_index
      where indrelid = any('{deliveries,messages,conversations,calls}'::regclass[]) and pg_get_indexdef(indexrelid) ~ ' DESC'`
    assert.deepEqual([...falling], [])
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
