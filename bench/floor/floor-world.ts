// Loads the rows that the floor keeps in memory, so that it needs no lookup for a webhook.

import type { Pool } from '../../src/platform/postgres/sql.ts'
import type { ConversationId, EndpointId, NumberId, Uuid, WorkspaceId } from '../../src/shared/ids.ts'

export interface Party {
  readonly waId: string
  readonly name: string
  readonly contactId: Uuid
  readonly conversationId: ConversationId
}

export interface FloorWorld {
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly number: string
  readonly phoneNumberId: string
  readonly endpointId: EndpointId
  /** By the customer's number, digits only. */
  readonly parties: ReadonlyMap<string, Party>
}

/** Of the number whose events go to `receiverUrl`. */
export async function readWorld(sql: Pool, receiverUrl: string): Promise<FloorWorld> {
  const [number] = await sql<Omit<FloorWorld, 'parties'>[]>`
    select n.workspace_id, n.id as number_id, n.number, n.phone_number_id, n.endpoint_id
    from numbers n
    join endpoints e on e.id = n.endpoint_id
    where e.url = ${receiverUrl}`
  if (!number) throw new Error('the database of the floor is not seeded')
  const parties = await sql<Party[]>`
    select p.wa_id, p.name, p.id as contact_id, v.id as conversation_id
    from conversations v
    join contacts p on p.id = v.contact_id
    where v.number_id = ${number.numberId}`
  return { ...number, parties: new Map(parties.map((party) => [party.waId, party])) }
}
