// The worker process, built and connected: timers of retries, and the sweeps that make up for whatever got lost.
import { startClient } from '../src/cluster/node.ts'
import { describeSettings, requireSettings } from '../src/config/config.ts'
import type { Settings } from '../src/config/settings.ts'
import { version } from '../src/contract/version.ts'
import { type HttpServer, listen } from '../src/http/uws.ts'
import { createRetryConsumer } from '../src/queue/queues.ts'
import { closeRedis, connectRedis, type Redis } from '../src/redis/client.ts'
import { createTellSpent } from '../src/redis/pace.ts'
import { withDeadline } from '../src/shared/deadline.ts'
import { backlogStore } from '../src/store/backlog.store.ts'
import { createCallsStore } from '../src/store/calls.store.ts'
import { campaignSamplesStore } from '../src/store/campaign-samples.store.ts'
import { catalogSyncStore } from '../src/store/catalog-sync.store.ts'
import { createContactsStore } from '../src/store/contacts.store.ts'
import { deliveryStore } from '../src/store/deliveries.store.ts'
import { maintenanceStore } from '../src/store/maintenance.store.ts'
import { migrate } from '../src/store/migrate.ts'
import { createTemplateStore } from '../src/store/templates.store.ts'
import type { BacklogMetrics } from '../src/wiring/backlog-metrics.ts'
import { openBulkPool } from '../src/wiring/bind-campaigns.ts'
import { createMedia, type Media } from '../src/wiring/bind-media.ts'
import { createMessages } from '../src/wiring/bind-messages.ts'
import type { EndpointRouter } from '../src/wiring/bind-webhooks.ts'
import { createDispatch } from '../src/wiring/dispatch.ts'
import { type Foundation, openFoundation } from '../src/wiring/foundation.ts'
import type { Draining } from '../src/wiring/lifecycle.ts'
import { syncCatalog } from '../src/wiring/sync-catalog.ts'
import { type CallWork, wakeOverdueCalls } from './calls.ts'
import { type CampaignWork, startCampaignWork } from './campaigns.ts'
import { type DeliveryWork, retry, sweepDeliveries } from './deliveries.ts'
import { type Loop, startLoop } from './loop.ts'

const minuteMs = 60_000

export async function startWorker(settings: Settings): Promise<Draining> {
  const base = openFoundation(settings, 'worker')
  const { DATABASE_URL } = requireSettings(settings, ['DATABASE_URL'])
  const { log, sql, redisUrl, clock, secrets } = base
  log.info({ version, settings: describeSettings(settings) }, 'worker.starting')
  await migrate(sql)
  const cluster = await startClient({
    redisUrl,
    secret: secrets.cluster,
    isFastDeathEnabled: settings.FAST_DEATH,
    clock,
    log,
  })
  const { router } = cluster
  const backlog = base.metrics.backlog()
  const deliveries: DeliveryWork = { deliveries: deliveryStore(sql), router, woken: backlog.woken }
  const messages = messagesOf(base, router, cluster.redis)
  const media = createMedia(base)
  const onError = (error: Error) => log.warn({ error: String(error) }, 'redis.connection_failed')
  const queueRedis = await connectRedis({ url: redisUrl, role: 'consumer', onError })
  const consumer = createRetryConsumer(queueRedis, (job) => retry(deliveries, job), log)
  const bulk = openBulkPool(DATABASE_URL)
  const campaigns = await startCampaignWork({ base, bulk, redis: cluster.redis, router })
  const loops = startLoops(base, { deliveries, messages, media, router, backlog, campaigns })
  const probes = await openProbes(base)
  log.info({ port: probes?.port }, 'worker.serving')
  return {
    async drain() {
      log.info({}, 'worker.draining')
      await probes?.close()
      await Promise.all(loops.map((loop) => loop.stop()))
      await withDeadline(consumer.close(), 5_000, 'closing a queue').catch(() => undefined)
      await Promise.all([messages.drain(), campaigns.drain()])
      await withDeadline(media.drain(), 5_000, 'breaking off downloads').catch(() => undefined)
      await Promise.allSettled([closeRedis(queueRedis), cluster.close(), base.provider.close()])
      await Promise.all([sql.end({ timeout: 2 }), bulk.end({ timeout: 2 })])
      log.info({}, 'worker.stopped')
    },
  }
}

/** `/metrics`, where somebody wants it. */
const openProbes = async ({ settings, metrics }: Foundation): Promise<HttpServer | undefined> =>
  settings.WORKER_PORT === undefined
    ? undefined
    : listen({
        host: settings.HOST,
        port: settings.WORKER_PORT,
        maxInFlight: 10,
        handler: ({ path }) => (path === '/metrics' ? metrics.answer() : { status: 404 }),
      })

type Messages = ReturnType<typeof createMessages>

const messagesOf = (
  { sql, accounts, provider, clock, log, metrics }: Foundation,
  router: EndpointRouter,
  redis: Redis,
): Messages =>
  createMessages({
    sql,
    accounts,
    contacts: createContactsStore(sql),
    provider,
    dispatch: createDispatch(router),
    clock,
    log,
    ignored: metrics.ignored,
    spent: createTellSpent(redis, clock),
  })

interface Work {
  readonly deliveries: DeliveryWork
  readonly messages: Messages
  readonly media: Media
  readonly router: EndpointRouter & CallWork['router']
  readonly backlog: BacklogMetrics
  readonly campaigns: CampaignWork
}

function startLoops({ sql, settings, accounts, provider, log }: Foundation, work: Work): Loop[] {
  const maintenance = maintenanceStore(sql)
  const backlogs = backlogStore(sql)
  const samples = campaignSamplesStore(sql)
  const calls = createCallsStore(sql)
  const catalog = {
    store: catalogSyncStore(sql, accounts),
    templates: createTemplateStore(sql),
    provider,
    log,
  }
  const loop = (name: string, everyMs: number, run: () => Promise<unknown>) =>
    startLoop({ name, everyMs, run, log })
  return [
    loop('deliveries', 1_000, () => sweepDeliveries(work.deliveries)),
    loop('backlog', 5_000, async () => work.backlog.sampled(await backlogs.sample())),
    loop('sends', 1_000, async () => (await work.messages.sweep()) >= 500),
    loop('campaigns', 2_000, () => work.campaigns.sweep()),
    loop('campaign_samples', 5_000, () => samples.take()),
    loop('calls', 1_000, () => wakeOverdueCalls({ calls, router: work.router })),
    loop('media', 500, () => work.media.sweep()),
    loop('media_leftovers', 60 * minuteMs, () => work.media.clearLeftovers()),
    loop('partitions', 60 * minuteMs, async () => {
      await maintenance.ensurePartitions()
      const { dropped, discarded } = await maintenance.dropPartitions(settings.RETENTION_DAYS)
      if (dropped.length > 0 || discarded > 0) log.info({ dropped, discarded }, 'partitions.dropped')
    }),
    loop('tombstones', 10 * minuteMs, async () => {
      await maintenance.forgetTombstones()
    }),
    loop('catalog', 10 * minuteMs, async () => {
      await syncCatalog(catalog)
    }),
  ]
}
