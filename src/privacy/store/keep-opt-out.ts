// What is kept of an erased contact: fingerprints of its addresses, where it does not want to be written to.
import type { FingerprintKey } from '../../messaging/opt-out-fingerprint.ts'
import { fingerprintOf, keptMarketing } from '../../messaging/store/kept-opt-outs.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import type { Uuid, WorkspaceId } from '../../shared/ids.ts'

interface Erased {
  readonly workspaceId: WorkspaceId
  readonly contactIds: readonly Uuid[]
  readonly addresses: readonly string[]
}

/** Under every address: the person may come back with any of them. Of two contacts, the opt-out of either counts. */
export async function keepOptOut(
  sql: Sql,
  optOutKey: FingerprintKey,
  { workspaceId, contactIds, addresses }: Erased,
): Promise<void> {
  const fingerprint = fingerprintOf(sql, optOutKey, { workspaceId, address: sql`one.address` })
  const fingerprints = sql`
    select ${fingerprint} as fingerprint from unnest(${addresses as string[]}::text[]) as one (address)`
  const choices = [
    { kept: 'kept_opt_outs', isOut: sql`opt_state = 'opted-out'`, at: sql`opt_changed_at` },
    { kept: keptMarketing, isOut: sql`marketing_opt_out_at is not null`, at: sql`marketing_changed_at` },
  ]
  for (const { kept, isOut, at } of choices) {
    await sql`delete from ${sql(kept)} where workspace_id = ${workspaceId} and fingerprint in (${fingerprints})`
    await sql`
      insert into ${sql(kept)} (workspace_id, fingerprint, opted_out_at)
      select ${workspaceId}, all_of_them.fingerprint, latest.at
      from (
        select max(${at}) as at
        from contacts
        where id = any(${contactIds as Uuid[]}::uuid[]) and workspace_id = ${workspaceId} and ${isOut}
        having count(*) > 0
      ) latest
      cross join (${fingerprints}) all_of_them`
  }
}
