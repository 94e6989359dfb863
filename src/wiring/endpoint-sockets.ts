// The open sockets of endpoint actors, by incarnation and by the token the actor knows each by.
import type { EffectContext } from '../actors/actor.ts'
import type { OutboundSocket, SocketDialer } from '../outbound/socket-dialer.ts'
import type { DialTimes } from '../redis/dial-times.ts'
import type { Clock } from '../shared/clock.ts'
import type { EndpointEffect, EndpointMessage } from '../webhooks/endpoint.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import type { EndpointSigning } from './endpoint-signing.ts'

type Context = EffectContext<EndpointMessage>
type Of<Type extends EndpointEffect['type']> = Extract<EndpointEffect, { type: Type }>

interface Dial {
  readonly cut: AbortController
  readonly hurry: AbortController
}

interface Incarnation {
  readonly open: Map<number, OutboundSocket>
  readonly dialling: Map<number, Dial>
}

export interface EndpointSocketsOptions {
  readonly dialer: SocketDialer
  readonly signing: EndpointSigning
  readonly dialTimes: DialTimes
  readonly clock: Clock
  readonly dialTimeoutMs: number
  readonly metrics: DeliveryMetrics
}

export class EndpointSockets {
  readonly #options: EndpointSocketsOptions
  readonly #incarnations = new Map<string, Incarnation>()

  constructor(options: EndpointSocketsOptions) {
    this.#options = options
  }

  get openCount(): number {
    let count = 0
    for (const { open } of this.#incarnations.values()) count += open.size
    return count
  }

  async dial({ token, config, isUrgent }: Of<'dial'>, context: Context): Promise<void> {
    const { open, dialling } = this.#of(context)
    const dial = { cut: new AbortController(), hurry: new AbortController() }
    dialling.set(token, dial)
    if (isUrgent) dial.hurry.abort('urgent')
    const { dialer, dialTimes, signing, dialTimeoutMs, clock } = this.#options
    const startedAtMs = clock.now()
    const dialled = await dialer.dial(
      {
        url: config.url,
        headers: dialTimes.next(context.id).then((at) => signing.handshakeHeaders(config, at)),
        deadlineMs: dialTimeoutMs,
        urgency: dial.hurry.signal,
        signal: dial.cut.signal,
      },
      {
        onClose: (code) => {
          open.delete(token)
          context.post({ type: 'socketClosed', token, code })
        },
        onPong: (payload) => context.post({ type: 'pong', token, ping: readPing(payload) }),
      },
    )
    dialling.delete(token)
    this.#options.metrics.dialled('socket', dialled.type === 'failed' ? dialled.report.outcome : undefined)
    if (dialled.type === 'failed') return context.post({ type: 'dialFailed', token, report: dialled.report })
    // The owner may have given the endpoint up, or dropped this dial, while it went on.
    if (context.signal.aborted || dial.cut.signal.aborted) return dialled.socket.terminate()
    open.set(token, dialled.socket)
    const { timings, socket } = dialled
    const opening = { startedAtMs, timings, remoteAddress: socket.remoteAddress }
    context.post({ type: 'dialled', token, opening })
  }

  hurry({ token }: Of<'hurryDial'>, context: Context): void {
    this.#of(context).dialling.get(token)?.hurry.abort('urgent')
  }

  frame({ token, frame, item }: Of<'frame'>, context: Context): void {
    const { metrics } = this.#options
    metrics.begun(item)
    const done = (written: boolean) => {
      metrics.framed(item, written)
      context.post({ type: 'frameDone', token, frame, written })
    }
    const socket = this.#of(context).open.get(token)
    if (!socket) return done(false)
    socket.send(item.body, (error) => {
      // After an error the socket's end follows, and its code says why: it may be a signature that is refused.
      if (error) metrics.framed(item, false)
      else done(true)
    })
  }

  ping({ token, ping }: Of<'ping'>, context: Context): void {
    this.#of(context).open.get(token)?.ping(writePing(ping))
  }

  close({ token, code, reason }: Of<'closeSocket'>, context: Context): void {
    const { open } = this.#of(context)
    open.get(token)?.close(code, reason)
    open.delete(token)
  }

  cut(token: number, context: Context): void {
    const { open, dialling } = this.#of(context)
    open.get(token)?.terminate()
    open.delete(token)
    dialling.get(token)?.cut.abort()
  }

  /** Synchronous: a superseded owner must not send another byte. */
  dropped(id: string, epoch: number): void {
    const key = `${id}:${epoch}`
    const incarnation = this.#incarnations.get(key)
    this.#incarnations.delete(key)
    for (const socket of incarnation?.open.values() ?? []) socket.terminate()
    for (const { cut } of incarnation?.dialling.values() ?? []) cut.abort()
  }

  #of({ id, epoch }: Context): Incarnation {
    const key = `${id}:${epoch}`
    const found = this.#incarnations.get(key)
    if (found) return found
    const made = { open: new Map(), dialling: new Map() }
    this.#incarnations.set(key, made)
    return made
  }
}

function writePing(ping: number): Uint8Array {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(ping % 2 ** 32)
  return payload
}

const readPing = (payload: Uint8Array): number =>
  payload.length === 4 ? Buffer.from(payload.buffer, payload.byteOffset, 4).readUInt32BE() : 0
