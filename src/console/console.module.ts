// Connects the console to the features that it uses: its JSON routes and its live updates.
import type { Logger } from 'pino'
import type { Accounts } from '../accounts/accounts.module.ts'
import { keyEnvironment } from '../accounts/key-format.ts'
import { createKnownDevices } from '../accounts/known-device.ts'
import type { SecretBox } from '../accounts/secret-box.ts'
import type { Calls } from '../calls/calls.module.ts'
import type { Campaigns } from '../campaigns/campaigns.module.ts'
import { type Delivery, targetPolicy } from '../delivery/delivery.module.ts'
import type { Messaging } from '../messaging/messaging.module.ts'
import type { Settings } from '../platform/config/settings.ts'
import type { HttpHandler } from '../platform/http/exchange.ts'
import type { Served } from '../platform/http/pipeline.ts'
import { createInboundElementStore } from '../platform/postgres/inbound-elements.store.ts'
import type { Pool } from '../platform/postgres/sql.ts'
import type { Load } from '../platform/process/load.ts'
import type { Privacy } from '../privacy/privacy.module.ts'
import type { Clock } from '../shared/clock.ts'
import { createConsole } from './console.ts'
import { explainLog } from './deliveries/explained-log.ts'
import { createLive, type Live } from './live/live.ts'
import { createOverview } from './overview.ts'
import { consoleCampaigns } from './routes/shared-campaigns.ts'
import { createSearch } from './search.ts'
import type { ConsoleRecords, ConsoleServices } from './services.ts'
import { createSignInLimit, type GuessBuckets } from './sign-in-limit.ts'
import { createSignInRefusals } from './sign-in-refusals.ts'
import { createSubjectStore } from './store/delivery-subjects.store.ts'
import { createMessageLog } from './store/message-log.store.ts'
import { createOverviewStore } from './store/overview.store.ts'
import { createSearchStore } from './store/search.store.ts'
import { createSubjectNames } from './store/subject-names.store.ts'
import { createThreadStore } from './store/threads.store.ts'

export interface ConsoleEdgeOptions {
  readonly sql: Pool
  readonly settings: Settings
  readonly secrets: SecretBox
  /** Sign the cookies of known devices: the first signs, all verify. */
  readonly deviceKeys: readonly Uint8Array[]
  readonly limiter: GuessBuckets
  readonly load: Pick<Load, 'admits' | 'isAvailable'>
  readonly accounts: Accounts
  readonly delivery: Delivery
  readonly messaging: Messaging
  readonly calls: Calls
  readonly campaigns: Campaigns
  readonly privacy: Privacy
  readonly clock: Clock
  readonly log: Logger
  readonly onServed: (served: Served) => void
}

export function createConsoleEdge(options: ConsoleEdgeOptions): { handler: HttpHandler; live: Live } {
  const { campaigns, clock, load, log, onServed } = options
  const services = servicesOf(options)
  return {
    handler: createConsole(services, { load, log, onServed, shared: consoleCampaigns(campaigns) }),
    live: createLive({ services, clock, log }),
  }
}

/** The services that read and write Postgres, under the names that the console uses. */
export const consoleRecords = (records: {
  readonly accounts: Omit<Accounts, 'authenticate' | 'noteDownload' | 'passwords'>
  readonly delivery: Pick<Delivery, 'endpoints' | 'replays' | 'health'>
  readonly messaging: Pick<
    Messaging,
    'messages' | 'conversations' | 'templates' | 'numberAdmin' | 'accountStates'
  >
  readonly calls: Pick<Calls, 'records' | 'timelines'>
  readonly campaigns: Pick<Campaigns, 'records' | 'samples'>
}): ConsoleRecords => {
  const { accounts, delivery, messaging, calls, campaigns } = records
  return {
    ...accounts,
    endpoints: delivery.endpoints,
    deliveries: delivery.replays,
    health: delivery.health,
    numbers: messaging.numberAdmin,
    reads: {
      messages: messaging.messages,
      conversations: messaging.conversations,
      templates: messaging.templates,
      accountStates: messaging.accountStates,
      calls: calls.records,
      timelines: calls.timelines,
      campaigns: campaigns.records,
      samples: campaigns.samples,
    },
  }
}

function servicesOf(options: ConsoleEdgeOptions): ConsoleServices {
  const { sql, settings, secrets, limiter, clock, delivery, messaging, calls, campaigns } = options
  const { passwords, authenticate: _, ...accounts } = options.accounts
  return {
    ...consoleRecords({ accounts, delivery, messaging, calls, campaigns }),
    settings: {
      publicUrl: settings.PUBLIC_URL,
      production: settings.APP_ENV === 'production',
      targets: targetPolicy(settings),
      keyEnvironment: keyEnvironment(settings.APP_ENV),
      retentionDays: settings.RETENTION_DAYS,
      handsetsUrl: settings.HANDSETS_URL,
    },
    clock,
    passwords,
    secrets,
    overview: createOverview({ store: createOverviewStore(sql), rates: delivery.rates, clock }),
    search: createSearch(createSearchStore(sql)),
    messageLog: createMessageLog(sql),
    subjectNames: createSubjectNames(sql),
    threads: createThreadStore(sql),
    deliveryLog: explainLog(delivery.log, createSubjectStore(sql)),
    signInLimit: createSignInLimit(limiter),
    devices: createKnownDevices(options.deviceKeys, () => clock.now()),
    refusals: createSignInRefusals({ audit: accounts.audit, operators: accounts.operators, clock }),
    templates: messaging.submissions,
    uploadSample: messaging.uploadSample,
    names: { judgeHost: delivery.judgeHost },
    engine: delivery.engine,
    direct: delivery.direct,
    unknown: campaigns.recipients,
    campaignPace: campaigns.pace,
    privacy: options.privacy,
    inbound: createInboundElementStore(sql),
    acting: {
      send: messaging.send,
      preview: messaging.preview,
      upload: messaging.upload,
      storeUpload: messaging.storeUpload,
      media: messaging.media.find,
      enterDownload: messaging.media.enter,
      reading: messaging.readMarks,
      act: calls.commands.act,
    },
  }
}
