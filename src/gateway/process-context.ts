// What every process of Switchboard opens first: log, metrics, Postgres, secrets and the provider client.
import type { Logger } from 'pino'
import {
  type ProcessSecrets,
  processSecrets,
  reportFailures,
  type SecretFailure,
} from '../accounts/host/secrets.ts'
import type { AccountOptions } from '../accounts/store/provider-account.ts'
import { requireSettings } from '../platform/config/config.ts'
import type { Settings } from '../platform/config/settings.ts'
import { createLogger } from '../platform/observability/logger.ts'
import { createMetrics, type Metrics } from '../platform/observability/metrics.ts'
import { createRestoreWatch, type RestoreWatch } from '../platform/postgres/restore-watch.ts'
import { connectPool, type Pool } from '../platform/postgres/sql.ts'
import { type PostgresWatch, watchPostgres } from '../platform/postgres/watch.ts'
import { type CloudApi, createCloudApi } from '../provider/outgoing/cloud-api.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { armFailpoint } from '../shared/failpoint.ts'

export interface ProcessContext {
  readonly settings: Settings
  readonly redisUrl: string
  readonly log: Logger
  readonly clock: Clock
  readonly metrics: Metrics
  readonly sql: Pool
  readonly postgres: PostgresWatch
  readonly restores: RestoreWatch
  readonly secrets: ProcessSecrets
  /** For requests to the provider on behalf of a workspace. */
  readonly accountOptions: AccountOptions
  readonly provider: CloudApi
}

export function openProcessContext(settings: Settings, name: 'gateway' | 'worker'): ProcessContext {
  const { DATABASE_URL, REDIS_URL } = requireSettings(settings, ['DATABASE_URL', 'REDIS_URL'])
  armFailpoint(settings.FAILPOINT)
  const log = createLogger(settings, name)
  const metrics = createMetrics()
  const { box, ...derived } = processSecrets(settings)
  const secrets = { ...derived, box: reportFailures(box, secretFailureReport({ log, metrics })) }
  const postgres = watchPostgres({ url: DATABASE_URL, clock: systemClock, log })
  const pool = { url: DATABASE_URL, max: settings.DATABASE_POOL, name: `switchboard-${name}` }
  const sql = postgres.cover(connectPool(pool))
  return {
    ...{ settings, redisUrl: REDIS_URL, log, clock: systemClock, metrics, sql, postgres, secrets },
    restores: createRestoreWatch({ sql, clock: systemClock, log, count: metrics.restored }),
    accountOptions: { secrets: secrets.box, defaultToken: settings.PROVIDER_ACCESS_TOKEN },
    provider: createCloudApi({
      baseUrl: settings.PROVIDER_BASE_URL,
      version: settings.PROVIDER_VERSION,
      appId: settings.PROVIDER_APP_ID,
      timeoutMs: settings.PROVIDER_TIMEOUT,
      log,
      observe: metrics.asked,
    }),
  }
}

/** A wrong key fails for every endpoint and request: one line a second for each kind of failure. */
const reportMs = 1_000

function secretFailureReport({ log, metrics }: Pick<ProcessContext, 'log' | 'metrics'>) {
  const until = new Map<string, number>()
  return ({ operation, fault, keyId }: SecretFailure): void => {
    metrics.secretFailed(operation, fault)
    const kind = `${operation} ${fault}`
    if (performance.now() < (until.get(kind) ?? 0)) return
    until.set(kind, performance.now() + reportMs)
    log.error({ operation, fault, keyId }, 'secret.failed')
  }
}
