import assert from 'node:assert/strict'
import { indexesOf, plansOf, scannedWhole, sortsToLimit } from '../../../bench/lists/plans.ts'
import { createAuditStore } from '../../../src/accounts/store/audit.store.ts'
import type { AuditFilter } from '../../../src/contract/administration.ts'
import { connectPool } from '../../../src/platform/postgres/sql.ts'
import { newId } from '../../../src/shared/ids.ts'
import { before, describe, test } from '../../support/harness.ts'
import { testDatabase } from '../../support/postgres.ts'

const database = await testDatabase()
const [workspaceId, busy, rare] = [newId('workspace'), newId('operator'), newId('operator')]
const hour = 3_600_000

describe('the plans of the audit', () => {
  before(async () => {
    const sql = connectPool({ url: database.url, max: 1, name: 'test', statementTimeoutMs: 60_000 })
    await sql`insert into workspaces (id, name) values (${workspaceId}, 'Busy')`
    await sql`
      insert into operators (id, email, name, password_hash)
      values (${busy}, 'busy@example.com', 'Busy', ''), (${rare}, 'rare@example.com', 'Rare', '')`
    // A message every second, a key every thousand entries, a removed member every ten thousand.
    await sql`
      insert into audit (id, workspace_id, operator_id, action, subject_kind, subject_id, at)
      select uuid_floor(at), ${workspaceId}, case when n % 5000 = 0 then ${rare} else ${busy} end::uuid,
        case when n % 10000 = 0 then 'member.removed' when n % 1000 = 0 then 'key.created' else 'message.sent' end,
        'message', gen_random_uuid(), at
      from generate_series(1, 60000) n, lateral (select now() - n * interval '1 second' as at) times`
    // A sign-in every ten seconds, of one account nearly always.
    await sql`
      insert into audit (id, operator_id, action, subject_kind, subject_id, at)
      select uuid_floor(at), case when n % 500 = 0 then ${rare} else ${busy} end::uuid, 'session.opened',
        'session', gen_random_uuid(), at
      from generate_series(1, 6000) n, lateral (select now() - n * interval '10 seconds' as at) times`
    await sql`analyze audit`
    await sql.end()
  })

  const cases: readonly (readonly [name: string, filter: AuditFilter, index: string | undefined])[] = [
    // Every row matches, so only the order of the ids matters.
    ['nothing', {}, undefined],
    ['an action', { action: 'member.removed' }, 'audit_action'],
    ['a kind', { action: 'member' }, 'audit_kind'],
    ['an operator', { operatorId: rare }, 'audit_operator'],
    ['an action of an operator', { action: 'member.removed', operatorId: rare }, 'audit_action'],
    ['a time', { until: new Date(Date.now() - 10 * hour) }, undefined],
    ['a kind in a time', { action: 'key', since: new Date(Date.now() - 12 * hour) }, 'audit_kind'],
  ]
  for (const [name, filter, index] of cases)
    test(`by ${name}, one index leads to the first rows of a page and of the next`, async () => {
      const plans = await plansOf(database.url, async (pool) => {
        const { data, next } = await createAuditStore(pool).list(workspaceId, filter, { limit: 5 })
        assert.equal(data.length, 5)
        if (next) await createAuditStore(pool).list(workspaceId, filter, { limit: 5, after: next })
      })
      assert.ok(plans.length >= 2)
      for (const plan of plans) {
        assert.deepEqual(scannedWhole(plan, ['audit']), [])
        assert.ok(!sortsToLimit(plan))
      }
      const [first] = plans
      if (index) assert.ok(first && indexesOf(first).includes(index), JSON.stringify(plans.map(indexesOf)))
    })

  for (const [name, filter, index] of [
    ['all accounts', {}, 'audit_accounts'],
    ['one account', { operatorId: rare }, 'audit_account'],
  ] as const)
    test(`of ${name}, one index leads to the first rows of a page`, async () => {
      const [plan] = await plansOf(database.url, async (pool) => {
        const { data } = await createAuditStore(pool).listAccounts(filter, { limit: 5 })
        assert.equal(data.length, 5)
      })
      assert.ok(plan && indexesOf(plan).includes(index), JSON.stringify(plan && indexesOf(plan)))
      assert.deepEqual(scannedWhole(plan, ['audit']), [])
      assert.ok(!sortsToLimit(plan))
    })
})
