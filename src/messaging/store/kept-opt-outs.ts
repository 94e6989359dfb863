// Opt-outs of erased contacts: kept as fingerprints, so that nobody who has said STOP, or wants no marketing messages,
// is written to again.
import { randomBytes } from 'node:crypto'
import type { SecretBox } from '../../accounts/secret-box.ts'
import type { Fragment, Sql } from '../../platform/postgres/sql.ts'
import type { WorkspaceId } from '../../shared/ids.ts'
import { type FingerprintKey, fingerprintKeyOf } from '../opt-out-fingerprint.ts'

const keyBytes = 32
const onlyId = '00000000-0000-0000-0000-000000000001'

/** Makes the key of the installation unless there is one. Every process does so before it serves. */
export async function ensureOptOutKey(sql: Sql, secrets: Pick<SecretBox, 'seal'>): Promise<void> {
  const sealed = secrets.seal(randomBytes(keyBytes).toString('hex'))
  await sql`insert into opt_out_key (id, sealed) values (${onlyId}, ${sealed}) on conflict (id) do nothing`
}

/** Undefined as long as there is no key: then nobody has been erased yet. */
export type ReadOptOutKey = () => Promise<FingerprintKey | undefined>

/** Reads the key once: it never changes. Throws where SECRETS_KEY does not open it. */
export function createOptOutKeyReader(sql: Sql, secrets: Pick<SecretBox, 'open'>): ReadOptOutKey {
  let known: FingerprintKey | undefined
  return async () => {
    if (known) return known
    const [row] = await sql<{ sealed: Buffer }[]>`select sealed from opt_out_key`
    if (row) known = fingerprintKeyOf(Buffer.from(secrets.open(row.sealed), 'hex'))
    return known
  }
}

interface Owner {
  /** Or an expression of it. */
  readonly workspaceId: WorkspaceId | Fragment
}

export interface Person extends Owner {
  /**
   * An expression of an array: the person's addresses in every spelling. An erasure keeps all of them, but those before
   * 2026-11-23 kept the known ones only.
   */
  readonly addresses: Fragment
}

/** An expression. The workspace is part of it, so fingerprints of two workspaces cannot be compared. */
export const fingerprintOf = (
  sql: Sql,
  key: FingerprintKey,
  { workspaceId, address }: Owner & { readonly address: Fragment },
): Fragment => sql`
  sha256(${key.outer}::bytea || sha256(${key.inner}::bytea || convert_to(${workspaceId}::text || ':' || ${address}, 'UTF8')))`

/** A condition on a row of kept opt-outs. */
const isOf = (sql: Sql, key: FingerprintKey, { workspaceId, addresses }: Person): Fragment => sql`
  workspace_id = ${workspaceId}::uuid and fingerprint = any(array(
    select ${fingerprintOf(sql, key, { workspaceId, address: sql`spelling.address` })}
    from unnest(${addresses}) as spelling (address)))`

/** Of people who want no marketing messages. */
export const keptMarketing = 'kept_marketing_opt_outs'

type Kept = 'kept_opt_outs' | typeof keptMarketing

/** A condition: the person opted out and was erased. */
export const isKeptOptOut = (sql: Sql, key: FingerprintKey | undefined, person: Person): Fragment =>
  key === undefined ? sql`false` : sql`exists (select from kept_opt_outs where ${isOf(sql, key, person)})`

/** An expression: when the person opted out, by the provider's clock, so that an older START undoes nothing. */
export const keptOptOutTime = (
  sql: Sql,
  key: FingerprintKey | undefined,
  person: Person,
  kept: Kept = 'kept_opt_outs',
): Fragment =>
  key === undefined
    ? sql`null::timestamptz`
    : sql`(select max(opted_out_at) from ${sql(kept)} where ${isOf(sql, key, person)})`
