// Seeds workspaces with many endpoints. Each endpoint has its own number, which routes to it.
import { createSecretBox } from '../../src/accounts/secret-box.ts'
import { limits } from '../../src/contract/limits.ts'
import { createSecret } from '../../src/delivery/signature.ts'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { type EndpointId, newId } from '../../src/shared/ids.ts'
import { contactOf, type PlannedNumber } from '../scenarios/scenario.ts'

export interface SeededEndpoint extends PlannedNumber {
  readonly endpointId: EndpointId
}

export async function seedEndpoints(sql: Pool, count: number, secretsKey: Buffer): Promise<SeededEndpoint[]> {
  const secret = createSecretBox([{ id: '1', bytes: secretsKey }]).seal(createSecret())
  const seeded: SeededEndpoint[] = []
  let workspaceId = newId('workspace')
  for (let index = 0; index < count; index += 1) {
    if (index % limits.endpointsPerWorkspace === 0) {
      workspaceId = newId('workspace')
      await sql`insert into workspaces (id, name) values (${workspaceId}, ${`Bench ${index}`})`
    }
    const endpointId = newId('endpoint')
    const digits = String(15_550_200_000 + index)
    await sql`
      insert into endpoints (id, workspace_id, name, url, events, secret)
      values (${endpointId}, ${workspaceId}, ${`Receiver ${index}`}, '', ${['message.received']}, ${secret})`
    await sql`
      insert into numbers (id, workspace_id, phone_number_id, number, endpoint_id)
      values (${newId('number')}, ${workspaceId}, ${`90${digits}`}, ${`+${digits}`}, ${endpointId})`
    seeded.push({ endpointId, id: `90${digits}`, digits })
  }
  return seeded
}

/** Seeds one customer with a conversation for each position of `turn`. */
export async function seedCustomers(sql: Pool, turn: readonly PlannedNumber[]): Promise<void> {
  const people = turn.map(({ id }, index) => ({ number: id, ...contactOf(index) }))
  await sql`
    with person as (
      select n.id as number_id, n.workspace_id, p.wa_id, p.name, new_uuid() as contact_id
      from jsonb_to_recordset(${sql.json(people.map(({ number, waId, name }) => ({ number, wa_id: waId, name })))})
        as p (number text, wa_id text, name text)
      join numbers n on n.phone_number_id = p.number
    ),
    contact as (
      insert into contacts (id, workspace_id, wa_id, name)
      select contact_id, workspace_id, wa_id, name
      from person
    )
    insert into conversations (id, workspace_id, number_id, contact_id)
    select new_uuid(), workspace_id, number_id, contact_id
    from person`
}

/** Sets the URLs of the endpoints, enables them and discards all waiting deliveries. */
export async function pointAt(sql: Pool, urls: ReadonlyMap<EndpointId, string>): Promise<void> {
  await sql`
    update deliveries set state = 'DISCARDED', next_attempt_at = null, finished_at = now()
    where state in ('PENDING', 'RETRYING', 'HELD')`
  await sql`
    update endpoints e
    set url = u.url, enabled = true, consecutive_failures = 0, disabled_at = null, disabled_reason = null,
      config_version = config_version + 1
    from unnest(${[...urls.keys()]}::uuid[], ${[...urls.values()]}::text[]) as u (id, url)
    where e.id = u.id`
}
