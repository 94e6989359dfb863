import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { WebhookTarget } from '../address-rule.ts'
import type { AttemptTimings } from '../attempt.ts'
import type { Connected, Connector } from './connect.ts'
import { type Deadline, unlessStopped } from './deadline.ts'
import { InterimFilter } from './interim-filter.ts'

/** One socket to a receiver and its HTTP client; both end together. */
export interface Connection {
  readonly client: Client
  readonly remoteAddress: string | null
  readonly timings: AttemptTimings
  /** Requests that the connection has carried or carries. */
  uses: number
  /** Whether a byte came from the receiver since the last request. */
  heard: boolean
  /** Bytes received from the receiver in total, framing included. */
  receivedBytes(): number
  /** Call before a request is made: clears `heard`, and lets interim answers (1xx) be skipped. */
  expectAnswer(): void
  /** Called when more bytes have arrived, before the client reads them. */
  onReceived: () => void
  end(): void
}

export type Acquired =
  | { readonly type: 'acquired'; readonly connection: Connection }
  | Extract<Connected, { type: 'failed' }>

export interface ConnectionWish {
  readonly target: WebhookTarget
  /** Connections are shared within a pool. Requests of other pools never wait behind them. */
  readonly pool: string
  readonly deadline: Deadline
  /** Dial, even if a connection is idle. */
  readonly fresh: boolean
  /** Goes before others when dials must wait. */
  readonly isUrgent?: boolean
}

export interface ConnectionLimits {
  readonly perPool: number
  readonly total: number
}

/** A connection to use, or the permission to dial one. */
type Turn = Connection | 'dial'

interface Pool {
  readonly key: string
  readonly idle: Connection[]
  readonly waiting: ((turn: Turn) => void)[]
  open: number
}

interface Home {
  readonly pool: Pool
  readonly socket: Socket
  readonly openedAt: number
}

const KEEP_ALIVE_MS = 30_000
const MAX_KEEP_ALIVE_MS = 60_000
/**
 * Even a connection that is never idle ends after this time, so that a receiver can move to other addresses.
 */
const MAX_AGE_MS = 300_000

/** Keep-alive connections, limited per pool and in total. A pool exists while it holds a connection. */
export class ConnectionPool {
  readonly #connect: Connector
  readonly #limits: ConnectionLimits
  readonly #pools = new Map<string, Pool>()
  /** Every idle connection, the longest idle first. */
  readonly #idle = new Map<Connection, Pool>()
  readonly #homes = new WeakMap<Connection, Home>()
  #open = 0
  #closed = false

  constructor(connect: Connector, limits: ConnectionLimits) {
    this.#connect = connect
    this.#limits = limits
  }

  get openConnections(): number {
    return this.#open
  }

  /** At once where a connection is idle. */
  acquire(wish: ConnectionWish): Acquired | Promise<Acquired> {
    const pool = this.#poolOf(wish)
    const idle = pool.idle.at(-1)
    if (idle && !wish.fresh) return { type: 'acquired', connection: this.#wake(idle, pool) }
    if (pool.open >= this.#limits.perPool) {
      if (!idle) return this.#wait(wish, pool)
      // A request for a fresh dial suspects the idle connections, so one of them makes room.
      this.#discard(idle, pool)
    }
    return this.#reserve(pool) ? this.#dial(wish, pool) : overloaded
  }

  /** Returns a connection to its pool. A connection that has ended meanwhile is dropped. */
  release(connection: Connection, isLookedAtAgain = false): void {
    const home = this.#homes.get(connection)
    if (home === undefined || home.socket.destroyed || connection.client.destroyed) return
    const { pool, openedAt, socket } = home
    // The receiver answered without reading the request: the next one would queue behind the unread bytes.
    // Node learns one event-loop iteration later what the kernel has taken, so check again then.
    const isClogged = socket.writableLength > 0
    if (isClogged && !isLookedAtAgain) {
      setImmediate(() => this.release(connection, true))
      return
    }
    if (this.#closed || isClogged || performance.now() - openedAt > MAX_AGE_MS) {
      connection.end()
      return
    }
    const next = pool.waiting.shift()
    if (next) {
      connection.uses += 1
      next(connection)
      return
    }
    pool.idle.push(connection)
    this.#idle.set(connection, pool)
  }

  /** Ends idle connections now, and the others when they are returned. */
  close(): void {
    this.#closed = true
    for (const [connection, pool] of this.#idle) this.#discard(connection, pool)
  }

  #poolOf(wish: ConnectionWish): Pool {
    const key = `${wish.pool} ${wish.target.scheme}://${wish.target.authority}`
    const pool = this.#pools.get(key) ?? { key, idle: [], waiting: [], open: 0 }
    this.#pools.set(key, pool)
    return pool
  }

  #wake(connection: Connection, pool: Pool): Connection {
    this.#dropIdle(connection, pool)
    connection.uses += 1
    return connection
  }

  #dropIdle(connection: Connection, pool: Pool): void {
    if (this.#idle.delete(connection)) pool.idle.splice(pool.idle.indexOf(connection), 1)
  }

  #discard(connection: Connection, pool: Pool): void {
    this.#dropIdle(connection, pool)
    connection.end()
  }

  async #wait(wish: ConnectionWish, pool: Pool): Promise<Acquired> {
    let take: (turn: Turn) => void = () => {}
    const turn = new Promise<Turn>((resolve) => {
      take = resolve
    })
    pool.waiting.push(take)
    const taken = await unlessStopped(turn, wish.deadline.signal)
    if (taken === undefined) {
      const place = pool.waiting.indexOf(take)
      if (place >= 0) pool.waiting.splice(place, 1)
      // The turn came at the same moment as the deadline: it goes to the next waiter.
      else this.#pass(await turn, pool)
      return wish.deadline.isInterrupted() ? interrupted : overloaded
    }
    return taken === 'dial' ? this.#dial(wish, pool) : { type: 'acquired', connection: taken }
  }

  #pass(turn: Turn, pool: Pool): void {
    if (turn === 'dial') this.#leave(pool)
    else this.release(turn)
  }

  /**
   * Reserves room for one more connection. When all is in use, the longest idle connection of any pool ends.
   */
  #reserve(pool: Pool): boolean {
    if (this.#open >= this.#limits.total) {
      const [longestIdle] = this.#idle
      if (longestIdle === undefined) {
        if (pool.open === 0) this.#pools.delete(pool.key)
        return false
      }
      this.#discard(...longestIdle)
    }
    pool.open += 1
    this.#open += 1
    return true
  }

  async #dial(wish: ConnectionWish, pool: Pool): Promise<Acquired> {
    const connected = await this.#connect(wish.target, wish.deadline, wish.isUrgent ? urgent : undefined)
    if (connected.type === 'failed') {
      this.#leave(pool)
      return connected
    }
    const { socket, timings } = connected
    const connection = adopt(socket, timings, wish.target)
    this.#homes.set(connection, { pool, socket, openedAt: performance.now() })
    socket.once('close', () => {
      this.#discard(connection, pool)
      this.#leave(pool)
    })
    return { type: 'acquired', connection }
  }

  /** Gives up its room: to a waiter in the pool, or to all pools. */
  #leave(pool: Pool): void {
    const next = pool.waiting.shift()
    if (next) {
      next('dial')
      return
    }
    pool.open -= 1
    this.#open -= 1
    if (pool.open === 0) this.#pools.delete(pool.key)
  }
}

const urgent = AbortSignal.abort('urgent')
const overloaded: Acquired = { type: 'failed', code: 'OVERLOADED', timings: {} }
const interrupted: Acquired = { type: 'failed', code: 'INTERRUPTED', timings: {} }

function adopt(socket: Socket, timings: AttemptTimings, target: WebhookTarget): Connection {
  const client = new Client(`${target.scheme}://${target.authority}`, {
    connect: giveOnce(socket),
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: MAX_KEEP_ALIVE_MS,
    // The attempt's own deadline covers both. These timeouts would restart after every gap.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const interim = new InterimFilter()
  skipInterim(socket, interim)
  const connection: Connection = {
    client,
    remoteAddress: socket.remoteAddress ?? null,
    timings,
    uses: 1,
    heard: false,
    expectAnswer() {
      connection.heard = false
      interim.expectAnswer()
    },
    receivedBytes: () => socket.bytesRead,
    onReceived: () => {},
    end() {
      void client.destroy()
      // The client takes over the socket only with its first request; before that it leaves the socket open.
      socket.destroy()
    },
  }
  // The socket's own counter includes TLS records such as close_notify. Readable bytes belong to the answer.
  socket.on('readable', () => {
    if (socket.readableLength === 0) return
    connection.heard = true
    connection.onReceived()
  })
  return connection
}

/** The client calls `read` of its socket until there is nothing more. */
function skipInterim(socket: Socket, filter: InterimFilter): void {
  const read = socket.read.bind(socket)
  socket.read = (size?: number): Buffer | null => {
    for (;;) {
      const piece: Buffer | null = read(size)
      if (piece === null) return null
      const passed = filter.pass(piece)
      if (passed.byteLength > 0) return passed
    }
  }
}

/** Gives the client the existing socket. When the client asks a second time, that socket has ended. */
function giveOnce(socket: Socket) {
  let given = false
  return (_options: unknown, callback: (...result: [Error, null] | [null, Socket]) => void): void => {
    const isGone = given || socket.destroyed
    given = true
    // Deferred: the client does not accept a connection during its own call for one.
    queueMicrotask(() => {
      if (isGone) callback(Object.assign(new Error('the connection is gone'), { code: 'ECONNRESET' }), null)
      else callback(null, socket)
    })
  }
}
