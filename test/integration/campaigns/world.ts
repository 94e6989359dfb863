// The public API on real sockets over a real database, and a tenant whose templates have variables.
import assert from 'node:assert/strict'
import {
  type CampaignCounts,
  type CampaignStatus,
  campaignCounts,
} from '../../../src/contract/records/campaign.ts'
import { scopes } from '../../../src/contract/scopes.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { decodeId, newId } from '../../../src/shared/ids.ts'
import { addTenant, type Tenant } from '../../support/rows.ts'
import { gateway } from '../api/gateway.ts'
import { serve } from '../platform/http/servers.ts'

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
  readonly json: any
  readonly text: string
  readonly headers: Headers
}

export type Send = (
  method: string,
  path: string,
  body?: unknown,
  headers?: Readonly<Record<string, string>>,
) => Promise<Reply>

/** A node of the API; several may share a database. */
export async function node(sql: Pool): Promise<(key: string) => Send> {
  const { url } = await serve(gateway(sql).handler, { maxInFlight: 500 })
  return (key) => async (method, path, body, headers) => {
    const isText = typeof body === 'string'
    const reply = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
    })
    const text = await reply.text()
    const isJson = reply.headers.get('content-type') === 'application/json'
    return { status: reply.status, text, json: isJson ? JSON.parse(text) : undefined, headers: reply.headers }
  }
}

export const offer = { name: 'offer', language: 'en_US' }

export async function tenantWithKey(sql: Pool): Promise<Tenant & { key: string }> {
  const tenant = await addTenant(sql)
  await addTemplate(sql, tenant, 'offer', 'Hi {{first_name}}, use {{code}}')
  return { ...tenant, key: await gateway(sql).keyFor(tenant.workspaceId, scopes) }
}

export async function addTemplate(
  sql: Pool,
  { workspaceId }: Tenant,
  name: string,
  text: string,
): Promise<void> {
  await sql`
    insert into templates (id, workspace_id, name, language, category, status, parameter_format, components)
    values (${newId('template')}, ${workspaceId}, ${name}, 'en_US', 'MARKETING', 'PAUSED', 'NAMED',
      ${sql.json([{ type: 'BODY', text }])})`
}

/** Creates a draft, by default of the template `hello`, which has no variables; returns its id. */
export async function draft(send: Send, fields: object = {}): Promise<string> {
  const body = { name: 'Spring', template: { name: 'hello', language: 'en_US' }, ...fields }
  const { status, json } = await send('POST', '/campaigns', body)
  assert.equal(status, 201, JSON.stringify(json))
  return json.id
}

/** Sets the status directly, in place of the engine. */
export async function putInto(sql: Pool, id: string, status: CampaignStatus): Promise<void> {
  await sql`update campaigns set status = ${status} where id = ${uuidOf(id)}`
}

export const uuidOf = (id: string): string => {
  const uuid = decodeId('campaign', id)
  assert.ok(uuid)
  return uuid
}

export const phone = (index: number): string => `+1555${String(index).padStart(7, '0')}`

export const rowsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ to: phone(from + index) }))

/** Counts row by row; the counts of the campaign must be equal. */
async function trueCounts(sql: Pool, id: string): Promise<CampaignCounts> {
  const rows = await sql<{ name: keyof CampaignCounts; count: number }[]>`
    select lower(status) as name, count(*)::int as count from recipients where campaign_id = ${uuidOf(id)} group by 1
    union all
    select 'replied', count(*)::int from recipients where campaign_id = ${uuidOf(id)} and replied_at is not null
    union all
    select 'total', count(*)::int from recipients where campaign_id = ${uuidOf(id)}`
  const none = Object.fromEntries(campaignCounts.map((name) => [name, 0])) as CampaignCounts
  return { ...none, ...Object.fromEntries(rows.map(({ name, count }) => [name, count])) }
}

export async function assertCounts(sql: Pool, send: Send, id: string): Promise<CampaignCounts> {
  const { json } = await send('GET', `/campaigns/${id}`)
  assert.deepEqual(json.counts, await trueCounts(sql, id))
  return json.counts
}
