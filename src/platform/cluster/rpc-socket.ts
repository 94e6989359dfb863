// One socket to another process, for every message to it. Answers come in any order.
import { connect, type Socket } from 'node:net'
import { WebSocket } from 'ws'
import type { Clock } from '../../shared/clock.ts'
import { afterHalves } from '../../shared/deadline.ts'
import type { Seals } from './rpc-envelope.ts'
import type { Exchange } from './rpc-exchange.ts'
import { answerIn, leaveFrame, maxFrameBytes, messageFrame, socketPath } from './rpc-frame.ts'

export type SocketExchange = Exchange | NoSocket

/** Nothing was sent: messages are to go by POST. */
export interface NoSocket {
  readonly type: 'noSocket'
  /** With what the upgrade was answered; undefined: with nothing, as where something between the processes lets none pass. */
  readonly status: number | undefined
}

export interface RpcSocketOptions {
  readonly address: string
  /** Of the upgrade, with its seals. */
  readonly headers: Readonly<Record<string, string>>
  /** For a connection to be made. */
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

/** Longer than a tell waits: a process that is busy, and answers tells late, is to get its socket. */
const upgradeMs = 2_000
/** A slow process may leave so much unread. What comes then is not written. */
const maxBufferedBytes = 16 * 1024 * 1024
/** Finds hosts that went without a word, of which nothing else reminds an idle socket. */
const keepAliveMs = 30_000
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
      createConnection: () => this.#connect(url, connectMs),
    })
    this.#websocket = websocket
    const stop = afterHalves(connectMs + upgradeMs, () => setImmediate(() => this.#giveUpUpgrade()))
    websocket.once('open', () => {
      stop()
      this.#opened()
    })
    websocket.on('message', (data: Buffer) => this.#answered(data.toString()))
    websocket.on('ping', () => this.#heard())
    websocket.on('unexpected-response', (_request, { statusCode: status }) => {
      this.#unsent = { type: 'noSocket', status }
      websocket.terminate()
    })
    websocket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') this.#unsent = { type: 'failed', how: 'refused' }
    })
    websocket.once('close', () => {
      stop()
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
    if (this.#websocket.bufferedAmount > maxBufferedBytes)
      return Promise.resolve({ type: 'failed', how: 'unreached' })
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
    if (frame === leaveFrame) return this.#retire()
    const [number, body = ''] = answerIn(frame)
    this.#settle(number, { type: 'answered', body })
  }

  #expired(number: string): void {
    const pending = this.#pending.get(number)
    if (!pending) return
    const isSent = pending.frame === undefined
    this.#settle(number, { type: 'failed', how: isSent ? 'lost' : 'unreached' })
    if (isSent && this.#heardAt <= pending.sentAt) this.#retire()
  }

  #settle(number: string, exchange: SocketExchange): void {
    const pending = this.#pending.get(number)
    this.#pending.delete(number)
    pending?.settle(exchange)
    if (this.#isRetired) this.#retire()
  }

  #retire(): void {
    this.#isRetired = true
    // Without a close handshake: in the middle of one, the other process could not listen on its port again.
    if (this.#pending.size === 0) this.#websocket.terminate()
  }

  #connect({ hostname, port }: URL, limitMs: number): Socket {
    const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80) })
    socket.setKeepAlive(true, keepAliveMs)
    const giveUp = () => socket.connecting && socket.destroy(new Error('no connection in time'))
    const stop = afterHalves(limitMs, () => setImmediate(giveUp))
    socket.once('close', stop)
    return socket.once('connect', () => {
      stop()
      // Who connects and does not answer the upgrade may still answer a POST.
      this.#unsent = { type: 'noSocket', status: undefined }
    })
  }

  #giveUpUpgrade(): void {
    if (this.#websocket.readyState === WebSocket.CONNECTING) this.#websocket.terminate()
  }
}
