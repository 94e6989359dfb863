// Seeds one big workspace: messages, conversations and calls over ninety days. Some customers are far busier.

import type { Pool, Sql } from '../../src/platform/postgres/sql.ts'
import { type CampaignId, type KeyId, type NumberId, newId, type WorkspaceId } from '../../src/shared/ids.ts'
import { seedActivity } from '../harness/seed.ts'

export interface ListSizes {
  readonly messages: number
  readonly conversations: number
  readonly calls: number
}

export interface BigWorkspace {
  readonly workspaceId: WorkspaceId
  readonly keyId: KeyId
  /** Of a key that sends little. */
  readonly rareKeyId: KeyId
  readonly numberIds: readonly NumberId[]
  readonly campaignId: CampaignId
}

const numbers = 3

/**
 * Needs an empty, migrated database and a superuser: it skips the check of foreign keys, which takes minutes.
 * The caller must insert the workspace's API key with `keyId`.
 */
export async function seedLists(sql: Pool, sizes: ListSizes): Promise<BigWorkspace> {
  const workspace: BigWorkspace = {
    workspaceId: newId('workspace'),
    keyId: newId('key'),
    rareKeyId: newId('key'),
    numberIds: Array.from({ length: numbers }, () => newId('number')),
    campaignId: newId('campaign'),
  }
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await seedCatalog(tx, workspace)
    await seedThreads(tx, workspace, sizes.conversations)
    await seedMessages(tx, workspace, sizes)
    await seedCalls(tx, workspace, sizes)
    await seedActivity(tx, workspace.workspaceId)
  })
  await sql`vacuum (analyze) contacts, conversations, messages, message_metadata, calls, numbers, api_keys`
  return workspace
}

async function seedCatalog(sql: Sql, { workspaceId, numberIds, campaignId }: BigWorkspace): Promise<void> {
  await sql`insert into workspaces (id, name, waba_id) values (${workspaceId}, 'Big', '1')`
  await sql`
    insert into numbers (id, workspace_id, phone_number_id, number, is_default)
    select id, ${workspaceId}, '9' || n, '+1555900000' || n, n = 1
    from unnest(${numberIds}::uuid[]) with ordinality as number (id, n)`
  await sql`
    insert into campaigns (id, workspace_id, name, status, template_name, template_language)
    values (${campaignId}, ${workspaceId}, 'Big', 'COMPLETED', 'order_ready', 'en_US')`
}

// `lease` numbers the conversations for the joins below. Most messages and calls belong to low numbers.
async function seedThreads(sql: Sql, { workspaceId, numberIds }: BigWorkspace, count: number): Promise<void> {
  await sql`
    create temporary table leases on commit drop as
    select lease, uuidv7() as id, uuidv7() as contact_id,
      (${numberIds}::uuid[])[1 + lease % ${numberIds.length}] as number_id
    from generate_series(0, ${count - 1}::integer) as lease`
  await sql`create unique index on leases (lease)`
  await sql`analyze leases`
  await sql`
    insert into contacts (id, workspace_id, wa_id, name)
    select contact_id, ${workspaceId}, (15560000000 + lease)::text, 'Customer ' || lease from leases`
  await sql`
    insert into conversations (id, workspace_id, number_id, contact_id, unread_count)
    select id, ${workspaceId}, number_id, contact_id, (lease % 20 = 0)::integer from leases`
}

async function seedMessages(
  sql: Sql,
  { workspaceId, keyId, rareKeyId, campaignId }: BigWorkspace,
  { messages, conversations }: ListSizes,
): Promise<void> {
  await sql`
    insert into messages (id, workspace_id, conversation_id, number_id, contact_id, provider_message_id, direction, type,
      status, text, template, error, api_key_id, campaign_id, idempotency_key, metadata, created_at)
    select made.id, ${workspaceId}, leases.id, leases.number_id, leases.contact_id, 'wamid.' || n,
      case when is_out then 'OUTBOUND' else 'INBOUND' end,
      case when is_out then 'TEMPLATE' when n % 50 = 3 then 'IMAGE' else 'TEXT' end,
      case when not is_out then case when n % 7 = 0 then 'RECEIVED' else 'READ' end
        when n % 100 < 4 then 'FAILED' when n % 100 < 20 then 'DELIVERED' else 'READ' end,
      'Order ' || n || ' is ready.',
      case when is_out then jsonb_build_object('name', case when n % 500 = 0 then 'order_late' else 'order_ready' end,
        'language', 'en_US', 'variables', '{}'::jsonb) end,
      case when is_out and n % 100 < 4 then
        jsonb_build_object('code', case when n % 1000 = 0 then '131047' else '131026' end, 'title', 'Undeliverable') end,
      case when is_out then case when n % 100 = 1 then ${rareKeyId}::uuid else ${keyId}::uuid end end,
      case when is_out and n % 10 = 1 then ${campaignId}::uuid end,
      case when is_out and n % 10 <> 1 then 'order-' || n end,
      case when is_out and n % 10 <> 1 then jsonb_build_object('order', 'A-' || n, 'shop', 'North') else '{}' end,
      uuid_extract_timestamp(made.id)
    from (
      select n, n % 5 < 3 as is_out, floor(random() ^ 3 * ${conversations})::integer as lease,
        uuidv7(-(${messages}::integer - n) * interval '90 days' / ${messages}::integer) as id
      from generate_series(1, ${messages}::integer) as n
    ) made
    join leases using (lease)`
  // Triggers do not fire here.
  await sql`
    insert into message_metadata (workspace_id, pair, message_id)
    select workspace_id, metadata_pair(key, value), id
    from messages
    cross join jsonb_each_text(metadata)`
}

async function seedCalls(
  sql: Sql,
  { workspaceId }: BigWorkspace,
  { calls, conversations }: ListSizes,
): Promise<void> {
  await sql`
    insert into calls (id, workspace_id, conversation_id, number_id, contact_id, wacid, direction, status, created_at)
    select made.id, ${workspaceId}, leases.id, leases.number_id, leases.contact_id, 'wacid.' || n,
      case when n % 4 = 0 then 'OUTBOUND' else 'INBOUND' end,
      case when n > ${calls}::integer - 20 then 'ACCEPTED' when n % 20 = 0 then 'MISSED' else 'COMPLETED' end,
      uuid_extract_timestamp(made.id)
    from (
      select n, floor(random() ^ 3 * ${conversations})::integer as lease,
        uuidv7(-(${calls}::integer - n) * interval '90 days' / ${calls}::integer) as id
      from generate_series(1, ${calls}::integer) as n
    ) made
    join leases using (lease)`
}
