// One socket to another process, for every message to it. Answers come in any order.
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { Clock } from '../../shared/clock.ts'
import { afterHalves } from '../../shared/deadline.ts'
import type { Seals } from './rpc-envelope.ts'
import type { Exchange } from './rpc-exchange.ts'
import { answerIn, maxFrameBytes, messageFrame, socketPath } from './rpc-frame.ts'

/** `noSocket`: nothing was sent, since the process takes messages by POST only. */
export type SocketExchange = Exchange | { readonly type: 'noSocket' }

export interface RpcSocketOptions {
  readonly address: string
  /** Of the upgrade, with its seals. */
  readonly headers: Readonly<Record<string, string>>
  /** For a connection to be made; it and the upgrade take `upgradeMs` at most. */
  readonly connectMs: number
  readonly clock: Clock
  readonly onClose: (socket: RpcSocket) => void
}

interface Pending {
  /** Undefined once it is written. */
  frame: string | undefined
  readonly sentAt: number
  readonly settle: (exchange: SocketExchange) => void
}

const upgradeMs = 1_000
/** A socket that was silent for so long may lead nowhere by now. A new one shows within moments whether its process is there. */
const silentMs = 4_000

export class RpcSocket {
  readonly #websocket: WebSocket
  readonly #clock: Clock
  readonly #pending = new Map<string, Pending>()
  #last = 0
  #heardAt: number
  /** What becomes of a message that was not written. */
  #unsent: SocketExchange = { type: 'failed', how: 'unreached' }
  #isRetired = false

  /** Throws where the address is none. */
  constructor({ address, headers, connectMs, clock, onClose }: RpcSocketOptions) {
    this.#clock = clock
    this.#heardAt = clock.mono()
    const url = new URL(socketPath, address.replace(/^http/, 'ws'))
    const websocket = new WebSocket(url, {
      headers,
      perMessageDeflate: false,
      maxPayload: maxFrameBytes,
      handshakeTimeout: upgradeMs,
      createConnection: () => connectWithin(url, connectMs),
    })
    this.#websocket = websocket
    websocket.on('open', () => this.#opened())
    websocket.on('message', (data: Buffer) => this.#answered(data.toString()))
    websocket.on('ping', () => this.#heard())
    websocket.on('unexpected-response', () => {
      this.#unsent = { type: 'noSocket' }
      websocket.terminate()
    })
    websocket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') this.#unsent = { type: 'failed', how: 'refused' }
    })
    websocket.once('close', () => {
      this.#isRetired = true
      onClose(this)
      for (const [number, { frame }] of this.#pending)
        this.#settle(number, frame === undefined ? { type: 'failed', how: 'reset' } : this.#unsent)
    })
  }

  /** False: messages go over a new socket. Answers that are under way are still awaited here. */
  isUsable(): boolean {
    if (this.#clock.mono() - this.#heardAt > silentMs) this.#retire()
    return !this.#isRetired && this.#websocket.readyState <= WebSocket.OPEN
  }

  /** `timeoutMs`: for connecting and the answer. Never rejects. */
  send(seals: Seals, body: string, timeoutMs: number): Promise<SocketExchange> {
    this.#last += 1
    const number = String(this.#last)
    const frame = messageFrame(number, seals, body)
    return new Promise((resolve) => {
      // After a halt of this process the answer may be here, unread.
      const cancel = afterHalves(timeoutMs, () => setImmediate(() => this.#expired(number)))
      const isOpen = this.#websocket.readyState === WebSocket.OPEN
      this.#pending.set(number, {
        frame: isOpen ? undefined : frame,
        sentAt: this.#clock.mono(),
        settle(exchange) {
          cancel()
          resolve(exchange)
        },
      })
      if (isOpen) this.#websocket.send(frame)
    })
  }

  terminate(): void {
    this.#websocket.terminate()
  }

  #opened(): void {
    this.#heard()
    for (const pending of this.#pending.values()) {
      if (pending.frame !== undefined) this.#websocket.send(pending.frame)
      pending.frame = undefined
    }
  }

  #heard(): void {
    this.#heardAt = this.#clock.mono()
  }

  #answered(frame: string): void {
    this.#heard()
    const [number, body = ''] = answerIn(frame)
    this.#settle(number, { type: 'answered', body })
  }

  #expired(number: string): void {
    const pending = this.#pending.get(number)
    if (!pending) return
    const isSent = pending.frame === undefined
    this.#settle(number, { type: 'failed', how: isSent ? 'lost' : 'unreached' })
    if (this.#heardAt <= pending.sentAt) this.#retire()
  }

  #settle(number: string, exchange: SocketExchange): void {
    const pending = this.#pending.get(number)
    this.#pending.delete(number)
    pending?.settle(exchange)
    if (this.#isRetired) this.#retire()
  }

  #retire(): void {
    this.#isRetired = true
    if (this.#pending.size === 0) this.#websocket.close()
  }
}

/** A process that is busy answers an upgrade late, but its host connects at once. */
function connectWithin({ hostname, port }: URL, ms: number): Socket {
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) })
  const giveUp = () => socket.connecting && socket.destroy(new Error('no connection in time'))
  const cancel = afterHalves(ms, () => setImmediate(giveUp))
  return socket.once('connect', cancel).once('close', cancel)
}
