import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { migrate } from '../../../src/platform/postgres/migrate.ts'
import { newId } from '../../../src/shared/ids.ts'
import { test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

const folder = new URL('../../../src/platform/postgres/migrations/', import.meta.url)
const subject = '0015_account_origins.sql'

/** A database as it was before the migration. */
async function before() {
  const sql = testPool(await testDatabase())
  await sql.unsafe(`drop schema public cascade; create schema public;
    create table schema_migrations (name text primary key, checksum text not null, applied_at timestamptz default now())`)
  for (const name of (await readdir(folder))
    .sort()
    .filter((file) => file.endsWith('.sql') && file < subject)) {
    const text = await readFile(new URL(name, folder), 'utf8')
    const checksum = createHash('sha256').update(text).digest('hex')
    await sql.unsafe(text)
    await sql`insert into schema_migrations (name, checksum) values (${name}, ${checksum})`
  }
  return sql
}

test('accounts of the operator command are verified, those of invitations get their origin from the audit', async () => {
  const sql = await before()
  const workspaceId = newId('workspace')
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'Acme')`
  const operator = async (email: string, by: 'itself' | 'the command') => {
    const id = newId('operator')
    await sql`insert into operators (id, email, name, password_hash) values (${id}, ${email}, ${email}, '')`
    await sql`
      insert into audit (id, operator_id, action, subject_kind, subject_id)
      values (new_uuid(), ${by === 'itself' ? id : null}, 'operator.created', 'operator', ${id})`
    return id
  }
  const inviter = await operator('inviter@example.com', 'the command')
  const invited = await operator('invited@example.com', 'itself')
  const invitation = newId('invitation')
  for (const [by, action] of [
    [inviter, 'invitation.created'],
    [invited, 'invitation.accepted'],
  ] as const)
    await sql`
      insert into audit (id, workspace_id, operator_id, action, subject_kind, subject_id)
      values (new_uuid(), ${workspaceId}, ${by}, ${action}, 'invitation', ${invitation})`
  assert.ok((await migrate(sql)).includes(subject))
  const rows = await sql`
    select email, verified_at is not null as verified, invited_by, invited_to from operators order by email`
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [
      { email: 'invited@example.com', verified: false, invitedBy: inviter, invitedTo: workspaceId },
      { email: 'inviter@example.com', verified: true, invitedBy: null, invitedTo: null },
    ],
  )
})
