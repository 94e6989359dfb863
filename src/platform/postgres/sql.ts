// The connection to Postgres: types and pool settings. The only module that imports the driver.
import { connect, type Socket } from 'node:net'
import postgres from 'postgres'
import { safeMessage } from '../../shared/error-text.ts'

/** The pool or a transaction: stores work with both. */
export type Sql = postgres.Sql<Types> | postgres.TransactionSql<Types>
export type Pool = postgres.Sql<Types>
/** A part of a statement. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>
type Types = { bigint: number }

// `String(error)` is in many log lines, and the messages of Postgres quote values.
Object.defineProperty(postgres.PostgresError.prototype, 'toString', {
  value(this: Error) {
    return `${this.name}: ${safeMessage(this)}`
  },
})

export interface PoolOptions {
  readonly url: string
  readonly max: number
  readonly name: string
  /** Limit of a statement in milliseconds. Busy roles keep it short, so that a stalled server fails fast. */
  readonly statementTimeoutMs?: number
  /** Limit of a wait for a table or row that others have locked, in milliseconds. */
  readonly lockTimeoutMs?: number
  /** Limit of a new connection in milliseconds. */
  readonly connectTimeoutMs?: number
  /**
   * Plans each statement once, for any values. Only for a pool whose every statement is shown to be planned well
   * so: Postgres else plans statements about many partitions anew each time, at several times the cost of running them.
   */
  readonly isPlannedOnce?: boolean
}

interface Line {
  /** Since when each has been there, by `performance.now`. */
  readonly sockets: ReadonlyMap<Socket, number>
  readonly statementMs: number
}

const lines = new WeakMap<Pool, Line>()

const connectLimitMs = 3_000
const usualStatementMs = 5_000

/**
 * Ends the connections at once: statements under way fail, later ones connect again. For a server that is
 * silent: the system would repeat what was sent for a quarter of an hour, although the server may be elsewhere.
 * A connection that is being made has `connectMs`, by default twice its own time limit: it may lead to where the server is
 * by now.
 */
export function breakOff(pool: Pool, connectMs = 2 * connectLimitMs): void {
  for (const [socket, since] of lines.get(pool)?.sockets ?? [])
    if (socket.bytesRead > 0 || performance.now() - since > connectMs) socket.destroy()
}

export interface Silence {
  /** By then the server has ended every statement of now: a connection that still has read nothing is idle or dead. */
  readonly afterMs: number
  /** Ends the connections of the pool that have read nothing since. */
  end(): void
}

/** Notes what each connection has read until now. */
export function silenceFrom(pool: Pool): Silence {
  const { sockets = new Map<Socket, number>(), statementMs = usualStatementMs } = lines.get(pool) ?? {}
  const reads = [...sockets.keys()].map((socket) => [socket, socket.bytesRead] as const)
  return {
    afterMs: statementMs + 1_000,
    end() {
      for (const [socket, before] of reads) if (socket.bytesRead === before) socket.destroy()
    },
  }
}

interface Hosts {
  readonly host: readonly string[]
  readonly port: readonly number[]
  readonly path?: string
}

/** The driver writes to the socket at once, which is sent when it is connected. */
function socketOpener(sockets: Map<Socket, number>) {
  let tries = 0
  return ({ host: hosts, port: ports, path }: Hosts): Socket => {
    const index = tries % hosts.length
    tries += 1
    const host = hosts[index] ?? 'localhost'
    const port = ports[index] ?? 5432
    const socket = path ? connect(path) : connect(port, host)
    // It may fail before the driver listens, which learns of it when the socket closes.
    socket.on('error', () => undefined)
    // Not when it closes: for TLS the driver removes all listeners.
    for (const [one] of sockets) if (one.destroyed) sockets.delete(one)
    sockets.set(socket, performance.now())
    // The driver takes the name for TLS from here.
    return Object.assign(socket, { host, port })
  }
}

export function connectPool(options: PoolOptions): Pool {
  const sockets = new Map<Socket, number>()
  const statementMs = options.statementTimeoutMs ?? usualStatementMs
  const pool = postgres(options.url, {
    max: options.max,
    connect_timeout: (options.connectTimeoutMs ?? connectLimitMs) / 1_000,
    keep_alive: 5,
    socket: socketOpener(sockets),
    idle_timeout: 0,
    max_lifetime: null,
    // The driver's own backoff grows to 20 s and would turn a 2 s restart of Postgres into a 20 s outage.
    backoff: (tries: number) => Math.min(0.05 * 2 ** tries, 1),
    onnotice: () => undefined,
    connection: {
      application_name: options.name,
      statement_timeout: statementMs,
      // Less than the 3 s after which an actor gives up a load or a commit: the statement has then ended, too,
      // and cannot take effect later, behind the back of the next try.
      lock_timeout: options.lockTimeoutMs ?? 2_000,
      idle_in_transaction_session_timeout: 5_000,
      // The server notices within 20 s that a host has vanished, and by itself after two hours: until then it keeps the
      // locks of a statement that arrived in part, and the place of the connection.
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 2,
      tcp_user_timeout: 20_000,
      // Lists follow an index down to their limit. A plan for values that are not known yet assumes that a
      // range is narrow, and prefers to collect all of it with a bitmap scan and sort that. No statement here
      // needs bitmap scans.
      enable_bitmapscan: 'off',
      // A plan may be made when the partition of the day is empty, and must be right when that is full.
      ...(options.isPlannedOnce && { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }),
      timezone: 'UTC',
    },
    // Column names only: the driver's own camel transform would also rename keys inside jsonb.
    transform: { column: { from: postgres.toCamel, to: postgres.fromCamel }, undefined: null },
    // Sequences, versions and sizes stay far below 2^53.
    types: { bigint: { to: 20, from: [20], serialize: String, parse: Number } },
  } as never) as unknown as Pool
  lines.set(pool, { sockets, statementMs })
  return pool
}
