import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import pino from 'pino'
import { createPasswordHasher } from '../../../src/auth/password.ts'
import type { Role } from '../../../src/auth/roles.ts'
import { createSecretBox } from '../../../src/auth/secret-box.ts'
import { consoleRoutes, createConsole } from '../../../src/console/console.ts'
import { createLive, type Live } from '../../../src/console/live/live.ts'
import { createOverview } from '../../../src/console/overview.ts'
import type { Submission } from '../../../src/console/reads.ts'
import type { ConsoleRoute } from '../../../src/console/route.ts'
import type { ConsoleServices, ConsoleSettings, HostVerdict } from '../../../src/console/services.ts'
import { createSignInLimit } from '../../../src/console/sign-in-limit.ts'
import { notFound } from '../../../src/contract/errors.ts'
import type { RateLimiter } from '../../../src/http/rate-limit.ts'
import { listen } from '../../../src/http/uws.ts'
import { SimulatedClock } from '../../../src/shared/clock.ts'
import { encodeId, newId, type OperatorId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { operatorsStore } from '../../../src/store/operators.store.ts'
import { overviewStore } from '../../../src/store/overview.store.ts'
import type { Pool } from '../../../src/store/sql.ts'
import { createCampaigns } from '../../../src/wiring/bind-campaigns.ts'
import { consoleStores } from '../../../src/wiring/bind-console.ts'
import { consoleCampaigns } from '../../../src/wiring/console-campaigns.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'

export const PASSWORD = 'a password for tests'

// What a test reads of an answer is its own business.
// biome-ignore lint/suspicious/noExplicitAny: JSON of many shapes.
export type Json = any

export interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Json
}

export type Client = (method: string, path: string, body?: unknown) => Promise<Reply>

/** A console over real sockets on a database of its own. Ports to other parts note what they were asked. */
export interface World {
  readonly databaseUrl: string
  readonly sql: Pool
  readonly services: ConsoleServices
  readonly clock: SimulatedClock
  readonly live: Live
  /** All of the console's. */
  readonly routes: readonly ConsoleRoute[]
  readonly origin: string
  readonly workspaceId: WorkspaceId
  readonly ws: string
  readonly hints: { changed: string[]; woken: string[] }
  readonly direct: { sent: Json[]; outcome: Json }
  hosts: (host: string) => HostVerdict
  submission: Submission | undefined
  request(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Record<string, string> },
  ): Promise<Reply>
  /** Signed in as a new operator with that role in the workspace. */
  as(
    role: Role,
    options?: { workspaceId?: WorkspaceId; platformOwner?: boolean },
  ): Promise<Client & { operatorId: OperatorId; cookie: string }>
  addWorkspace(name: string): Promise<WorkspaceId>
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
  const services = servicesOf(world, settings, campaigns.recipients)
  const shared = consoleCampaigns(campaigns)
  const log = pino({ level: 'silent' })
  const handler = createConsole(services, { log, shared })
  const live = createLive({ services, clock, log })
  const server = await listen({ host: '127.0.0.1', port: 0, handler, sockets: live, maxInFlight: 200 })
  after(async () => {
    await server.close()
    live.close()
  })
  const workspaceId = await addWorkspace(sql, 'Acme')
  const request = requester(server.port)
  return Object.assign(world, {
    services,
    live,
    routes: [...consoleRoutes, ...shared],
    origin: `http://127.0.0.1:${server.port}`,
    workspaceId,
    ws: encodeId('workspace', workspaceId),
    request,
    addWorkspace: (name: string) => addWorkspace(sql, name),
    addOperator: (email: string, platformOwner = false) =>
      addOperator(services, sql, { email, platformOwner }),
    as: signerIn(services, sql, { workspaceId, request }),
  })
}

/** Nobody sends here. */
const campaignsOf = (sql: Pool, clock: SimulatedClock) =>
  createCampaigns({
    ...{ sql, bulk: sql, clock },
    accounts: { defaultToken: 'token' },
    pace: { fence: async () => undefined },
    queue: { wake: () => undefined, beginAt: () => undefined },
    dispatch: () => undefined,
  })

function servicesOf(
  world: World,
  settings: Partial<ConsoleSettings>,
  unknown: ConsoleServices['unknown'],
): ConsoleServices {
  const { sql, clock } = world
  return {
    settings: {
      publicUrl: undefined,
      production: false,
      targets: 'public',
      keyEnvironment: 'test',
      retentionDays: 30,
      ...settings,
    },
    clock,
    passwords: createPasswordHasher({ logN: 4 }),
    secrets: createSecretBox([{ id: '1', bytes: randomBytes(32) }]),
    ...consoleStores(sql),
    signInLimit: createSignInLimit({ limiter: localLimiter(clock), clock }),
    templates: { submit: async () => world.submission ?? { type: 'exists' } },
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
    unknown,
    overview: createOverview({ store: overviewStore(sql), clock }),
  }
}

/** What reaches customers is tested on a running gateway (test/e2e/console-acting.test.ts). */
const nobodyActs: ConsoleServices['acting'] = {
  send: async () => unreachable(),
  preview: async () => unreachable(),
  media: async () => unreachable(),
  upload: async () => unreachable(),
  act: async () => unreachable(),
  reading: {
    readMessage: async () => unreachable(),
    readConversation: async () => unreachable(),
    showTyping: async () => unreachable(),
  },
}

const unreachable = (): never => {
  throw notFound('customer to reach')
}

/** Exact token buckets of one process. */
function localLimiter(clock: SimulatedClock): RateLimiter {
  const buckets = new Map<string, { tokens: number; at: number }>()
  return {
    async take(key, rate, burst) {
      const known = buckets.get(key) ?? { tokens: burst, at: clock.mono() }
      const tokens = Math.min(burst, known.tokens + ((clock.mono() - known.at) / 1000) * rate)
      const allowed = tokens >= 1
      const left = allowed ? tokens - 1 : tokens
      buckets.set(key, { tokens: left, at: clock.mono() })
      return {
        allowed,
        remaining: Math.floor(left),
        retryAfterMs: left >= 1 ? 0 : ((1 - left) / rate) * 1000,
      }
    },
  }
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
      body: text === '' ? undefined : JSON.parse(text),
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
  const id = await operatorsStore(sql).create({ email, name: email, passwordHash, platformOwner })
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
