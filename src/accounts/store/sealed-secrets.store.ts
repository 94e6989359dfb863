// Every column that holds a sealed secret, read and written in batches so that all of it can move to another key.
import type { Pool } from '../../platform/postgres/sql.ts'

/** A new column with sealed secrets belongs here; a test compares the list with the schema. */
export const sealedColumns = [
  { table: 'endpoints', column: 'secret' },
  { table: 'endpoints', column: 'previous_secret' },
  { table: 'workspaces', column: 'provider_token' },
  { table: 'operators', column: 'totp_seed' },
  { table: 'sessions', column: 'totp_offer' },
  { table: 'opt_out_key', column: 'sealed' },
] as const

export type SealedColumn = (typeof sealedColumns)[number]

export interface SealedSecret {
  readonly id: string
  readonly sealed: Buffer
}

export interface Resealed extends SealedSecret {
  readonly resealed: Buffer
}

const firstId = '00000000-0000-0000-0000-000000000000'

export const createSealedSecretStore = (sql: Pool) => ({
  /** In the order of ids, at most `limit`. */
  list({ table, column }: SealedColumn, after: string | undefined, limit: number): Promise<SealedSecret[]> {
    return sql<SealedSecret[]>`
      select id, ${sql(column)} as sealed
      from ${sql(table)}
      where id > ${after ?? firstId} and ${sql(column)} is not null
      order by id
      limit ${limit}`
  },

  /** Leaves alone what was changed since it was read. Returns how many were written. */
  async replace({ table, column }: SealedColumn, secrets: readonly Resealed[]): Promise<number> {
    const hex = (bytes: Buffer) => bytes.toString('hex')
    const written = await sql`
      update ${sql(table)} as held
      set ${sql(column)} = decode(one.resealed, 'hex')
      from unnest(
        ${secrets.map(({ id }) => id)}::uuid[],
        ${secrets.map(({ sealed }) => hex(sealed))}::text[],
        ${secrets.map(({ resealed }) => hex(resealed))}::text[]
      ) as one (id, sealed, resealed)
      where held.id = one.id and held.${sql(column)} = decode(one.sealed, 'hex')`
    return written.count
  },
})
