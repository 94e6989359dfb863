import { randomBytes } from 'node:crypto'
import pino from 'pino'
import { createAccountRecords } from '../../../src/accounts/accounts.module.ts'
import { createKnownDevices } from '../../../src/accounts/known-device.ts'
import { createPasswordHasher } from '../../../src/accounts/password.ts'
import type { Role } from '../../../src/accounts/roles.ts'
import { createSecretBox } from '../../../src/accounts/secret-box.ts'
import { createAuditStore } from '../../../src/accounts/store/audit.store.ts'
import { createOperatorStore } from '../../../src/accounts/store/operators.store.ts'
import { createTotpSeed, writeTotpState } from '../../../src/accounts/totp.ts'
import { createCallRecords } from '../../../src/calls/calls.module.ts'
import { createCampaignRecords, createCampaigns } from '../../../src/campaigns/campaigns.module.ts'
import { consoleRecords } from '../../../src/console/console.module.ts'
import { consoleRoutes, createConsole } from '../../../src/console/console.ts'
import { explainLog } from '../../../src/console/deliveries/explained-log.ts'
import { createLive, type Live } from '../../../src/console/live/live.ts'
import { createOverview } from '../../../src/console/overview.ts'
import type { ConsoleRoute } from '../../../src/console/route.ts'
import { consoleCampaigns } from '../../../src/console/routes/shared-campaigns.ts'
import { createSearch } from '../../../src/console/search.ts'
import type { ConsoleServices, ConsoleSettings } from '../../../src/console/services.ts'
import { createSignInLimit } from '../../../src/console/sign-in-limit.ts'
import { createSignInRefusals } from '../../../src/console/sign-in-refusals.ts'
import { createSubjectStore } from '../../../src/console/store/delivery-subjects.store.ts'
import { createMessageLog } from '../../../src/console/store/message-log.store.ts'
import { createOverviewStore } from '../../../src/console/store/overview.store.ts'
import { createSearchStore } from '../../../src/console/store/search.store.ts'
import { createSubjectNames } from '../../../src/console/store/subject-names.store.ts'
import { createThreadStore } from '../../../src/console/store/threads.store.ts'
import { notFound } from '../../../src/contract/errors.ts'
import { limits } from '../../../src/contract/limits.ts'
import type { CreatedTemplate, ProviderResult } from '../../../src/contract/provider.ts'
import { createDeliveryRecords, type HostVerdict } from '../../../src/delivery/delivery.module.ts'
import { createAttemptRateStore } from '../../../src/delivery/store/attempt-rates.store.ts'
import { createMessagingRecords } from '../../../src/messaging/messaging.module.ts'
import { createTemplateSubmissionStore } from '../../../src/messaging/store/template-submission.store.ts'
import { createTemplateSubmissions } from '../../../src/messaging/submit-template.ts'
import { downloadPlaces } from '../../../src/platform/http/upload-places.ts'
import { listen } from '../../../src/platform/http/uws.ts'
import { createInboundElementStore } from '../../../src/platform/postgres/inbound-elements.store.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { createPrivacy } from '../../../src/privacy/privacy.module.ts'
import { encodeId, newId, type OperatorId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { guessBuckets } from '../../support/guess-buckets.ts'
import { after } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { SimulatedClock } from '../../support/simulated-clock.ts'

export const PASSWORD = 'a password for tests'

// Each test asserts the fields that it reads, so the type stays open.
// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
export type Json = any

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export type Client = (method: string, path: string, body?: unknown) => Promise<Reply>

/** A console over real sockets, on its own database. Ports to other modules record their calls. */
export interface World {
  readonly databaseUrl: string
  readonly sql: Pool
  readonly services: ConsoleServices
  readonly campaigns: ReturnType<typeof campaignsOf>
  readonly clock: SimulatedClock
  readonly live: Live
  /** All routes of the console. */
  readonly routes: readonly ConsoleRoute[]
  readonly origin: string
  readonly workspaceId: WorkspaceId
  readonly ws: string
  readonly hints: { changed: string[]; woken: string[] }
  readonly direct: { sent: Json[]; outcome: Json }
  hosts: (host: string) => HostVerdict
  /** What the provider answers to the next submission of a template. */
  submission: ProviderResult<CreatedTemplate> | undefined
  request(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Reply>
  /** Signs in as a new operator with this role in the workspace. */
  as(
    role: Role,
    options?: { workspaceId?: WorkspaceId; platformOwner?: boolean },
  ): Promise<Client & { operatorId: OperatorId; cookie: string }>
  addWorkspace(name: string): Promise<WorkspaceId>
  /** Turns the second factor of an operator on, and returns its seed. */
  giveTotp(operatorId: OperatorId): Promise<string>
  addOperator(email: string, platformOwner?: boolean): Promise<OperatorId>
}

export async function openWorld(settings: Partial<ConsoleSettings> = {}): Promise<World> {
  const database = await testDatabase()
  const sql = testPool(database)
  const clock = new SimulatedClock(Date.now())
  const world = {
    databaseUrl: database.url,
    sql,
    clock,
    hints: { changed: [] as string[], woken: [] as string[] },
    direct: { sent: [] as Json[], outcome: { type: 'delivered' } as Json },
    hosts: (): HostVerdict => ({ type: 'ok' }),
    submission: undefined,
  } as unknown as World
  const campaigns = campaignsOf(sql, clock)
  const services = servicesOf(world, settings, campaigns)
  const shared = consoleCampaigns(campaigns)
  const log = pino({ level: 'silent' })
  const handler = createConsole(services, {
    log,
    shared,
    load: { admits: () => true, isAvailable: () => true },
  })
  const live = createLive({ services, clock, log })
  const server = await listen({ host: '127.0.0.1', port: 0, handler, sockets: live, maxInFlight: 200 })
  after(async () => {
    await server.close()
    live.close()
  })
  const workspaceId = await addWorkspace(sql, 'Acme')
  const request = requester(server.port)
  return Object.assign(world, {
    ...{ services, campaigns, live },
    routes: [...consoleRoutes, ...shared],
    origin: `http://127.0.0.1:${server.port}`,
    workspaceId,
    ws: encodeId('workspace', workspaceId),
    request,
    addWorkspace: (name: string) => addWorkspace(sql, name),
    async giveTotp(operatorId: OperatorId) {
      const seed = createTotpSeed()
      const sealed = services.secrets.seal(writeTotpState({ seed, lastStep: 0 }))
      await sql`update operators set totp_seed = ${sealed} where id = ${operatorId}`
      return seed
    },
    addOperator: (email: string, platformOwner = false) =>
      addOperator(services, sql, { email, platformOwner }),
    as: signerIn(services, sql, { workspaceId, request }),
  })
}

/** Campaigns that nothing sends. */
const campaignsOf = (sql: Pool, clock: SimulatedClock) =>
  createCampaigns({
    ...{ sql, bulk: sql, clock },
    accounts: { defaultToken: 'token' },
    rateLimit: { fence: async () => undefined, backoff: async () => ({ factor: 1, blockedMs: 0 }) },
    scheduler: { wake: () => undefined, beginAt: () => undefined },
    dispatch: () => undefined,
  })

function servicesOf(
  world: World,
  settings: Partial<ConsoleSettings>,
  campaigns: Pick<ReturnType<typeof campaignsOf>, 'recipients' | 'pace'>,
): ConsoleServices {
  const { sql, clock } = world
  return {
    settings: {
      publicUrl: undefined,
      production: false,
      targets: 'public',
      keyEnvironment: 'test',
      retentionDays: 30,
      handsetsUrl: undefined,
      ...settings,
    },
    clock,
    passwords: createPasswordHasher({ logN: 4 }),
    secrets: createSecretBox([{ id: '1', bytes: randomBytes(32) }]),
    ...consoleRecords({
      accounts: createAccountRecords(sql),
      delivery: createDeliveryRecords(sql),
      messaging: createMessagingRecords(sql),
      calls: createCallRecords(sql),
      campaigns: createCampaignRecords(sql),
    }),
    signInLimit: createSignInLimit(guessBuckets(clock).limiter),
    devices: createKnownDevices([randomBytes(32)], () => clock.now()),
    refusals: createSignInRefusals({
      audit: createAuditStore(sql),
      operators: createOperatorStore(sql),
      clock,
    }),
    templates: createTemplateSubmissions({
      provider: { createTemplate: async () => world.submission ?? unreachable() },
      account: async (workspaceId) => ({ workspaceId, phoneNumberId: '1', wabaId: '2', accessToken: 't' }),
      store: createTemplateSubmissionStore(sql),
    }),
    uploadSample: async () => unreachable(),
    names: { judgeHost: async (host) => world.hosts(host) },
    engine: {
      configChanged: (id) => world.hints.changed.push(id),
      wake: (ids) => world.hints.woken.push(...ids),
    },
    direct: {
      send: async (event) => {
        world.direct.sent.push(event)
        return world.direct.outcome
      },
    },
    acting: nobodyActs,
    privacy: createPrivacy({ sql, blobs: { open: async () => undefined } }),
    inbound: createInboundElementStore(sql),
    unknown: campaigns.recipients,
    campaignPace: campaigns.pace,
    overview: createOverview({ store: createOverviewStore(sql), rates: createAttemptRateStore(sql), clock }),
    search: createSearch(createSearchStore(sql)),
    messageLog: createMessageLog(sql),
    subjectNames: createSubjectNames(sql),
    threads: createThreadStore(sql),
    deliveryLog: explainLog(createDeliveryRecords(sql).log, createSubjectStore(sql)),
  }
}

/** Actions that reach contacts are tested on a running gateway (test/e2e/console-acting.test.ts). */
const nobodyActs: ConsoleServices['acting'] = {
  send: async () => unreachable(),
  preview: async () => unreachable(),
  media: async () => unreachable(),
  enterDownload: downloadPlaces(limits.downloadsAtOnce),
  upload: async () => unreachable(),
  storeUpload: async () => unreachable(),
  act: async () => unreachable(),
  reading: {
    markMessageRead: async () => unreachable(),
    markConversationRead: async () => unreachable(),
    showTyping: async () => unreachable(),
  },
}

const unreachable = (): never => {
  throw notFound('customer to reach')
}

const requester =
  (port: number) =>
  async (
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Reply> => {
    const response = await fetch(`http://127.0.0.1:${port}/console/api${path}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body:
        response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text || undefined,
    }
  }

export const cookieOf = (reply: Reply): string => reply.headers.get('set-cookie')?.split(';')[0] ?? ''

async function addWorkspace(sql: Pool, name: string): Promise<WorkspaceId> {
  const id = newId('workspace')
  await sql`insert into workspaces (id, name) values (${id}, ${name})`
  return id
}

async function addOperator(
  services: ConsoleServices,
  sql: Pool,
  { email, platformOwner }: { email: string; platformOwner: boolean },
): Promise<OperatorId> {
  const passwordHash = await services.passwords.hash(PASSWORD)
  const id = await createOperatorStore(sql).create({ email, name: email, passwordHash, platformOwner })
  if (id === undefined) throw new Error(`${email} is taken`)
  return id
}

let operators = 0

const signerIn =
  (services: ConsoleServices, sql: Pool, home: Pick<World, 'workspaceId' | 'request'>) =>
  async (role: Role, options: { workspaceId?: WorkspaceId; platformOwner?: boolean } = {}) => {
    operators += 1
    const email = `${role.toLowerCase()}${operators}@example.com`
    const operatorId = await addOperator(services, sql, {
      email,
      platformOwner: options.platformOwner ?? false,
    })
    await sql`
      insert into memberships (workspace_id, operator_id, role)
      values (${options.workspaceId ?? home.workspaceId}, ${operatorId}, ${role})`
    const signedIn = await home.request('POST', '/session', { body: { email, password: PASSWORD } })
    if (signedIn.status !== 200) throw new Error(`sign-in failed: ${JSON.stringify(signedIn.body)}`)
    const cookie = cookieOf(signedIn)
    const client: Client = (method, path, body) => home.request(method, path, { body, headers: { cookie } })
    return Object.assign(client, { operatorId, cookie })
  }
