// The webhook engine, assembled: endpoint actors, senders, recorder, and the fast path into them.
import { readFileSync } from 'node:fs'
import { ActorDirectory, type DirectoryEvent } from '../actors/directory.ts'
import type { AskResult, TellResult } from '../actors/letter.ts'
import type { Ownership } from '../actors/ownership.ts'
import type { DirectSender } from '../calls/ports.ts'
import type { Settings } from '../config/settings.ts'
import { version } from '../contract/version.ts'
import { type Connector, createConnector } from '../outbound/connect.ts'
import { limitDials } from '../outbound/dial-limits.ts'
import { createHttpsSender } from '../outbound/https-sender.ts'
import { type AddressResolver, createResolver } from '../outbound/resolve.ts'
import { createSocketDialer } from '../outbound/socket-dialer.ts'
import type { DialTimes } from '../redis/dial-times.ts'
import type { Clock } from '../shared/clock.ts'
import type { EndpointId } from '../shared/ids.ts'
import { attemptStore } from '../store/attempts.store.ts'
import { deliveryStore } from '../store/deliveries.store.ts'
import { endpointStore, type SecretOpener } from '../store/endpoints.store.ts'
import type { Pool } from '../store/sql.ts'
import { policyOf, type TargetPolicy } from '../webhooks/address-rule.ts'
import { failure } from '../webhooks/attempt.ts'
import { Commons } from '../webhooks/commons.ts'
import { type EndpointActor, endpointActor } from '../webhooks/endpoint.actor.ts'
import type { DirectResult, EndpointMessage } from '../webhooks/endpoint.ts'
import type { EndpointState } from '../webhooks/endpoint-state.ts'
import { createRecorder, type RetryTimer } from '../webhooks/recorder.ts'
import type { DeliveryMetrics, Waiting } from './delivery-metrics.ts'
import { createDispatch } from './dispatch.ts'
import { createEndpointHost } from './endpoint-host.ts'

/** Finds the owner of an endpoint, here or on another node. */
export interface EndpointRouter {
  ask(kind: 'endpoint', id: string, message: EndpointMessage, deadlineMs: number): Promise<AskResult>
  tell(kind: 'endpoint', id: string, message: EndpointMessage): Promise<TellResult>
}

export interface WebhooksOptions {
  readonly sql: Pool
  readonly secrets: SecretOpener
  readonly ownership: Ownership
  readonly dialTimes: DialTimes
  readonly clock: Clock
  readonly settings: Settings
  readonly scheduleRetries: (retries: readonly RetryTimer[]) => void
  readonly router: EndpointRouter
  readonly log: { info(fields: object, event: string): void; warn(fields: object, event: string): void }
  readonly metrics: DeliveryMetrics
  readonly observe?: (event: DirectoryEvent) => void
}

export type Webhooks = ReturnType<typeof createWebhooks>

/** An urgent event waits this long for an owner; its own five seconds start when the owner has it (architecture 3.4). */
const directLimitMs = 12_000

export function createWebhooks(options: WebhooksOptions) {
  const { sql, clock, settings, router, log, metrics } = options
  const policy = targetPolicy(settings)
  const resolver = resolverOf(settings, policy, clock)
  const connect = limitDials(connectorOf(settings, policy, resolver), clock)
  const sender = { policy, connect, clock }
  const https = createHttpsSender({
    ...sender,
    connect: counted(connect, metrics),
    userAgent: `Switchboard-Webhooks/${version}`,
  })
  const tellHere = (id: string, message: EndpointMessage) => {
    if (directory.has(id)) void directory.tell(id, message)
  }
  const recorder = createRecorder({
    now: () => clock.now(),
    record: (records) => attemptStore(sql).record(records),
    scheduleRetries: options.scheduleRetries,
    recorded: (id, deliveryIds, enabled) => tellHere(id, { type: 'recorded', deliveryIds, enabled }),
    warn(event, fields) {
      metrics.warned(event)
      log.warn(fields, event)
    },
  })
  const commons = new Commons({ bytes: settings.WEBHOOK_BACKLOG_BYTES })
  const host = createEndpointHost({
    ...{ https, recorder, commons, clock, metrics, log },
    endpoints: endpointStore(sql, options.secrets),
    deliveries: deliveryStore(sql),
    dialer: createSocketDialer(sender),
    dialTimes: options.dialTimes,
    timeoutMs: settings.WEBHOOK_TIMEOUT,
    directTimeoutMs: settings.DIRECT_TIMEOUT,
    silenceMs: settings.HANDOVER_SILENCE,
    configChanged: (id) => tellHere(id, { type: 'configChanged' }),
  })
  const directory = new ActorDirectory({
    definition: noting(endpointActor(actorOptions(settings)), metrics),
    host,
    ownership: options.ownership,
    clock,
    guardMs: settings.GUARD,
    confirmEveryMs: settings.SESSION_RENEW,
    forward: (id, message) => {
      void router.tell('endpoint', id, message)
      return true
    },
    ...(options.observe && { observe: options.observe }),
  })
  metrics.readWaiting(() => waitingIn(directory.states()))
  return {
    directory,
    resolver,
    dispatch: createDispatch(router),
    direct: createDirect(router, metrics, clock),
    engine: createEngine(router),
    openSockets: () => host.sockets.openCount,
    openConnections: () => https.openConnections(),
    backlogBytes: () => commons.bytesHeld,
    /** For after the actors have left: what they still had to write and to send. */
    async close(): Promise<void> {
      await recorder.drain()
      await https.close()
      directory.close()
    },
  }
}

/** The actor, with the moment noted at which each delivery came to it. */
const noting = (actor: EndpointActor, metrics: DeliveryMetrics): EndpointActor => ({
  ...actor,
  handle(state, incoming) {
    const { message } = incoming
    if (message.type === 'deliver' || message.type === 'pulled') metrics.arrived(message.items)
    if (message.type === 'direct') metrics.arrived([message.item])
    return actor.handle(state, incoming)
  },
})

const counted =
  (connect: Connector, metrics: DeliveryMetrics): Connector =>
  async (target, deadline) => {
    const connected = await connect(target, deadline)
    metrics.dialled('https', connected.type === 'failed' ? failure(connected.code) : undefined)
    return connected
  }

function waitingIn(states: Iterable<EndpointState>): Waiting {
  const waiting = { direct: 0, first: 0, retry: 0 }
  for (const { urgent, first, retries } of states) {
    waiting.direct += urgent.length
    waiting.first += first.size
    waiting.retry += retries.size
  }
  return waiting
}

const actorOptions = (settings: Settings) => ({
  idleCloseMs: settings.WEBHOOK_IDLE_CLOSE,
  pingMs: settings.WEBHOOK_PING,
  directTimeoutMs: settings.DIRECT_TIMEOUT,
  retryDelaysMs: settings.WEBHOOK_RETRY_DELAYS,
  random: Math.random,
})

export const targetPolicy = (settings: Settings): TargetPolicy =>
  policyOf({
    targets: settings.WEBHOOK_TARGETS,
    nat64: settings.WEBHOOK_NAT64,
    allow: settings.WEBHOOK_ALLOW,
  })

const connectorOf = (settings: Settings, policy: TargetPolicy, resolver: AddressResolver) =>
  createConnector({
    policy,
    resolver,
    ...(settings.WEBHOOK_CA_FILE && { ca: readFileSync(settings.WEBHOOK_CA_FILE, 'utf8') }),
  })

const resolverOf = (settings: Settings, policy: TargetPolicy, clock: Clock): AddressResolver =>
  createResolver({
    policy,
    clock,
    ...(settings.DNS_SERVERS.length > 0 && { servers: settings.DNS_SERVERS }),
  })

function createDirect(router: EndpointRouter, metrics: DeliveryMetrics, clock: Clock): DirectSender {
  return {
    send: ({ endpointId, kind, body, headers = {} }) =>
      metrics.direct(async () => {
        const item = { kind, body: Buffer.from(body).toString('utf8'), headers, askedAtMs: clock.now() }
        const result = await router.ask('endpoint', endpointId, { type: 'direct', item }, directLimitMs)
        if (result.type === 'answered') return result.value as DirectResult
        return { type: 'failed', ...unreached(result.type) }
      }),
  }
}

function unreached(type: Exclude<AskResult['type'], 'answered'>): { code: string; message: string } {
  if (type === 'notFound') return { code: 'ENDPOINT_GONE', message: 'the endpoint does not exist any more' }
  if (type === 'full') return { code: 'OVERLOADED', message: 'endpoint overloaded' }
  if (type === 'timedOut') return { code: 'TIMEOUT', message: 'no answer came in time' }
  return { code: 'UNAVAILABLE', message: 'no gateway could take the event' }
}

const createEngine = (router: EndpointRouter) => ({
  configChanged: (id: EndpointId) => void router.tell('endpoint', id, { type: 'configChanged' }),
  wake(ids: readonly EndpointId[]) {
    for (const id of ids) void router.tell('endpoint', id, { type: 'wake' })
  },
})
