// The demo workspace of a development start: an operator, an API key with every scope, and its numbers.
import { keyEnvironment, makeKey } from '../accounts/key-format.ts'
import { createPasswordHasher } from '../accounts/password.ts'
import { scopes } from '../contract/scopes.ts'
import type { Pool } from '../platform/postgres/sql.ts'
import { encodeId, type NumberId, newId, type OperatorId, type WorkspaceId } from '../shared/ids.ts'

export interface Demo {
  readonly workspaceId: WorkspaceId
  readonly apiKey: string
  readonly operator: { readonly email: string; readonly password: string }
}

export interface SeedOptions {
  readonly wabaId: string
  readonly workspaceName: string
  readonly email: string
  readonly password: string
  /** log2 of scrypt's N. Tests use a lower value. */
  readonly passwordLogN?: number
}

/** Creates a workspace, an operator who owns it and an API key without a rate limit. */
export async function seedWorkspace(sql: Pool, options: SeedOptions): Promise<Demo> {
  const workspaceId = newId('workspace')
  const operatorId = newId('operator')
  const { passwordLogN: logN } = options
  const passwordHash = await createPasswordHasher(logN === undefined ? {} : { logN }).hash(options.password)
  const key = makeKey(keyEnvironment('development'))
  await sql.begin(async (tx) => {
    await tx`
      insert into workspaces (id, name, waba_id)
      values (${workspaceId}, ${options.workspaceName}, ${options.wabaId})`
    await tx`
      insert into operators (id, email, name, password_hash, platform_owner, verified_at)
      values (${operatorId}, ${options.email}, 'Demo Operator', ${passwordHash}, true, now())`
    await tx`
      insert into memberships (workspace_id, operator_id, role)
      values (${workspaceId}, ${operatorId}, 'OWNER')`
    await insertKey(tx as unknown as Pool, { workspaceId, operatorId, key })
  })
  return { workspaceId, apiKey: key.key, operator: { email: options.email, password: options.password } }
}

async function insertKey(
  sql: Pool,
  {
    workspaceId,
    operatorId,
    key,
  }: {
    workspaceId: WorkspaceId
    operatorId: OperatorId
    key: ReturnType<typeof makeKey>
  },
): Promise<void> {
  await sql`
    insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes, requests_per_second, created_by)
    values (${newId('key')}, ${workspaceId}, 'Demo key', ${key.prefix}, ${key.secretHash}, ${[...scopes]}, 0, ${operatorId})`
}

export interface DemoNumber {
  readonly id: string
  readonly number: string
  readonly phoneNumberId: string
}

export async function demoNumbers(sql: Pool, workspaceId: WorkspaceId): Promise<DemoNumber[]> {
  const rows = await sql<{ id: NumberId; number: string; phoneNumberId: string }[]>`
    select id, number, phone_number_id
    from numbers
    where workspace_id = ${workspaceId}
    order by is_default desc, number`
  return rows.map((row) => ({ ...row, id: encodeId('number', row.id) }))
}

/** Whether the workspace of dev.json exists in this database. */
export async function workspaceExists(sql: Pool, workspaceId: WorkspaceId): Promise<boolean> {
  const [row] = await sql`select 1 from workspaces where id = ${workspaceId}`
  return row !== undefined
}
