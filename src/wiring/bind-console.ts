// The console, assembled: its stores, and the ports to the engine behind them.
import type { Logger } from 'pino'
import { keyEnvironment } from '../auth/key-format.ts'
import { createPasswordHasher } from '../auth/password.ts'
import type { SecretBox } from '../auth/secret-box.ts'
import type { Settings } from '../config/settings.ts'
import { createConsole } from '../console/console.ts'
import { createLive, type Live } from '../console/live/live.ts'
import { createOverview } from '../console/overview.ts'
import type { ConsoleServices, EndpointNames } from '../console/services.ts'
import { createSignInLimit } from '../console/sign-in-limit.ts'
import { createTemplateSubmissions } from '../console/submit-template.ts'
import type { Provider } from '../contract/provider.ts'
import type { HttpHandler } from '../http/exchange.ts'
import type { Served } from '../http/pipeline.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import type { AddressResolver } from '../outbound/resolve.ts'
import type { Clock } from '../shared/clock.ts'
import { auditStore } from '../store/audit.store.ts'
import { createCallTimelineStore } from '../store/call-timeline.store.ts'
import { createCallReader } from '../store/calls-read.store.ts'
import { campaignSamplesStore } from '../store/campaign-samples.store.ts'
import { createCampaignReader } from '../store/campaigns-read.store.ts'
import { catalogSyncStore } from '../store/catalog-sync.store.ts'
import { consoleKeysStore } from '../store/console-keys.store.ts'
import { createConversationReader } from '../store/conversations-read.store.ts'
import { deliveriesLogStore } from '../store/deliveries-log.store.ts'
import { deliveriesReplayStore } from '../store/deliveries-replay.store.ts'
import { endpointHealthStore } from '../store/endpoint-health.store.ts'
import { endpointsAdminStore } from '../store/endpoints-admin.store.ts'
import { invitationsStore } from '../store/invitations.store.ts'
import { membersStore } from '../store/members.store.ts'
import type { AccountOptions } from '../store/messages.store.ts'
import { createMessageReader } from '../store/messages-read.store.ts'
import { numbersAdminStore } from '../store/numbers-admin.store.ts'
import { operatorsStore } from '../store/operators.store.ts'
import { overviewStore } from '../store/overview.store.ts'
import { sessionsStore } from '../store/sessions.store.ts'
import type { Pool } from '../store/sql.ts'
import { templateSubmissionStore } from '../store/template-submission.store.ts'
import { createTemplateStore } from '../store/templates.store.ts'
import { workspaceAdminStore } from '../store/workspace-admin.store.ts'
import { targetPolicy } from './bind-webhooks.ts'
import { type CampaignServices, consoleCampaigns } from './console-campaigns.ts'

export interface ConsoleOptions {
  readonly sql: Pool
  readonly settings: Settings
  readonly secrets: SecretBox
  readonly accounts: AccountOptions
  readonly provider: Provider
  readonly limiter: RateLimiter
  readonly resolver: AddressResolver
  readonly engine: ConsoleServices['engine']
  readonly direct: ConsoleServices['direct']
  readonly acting: ConsoleServices['acting']
  readonly unknown: ConsoleServices['unknown']
  /** Behind the rows that the console shares with the public API. */
  readonly campaigns: CampaignServices
  readonly clock: Clock
  readonly log: Logger
  readonly onServed: (served: Served) => void
}

export interface Console {
  readonly handler: HttpHandler
  readonly live: Live
}

export function bindConsole(options: ConsoleOptions): Console {
  const services = servicesOf(options)
  const { log, clock } = options
  return {
    handler: createConsole(services, {
      ...{ log, onServed: options.onServed },
      shared: consoleCampaigns(options.campaigns),
    }),
    live: createLive({ services, clock, log }),
  }
}

/** What the console reads and writes in Postgres. */
export const consoleStores = (sql: Pool) => ({
  operators: operatorsStore(sql),
  sessions: sessionsStore(sql),
  members: membersStore(sql),
  invitations: invitationsStore(sql),
  workspace: workspaceAdminStore(sql),
  keys: consoleKeysStore(sql),
  endpoints: endpointsAdminStore(sql),
  numbers: numbersAdminStore(sql),
  deliveryLog: deliveriesLogStore(sql),
  deliveries: deliveriesReplayStore(sql),
  audit: auditStore(sql),
  health: endpointHealthStore(sql),
  reads: {
    messages: createMessageReader(sql),
    calls: createCallReader(sql),
    timelines: createCallTimelineStore(sql),
    conversations: createConversationReader(sql),
    campaigns: createCampaignReader(sql),
    samples: campaignSamplesStore(sql),
    templates: createTemplateStore(sql),
  },
})

function servicesOf(options: ConsoleOptions): ConsoleServices {
  const { sql, settings, secrets, limiter, clock } = options
  return {
    settings: {
      publicUrl: settings.PUBLIC_URL,
      production: settings.APP_ENV === 'production',
      targets: targetPolicy(settings),
      keyEnvironment: keyEnvironment(settings.APP_ENV),
      retentionDays: settings.RETENTION_DAYS,
    },
    clock,
    overview: createOverview({ store: overviewStore(sql), clock }),
    passwords: createPasswordHasher(),
    secrets,
    ...consoleStores(sql),
    signInLimit: createSignInLimit({ limiter, clock }),
    templates: submissions(options),
    names: namesOf(options.resolver),
    engine: options.engine,
    direct: options.direct,
    acting: options.acting,
    unknown: options.unknown,
  }
}

function submissions({ sql, provider, accounts }: ConsoleOptions): ConsoleServices['templates'] {
  const catalog = catalogSyncStore(sql, accounts)
  return createTemplateSubmissions({
    provider,
    account: async (workspaceId) => (await catalog.accounts(workspaceId))[0],
    store: templateSubmissionStore(sql),
  })
}

const reasons = {
  ADDRESS_FORBIDDEN: 'the name leads to an address that is not public',
  DNS_NOT_FOUND: 'the name does not exist',
} as const

/** What is remembered is passed over: whoever adds an endpoint has perhaps just made its name. */
const namesOf = (resolver: AddressResolver): EndpointNames => ({
  async judgeHost(host) {
    const resolution = await resolver.resolve(host, { fresh: true })
    if (resolution.type === 'resolved') return { type: 'ok' }
    const { code } = resolution
    if (code === 'ADDRESS_FORBIDDEN' || code === 'DNS_NOT_FOUND')
      return { type: 'refused', reason: reasons[code] }
    return { type: 'unresolvable' }
  },
})
