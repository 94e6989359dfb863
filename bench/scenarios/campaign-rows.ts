// Writes campaigns and their recipients, and starts them.
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { type CampaignId, type NumberId, newId, type WorkspaceId } from '../../src/shared/ids.ts'

export interface SeededSender {
  readonly workspaceId: WorkspaceId
  readonly numbers: readonly { readonly id: NumberId; readonly phoneNumberId: string }[]
}

let series = 0

export async function seedCampaign(
  sql: Pool,
  { workspaceId, numbers }: SeededSender,
  { number, recipients }: { readonly number: number; readonly recipients: number },
): Promise<CampaignId> {
  const id = newId('campaign')
  series += 1
  await sql`
    insert into campaigns (id, workspace_id, name, number_id, template_name, template_language)
    values (${id}, ${workspaceId}, 'Bench', ${numbers[number]?.id ?? null}, 'hello_world', 'en_US')`
  await sql`
    insert into recipients (id, workspace_id, campaign_id, wa_id)
    select new_uuid(), ${workspaceId}, ${id}, '4' || lpad(${series}::text, 3, '0') || lpad(n::text, 6, '0') || '0007'
    from generate_series(1, ${recipients}) n`
  return id
}

/** The numbers of the recipients, as the provider's requests name them. */
export async function recipientsOf(sql: Pool, id: CampaignId): Promise<Set<string>> {
  const rows = await sql<{ waId: string }[]>`select wa_id from recipients where campaign_id = ${id}`
  return new Set(rows.map(({ waId }) => waId))
}

/** Starts all campaigns at once. The workers find them within two seconds. */
export async function start(sql: Pool, ids: readonly CampaignId[]): Promise<void> {
  await sql`update campaigns set status = 'RUNNING', started_at = now() where id = any(${[...ids]}::uuid[])`
}
