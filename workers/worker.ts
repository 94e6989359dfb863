// Builds and starts the worker process: delivery retries, campaigns, and the sweeps that recover lost work.
import { createCallRecords, createCallSweep } from '../src/calls/calls.module.ts'
import {
  createCampaignHooks,
  createCampaignRecords,
  createCampaignSending,
  openBulkPool,
} from '../src/campaigns/campaigns.module.ts'
import { openCampaignConsumer, openCampaignScheduler } from '../src/campaigns/host/campaign-queue.ts'
import { createTellSpent } from '../src/campaigns/store/number-rate-limit.ts'
import { limits } from '../src/contract/limits.ts'
import { createDeliveryRecords, createDeliverySweep, openHotPool } from '../src/delivery/delivery.module.ts'
import { openRetryConsumer } from '../src/delivery/host/retry-queue.ts'
import { createPartitionStore } from '../src/delivery/store/partitions.store.ts'
import { openProcessContext, type ProcessContext } from '../src/gateway/process-context.ts'
import { createMessaging, templateRendering } from '../src/messaging/messaging.module.ts'
import { ensureOptOutKey } from '../src/messaging/store/kept-opt-outs.ts'
import { type Blobs, openBlobs } from '../src/platform/blobs/open-blobs.ts'
import { type ClusterClient, startClient } from '../src/platform/cluster/node.ts'
import { describeSettings, requireSettings } from '../src/platform/config/config.ts'
import type { Settings } from '../src/platform/config/settings.ts'
import type { HttpServer } from '../src/platform/http/listen-options.ts'
import { listen } from '../src/platform/http/uws.ts'
import { migrateAt } from '../src/platform/postgres/migrate.ts'
import { createParkedMessageStore } from '../src/platform/postgres/parked-messages.store.ts'
import { forgetRequestKeys } from '../src/platform/postgres/request-keys.ts'
import type { Pool } from '../src/platform/postgres/sql.ts'
import { startDrainTime } from '../src/platform/process/drain-time.ts'
import type { Draining } from '../src/platform/process/lifecycle.ts'
import { type Loop, type LoopOptions, startLoop } from '../src/platform/process/loop.ts'
import { createPrivacyWork } from '../src/privacy/privacy.module.ts'
import { version } from '../src/shared/version.ts'
import { drainWorker } from './drain.ts'

const minuteMs = 60_000

export async function startWorker(settings: Settings): Promise<Draining> {
  const context = openProcessContext(settings, 'worker')
  const { DATABASE_URL } = requireSettings(settings, ['DATABASE_URL'])
  const { log, sql, postgres, restores, redisUrl, clock, secrets, provider } = context
  log.info({ version, settings: describeSettings(settings) }, 'worker.starting')
  await migrateAt(DATABASE_URL, { onWait: (wait) => log.warn({ ...wait }, 'migration.waiting') })
  await ensureOptOutKey(sql, secrets.box)
  const cluster = await startClient({
    redisUrl,
    secrets: secrets.cluster,
    isFastDeathEnabled: settings.FAST_DEATH,
    sessionTtlMs: settings.SESSION_TTL,
    sessionRenewMs: settings.SESSION_RENEW,
    ...{ clock, log },
  })
  const bulk = postgres.cover(openBulkPool(DATABASE_URL))
  const hot = postgres.cover(openHotPool(DATABASE_URL))
  const blobs = openBlobs(settings)
  const scheduler = await openCampaignScheduler(redisUrl, log)
  const features = createFeatures(context, { cluster, bulk, hot, blobs, scheduler })
  const { delivery, messaging, sending } = features
  const retries = await openRetryConsumer(redisUrl, log, delivery.retry)
  const campaigns = await openCampaignConsumer(redisUrl, log, sending, scheduler)
  const loops = startLoops(context, features, blobs)
  const probes = await openProbes(context)
  log.info({ port: probes?.port }, 'worker.serving')
  return {
    async drain() {
      log.info({}, 'worker.draining')
      const time = startDrainTime(settings.DRAIN_TIMEOUT, context)
      await drainWorker({ loops, campaigns, sending, messaging, retries, probes }, time)
      await Promise.allSettled([scheduler.close(), blobs.close(), cluster.close(), provider.close()])
      restores.stop()
      await Promise.all([postgres.stop(), ...[sql, bulk, hot].map((pool) => pool.end({ timeout: 2 }))])
      log.info({}, 'worker.stopped')
    },
  }
}

interface Ground {
  readonly cluster: ClusterClient
  readonly bulk: Pool
  readonly hot: Pool
  readonly blobs: Blobs
  readonly scheduler: Awaited<ReturnType<typeof openCampaignScheduler>>
}

type Features = ReturnType<typeof createFeatures>

function createFeatures(context: ProcessContext, { cluster, bulk, hot, blobs, scheduler }: Ground) {
  const { sql, provider, clock, log, metrics, accountOptions: accounts } = context
  const { fence } = context.restores
  const { router, redis } = cluster
  const servingSids = async () =>
    (await cluster.registry.liveNodes()).flatMap(({ sid, state }) => (state === 'serving' ? [sid] : []))
  const delivery = createDeliverySweep({ sql, hot, router, registry: metrics.registry, servingSids, clock })
  const { dispatch } = delivery
  const messaging = createMessaging({
    ...{ sql, accounts, provider, blobs, dispatch, clock, log, fence },
    campaigns: createCampaignHooks(sql, log),
    ignored: metrics.ignored,
    spent: createTellSpent(redis, clock),
  })
  const sending = createCampaignSending({
    ...{ sql, bulk, redis, accounts, scheduler, messaging, dispatch, clock, log, fence },
    rendering: templateRendering,
    sent: metrics.campaigns(),
  })
  const lists = {
    conversations: messaging.conversations.list,
    messages: messaging.messages.list,
    calls: createCallRecords(sql).records.list,
  }
  const privacy = createPrivacyWork({ sql, accounts, blobs, lists, readAnew: delivery.readAnew, clock, log })
  return { delivery, messaging, sending, privacy, calls: createCallSweep(sql, router) }
}

function startLoops({ sql, settings, log }: ProcessContext, features: Features, blobs: Blobs): Loop[] {
  const { delivery, messaging, sending, calls, privacy } = features
  const partitions = createPartitionStore(sql)
  const { samples } = createCampaignRecords(sql)
  const { rates } = createDeliveryRecords(sql)
  const parked = createParkedMessageStore(sql)
  const loop = (name: string, everyMs: number, run: LoopOptions['run']) =>
    startLoop({ name, everyMs, run, log })
  return [
    loop('deliveries', 1_000, delivery.sweep),
    loop('backlog', 5_000, delivery.sample),
    loop('ready_sockets', 5_000, async () => settings.WEBHOOK_KEEP_OPEN && delivery.keepReady()),
    loop('sends', 1_000, async () => (await messaging.sweepSends()) >= 500),
    loop('campaigns', 2_000, sending.sweep),
    loop('campaign_samples', 5_000, async () => void (await samples.take())),
    loop('merged_contacts', 5_000, async () => (await messaging.moveMerged()) > 0),
    loop('calls', 1_000, calls.wakeOverdue),
    loop('media', 500, messaging.media.sweep),
    loop('media_leftovers', 60 * minuteMs, async () => void (await blobs.clearLeftovers())),
    loop('partitions', 60 * minuteMs, async () => {
      await partitions.ensurePartitions()
      const { dropped, discarded } = await partitions.dropPartitions(settings.RETENTION_DAYS)
      if (dropped.length > 0 || discarded > 0) log.info({ dropped, discarded }, 'partitions.dropped')
    }),
    loop('early_terminates', 10 * minuteMs, calls.forgetEarlyTerminates),
    loop('attempt_rates', 60 * minuteMs, rates.forget),
    loop('account_reports', 60 * minuteMs, () => messaging.accountStates.forget(settings.RETENTION_DAYS)),
    loop('parked_messages', 60 * minuteMs, () => parked.forget(settings.RETENTION_DAYS)),
    loop('contact_jobs', 1_000, privacy.runJob),
    loop('contact_exports', 10 * minuteMs, privacy.expireExports),
    loop('deleted_files', 1_000, privacy.deleteFiles),
    loop('content_retention', 10 * minuteMs, privacy.removeContents),
    loop('expired_uploads', 10 * minuteMs, privacy.removeUploads),
    loop('deleted_campaigns', minuteMs, privacy.purgeCampaigns),
    loop('request_keys', 60 * minuteMs, () => forgetRequestKeys(sql, limits.idempotencyKeyDays)),
    loop('catalog', 10 * minuteMs, messaging.syncCatalog),
  ]
}

/** Serves `/metrics` where WORKER_PORT is set. */
const openProbes = async ({ settings, metrics }: ProcessContext): Promise<HttpServer | undefined> =>
  settings.WORKER_PORT === undefined
    ? undefined
    : listen({
        host: settings.INTERNAL_HOST,
        port: settings.WORKER_PORT,
        maxInFlight: 10,
        handler: ({ path }) => (path === '/metrics' ? metrics.answer() : { status: 404 }),
      })
