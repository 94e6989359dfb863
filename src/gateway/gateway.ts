// Builds and starts the gateway process: creates the features, connects them, and opens its ports.
import { createAccounts } from '../accounts/accounts.module.ts'
import { createApiEdge } from '../api/api.module.ts'
import { refusalHeaders } from '../api/api.ts'
import { documentationPages } from '../api/docs/pages.ts'
import { createCalls, openUrgentPool } from '../calls/calls.module.ts'
import { createCallSessions } from '../calls/store/call-sessions.ts'
import { createCampaignHooks, createCampaigns, openBulkPool } from '../campaigns/campaigns.module.ts'
import { openCampaignScheduler } from '../campaigns/host/campaign-queue.ts'
import { createNumberRateLimit, createTellSpent } from '../campaigns/store/number-rate-limit.ts'
import { createConsoleEdge } from '../console/console.module.ts'
import { createDelivery, openHotPool } from '../delivery/delivery.module.ts'
import { DeliveryMetrics } from '../delivery/host/delivery-metrics.ts'
import { keepPartitions } from '../delivery/host/keep-partitions.ts'
import { openRetryTimers } from '../delivery/host/retry-queue.ts'
import { createDialTimes } from '../delivery/store/dial-times.ts'
import { createMessaging } from '../messaging/messaging.module.ts'
import { ensureOptOutKey } from '../messaging/store/kept-opt-outs.ts'
import { openBlobs } from '../platform/blobs/open-blobs.ts'
import { describeSettings, requireSettings } from '../platform/config/config.ts'
import { checkGatewaySettings } from '../platform/config/gateway-settings.ts'
import type { Settings } from '../platform/config/settings.ts'
import { whileAvailable } from '../platform/http/pipeline.ts'
import { serverReports } from '../platform/http/server-reports.ts'
import { listen } from '../platform/http/uws.ts'
import { createActorEvents } from '../platform/observability/actor-events.ts'
import { createInboundElementStore } from '../platform/postgres/inbound-elements.store.ts'
import { migrateAt } from '../platform/postgres/migrate.ts'
import { createParkedMessageStore } from '../platform/postgres/parked-messages.store.ts'
import { createHealth } from '../platform/process/health.ts'
import { type Load, watchLoad } from '../platform/process/load.ts'
import { createRateLimiter } from '../platform/redis/rate-limit.ts'
import { createPrivacy } from '../privacy/privacy.module.ts'
import { createKeepElements } from '../provider/incoming/keep-elements.ts'
import { createIncoming } from '../provider/incoming.module.ts'
import { version } from '../shared/version.ts'
import { drainGateway } from './drain.ts'
import { joinCluster } from './join-cluster.ts'
import { openProcessContext, type ProcessContext } from './process-context.ts'
import { probePaths, publicHandler } from './public-handler.ts'

export interface Gateway {
  readonly port: number
  /** Finishes requests in flight, hands the actors over, and resolves when everything is closed. */
  drain(): Promise<void>
}

export async function startGateway(settings: Settings): Promise<Gateway> {
  checkGatewaySettings(settings)
  const context = openProcessContext(settings, 'gateway')
  const { log, sql } = context
  log.info({ version, settings: describeSettings(settings) }, 'gateway.starting')
  if (settings.WEBHOOK_TARGETS === 'any') log.warn({}, 'webhooks.any_target_allowed')
  const { DATABASE_URL } = requireSettings(settings, ['DATABASE_URL'])
  await migrateAt(DATABASE_URL, { onWait: (wait) => log.warn({ ...wait }, 'migration.waiting') })
  await ensureOptOutKey(sql, context.secrets.box)
  const ground = await openGround(context)
  const { internal, node, health, blobs } = ground
  await blobs
    .clearLeftovers()
    .catch((error: unknown) => log.warn({ error: String(error) }, 'media.leftovers_not_cleared'))
  const features = createFeatures(context, ground)
  const load = watchLoad({
    ...{ isEnabled: settings.LOAD_SHEDDING, sql, clock: context.clock, log },
    postgresAwayMs: context.postgres.awayMs,
    fullness: () => server.inFlight() / settings.MAX_REQUESTS,
  })
  const { handler, live, startApplying } = createEdges(context, { ...ground, load }, features)
  const server = await listen({
    host: settings.HOST,
    port: settings.PORT,
    handler,
    sockets: live,
    maxInFlight: settings.MAX_REQUESTS,
    unlimitedPaths: probePaths,
    trustedProxies: settings.TRUSTED_PROXIES,
    publicUrl: settings.PUBLIC_URL,
    slowMs: settings.UPLOAD_GRACE,
    refusalHeaders,
    ...serverReports({ clock: context.clock, log, count: context.metrics.refusedEarly }),
  })
  await node.serve()
  health.state = 'serving'
  const stopPartitions = keepPartitions(sql, log)
  const applying = startApplying()
  log.info({ port: server.port, internalPort: internal.port, nodeId: node.self.nodeId }, 'gateway.serving')
  return {
    port: server.port,
    async drain() {
      const startedAt = performance.now()
      health.state = 'draining'
      log.info({}, 'gateway.draining')
      stopPartitions()
      void applying.stop()
      load.stop()
      context.restores.stop()
      await drainGateway({ ...ground, ...features, server, live, provider: context.provider }, context)
      const pools = [sql, ground.bulk, ground.hot, ground.urgent]
      await Promise.all([context.postgres.stop(), ...pools.map((pool) => pool.end({ timeout: 2 }))])
      log.info({ durationMs: Math.round(performance.now() - startedAt) }, 'gateway.stopped')
    },
  }
}

type Ground = Awaited<ReturnType<typeof openGround>>

/** Opens what the features need in addition to the process context. */
async function openGround(context: ProcessContext) {
  const { settings, redisUrl, log, metrics } = context
  const { DATABASE_URL } = requireSettings(settings, ['DATABASE_URL'])
  const { internal, node } = await joinCluster(context)
  const deliveryMetrics = new DeliveryMetrics(metrics.registry)
  return {
    internal,
    node,
    deliveryMetrics,
    timers: await openRetryTimers(redisUrl, log, deliveryMetrics),
    scheduler: await openCampaignScheduler(redisUrl, log),
    bulk: context.postgres.cover(openBulkPool(DATABASE_URL)),
    hot: context.postgres.cover(openHotPool(DATABASE_URL)),
    urgent: context.postgres.cover(openUrgentPool(DATABASE_URL)),
    health: createHealth(context.postgres),
    blobs: openBlobs(settings),
    keeper: createKeepElements({
      store: createInboundElementStore(context.sql),
      log,
      lost: metrics.copiesLost,
    }),
  }
}

type Features = ReturnType<typeof createFeatures>

function createFeatures(context: ProcessContext, ground: Ground) {
  const { sql, settings, log, clock, metrics, secrets, provider, accountOptions, restores } = context
  const { node, timers, deliveryMetrics, scheduler, bulk, hot, urgent, blobs } = ground
  const observe = createActorEvents({ metrics, park: createParkedMessageStore(sql).add, log })
  const shared = { sql, urgent, settings, clock, log, restores }
  const delivery = createDelivery({
    ...shared,
    hot,
    secrets: secrets.box,
    ownership: node.ownership,
    router: node.router,
    dialTimes: createDialTimes(node.redis, clock),
    scheduleRetries: timers.schedule,
    metrics: deliveryMetrics,
    observe: observe('endpoint'),
  })
  const { dispatch } = delivery
  const { router, session } = node
  const handover = { router, session, endpoints: delivery.directory, taken: metrics.taken }
  const messaging = createMessaging({
    ...{ sql, urgent, clock, log, provider, blobs, dispatch, handover },
    accounts: accountOptions,
    campaigns: createCampaignHooks(sql, log),
    ignored: metrics.ignored,
    spent: createTellSpent(node.redis, clock),
  })
  const calls = createCalls({
    ...shared,
    ...messaging.ofCalls,
    sessions: createCallSessions(node.redis),
    ...handover,
    ...{ provider, ownership: node.ownership },
    ...{ direct: delivery.direct, dispatch },
    ignored: metrics.ignored,
    observe: observe('call'),
  })
  const campaigns = createCampaigns({
    ...{ sql, bulk, clock, scheduler, dispatch },
    accounts: accountOptions,
    rateLimit: createNumberRateLimit(node.redis),
  })
  node.host('endpoint', delivery.directory)
  node.host('call', calls.directory)
  node.host('callUpdates', calls.updates)
  if (messaging.handedUpdates) node.host('messageUpdates', messaging.handedUpdates)
  const privacy = createPrivacy({ sql, blobs })
  return { accounts: createAccounts(shared), delivery, messaging, calls, campaigns, privacy }
}

function createEdges(
  context: ProcessContext,
  { node, health, load, keeper }: Ground & { readonly load: Load },
  features: Features,
) {
  const { sql, settings, log, clock, metrics, secrets } = context
  const { accounts, delivery, calls } = features
  const limiter = createRateLimiter(node.redis, clock)
  const { authenticate, noteDownload } = accounts
  const api = createApiEdge({
    ...features,
    authenticate,
    noteDownload,
    limiter,
    load,
    log,
    onServed: metrics.served('api'),
  })
  const console = createConsoleEdge({
    ...{ ...features, sql, settings, limiter, load, clock, log },
    secrets: secrets.box,
    deviceKeys: secrets.devices,
    onServed: metrics.served('console'),
  })
  const required = requireSettings(settings, ['PROVIDER_APP_SECRET', 'PROVIDER_VERIFY_TOKEN'])
  const { webhooks, startApplying } = createIncoming({
    ...{ ...features, sql, clock, log, keep: keeper },
    appSecret: required.PROVIDER_APP_SECRET,
    verifyToken: required.PROVIDER_VERIFY_TOKEN,
    ignored: metrics.ignored,
    observe: metrics.received,
  })
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge({ name: `switchboard_${name}`, help, read })
  gauge('endpoint_actors', 'Endpoints owned by this process', () => delivery.directory.size)
  gauge('call_actors', 'Calls owned by this process', () => calls.directory.size)
  gauge('webhook_sockets', 'Open webhook sockets', delivery.openSockets)
  gauge('webhook_connections', 'Open HTTPS connections to endpoints', delivery.openConnections)
  gauge('load_level', 'Classes of requests that are shed: 1 lists, 2 other reads, 3 sends', () =>
    load.level(),
  )
  gauge(
    'postgres_wait_seconds',
    'Longest wait of the last second for a connection and its answer',
    () => load.pressure().poolMs / 1_000,
  )
  gauge('console_sockets', 'Open live connections of the console', () => console.live.openSockets())
  gauge('webhook_backlog_bytes', 'Bytes of events that wait in memory', delivery.backlogBytes)
  const pages = documentationPages({ handsetsUrl: settings.HANDSETS_URL })
  const edges = {
    ...{ api, console: console.handler, health, pages },
    providerWebhooks: whileAvailable(webhooks, load),
  }
  return { handler: publicHandler(edges), live: console.live, startApplying }
}
