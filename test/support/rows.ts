// Rows that many tests start with. Each call creates its own tenant.
import type { Author } from '../../src/contract/administration.ts'
import { emit, type WrittenDelivery, writtenDeliveries } from '../../src/platform/postgres/emit.ts'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { type EndpointId, type NumberId, newId, type WorkspaceId } from '../../src/shared/ids.ts'

export interface Tenant {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly number: string
  readonly phoneNumberId: string
}

let lastNumber = 1_000_000

export async function addTenant(sql: Pool): Promise<Tenant> {
  const workspaceId = newId('workspace')
  const numberId = newId('number')
  // Not random: among hundreds of tenants of one test two would be equal now and then.
  lastNumber += 1
  const number = `+1555${lastNumber}`
  const phoneNumberId = `pn-${numberId}`
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'Lumen')`
  await sql`
    insert into numbers (id, workspace_id, phone_number_id, number, is_default)
    values (${numberId}, ${workspaceId}, ${phoneNumberId}, ${number}, true)`
  await sql`
    insert into templates (id, workspace_id, name, language, category, status, parameter_format, components)
    values (${newId('template')}, ${workspaceId}, 'hello', 'en_US', 'UTILITY', 'APPROVED', 'POSITIONAL',
      ${sql.json([{ type: 'BODY', text: 'Hello' }])})`
  return { workspaceId, numberId, number, phoneNumberId }
}

export async function addEndpoint(
  sql: Pool,
  workspaceId: WorkspaceId,
  patch: { readonly events?: string[]; readonly enabled?: boolean; readonly failures?: number } = {},
): Promise<EndpointId> {
  const id = newId('endpoint')
  await sql`
    insert into endpoints (id, workspace_id, name, url, events, secret, enabled, consecutive_failures)
    values (${id}, ${workspaceId}, 'orders', 'https://receiver.example/hook',
      ${patch.events ?? ['message.status', 'message.received', 'call.status']}, ${Buffer.from('s')},
      ${patch.enabled ?? true}, ${patch.failures ?? 0})`
  return id
}

/** An operator who changes something in the workspace. */
export async function addAuthor(sql: Pool, workspaceId: WorkspaceId): Promise<Author> {
  const operatorId = newId('operator')
  await sql`
    insert into operators (id, email, name, password_hash)
    values (${operatorId}, ${`${operatorId}@lumen.test`}, 'Op', '')`
  return { workspaceId, operatorId, ip: '127.0.0.1' }
}

/** An event of the workspace, written through the outbox. */
export const emitEvent = (
  sql: Pool,
  workspaceId: WorkspaceId,
  event: {
    readonly key?: string
    readonly body?: string
    readonly routedTo?: EndpointId
    readonly after?: string
  } = {},
): Promise<WrittenDelivery[]> => sql<WrittenDelivery[]>`
  with occurred as (
    select ${newId('event')}::uuid as event_id, ${workspaceId}::uuid as workspace_id, 'message.status' as kind,
      ${event.key ?? newId('conversation')}::uuid as key, ${Buffer.from(event.body ?? '{}')}::bytea as body,
      ${event.routedTo ?? null}::uuid as routed_to, ${event.after ?? null}::uuid as after
  ), ${emit(sql)} ${writtenDeliveries(sql)}`
