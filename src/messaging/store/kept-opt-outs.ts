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

export interface Person {
  /** Or an expression of it. */
  readonly workspaceId: WorkspaceId | Fragment
  /** An expression of the contact's address. */
  readonly waId: Fragment
}

/** An expression. The workspace is part of it, so fingerprints of two workspaces cannot be compared. */
export const fingerprintOf = (sql: Sql, key: FingerprintKey, { workspaceId, waId }: Person): Fragment => sql`
  sha256(${key.outer}::bytea || sha256(${key.inner}::bytea || convert_to(${workspaceId}::text || ':' || ${waId}, 'UTF8')))`

/** Of people who want no marketing messages. */
export const keptMarketing = 'kept_marketing_opt_outs'

type Kept = 'kept_opt_outs' | typeof keptMarketing

/** A condition: the person opted out and was erased. */
export const isKeptOptOut = (sql: Sql, key: FingerprintKey | undefined, person: Person): Fragment =>
  key === undefined
    ? sql`false`
    : sql`exists (
        select from kept_opt_outs
        where workspace_id = ${person.workspaceId}::uuid and fingerprint = ${fingerprintOf(sql, key, person)}
      )`

/** An expression: when the person opted out, by the provider's clock, so that an older START undoes nothing. */
export const keptOptOutTime = (
  sql: Sql,
  key: FingerprintKey | undefined,
  person: Person,
  kept: Kept = 'kept_opt_outs',
): Fragment =>
  key === undefined
    ? sql`null::timestamptz`
    : sql`(
        select opted_out_at from ${sql(kept)}
        where workspace_id = ${person.workspaceId}::uuid and fingerprint = ${fingerprintOf(sql, key, person)}
      )`
