// Contacts with several addresses, and the lists on which they are.
import assert from 'node:assert/strict'
import type { ClaimedRecipient } from '../../../src/campaigns/send-ports.ts'
import { newId, type Uuid } from '../../../src/shared/ids.ts'
import { campaign, judge, sql, store, tenant } from './sending-world.ts'

interface Listed {
  readonly optState?: string
  readonly marketing?: boolean
  readonly aliases?: readonly string[]
}

/** A contact of the tenant, which is written to under the first address. */
export async function contact(
  address: string,
  { optState, marketing, aliases = [] }: Listed = {},
): Promise<Uuid> {
  const [row] = await sql<{ id: Uuid }[]>`
    insert into contacts (id, workspace_id, wa_id, opt_state, marketing_opt_out_at)
    values (new_uuid(), ${tenant.workspaceId}, ${address}, ${optState ?? null}, ${marketing ? new Date() : null})
    returning id`
  assert.ok(row)
  for (const alias of aliases)
    await sql`
      insert into contact_aliases (workspace_id, address, contact_id)
      values (${tenant.workspaceId}, ${alias}, ${row.id})`
  return row.id
}

export async function list(...waIds: readonly string[]): Promise<void> {
  for (const waId of waIds)
    await sql`
      insert into recipients (id, workspace_id, campaign_id, wa_id)
      values (${newId('recipient')}, ${tenant.workspaceId}, ${campaign.id}, ${waId})`
}

export const reasons = async (): Promise<Record<string, string>> => {
  const rows = await sql<{ waId: string; reason: string }[]>`
    select wa_id, coalesce(skipped_reason, status) as reason from recipients where campaign_id = ${campaign.id}
    order by wa_id`
  return Object.fromEntries(rows.map(({ waId, reason }) => [waId, reason]))
}

/** Claims until nothing is left, as a worker does. */
export async function drain(size = 10): Promise<ClaimedRecipient[]> {
  const claimed: ClaimedRecipient[] = []
  for (;;) {
    const batch = await store.claim(campaign, size, judge)
    assert.ok(batch)
    if (batch.picked === 0) return claimed
    claimed.push(...batch.claimed)
  }
}

/** Waits until so many statements wait for a lock, which only the database can tell, or until it is given up. */
export async function waiting(count: number, givenUp?: AbortSignal): Promise<void> {
  while (!givenUp?.aborted) {
    const waiters = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiters.length >= count) return
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
