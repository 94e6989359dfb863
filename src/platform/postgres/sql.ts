// The connection to Postgres: types and pool settings. The only module that imports the driver.
import postgres from 'postgres'

/** The pool or a transaction: stores work with both. */
export type Sql = postgres.Sql<Types> | postgres.TransactionSql<Types>
export type Pool = postgres.Sql<Types>
/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>
type Types = { bigint: number }

export interface PoolOptions {
  readonly url: string
  readonly max: number
  readonly name: string
  /** Limit of a statement in milliseconds. Busy roles keep it short, so that a stalled server fails fast. */
  readonly statementTimeoutMs?: number
  /** Limit of a wait for a table or row that others have locked, in milliseconds. */
  readonly lockTimeoutMs?: number
}

export function connectPool(options: PoolOptions): Pool {
  return postgres(options.url, {
    max: options.max,
    connect_timeout: 3,
    idle_timeout: 0,
    max_lifetime: null,
    // The driver's own backoff grows to 20 s and would turn a 2 s restart of Postgres into a 20 s outage.
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 1),
    onnotice: () => undefined,
    connection: {
      application_name: options.name,
      statement_timeout: options.statementTimeoutMs ?? 5_000,
      // Less than the 3 s after which an actor gives up a load or a commit: the statement has then ended, too,
      // and cannot take effect later, behind the back of the next try.
      lock_timeout: options.lockTimeoutMs ?? 2_000,
      idle_in_transaction_session_timeout: 5_000,
      // Lists follow an index down to their limit. A plan for values that are not known yet assumes that a
      // range is narrow, and prefers to collect all of it with a bitmap scan and sort that. No statement here
      // needs bitmap scans.
      enable_bitmapscan: 'off',
      timezone: 'UTC',
    },
    // Column names only: the driver's own camel transform would also rename keys inside jsonb.
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel }, undefined: null },
    // Sequences, versions and sizes stay far below 2^53.
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
  } as never) as unknown as Pool
}
