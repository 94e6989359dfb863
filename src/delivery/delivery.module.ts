// The interface of the delivery feature: endpoint actors, senders, recorder, dispatch and the delivery log.

import { readFileSync } from 'node:fs'
import type { Registry } from 'prom-client'
import type { SecretOpener } from '../accounts/store/provider-account.ts'
import { ActorDirectory } from '../platform/actors/directory.ts'
import type { DirectoryEvent } from '../platform/actors/directory-options.ts'
import { noRestores, outliveRestore } from '../platform/actors/outlive-restore.ts'
import type { Ownership } from '../platform/actors/ownership.ts'
import { ConfigError } from '../platform/config/config.ts'
import type { Settings } from '../platform/config/settings.ts'
import type { RestoreWatch } from '../platform/postgres/restore-watch.ts'
import { connectPool, type Pool } from '../platform/postgres/sql.ts'
import type { Clock } from '../shared/clock.ts'
import type { WorkspaceId } from '../shared/ids.ts'
import type { Log } from '../shared/log.ts'
import { version } from '../shared/version.ts'
import { policyOf, type TargetPolicy } from './address-rule.ts'
import { failure } from './attempt.ts'
import { AttemptTally } from './attempt-tally.ts'
import { type EndpointActor, endpointActor } from './endpoint.actor.ts'
import type { EndpointMessage } from './endpoint.messages.ts'
import type { EndpointState } from './endpoint-state.ts'
import { createBacklogMetrics } from './host/backlog-metrics.ts'
import type { DeliveryMetrics, Waiting } from './host/delivery-metrics.ts'
import { createDirect, createDispatch, createEngine, type EndpointRouter } from './host/dispatch.ts'
import { createEndpointHost, type EndpointHost } from './host/endpoint-host.ts'
import { createKeepReady, type ReadyPorts } from './host/keep-ready.ts'
import type { RetryJob } from './host/retry-queue.ts'
import { createSweep, readAnew, retry } from './host/sweep-deliveries.ts'
import { checkAuthorities } from './outbound/authorities.ts'
import { createConnector, observed } from './outbound/connect.ts'
import { limitDials } from './outbound/dial-limits.ts'
import { createHttpsSender } from './outbound/https-sender.ts'
import { type AddressResolver, createResolver } from './outbound/resolve.ts'
import { createSocketDialer } from './outbound/socket-dialer.ts'
import { ProcessBudget } from './process-budget.ts'
import { createRecorder, type Recorder, type RetryTimer } from './recorder.ts'
import { createAttemptRateStore } from './store/attempt-rates.store.ts'
import { createAttemptStore } from './store/attempts.store.ts'
import { createBacklogStore } from './store/backlog.store.ts'
import { createDeliveryStore } from './store/deliveries.store.ts'
import { createDeliveryLogStore } from './store/deliveries-log.store.ts'
import { createReplayStore } from './store/deliveries-replay.store.ts'
import type { DialTimes } from './store/dial-times.ts'
import { createEndpointHealthStore } from './store/endpoint-health.store.ts'
import { createEndpointStore, createOwnedStore, createRingingStore } from './store/endpoints.store.ts'
import { createEndpointAdminStore } from './store/endpoints-admin.store.ts'

/**
 * For what is done to each delivery. Results are written one batch at a time, and the queues of an endpoint are read
 * seldom. The pool opens its connections when they are first needed.
 */
export const openHotPool = (url: string): Pool =>
  connectPool({ url, max: 4, name: 'switchboard-deliveries', isPlannedOnce: true })

export interface DeliveryOptions {
  readonly sql: Pool
  readonly hot: Pool
  /** For the owners of endpoints: no frame goes out, and no call rings, while one cannot confirm that it is. */
  readonly urgent: Pool
  readonly secrets: SecretOpener
  readonly ownership: Ownership
  readonly dialTimes: DialTimes
  readonly clock: Clock
  readonly settings: Settings
  readonly scheduleRetries: (retries: readonly RetryTimer[]) => void
  readonly router: EndpointRouter
  readonly log: Log
  readonly metrics: DeliveryMetrics
  /** Without it, endpoints are loaded again after a restore of Postgres. */
  readonly restores?: RestoreWatch
  readonly observe?: (event: DirectoryEvent) => void
}

/** The delivery stores for operators. */
export const createDeliveryRecords = (sql: Pool) => ({
  endpoints: createEndpointAdminStore(sql),
  log: createDeliveryLogStore(sql),
  replays: createReplayStore(sql),
  health: createEndpointHealthStore(sql),
  rates: createAttemptRateStore(sql),
})

/** Delivery in a process without actors: it passes events to their owners, and sweeps. */
export function createDeliverySweep({
  sql,
  hot,
  router,
  registry,
  servingSids,
  clock,
}: DeliverySweepOptions) {
  const metrics = createBacklogMetrics(registry)
  const ports = { deliveries: createDeliveryStore(hot), router, woken: metrics.woken }
  const backlog = createBacklogStore(hot)
  const endpoints = createRingingStore(sql)
  return {
    dispatch: createDispatch(router),
    retry: (job: RetryJob) => retry({ ...ports, clock }, job),
    sweep: createSweep(ports),
    keepReady: createKeepReady({ endpoints, router, servingSids, clock }),
    readAnew: (workspaceId: WorkspaceId) => readAnew({ ...createOwnedStore(sql), router }, workspaceId),
    sample: async () => metrics.sampled(await backlog.sample()),
  }
}

export interface DeliverySweepOptions {
  readonly sql: Pool
  readonly hot: Pool
  readonly router: Pick<EndpointRouter, 'tell'>
  readonly registry: Registry
  readonly servingSids: ReadyPorts['servingSids']
  readonly clock: Clock
}

export type Delivery = ReturnType<typeof createDelivery>

export function createDelivery(options: DeliveryOptions) {
  const { sql, hot, clock, settings, router, log, metrics } = options
  const policy = targetPolicy(settings)
  const resolver = resolverOf(settings, policy, clock)
  const connect = limitDials(connectorOf(settings, policy, resolver), clock)
  const sender = { policy, connect, clock }
  const https = createHttpsSender({
    ...sender,
    connect: observed(connect, (connected) =>
      metrics.dialled('https', connected.type === 'failed' ? failure(connected.code) : undefined),
    ),
    userAgent: `Switchboard-Webhooks/${version}`,
  })
  const tellHere = (id: string, message: EndpointMessage) => {
    if (directory.has(id)) void directory.tell(id, message)
  }
  const attempts = createAttemptStore(hot)
  const recorder = createRecorder({
    now: () => clock.now(),
    record: (records) => attempts.record(records),
    scheduleRetries: options.scheduleRetries,
    recorded: (id, deliveryIds, enabled) => tellHere(id, { type: 'recorded', deliveryIds, enabled }),
    warn(event, fields) {
      metrics.warned(event)
      log.warn(fields, event)
    },
  })
  const tally = new AttemptTally({ clock, add: createAttemptRateStore(sql).add })
  const processBudget = new ProcessBudget({ bytes: settings.WEBHOOK_BACKLOG_BYTES })
  const keepsOpen = settings.WEBHOOK_KEEP_OPEN
  const endpoints = createEndpointStore(options.urgent, options.secrets, { keepsOpen })
  const ownHost = createEndpointHost({
    ...{ https, processBudget, clock, metrics, log },
    recorder: tallied(recorder, tally),
    unwritten: recorder.unwritten,
    endpoints,
    deliveries: createDeliveryStore(hot),
    dialer: createSocketDialer(sender),
    dialTimes: options.dialTimes,
    timeoutMs: settings.WEBHOOK_TIMEOUT,
    directTimeoutMs: settings.DIRECT_TIMEOUT,
    silenceMs: settings.HANDOVER_SILENCE,
    configChanged: (id) => tellHere(id, { type: 'configChanged' }),
  })
  const { host, epochOf } = outliveRestore(ownHost, options.restores ?? noRestores)
  options.restores?.onRestored(() => {
    const owned = [...directory.states()].map(({ config: { id } }) => ({ id, epoch: epochOf(id) ?? 0 }))
    return endpoints.restore(owned, options.ownership.sid)
  })
  const directory = directoryOf(options, host)
  metrics.readWaiting(() => waitingIn(directory.states()))
  return {
    ...createDeliveryRecords(sql),
    directory,
    judgeHost: judgeHostWith(resolver),
    dispatch: createDispatch(router),
    direct: createDirect(router, metrics, clock),
    engine: createEngine(router),
    openSockets: () => host.openSockets(),
    openConnections: () => https.openConnections(),
    backlogBytes: () => processBudget.bytesHeld,
    /** For after the actors have left: waits for results that must be written and for requests under way. */
    async close(): Promise<void> {
      await recorder.drain()
      await tally.flush()
      await https.close()
      directory.close()
    },
  }
}

/** Each result is counted once, however often its row is written. */
const tallied = (recorder: Recorder, tally: AttemptTally): Recorder => ({
  ...recorder,
  add(record) {
    tally.add(record)
    recorder.add(record)
  },
})

const directoryOf = (options: DeliveryOptions, host: EndpointHost) =>
  new ActorDirectory({
    definition: noting(endpointActor(actorOptions(options.settings)), options.metrics),
    host,
    ownership: options.ownership,
    clock: options.clock,
    guardMs: options.settings.GUARD,
    confirmEveryMs: options.settings.SESSION_RENEW * 2,
    forward: (id, message) => {
      void options.router.tell('endpoint', id, message)
      return true
    },
    ...(options.observe && { observe: options.observe }),
  })

/** The actor, with the arrival time of each delivery noted for the metrics. */
const noting = (actor: EndpointActor, metrics: DeliveryMetrics): EndpointActor => ({
  ...actor,
  handle(state, incoming) {
    const { message } = incoming
    if (message.type === 'deliver' || message.type === 'pulled') metrics.arrived(message.items)
    if (message.type === 'direct') metrics.arrived([message.item])
    return actor.handle(state, incoming)
  },
})

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
  timeoutMs: settings.WEBHOOK_TIMEOUT,
  directTimeoutMs: settings.DIRECT_TIMEOUT,
  failurePauseMs: settings.WEBHOOK_FAILURE_PAUSE,
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
    ...(settings.WEBHOOK_CA_FILE && { ca: authorityIn(settings.WEBHOOK_CA_FILE) }),
  })

function authorityIn(file: string): string {
  try {
    return checkAuthorities(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ConfigError(`WEBHOOK_CA_FILE must be a file of certificates (PEM): ${String(error)}`)
  }
}

const resolverOf = (settings: Settings, policy: TargetPolicy, clock: Clock): AddressResolver =>
  createResolver({
    policy,
    clock,
    ...(settings.DNS_SERVERS.length > 0 && { servers: settings.DNS_SERVERS }),
  })

const reasons = {
  ADDRESS_FORBIDDEN: 'the name leads to an address that is not public',
  DNS_NOT_FOUND: 'the name does not exist',
} as const

export type HostVerdict =
  | { readonly type: 'ok' }
  /** The name does not exist, or leads to an address that is not public. The reason is for a person. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The resolver gives no usable answer. */
  | { readonly type: 'unresolvable' }

/** Bypasses the cache, because an operator who adds an endpoint may just have created its name. */
const judgeHostWith =
  (resolver: AddressResolver) =>
  async (host: string): Promise<HostVerdict> => {
    const resolution = await resolver.resolve(host, { fresh: true })
    if (resolution.type === 'resolved') return { type: 'ok' }
    const { code } = resolution
    if (code === 'ADDRESS_FORBIDDEN' || code === 'DNS_NOT_FOUND')
      return { type: 'refused', reason: reasons[code] }
    return { type: 'unresolvable' }
  }
