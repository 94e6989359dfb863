import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { type EndpointId, type NumberId, newId, type WorkspaceId } from '../../../src/shared/ids.ts'

export interface Workspace {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly phoneNumberId: string
  readonly number: string
  readonly endpointId: EndpointId
}

let lastNumber = 1_000_000

/**
 * A workspace with one number and one endpoint subscribed to `events`. With `forward`, the number forwards
 * calls to the endpoint.
 */
export async function addWorkspace(
  sql: Pool,
  options: { readonly forward?: boolean; readonly events?: readonly string[] } = {},
): Promise<Workspace> {
  const workspaceId = newId('workspace')
  const numberId = newId('number')
  const endpointId = newId('endpoint')
  const phoneNumberId = `pn-${numberId}`
  lastNumber += 1
  const number = `+1555${lastNumber}`
  const forward = options.forward ?? false
  const events = [...(options.events ?? ['call.status', 'call.ringing'])]
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'Lumen')`
  await sql`
    insert into endpoints (id, workspace_id, name, url, events, secret)
    values (${endpointId}, ${workspaceId}, 'bot', 'https://bot.example/hook', ${events}, ${Buffer.from('s')})`
  await sql`
    insert into numbers (id, workspace_id, phone_number_id, number, is_default, endpoint_id, forward_calls)
    values (${numberId}, ${workspaceId}, ${phoneNumberId}, ${number}, true, ${forward ? endpointId : null}, ${forward})`
  return { workspaceId, numberId, phoneNumberId, number, endpointId }
}
