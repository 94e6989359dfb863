import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { WebhookTarget } from '../webhooks/address-rule.ts'
import type { AttemptErrorCode, AttemptTimings } from '../webhooks/attempt.ts'
import type { Connector } from './connect.ts'
import { type Deadline, unlessStopped } from './deadline.ts'

/** One socket to a receiver and the HTTP client that speaks on it; both end together. */
export interface Connection {
  readonly client: Client
  readonly remoteAddress: string | null
  readonly timings: AttemptTimings
  /** Requests that it has carried or carries. */
  uses: number
  /** Whether a byte came from the receiver since the flag was last cleared. */
  heard: boolean
  /** Bytes that came from the receiver in all, framing included. */
  receivedBytes(): number
  /** Called when more of them are there, before the client reads them. */
  onReceived: () => void
  end(): void
}

export type Acquired =
  | { readonly type: 'acquired'; readonly connection: Connection }
  | { readonly type: 'failed'; readonly code: AttemptErrorCode; readonly timings: AttemptTimings }

export interface ConnectionWish {
  readonly target: WebhookTarget
  /** Connections are shared within a lane, and no other lane's requests ever wait behind them. */
  readonly lane: string
  readonly deadline: Deadline
  /** Dial, even if a connection lies idle. */
  readonly fresh: boolean
  /** Goes before others where dials wait for their turn. */
  readonly isUrgent?: boolean
}

export interface ConnectionLimits {
  readonly perLane: number
  readonly total: number
}

/** A connection to use, or the right to dial one. */
type Turn = Connection | 'dial'

interface Lane {
  readonly key: string
  readonly idle: Connection[]
  readonly waiting: ((turn: Turn) => void)[]
  open: number
}

interface Home {
  readonly lane: Lane
  readonly socket: Socket
  readonly openedAt: number
}

const KEEP_ALIVE_MS = 30_000
const MAX_KEEP_ALIVE_MS = 60_000
/** A receiver that moved to other addresses is followed even if the old ones are never idle. */
const MAX_AGE_MS = 300_000

/** Keep-alive connections, a bounded number per lane and in all. Lanes exist while they hold a connection. */
export class ConnectionPool {
  readonly #connect: Connector
  readonly #limits: ConnectionLimits
  readonly #lanes = new Map<string, Lane>()
  /** Every idle connection, the longest idle first. */
  readonly #idle = new Map<Connection, Lane>()
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

  async acquire(wish: ConnectionWish): Promise<Acquired> {
    const lane = this.#laneOf(wish)
    const idle = lane.idle.at(-1)
    if (idle && !wish.fresh) return { type: 'acquired', connection: this.#wake(idle, lane) }
    if (lane.open >= this.#limits.perLane) {
      if (!idle) return this.#wait(wish, lane)
      // A fresh dial doubts what lies idle: one of them makes room.
      this.#discard(idle, lane)
    }
    return this.#reserve(lane) ? this.#dial(wish, lane) : overloaded
  }

  /** Gives a connection back; one that ended meanwhile is not kept. */
  release(connection: Connection, isLookedAtAgain = false): void {
    const home = this.#homes.get(connection)
    if (home === undefined || home.socket.destroyed || connection.client.destroyed) return
    const { lane, openedAt, socket } = home
    // A receiver that answered without reading the request: the next one would queue behind what it leaves unread.
    // What the kernel has taken is known as written a turn later, so a busy loop hears of the answer before that.
    const isClogged = socket.writableLength > 0
    if (isClogged && !isLookedAtAgain) {
      setImmediate(() => this.release(connection, true))
      return
    }
    if (this.#closed || isClogged || performance.now() - openedAt > MAX_AGE_MS) {
      connection.end()
      return
    }
    const next = lane.waiting.shift()
    if (next) {
      connection.uses += 1
      next(connection)
      return
    }
    lane.idle.push(connection)
    this.#idle.set(connection, lane)
  }

  /** Ends idle connections now and the others as they are given back. */
  close(): void {
    this.#closed = true
    for (const [connection, lane] of this.#idle) this.#discard(connection, lane)
  }

  #laneOf(wish: ConnectionWish): Lane {
    const key = `${wish.lane} ${wish.target.scheme}://${wish.target.authority}`
    const lane = this.#lanes.get(key) ?? { key, idle: [], waiting: [], open: 0 }
    this.#lanes.set(key, lane)
    return lane
  }

  #wake(connection: Connection, lane: Lane): Connection {
    this.#dropIdle(connection, lane)
    connection.uses += 1
    return connection
  }

  #dropIdle(connection: Connection, lane: Lane): void {
    if (this.#idle.delete(connection)) lane.idle.splice(lane.idle.indexOf(connection), 1)
  }

  #discard(connection: Connection, lane: Lane): void {
    this.#dropIdle(connection, lane)
    connection.end()
  }

  async #wait(wish: ConnectionWish, lane: Lane): Promise<Acquired> {
    let take: (turn: Turn) => void = () => {}
    const turn = new Promise<Turn>((resolve) => {
      take = resolve
    })
    lane.waiting.push(take)
    const taken = await unlessStopped(turn, wish.deadline.signal)
    if (taken === undefined) {
      const place = lane.waiting.indexOf(take)
      if (place >= 0) lane.waiting.splice(place, 1)
      // The turn came in the same instant as the end of the time: it goes to the next in line.
      else this.#pass(await turn, lane)
      return wish.deadline.isInterrupted() ? interrupted : overloaded
    }
    return taken === 'dial' ? this.#dial(wish, lane) : { type: 'acquired', connection: taken }
  }

  #pass(turn: Turn, lane: Lane): void {
    if (turn === 'dial') this.#leave(lane)
    else this.release(turn)
  }

  /** Takes a place for one more connection. The longest idle one of any lane makes room when all are taken. */
  #reserve(lane: Lane): boolean {
    if (this.#open >= this.#limits.total) {
      const [longestIdle] = this.#idle
      if (longestIdle === undefined) {
        if (lane.open === 0) this.#lanes.delete(lane.key)
        return false
      }
      this.#discard(...longestIdle)
    }
    lane.open += 1
    this.#open += 1
    return true
  }

  async #dial(wish: ConnectionWish, lane: Lane): Promise<Acquired> {
    const connected = await this.#connect(wish.target, wish.deadline, wish.isUrgent ? urgent : undefined)
    if (connected.type === 'failed') {
      this.#leave(lane)
      return connected
    }
    const { socket, timings } = connected
    const connection = adopt(socket, timings, wish.target)
    this.#homes.set(connection, { lane, socket, openedAt: performance.now() })
    socket.once('close', () => {
      this.#discard(connection, lane)
      this.#leave(lane)
    })
    return { type: 'acquired', connection }
  }

  /** Gives a place up: to whoever waits for one in the lane, else to everybody. */
  #leave(lane: Lane): void {
    const next = lane.waiting.shift()
    if (next) {
      next('dial')
      return
    }
    lane.open -= 1
    this.#open -= 1
    if (lane.open === 0) this.#lanes.delete(lane.key)
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
    // The attempt's own deadline covers both; these would start anew with every gap.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const connection: Connection = {
    client,
    remoteAddress: socket.remoteAddress ?? null,
    timings,
    uses: 1,
    heard: false,
    receivedBytes: () => socket.bytesRead,
    onReceived: () => {},
    end() {
      void client.destroy()
      // The client takes hold of the socket with its first request only: without one it leaves it open.
      socket.destroy()
    },
  }
  // The socket's own counter also counts TLS records, a farewell among them; what is readable is the answer.
  socket.on('readable', () => {
    if (socket.readableLength === 0) return
    connection.heard = true
    connection.onReceived()
  })
  return connection
}

/** Hands the client the socket that is already there. A second request for one means that socket is gone. */
function giveOnce(socket: Socket) {
  let given = false
  return (_options: unknown, callback: (...result: [Error, null] | [null, Socket]) => void): void => {
    const isGone = given || socket.destroyed
    given = true
    // Not at once: the client does not take a connection while it is still asking for it.
    queueMicrotask(() => {
      if (isGone) callback(Object.assign(new Error('the connection is gone'), { code: 'ECONNRESET' }), null)
      else callback(null, socket)
    })
  }
}
