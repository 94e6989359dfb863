// The gateway process, built and connected: the edges in front, actors behind them, the cluster around.
import type { DirectoryEvent } from '../actors/directory.ts'
import { refusalHeaders } from '../api/api.ts'
import { referencePages } from '../api/docs/pages.ts'
import type { ClusterNode } from '../cluster/node.ts'
import { describeSettings, requireSettings } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import type { Live } from '../console/live/live.ts'
import { version } from '../contract/version.ts'
import type { HttpHandler } from '../http/exchange.ts'
import { type HttpServer, listen } from '../http/uws.ts'
import { providerWebhooks } from '../ingest/webhooks.ts'
import type { CampaignProducer } from '../queue/campaign-queue.ts'
import { createCallSessions } from '../redis/call-sessions.ts'
import { createDialTimes } from '../redis/dial-times.ts'
import { createPace, createTellSpent } from '../redis/pace.ts'
import { createRateLimiter } from '../redis/rate-limit.ts'
import { createAccounts } from '../store/calls.store.ts'
import { catalogSyncStore } from '../store/catalog-sync.store.ts'
import { createContactsStore } from '../store/contacts.store.ts'
import { migrate } from '../store/migrate.ts'
import type { Pool } from '../store/sql.ts'
import { createApplyUpdate } from './apply-update.ts'
import { apiServices, bindApi } from './bind-api.ts'
import { type CallDirectory, type Calls, createCalls } from './bind-calls.ts'
import { createCampaigns, openBulkPool } from './bind-campaigns.ts'
import { bindConsole } from './bind-console.ts'
import { createMedia, type Media } from './bind-media.ts'
import { createMessages } from './bind-messages.ts'
import { bindReads } from './bind-reads.ts'
import { createWebhooks, type Webhooks } from './bind-webhooks.ts'
import { openCampaignClock } from './campaign-clock.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { type Foundation, openFoundation } from './foundation.ts'
import { gatewayGauges } from './gateway-gauges.ts'
import { createHealth, type Health } from './health.ts'
import { joinCluster } from './join-cluster.ts'
import { keepPartitions } from './keep-partitions.ts'
import { probePaths, publicHandler } from './public-handler.ts'
import { openRetryTimers, type RetryTimers } from './retry-timers.ts'

export interface Gateway {
  readonly port: number
  /** Lets what is in flight finish, hands the actors over, and resolves when everything is closed (architecture 3.13). */
  drain(): Promise<void>
}

interface Parts {
  readonly base: Foundation
  readonly bulk: Pool
  readonly node: ClusterNode
  readonly timers: RetryTimers
  readonly campaignClock: CampaignProducer
  readonly deliveries: DeliveryMetrics
  readonly internal: HttpServer
  readonly health: Health
  readonly media: Media
}

export async function startGateway(settings: Settings): Promise<Gateway> {
  requireSettings(settings, ['PROVIDER_APP_SECRET', 'PROVIDER_VERIFY_TOKEN'])
  const { DATABASE_URL } = requireSettings(settings, ['DATABASE_URL'])
  const base = openFoundation(settings, 'gateway')
  const { log, sql, redisUrl } = base
  log.info({ version, settings: describeSettings(settings) }, 'gateway.starting')
  if (settings.WEBHOOK_TARGETS === 'any') log.warn({}, 'webhooks.any_target_allowed')
  await migrate(sql)
  const { internal, node } = await joinCluster(base)
  const deliveries = base.metrics.deliveries()
  const timers = await openRetryTimers(redisUrl, log, deliveries)
  const campaignClock = await openCampaignClock(redisUrl, log)
  const health = createHealth(sql)
  const parts: Parts = {
    base,
    bulk: openBulkPool(DATABASE_URL),
    node,
    timers,
    campaignClock,
    deliveries,
    internal,
    health,
    media: createMedia(base),
  }
  await parts.media
    .clearLeftovers()
    .catch((error: unknown) => log.warn({ error: String(error) }, 'media.leftovers_not_cleared'))
  const engine = build(parts)
  const server = await listen({
    host: settings.HOST,
    port: settings.PORT,
    handler: engine.handler,
    sockets: engine.live,
    maxInFlight: settings.MAX_REQUESTS,
    unlimitedPaths: probePaths,
    trustedProxies: settings.TRUSTED_PROXIES,
    refusalHeaders,
    onFault: (error, requestId) => log.error({ requestId, err: error }, 'request.failed'),
  })
  await node.serve()
  health.state = 'serving'
  const stopPartitions = keepPartitions(sql, log)
  log.info({ port: server.port, nodeId: node.self.nodeId }, 'gateway.serving')
  return {
    port: server.port,
    drain() {
      stopPartitions()
      return drain(parts, engine, server)
    },
  }
}

interface Engine {
  readonly handler: HttpHandler
  readonly live: Live
  readonly webhooks: Webhooks
  readonly calls: CallDirectory
  readonly messages: ReturnType<typeof createMessages>
}

function build(parts: Parts): Engine {
  const { base, node, timers, deliveries } = parts
  const { sql, settings, log, clock, metrics, secrets, provider, accounts } = base
  const observe = (kind: string) => (event: DirectoryEvent) => {
    if (event.type === 'dropped') metrics.dropped(kind, event.reason)
    const error = event.type === 'faulted' ? String(event.error) : undefined
    log.warn(
      { kind, actorId: event.id, error, reason: 'reason' in event ? event.reason : undefined },
      `actor.${event.type}`,
    )
  }
  const shared = { sql, ownership: node.ownership, clock, log }
  const webhooks = createWebhooks({
    ...{ ...shared, settings, secrets: secrets.box, dialTimes: createDialTimes(node.redis, clock) },
    scheduleRetries: timers.schedule,
    router: node.router,
    metrics: deliveries,
    observe: observe('endpoint'),
  })
  const contacts = createContactsStore(sql)
  const calls = createCalls({
    ...shared,
    contacts,
    sessions: createCallSessions(node.redis),
    provider,
    accounts: createAccounts(sql, accounts),
    router: node.router,
    direct: webhooks.direct,
    dispatch: webhooks.dispatch,
    settings: callSettings(settings),
    ignored: metrics.ignored,
    observe: observe('call'),
  })
  node.host('endpoint', webhooks.directory)
  node.host('call', calls.directory)
  const messages = createMessages({
    ...shared,
    accounts,
    contacts,
    provider,
    dispatch: webhooks.dispatch,
    ignored: metrics.ignored,
    spent: createTellSpent(node.redis, clock),
  })
  const { handler, live } = edges(parts, { webhooks, calls, messages })
  gatewayGauges(metrics, { webhooks, calls: calls.directory, live })
  return {
    handler,
    live,
    webhooks,
    calls: calls.directory,
    messages,
  }
}

const callSettings = (settings: Settings) => ({
  ringTimeoutMs: settings.RING_TIMEOUT,
  callTimeoutMs: settings.CALL_TIMEOUT,
  reforwardOnCrash: settings.REFORWARD_ON_CRASH,
  handoverSilenceMs: settings.HANDOVER_SILENCE,
  guardMs: settings.GUARD,
  confirmEveryMs: settings.SESSION_RENEW,
})

function edges(
  { base, bulk, node, health, media, campaignClock }: Parts,
  {
    webhooks,
    calls,
    messages,
  }: {
    webhooks: Webhooks
    calls: Calls
    messages: ReturnType<typeof createMessages>
  },
): Pick<Engine, 'handler' | 'live'> {
  const { sql, settings, log, clock, metrics, provider, accounts, secrets } = base
  const limiter = createRateLimiter(node.redis, clock)
  const reads = bindReads(base)
  const campaigns = createCampaigns({
    ...{ sql, bulk, accounts, clock },
    pace: createPace(node.redis),
    queue: campaignClock,
    dispatch: webhooks.dispatch,
  })
  const services = apiServices({ base, limiter, reads, messages, calls, media, campaigns })
  const api = bindApi(services, { base, limiter })
  const console = bindConsole({
    sql,
    settings,
    secrets: secrets.box,
    accounts,
    provider,
    limiter,
    resolver: webhooks.resolver,
    engine: webhooks.engine,
    direct: webhooks.direct,
    campaigns,
    unknown: campaigns.recipients,
    acting: {
      send: messages.send,
      preview: messages.preview,
      upload: messages.upload,
      media: media.find,
      reading: reads.reading,
      act: calls.commands.act,
    },
    clock,
    log,
    onServed: metrics.served('console'),
  })
  const required = requireSettings(settings, ['PROVIDER_APP_SECRET', 'PROVIDER_VERIFY_TOKEN'])
  const handler = publicHandler({
    api,
    console: console.handler,
    health,
    metrics,
    pages: referencePages(),
    providerWebhooks: providerWebhooks({
      appSecret: required.PROVIDER_APP_SECRET,
      verifyToken: required.PROVIDER_VERIFY_TOKEN,
      apply: createApplyUpdate({
        messages: messages.updates,
        applyCallUpdate: calls.applyCallUpdate,
        catalog: catalogSyncStore(sql, accounts),
        ignored: metrics.ignored,
      }),
      log,
      observe: metrics.received,
    }),
  })
  return { handler, live: console.live }
}

/** What each step may take of DRAIN_TIMEOUT; the process is gone then, whatever Redis, Postgres or receivers do. */
async function drain(
  parts: Parts,
  { webhooks, calls, messages, live }: Engine,
  server: HttpServer,
): Promise<void> {
  const { base, bulk, node, timers, campaignClock, internal, health, media } = parts
  const { settings, log, sql, provider } = base
  const startedAt = performance.now()
  const left = (share: number) =>
    Math.max(500, (settings.DRAIN_TIMEOUT - (performance.now() - startedAt)) * share)
  health.state = 'draining'
  log.info({}, 'gateway.draining')
  await node.leave().catch(() => undefined)
  // Load balancers go on sending until they have seen /readyz.
  await new Promise((resolve) => setTimeout(resolve, settings.DRAIN_GRACE))
  await server.close()
  live.close()
  await Promise.all([messages.drain(), media.drain()])
  await calls.drain(left(0.4))
  await webhooks.directory.drain(left(0.7))
  await webhooks.close()
  calls.close()
  await Promise.allSettled([timers.close(), campaignClock.close(), provider.close()])
  await internal.close()
  await node.close().catch(() => undefined)
  await Promise.all([sql.end({ timeout: 2 }), bulk.end({ timeout: 2 })])
  log.info({ durationMs: Math.round(performance.now() - startedAt) }, 'gateway.stopped')
}
