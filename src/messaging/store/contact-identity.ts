// Writes which addresses are of which contact. Called under locks on the addresses and on all contacts of the plan.
import type { Sql } from '../../platform/postgres/sql.ts'
import { spellingsOf } from '../../shared/address.ts'
import type { Uuid, WorkspaceId } from '../../shared/ids.ts'
import type { IdentityPlan } from '../identity.ts'
import type { FingerprintKey } from '../opt-out-fingerprint.ts'
import { mergeContact } from './contact-merge.ts'
import { isKeptOptOut, keptMarketing, keptOptOutTime } from './kept-opt-outs.ts'

interface Applied {
  readonly plan: IdentityPlan
  readonly optOutKey: FingerprintKey | undefined
}

export async function applyIdentity(sql: Sql, workspaceId: WorkspaceId, applied: Applied): Promise<void> {
  const { plan } = applied
  const { recycled, merged, address, aliases } = plan
  if (recycled) {
    const lost = [recycled.address, ...[address, ...aliases].flatMap(spellingsOf)]
    await sql`
      update contacts
      set wa_id = ${recycled.address}, updated_at = now(),
        address_at = case when wa_id = ${recycled.address} then address_at end
      where id = ${recycled.id} and workspace_id = ${workspaceId}`
    await sql`
      delete from contact_aliases
      where workspace_id = ${workspaceId} and address = any(${lost}::text[]) and contact_id = ${recycled.id}`
  }
  const target = plan.target ?? (await insertContact(sql, workspaceId, applied))
  for (const from of merged) await mergeContact(sql, workspaceId, { from, into: target })
  await sql`delete from contact_aliases where workspace_id = ${workspaceId} and address = ${address}`
  await sql`
    update contacts
    set wa_id = ${address}, user_id = ${plan.userId}, parent_user_id = ${plan.parentUserId},
      address_at = ${plan.addressAt}, updated_at = now()
    where id = ${target} and workspace_id = ${workspaceId}`
  await sql`
    insert into contact_aliases (workspace_id, address, contact_id)
    select ${workspaceId}::uuid, address, ${target}::uuid
    from unnest(${aliases as string[]}::text[]) as address
    on conflict (workspace_id, address) do update set contact_id = excluded.contact_id`
}

/**
 * As opted out as somebody who was erased and had one of these addresses, or from whom the number was taken: nobody
 * who has said STOP, or has stopped marketing messages, gets them again.
 */
async function insertContact(
  sql: Sql,
  workspaceId: WorkspaceId,
  { plan, optOutKey }: Applied,
): Promise<Uuid> {
  const known = [plan.address, ...plan.aliases]
  const erased = { workspaceId, addresses: sql`${[...known, ...known.flatMap(spellingsOf)]}::text[]` }
  const [contact] = await sql<{ id: Uuid }[]>`
    with asked as (
      select ${isKeptOptOut(sql, optOutKey, erased)} as is_out, ${keptOptOutTime(sql, optOutKey, erased)} as out_at,
        ${keptOptOutTime(sql, optOutKey, erased, keptMarketing)} as marketing_out_at
      union all
      select opt_state = 'opted-out', opt_changed_at, marketing_opt_out_at from contacts
      where id = ${plan.recycled?.id ?? null}::uuid and workspace_id = ${workspaceId}
    )
    insert into contacts (id, workspace_id, wa_id, opt_state, opt_changed_at, marketing_opt_out_at,
      marketing_changed_at)
    select new_uuid(), ${workspaceId}::uuid, ${plan.address}, case when bool_or(is_out) then 'opted-out' end,
      max(out_at) filter (where is_out), min(marketing_out_at), max(marketing_out_at)
    from asked
    returning id`
  if (!contact) throw new Error('an insert returned no row')
  return contact.id
}
