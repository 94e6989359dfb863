// Opens sockets to receivers and hands them over. When to dial, ping and close is for the endpoint's owner to say.
import type { WebSocket } from 'ws'
import type { Clock } from '../shared/clock.ts'
import { judgeUrl, type TargetPolicy } from '../webhooks/address-rule.ts'
import type { AttemptReport, AttemptTimings } from '../webhooks/attempt.ts'
import type { Connector } from './connect.ts'
import { type Deadline, startDeadline } from './deadline.ts'
import { throttleInflow } from './inflow.ts'
import { failedReport, refusalCode, refusedUpgradeReport } from './report.ts'
import { upgrade } from './upgrade.ts'

export interface SocketDialerOptions {
  readonly policy: TargetPolicy
  readonly connect: Connector
  readonly clock: Clock
}

export type HandshakeHeaders = Readonly<Record<string, string>>

export interface DialRequest {
  readonly url: string
  /** A promise is waited for once the connection stands, so that nobody waits for both in turn. Must not reject. */
  readonly headers: HandshakeHeaders | Promise<HandshakeHeaders>
  readonly deadlineMs: number
  /** Fires when the dial goes before others. */
  readonly urgency?: AbortSignal
  readonly signal?: AbortSignal
}

/** Called only for a socket that was opened, and never before `dial` has resolved. */
export interface SocketHandlers {
  /** Once, when the socket is gone, whoever ended it; 1006 where no close frame came. */
  onClose(code: number, reason: string): void
  onPong(payload: Uint8Array): void
}

export interface OutboundSocket {
  readonly remoteAddress: string | null
  /** Sends one text frame of exactly these bytes. `done` is called once, when it was written or could not be. */
  send(frame: Uint8Array | string, done: (error?: Error) => void): void
  /** At most 125 bytes; nothing happens on a socket that is no longer open. */
  ping(payload: Uint8Array): void
  /** Bytes that wait to be written; what the kernel already took is not among them. */
  bufferedBytes(): number
  /** Starts the closing handshake; after a second without its end the socket is cut. */
  close(code: number, reason: string): void
  /** Cuts the socket at once. */
  terminate(): void
  isOpen(): boolean
}

export type Dialled =
  | {
      readonly type: 'open'
      readonly socket: OutboundSocket
      readonly durationMs: number
      readonly timings: AttemptTimings
    }
  | { readonly type: 'failed'; readonly report: AttemptReport }

export interface SocketDialer {
  /** Never rejects. */
  dial(request: DialRequest, handlers: SocketHandlers): Promise<Dialled>
}

export function createSocketDialer(options: SocketDialerOptions): SocketDialer {
  return {
    async dial(request, handlers) {
      const deadline = startDeadline(request.deadlineMs, request.signal)
      try {
        return await dialWithin(deadline, request, { options, handlers })
      } finally {
        deadline.clear()
      }
    },
  }
}

async function dialWithin(
  deadline: Deadline,
  request: DialRequest,
  { options, handlers }: { options: SocketDialerOptions; handlers: SocketHandlers },
): Promise<Dialled> {
  const startedAt = performance.now()
  const elapsedMs = () => performance.now() - startedAt
  const verdict = judgeUrl(request.url, options.policy)
  if (verdict.type === 'refused' || !/^wss?$/.test(verdict.target.scheme)) {
    return { type: 'failed', report: failedReport(refusalCode(verdict), { durationMs: elapsedMs() }) }
  }
  const { target } = verdict
  const connected = await options.connect(target, deadline, request.urgency)
  if (connected.type === 'failed') {
    const { code, timings } = connected
    return { type: 'failed', report: failedReport(code, { durationMs: elapsedMs(), timings }) }
  }
  const { socket } = connected
  const connectedMs = elapsedMs()
  const remoteAddress = socket.remoteAddress ?? null
  const upgraded = await upgrade({ socket, target, headers: await request.headers, deadline })
  const durationMs = elapsedMs()
  if (upgraded.type === 'failed') {
    const facts = { durationMs, timings: connected.timings, remoteAddress }
    return { type: 'failed', report: failedReport(upgraded.code, facts) }
  }
  const timings = { ...connected.timings, firstByteMs: durationMs - connectedMs }
  if (upgraded.type === 'answered') {
    const facts = { durationMs, timings, remoteAddress }
    return { type: 'failed', report: refusedUpgradeReport(upgraded.answer, facts, options.clock) }
  }
  throttleInflow(upgraded.websocket, socket)
  return { type: 'open', durationMs, timings, socket: handOver(upgraded.websocket, remoteAddress, handlers) }
}

function handOver(
  websocket: WebSocket,
  remoteAddress: string | null,
  handlers: SocketHandlers,
): OutboundSocket {
  // Deferred, so that whoever awaits the dial has the socket in hand before it is told of its end.
  const onClose = (code: number, reason: Buffer) =>
    void setImmediate(() => handlers.onClose(code, reason.toString()))
  websocket.once('close', onClose)
  websocket.on('pong', (payload) => handlers.onPong(payload))
  if (websocket.readyState === websocket.CLOSED) onClose(1006, Buffer.alloc(0))
  return {
    remoteAddress,
    send: (frame, done) => websocket.send(frame, { binary: false }, (error) => done(error ?? undefined)),
    ping(payload) {
      if (websocket.readyState === websocket.OPEN) websocket.ping(payload)
    },
    bufferedBytes: () => websocket.bufferedAmount,
    close: (code, reason) => websocket.close(code, reason),
    terminate: () => websocket.terminate(),
    isOpen: () => websocket.readyState === websocket.OPEN,
  }
}
