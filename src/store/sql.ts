// The connection to Postgres: types, pool settings, and the one place that names them.
import postgres from 'postgres'

/** The pool or a transaction: stores work on either. */
export type Sql = postgres.Sql<Types> | postgres.TransactionSql<Types>
export type Pool = postgres.Sql<Types>
type Types = { bigint: number }

export interface PoolOptions {
  readonly url: string
  readonly max: number
  readonly name: string
  /** Milliseconds a statement may take; hot roles keep it short so that a stalled server fails fast. */
  readonly statementTimeoutMs?: number
}

export function connectPool(options: PoolOptions): Pool {
  return postgres(options.url, {
    max: options.max,
    connect_timeout: 3,
    idle_timeout: 0,
    max_lifetime: null,
    // The driver's own backoff grows to 20 s, which would make a 2 s restart of Postgres a 20 s outage.
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 1),
    onnotice: () => undefined,
    connection: {
      application_name: options.name,
      statement_timeout: options.statementTimeoutMs ?? 5_000,
      idle_in_transaction_session_timeout: 5_000,
      // Lists follow an index down to their limit. A plan for values that are not known yet takes a range for narrow
      // and would rather collect all of it and sort that: a bitmap is how. No statement here needs one.
      enable_bitmapscan: 'off',
      timezone: 'UTC',
    },
    // Column names only: the driver's own camel transform would also rewrite keys inside jsonb.
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel }, undefined: null },
    // Sequences, versions and sizes stay far below 2^53.
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
  } as never) as unknown as Pool
}
