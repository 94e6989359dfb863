// What every process of Switchboard opens first: Postgres, the sealed secrets, the provider.
import type { Logger } from 'pino'
import { requireSettings } from '../config/config.ts'
import type { Settings } from '../config/settings.ts'
import { type CloudApi, createCloudApi } from '../provider/cloud-api.ts'
import { type Clock, systemClock } from '../shared/clock.ts'
import { armFailpoint } from '../shared/failpoint.ts'
import type { AccountOptions } from '../store/messages.store.ts'
import { connectPool, type Pool } from '../store/sql.ts'
import { createLogger } from './logger.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { type ProcessSecrets, processSecrets } from './secrets.ts'

export interface Foundation {
  readonly settings: Settings
  readonly redisUrl: string
  readonly log: Logger
  readonly clock: Clock
  readonly metrics: Metrics
  readonly sql: Pool
  readonly secrets: ProcessSecrets
  readonly accounts: AccountOptions
  readonly provider: CloudApi
}

export function openFoundation(settings: Settings, name: 'gateway' | 'worker'): Foundation {
  const { DATABASE_URL, REDIS_URL } = requireSettings(settings, ['DATABASE_URL', 'REDIS_URL'])
  armFailpoint(settings.FAILPOINT)
  const log = createLogger(settings, name)
  const metrics = createMetrics()
  const secrets = processSecrets(settings)
  return {
    settings,
    redisUrl: REDIS_URL,
    log,
    clock: systemClock,
    metrics,
    sql: connectPool({ url: DATABASE_URL, max: settings.DATABASE_POOL, name: `switchboard-${name}` }),
    secrets,
    accounts: { secrets: secrets.box, defaultToken: settings.PROVIDER_ACCESS_TOKEN },
    provider: createCloudApi({
      baseUrl: settings.PROVIDER_BASE_URL,
      version: settings.PROVIDER_VERSION,
      timeoutMs: settings.PROVIDER_TIMEOUT,
      log,
      observe: metrics.asked,
    }),
  }
}
