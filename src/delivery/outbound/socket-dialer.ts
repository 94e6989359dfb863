// Opens sockets to receivers and hands them over. The endpoint's owner decides when to dial, ping and close.
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { readClock } from '../../platform/actors/guard.ts'
import type { Clock } from '../../shared/clock.ts'
import { judgeUrl, type TargetPolicy } from '../address-rule.ts'
import type { AttemptReport, AttemptTimings } from '../attempt.ts'
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
  /** A promise is awaited after the connection is made, so that both run in parallel. Must not reject. */
  readonly headers: HandshakeHeaders | Promise<HandshakeHeaders>
  readonly deadlineMs: number
  /** Fires when a call waits for the dial: it goes before others, and has so long from then on at most. */
  readonly urgency?: AbortSignal
  readonly urgentMs?: number
  readonly signal?: AbortSignal
}

/** Called only for a socket that was opened, and never before `dial` has resolved. */
export interface SocketHandlers {
  /**
   * Called once, when the socket is gone, whichever side ended it; 1006 when no close frame came. 1006 stands
   * also for a normal close that the receiver did not complete: it may not have read what was sent before.
   */
  onClose(code: number, reason: string): void
  onPong(payload: Uint8Array): void
}

export interface OutboundSocket {
  readonly remoteAddress: string | null
  /**
   * Sends one text frame of exactly these bytes, in one write with whatever else this turn of the event loop
   * sends. `done` is called once: when it was written or could not be.
   */
  send(frame: Uint8Array | string, done: (error?: Error) => void): void
  /** At most 125 bytes. Does nothing when the socket is not open. */
  ping(payload: Uint8Array): void
  /** A ping behind the frame that was sent last. Of those that share a write, only the last one is sent: it covers all. */
  prove(payload: Uint8Array): void
  /** Writes as soon as what is ready to run has run, so that calls that begin together share a write. */
  hurry(): void
  /** Bytes that wait to be written, without those that the kernel has taken. */
  bufferedBytes(): number
  /** Starts the closing handshake. If it takes longer than a second, the socket is terminated. */
  close(code: number, reason: string): void
  /** Terminates the socket at once. */
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
      const hurry = () => deadline.shorten(request.urgentMs ?? request.deadlineMs)
      if (request.urgency?.aborted) hurry()
      else request.urgency?.addEventListener('abort', hurry, { once: true })
      try {
        return await dialWithin(deadline, request, { options, handlers })
      } finally {
        request.urgency?.removeEventListener('abort', hurry)
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
    const { code, detail, timings } = connected
    return { type: 'failed', report: failedReport(code, { durationMs: elapsedMs(), timings, detail }) }
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
  return {
    type: 'open',
    durationMs,
    timings,
    socket: handOver(upgraded.websocket, socket, { handlers, clock: options.clock }),
  }
}

const normalCodes = new Set([1000, 1001, 1005])

function handOver(
  websocket: WebSocket,
  connection: Socket,
  { handlers, clock }: { readonly handlers: SocketHandlers; readonly clock: Clock },
): OutboundSocket {
  const remoteAddress = connection.remoteAddress ?? null
  // A receiver ends the connection when it has read our close frame, which is behind every other frame.
  let isEnded = false
  connection.once('end', () => {
    isEnded = true
  })
  const codeOf = (code: number) => (isEnded || !normalCodes.has(code) ? code : 1006)
  // Deferred, so that the caller of `dial` has the socket before its end is reported.
  const onClose = (code: number, reason: Buffer) =>
    void setImmediate(() => handlers.onClose(codeOf(code), reason.toString()))
  websocket.once('close', onClose)
  websocket.on('pong', (payload) => handlers.onPong(payload))
  if (websocket.readyState === websocket.CLOSED) onClose(1006, Buffer.alloc(0))
  let proof: Uint8Array | undefined
  const ping = (payload: Uint8Array | undefined) => {
    if (payload && websocket.readyState === websocket.OPEN) websocket.ping(payload)
  }
  const proveNow = () => {
    const last = proof
    proof = undefined
    ping(last)
  }
  const { gather, hurry, flush } = gathering(connection, { last: proveNow, clock })
  return {
    remoteAddress,
    send(frame, done) {
      gather()
      websocket.send(frame, { binary: false }, (error) => done(error ?? undefined))
    },
    ping(payload) {
      gather()
      // The order of pings is that of what they cover.
      proveNow()
      ping(payload)
    },
    prove(payload) {
      gather()
      proof = payload
    },
    hurry,
    bufferedBytes: () => websocket.bufferedAmount,
    close(code, reason) {
      websocket.close(code, reason)
      flush()
    },
    terminate: () => websocket.terminate(),
    isOpen: () => websocket.readyState === websocket.OPEN,
  }
}

/** After such a silence another process may have the endpoint, and its socket. */
const stoodStillMs = 1_000

/**
 * A write is a system call, and costs more than all else about a frame: the frames of one turn share one. Where the process
 * stood still in the middle of that turn, the connection ends in place of it: the owner sends them again.
 */
function gathering(
  connection: Socket,
  { last, clock }: { readonly last: () => void; readonly clock: Clock },
) {
  let isGathering = false
  let isHurried = false
  let since = readClock(clock)
  // Two clocks: the monotonic one may stop while a virtual machine is frozen.
  const stoodStill = () => Math.max(clock.mono() - since.mono, clock.now() - since.wall) > stoodStillMs
  const flush = () => {
    if (!isGathering) return
    if (stoodStill()) {
      isGathering = false
      connection.destroy()
      return
    }
    last()
    isGathering = false
    isHurried = false
    connection.uncork()
  }
  return {
    flush,
    hurry() {
      if (isHurried || !isGathering) return
      isHurried = true
      process.nextTick(flush)
    },
    gather() {
      if (isGathering) return
      isGathering = true
      since = readClock(clock)
      connection.cork()
      setImmediate(flush)
    },
  }
}
