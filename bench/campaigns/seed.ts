// Seeds a workspace with numbers, an API key and RUNNING campaigns. The recipients' numbers end in 0007: the
// simulator accepts their messages and sends no statuses, so that the bench measures only the sending.
import { createHash, randomBytes } from 'node:crypto'
import type { Pool } from '../../src/platform/postgres/sql.ts'
import { type CampaignId, type NumberId, newId, type WorkspaceId } from '../../src/shared/ids.ts'

export interface SeededSender {
  readonly workspaceId: WorkspaceId
  readonly numbers: readonly { readonly id: NumberId; readonly phoneNumberId: string }[]
}

/** The numbers in the format of the simulator's setting SIM_NUMBERS. */
export const senderNumbers = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    phoneNumberId: String(200_000_000_000 + index),
    displayPhoneNumber: String(15_550_300_000 + index),
    verifiedName: `Sender ${index}`,
  }))

/** The workspace has no `waba_id`: the catalog sync skips it and cannot reset the rates of the numbers. */
export async function seedSender(sql: Pool, count: number): Promise<SeededSender> {
  const workspaceId = newId('workspace')
  await sql`insert into workspaces (id, name) values (${workspaceId}, 'Bench')`
  const numbers = senderNumbers(count).map(({ phoneNumberId, displayPhoneNumber }) => ({
    id: newId('number'),
    workspaceId,
    phoneNumberId,
    number: `+${displayPhoneNumber}`,
    isDefault: phoneNumberId === '200000000000',
  }))
  await sql`insert into numbers ${sql(numbers)}`
  await sql`
    insert into templates (id, workspace_id, name, language, category, status, parameter_format, components)
    values (${newId('template')}, ${workspaceId}, 'hello_world', 'en_US', 'MARKETING', 'APPROVED', 'POSITIONAL',
      ${sql.json([{ type: 'BODY', text: 'Hello' }])})`
  return { workspaceId, numbers }
}

/** Creates an API key without a rate limit. Returns the key. */
export async function seedKey(sql: Pool, { workspaceId }: SeededSender): Promise<string> {
  const [prefix, secret] = ['bench00000', randomBytes(32).toString('hex').slice(0, 43)]
  const hash = createHash('sha256').update(secret).digest()
  await sql`
    insert into api_keys (id, workspace_id, name, prefix, secret_hash, scopes, requests_per_second)
    values (${newId('key')}, ${workspaceId}, 'bench', ${prefix}, ${hash}, ${['CHAT_SEND']}, 0)`
  return `ck_test_${prefix}_${secret}`
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

/** Starts all campaigns at once. The workers find them within two seconds. */
export async function start(sql: Pool, ids: readonly CampaignId[]): Promise<void> {
  await sql`update campaigns set status = 'RUNNING', started_at = now() where id = any(${[...ids]}::uuid[])`
}

export async function areCompleted(sql: Pool, ids: readonly CampaignId[]): Promise<boolean> {
  const [row] = await sql<[{ left: number }]>`
    select count(*)::int as left from campaigns where id = any(${[...ids]}::uuid[]) and status <> 'COMPLETED'`
  return row.left === 0
}
