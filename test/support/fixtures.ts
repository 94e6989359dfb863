// Inserts rows for the stores under test, as plainly as possible.
import { makeKey, type NewKey } from '../../src/accounts/key-format.ts'
import type { Scope } from '../../src/contract/scopes.ts'
import type { Sql } from '../../src/platform/postgres/sql.ts'
import {
  type CallId,
  type ConversationId,
  type EndpointId,
  type KeyId,
  type MessageId,
  type NumberId,
  newId,
  type Uuid,
  type WorkspaceId,
} from '../../src/shared/ids.ts'

export interface Thread {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly number: string
  readonly contactId: Uuid
  readonly waId: string
  readonly conversationId: ConversationId
}

let serial = 0

export async function workspace(sql: Sql): Promise<WorkspaceId> {
  const id = newId('workspace')
  await sql`insert into workspaces (id, name) values (${id}, 'Acme')`
  return id
}

export async function number(sql: Sql, workspaceId: WorkspaceId): Promise<{ id: NumberId; number: string }> {
  serial += 1
  const id = newId('number')
  const text = `+1555${String(process.pid).padStart(7, '0').slice(-4)}${String(serial).padStart(4, '0')}`
  await sql`
    insert into numbers (id, workspace_id, phone_number_id, number, display_name)
    values (${id}, ${workspaceId}, ${`pn-${id}`}, ${text}, 'Acme')`
  return { id, number: text }
}

/** A conversation with a new contact, on a new number or on the one given. */
export async function thread(
  sql: Sql,
  workspaceId: WorkspaceId,
  known?: { id: NumberId; number: string },
): Promise<Thread> {
  serial += 1
  const own = known ?? (await number(sql, workspaceId))
  const contactId = newId('recipient') as Uuid
  const conversationId = newId('conversation')
  const waId = `4915${String(serial).padStart(8, '0')}`
  await sql`insert into contacts (id, workspace_id, wa_id, name) values (${contactId}, ${workspaceId}, ${waId}, 'Ines')`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id)
    values (${conversationId}, ${workspaceId}, ${own.id}, ${contactId})`
  return { workspaceId, numberId: own.id, number: own.number, contactId, waId, conversationId }
}

export async function message(
  sql: Sql,
  { workspaceId, conversationId, numberId, contactId }: Thread,
  row: Record<string, unknown> = {},
): Promise<MessageId> {
  const id = newId('message')
  const full = {
    id,
    workspaceId,
    conversationId,
    numberId,
    contactId,
    direction: 'OUTBOUND',
    type: 'TEMPLATE',
    status: 'QUEUED',
    text: 'Hello',
    ...row,
  }
  await sql`insert into messages ${sql(full as never)}`
  return id
}

export async function call(
  sql: Sql,
  { workspaceId, conversationId, numberId, contactId }: Thread,
  row: Record<string, unknown> = {},
): Promise<CallId> {
  const id = newId('call')
  const full = {
    id,
    workspaceId,
    conversationId,
    numberId,
    contactId,
    wacid: `wacid.${id}`,
    direction: 'INBOUND',
    status: 'RINGING',
    ...row,
  }
  await sql`insert into calls ${sql(full as never)}`
  return id
}

export async function endpoint(sql: Sql, workspaceId: WorkspaceId): Promise<EndpointId> {
  const id = newId('endpoint')
  await sql`
    insert into endpoints (id, workspace_id, name, url, events, secret)
    values (${id}, ${workspaceId}, 'CRM', 'https://crm.example/hook', '{message.received}', '\\x00')`
  return id
}

export interface StoredKey extends NewKey {
  readonly id: KeyId
}

export async function apiKey(
  sql: Sql,
  workspaceId: WorkspaceId,
  scopes: readonly Scope[],
  row: Record<string, unknown> = {},
): Promise<StoredKey> {
  const id = newId('key')
  const made = makeKey('test')
  const full = {
    id,
    workspaceId,
    name: 'backend',
    prefix: made.prefix,
    secretHash: made.secretHash,
    scopes,
    ...row,
  }
  await sql`insert into api_keys ${sql(full as never)}`
  return { id, ...made }
}
