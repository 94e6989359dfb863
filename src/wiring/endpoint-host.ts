// How the endpoint actor touches the world: rows, requests, sockets.
import type { ActorHost, EffectContext } from '../actors/actor.ts'
import type { HttpsSender } from '../outbound/https-sender.ts'
import type { SocketDialer } from '../outbound/socket-dialer.ts'
import type { DialTimes } from '../redis/dial-times.ts'
import type { Clock } from '../shared/clock.ts'
import { fairTurns } from '../shared/fair-turns.ts'
import type { EndpointId } from '../shared/ids.ts'
import type { DeliveryStore } from '../store/deliveries.store.ts'
import type { EndpointStore } from '../store/endpoints.store.ts'
import type { Commons } from '../webhooks/commons.ts'
import type { EndpointTx } from '../webhooks/endpoint.actor.ts'
import type { DirectItem, EndpointEffect, EndpointMessage, Pulled, QueuedItem } from '../webhooks/endpoint.ts'
import { type EndpointState, newEndpointState } from '../webhooks/endpoint-state.ts'
import type { Recorder } from '../webhooks/recorder.ts'
import { type DeliveryMetrics, laneOfItem } from './delivery-metrics.ts'
import { createSigning, type EndpointSigning, isQueued } from './endpoint-signing.ts'
import { EndpointSockets } from './endpoint-sockets.ts'

export interface EndpointHostOptions {
  readonly endpoints: EndpointStore
  readonly deliveries: DeliveryStore
  readonly https: HttpsSender
  readonly dialer: SocketDialer
  readonly dialTimes: DialTimes
  readonly recorder: Recorder
  readonly commons: Commons
  readonly clock: Clock
  readonly metrics: DeliveryMetrics
  /** WEBHOOK_TIMEOUT, DIRECT_TIMEOUT, HANDOVER_SILENCE. */
  readonly timeoutMs: number
  readonly directTimeoutMs: number
  readonly silenceMs: number
  /** A row has a newer configuration than the actor was told of. */
  readonly configChanged: (id: string) => void
  readonly log: { warn(fields: object, event: string): void }
}

export interface EndpointHost extends ActorHost<EndpointState, EndpointMessage, EndpointTx, EndpointEffect> {
  readonly sockets: EndpointSockets
}

type Context = EffectContext<EndpointMessage>

const pageOfPending = 200
const unknown: Pulled = { items: [], more: { first: true, retries: true } }
const maxDialMs = 5_000
/** Backlogs are read beside what events need the pool for, one workspace after the other (architecture 3.11). */
const pullsAtOnce = 3

export function createEndpointHost(options: EndpointHostOptions): EndpointHost {
  const signing = createSigning(options.clock)
  const dialTimeoutMs = Math.min(maxDialMs, options.timeoutMs)
  const { dialer, dialTimes, clock, metrics } = options
  const sockets = new EndpointSockets({ dialer, dialTimes, clock, signing, dialTimeoutMs, metrics })
  // Configuration versions the actors were told of.
  const versions = new Map<string, number>()
  const pulls = fairTurns(pullsAtOnce)
  return {
    sockets,
    ...rowsOf(options, versions),
    commit: () => Promise.resolve({ type: 'committed' }),
    dropped(id, epoch) {
      sockets.dropped(id, epoch)
      options.commons.close(id, epoch)
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
          return void pulls.run(effect.workspaceId, () => pull(options, effect, context))
        case 'reload':
          return void reload(options, versions, context)
      }
    },
  }
}

function rowsOf(
  { endpoints, deliveries, commons, clock, silenceMs, configChanged, metrics }: EndpointHostOptions,
  versions: Map<string, number>,
): Pick<EndpointHost, 'load' | 'confirm' | 'release'> {
  return {
    async load(id, options) {
      const taken = await endpoints.take(id as EndpointId, { ...options, silenceMs })
      if (!taken) return undefined
      versions.set(id, taken.config.configVersion)
      const { config, epoch, silentMs } = taken
      // What the last owner left behind goes first: it is what keeps the order over a change of owners. While it may
      // still be sending, nobody can say what that is: then it is pulled when the silence is over.
      const pending =
        silentMs > 0
          ? unknown
          : await deliveries.pending(id as EndpointId, {
              exclude: [],
              first: pageOfPending,
              retries: pageOfPending,
            })
      metrics.arrived(pending.items)
      const stake = commons.open(id, epoch, config.workspaceId)
      return { state: newEndpointState(config, pending, { stake, nowMs: clock.now() }), epoch, silentMs }
    },
    async confirm(ids) {
      const rows = await endpoints.confirm(ids)
      for (const { id, configVersion } of rows) {
        if ((versions.get(id) ?? configVersion) < configVersion) configChanged(id)
      }
      return new Map(rows.map((row) => [row.id, row.ownerEpoch]))
    },
    async release(owned, sid) {
      await endpoints.release(owned, sid)
      for (const { id, epoch } of owned) {
        versions.delete(id)
        commons.close(id, epoch)
      }
    },
  }
}

async function post(
  options: EndpointHostOptions,
  signing: EndpointSigning,
  { token, config, item }: Extract<EndpointEffect, { type: 'post' }>,
  context: Context,
): Promise<void> {
  const body = Buffer.from(item.body)
  const begunAt = options.metrics.begun(item)
  const report = await options.https.send({
    url: config.url,
    headers: signing.attemptHeaders(config, item, body),
    body,
    deadlineMs: isQueued(item) ? options.timeoutMs : options.directTimeoutMs,
    lane: laneOf(context.id, item),
    isUrgent: !isQueued(item),
    signal: context.signal,
  })
  options.metrics.posted(item, begunAt, report)
  context.post({ type: 'posted', token, report })
}

async function pull(
  options: EndpointHostOptions,
  { token, exclude, first, retries }: Extract<EndpointEffect, { type: 'pull' }>,
  context: Context,
): Promise<void> {
  try {
    const pulled = await options.deliveries.pending(context.id as EndpointId, {
      exclude,
      first,
      retries,
    })
    context.post({ type: 'pulled', token, ...pulled })
  } catch (error) {
    options.log.warn({ endpointId: context.id, error: String(error) }, 'endpoint.pull_failed')
    context.post({ type: 'pullFailed', token })
  }
}

async function reload(
  { endpoints, log }: EndpointHostOptions,
  versions: Map<string, number>,
  context: Context,
): Promise<void> {
  try {
    const config = (await endpoints.find(context.id as EndpointId)) ?? null
    if (config) versions.set(context.id, config.configVersion)
    context.post({ type: 'reloaded', config })
  } catch (error) {
    log.warn({ endpointId: context.id, error: String(error) }, 'endpoint.reload_failed')
    // Forgotten, so that the next confirmation sees a newer version again.
    versions.set(context.id, 0)
  }
}

/** Calls, first attempts and retries never wait for each other's connections. */
const laneOf = (endpointId: string, item: QueuedItem | DirectItem): string =>
  `${endpointId}:${laneOfItem(item)}`
