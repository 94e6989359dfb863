// Runs the effects of the endpoint actor: requests and sockets here, rows in endpoint-rows.ts.
import type { ActorHost, EffectContext } from '../../platform/actors/actor.ts'
import type { EndpointTx } from '../endpoint.actor.ts'
import type { EndpointEffect, EndpointMessage } from '../endpoint.messages.ts'
import type { DirectItem, QueuedItem } from '../endpoint.ts'
import type { EndpointState } from '../endpoint-state.ts'
import type { HttpsSender } from '../outbound/https-sender.ts'
import type { OutboundSocket, SocketDialer } from '../outbound/socket-dialer.ts'
import type { Recorder } from '../recorder.ts'
import type { DialTimes } from '../store/dial-times.ts'
import { priorityOf } from './delivery-metrics.ts'
import { createEndpointRows, type EndpointRowsOptions } from './endpoint-rows.ts'
import { createSigning, type EndpointSigning, isQueued } from './endpoint-signing.ts'

export interface EndpointHostOptions extends EndpointRowsOptions {
  readonly https: HttpsSender
  readonly dialer: SocketDialer
  readonly dialTimes: DialTimes
  readonly recorder: Recorder
  /** WEBHOOK_TIMEOUT, DIRECT_TIMEOUT. */
  readonly timeoutMs: number
  readonly directTimeoutMs: number
}

export interface EndpointHost extends ActorHost<EndpointState, EndpointMessage, EndpointTx, EndpointEffect> {
  openSockets(): number
}

type Context = EffectContext<EndpointMessage>
type Of<Type extends EndpointEffect['type']> = Extract<EndpointEffect, { type: Type }>

export function createEndpointHost(options: EndpointHostOptions): EndpointHost {
  const signing = createSigning(options.clock)
  const sockets = new EndpointSockets({ ...options, signing })
  const { metrics } = options
  const { load, ownerOf, confirm, release, pull, reload } = createEndpointRows(options)
  return {
    openSockets: () => sockets.openCount,
    ...{ load, ownerOf, confirm },
    async release(owned, sid) {
      for (const { id, epoch } of owned) sockets.dropped(id, epoch)
      await release(owned, sid)
    },
    commit: () => Promise.resolve({ type: 'committed' }),
    dropped(id, epoch) {
      sockets.dropped(id, epoch)
      options.processBudget.close(id, epoch)
    },
    run(effect, context) {
      switch (effect.type) {
        case 'post':
          return void post(options, signing, effect, context)
        case 'dial':
          return void sockets.dial(effect, context)
        case 'hurryDial':
          return sockets.hurry(effect, context)
        case 'frame':
          return sockets.frame(effect, context)
        case 'ping':
          return sockets.ping(effect, context)
        case 'closeSocket':
          return sockets.close(effect, context)
        case 'cutSocket':
          return sockets.cut(effect.token, context)
        case 'record':
          metrics.attempted(effect.record)
          return options.recorder.add(effect.record)
        case 'observe':
          return metrics.attempted(effect.record)
        case 'pull':
          return pull(effect, context)
        case 'reload':
          return reload(effect, context)
      }
    },
  }
}

async function post(
  options: EndpointHostOptions,
  signing: EndpointSigning,
  { token, config, item }: Of<'post'>,
  context: Context,
): Promise<void> {
  const body = Buffer.from(item.body)
  const begunAt = options.metrics.begun(item)
  const report = await options.https.send({
    url: config.url,
    headers: signing.attemptHeaders(config, item, body),
    body,
    deadlineMs: isQueued(item) ? options.timeoutMs : options.directTimeoutMs,
    pool: poolOf(context.id, item),
    isUrgent: !isQueued(item),
    signal: context.signal,
  })
  options.metrics.posted(item, begunAt, report)
  context.post({ type: 'posted', token, report })
}

/** Calls, first attempts and retries never wait for each other's connections. */
const poolOf = (endpointId: string, item: QueuedItem | DirectItem): string =>
  `${endpointId}:${priorityOf(item)}`

interface Dial {
  readonly cut: AbortController
  readonly hurry: AbortController
}

interface Incarnation {
  readonly open: Map<number, OutboundSocket>
  readonly dialling: Map<number, Dial>
}

interface SocketsOptions extends EndpointHostOptions {
  readonly signing: EndpointSigning
}

class EndpointSockets {
  readonly #options: SocketsOptions
  readonly #incarnations = new Map<string, Incarnation>()

  constructor(options: SocketsOptions) {
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
    const { dialer, dialTimes, signing, clock, timeoutMs, directTimeoutMs } = this.#options
    const startedAtMs = clock.now()
    const dialled = await dialer.dial(
      {
        url: config.url,
        headers: dialTimes.next(context.id).then((at) => signing.handshakeHeaders(config, at)),
        deadlineMs: timeoutMs,
        urgency: dial.hurry.signal,
        urgentMs: directTimeoutMs,
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
    // Meanwhile the owner may have released the endpoint, or dropped this dial.
    if (context.signal.aborted || dial.cut.signal.aborted) return dialled.socket.terminate()
    open.set(token, dialled.socket)
    const { timings, socket } = dialled
    const opening = { startedAtMs, timings, remoteAddress: socket.remoteAddress }
    context.post({ type: 'dialled', token, opening })
  }

  hurry({ token }: Of<'hurryDial'>, context: Context): void {
    this.#of(context).dialling.get(token)?.hurry.abort('urgent')
  }

  frame({ token, frame, item, ping }: Of<'frame'>, context: Context): void {
    const { metrics } = this.#options
    metrics.begun(item)
    const done = (written: boolean) => {
      metrics.framed(item, written)
      context.post({ type: 'frameDone', token, frame, written })
    }
    const socket = this.#of(context).open.get(token)
    if (!socket) return done(false)
    socket.send(item.body, (error) => {
      // After an error the close event follows. Its code gives the reason, which may be a rejected signature.
      if (error) metrics.framed(item, false)
      else done(true)
    })
    if (ping !== undefined) socket.prove(writePing(ping))
    // A call waits only for what begins together with it.
    if (!isQueued(item)) socket.hurry()
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

  /** Synchronous: a replaced owner must not send another byte. */
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
