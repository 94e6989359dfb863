// The public API over real keys and real reading stores. What other domains decide is answered as a test says.
import assert from 'node:assert/strict'
import type { Logger } from 'pino'
import { createApi } from '../../../src/api/api.ts'
import type { ApiServices } from '../../../src/api/services.ts'
import { createAuthenticator } from '../../../src/auth/authenticate-key.ts'
import type { Provider } from '../../../src/contract/provider.ts'
import type { Scope } from '../../../src/contract/scopes.ts'
import { createReadMarks } from '../../../src/conversations/mark-read.ts'
import type { HttpHandler } from '../../../src/http/exchange.ts'
import type { RateLimiter } from '../../../src/http/rate-limit.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import type { WorkspaceId } from '../../../src/shared/ids.ts'
import { createCallReader } from '../../../src/store/calls-read.store.ts'
import { createConversationReader } from '../../../src/store/conversations-read.store.ts'
import { createKeyStore } from '../../../src/store/keys.store.ts'
import { createMessageReader } from '../../../src/store/messages-read.store.ts'
import { createNumberReader } from '../../../src/store/numbers.store.ts'
import { createReadMarkStore } from '../../../src/store/read-marks.store.ts'
import type { Pool } from '../../../src/store/sql.ts'
import { createTemplateStore } from '../../../src/store/templates.store.ts'
import { createCampaigns } from '../../../src/wiring/bind-campaigns.ts'
import { assertDocumented } from '../../support/documented.ts'
import { type Answered, dispatch, type RequestParts } from '../../unit/http/requests.ts'
import { apiKey } from '../store/fixtures.ts'

export interface Decided {
  readonly send: ApiServices['messages']['send']
  readonly media: ApiServices['messages']['media']
  readonly preview: ApiServices['messages']['preview']
  readonly provider: Pick<Provider, 'markRead'>
  readonly ice: ApiServices['calls']['ice']
  readonly answer: ApiServices['calls']['answer']
  readonly act: ApiServices['calls']['act']
  readonly offer: ApiServices['calls']['offer']
  readonly place: ApiServices['calls']['place']
}

const notDecided = async (): Promise<never> => {
  throw new Error('the test decides nothing here')
}

export const accounts = {
  secrets: { open: (bytes: Buffer) => bytes.toString() },
  defaultToken: 'token-for-tests',
}

/** Never empty. */
const openHanded: RateLimiter = {
  take: async (_key, _rate, burst) => ({ allowed: true, remaining: burst - 1, retryAfterMs: 0 }),
}

export interface Gateway {
  readonly handler: HttpHandler
  /** `path` below /api/v1. */
  call(key: string | undefined, parts: Omit<RequestParts, 'url'> & { path: string }): Promise<Answered>
  keyFor(workspaceId: WorkspaceId, scopes: readonly Scope[], row?: Record<string, unknown>): Promise<string>
}

export function gateway(sql: Pool, decided: Partial<Decided> = {}, limiter = openHanded): Gateway {
  const messages = createMessageReader(sql)
  const calls = createCallReader(sql)
  const services: ApiServices = {
    messages: {
      ...messages,
      send: decided.send ?? notDecided,
      preview: decided.preview ?? notDecided,
      media: decided.media ?? notDecided,
    },
    templates: createTemplateStore(sql),
    numbers: createNumberReader(sql),
    conversations: createConversationReader(sql),
    reading: createReadMarks({
      store: createReadMarkStore(sql, accounts),
      provider: decided.provider ?? { markRead: notDecided },
      find: messages.find,
      clock: systemClock,
    }),
    calls: {
      ...calls,
      ice: decided.ice ?? (() => assert.fail('the test decides nothing here')),
      answer: decided.answer ?? notDecided,
      act: decided.act ?? notDecided,
      offer: decided.offer ?? notDecided,
      place: decided.place ?? notDecided,
    },
    ...createCampaigns({
      ...{ sql, bulk: sql, accounts, clock: systemClock },
      pace: { fence: async () => undefined },
      queue: { wake: () => undefined, beginAt: () => undefined },
      dispatch: () => undefined,
    }),
  }
  const handler = createApi({
    services,
    limiter,
    authenticate: createAuthenticator({
      keys: createKeyStore(sql),
      environment: 'test',
      clock: systemClock,
      onTouchFailed: () => undefined,
    }),
    log: { info: () => undefined, error: () => undefined } as unknown as Logger,
  })
  return {
    handler,
    async call(key, { path, headers, ...parts }) {
      const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` }
      const sent = { ...parts, url: `/api/v1${path}`, headers: { ...authorization, ...headers } }
      const answered = await dispatch(handler, sent)
      assertDocumented({
        method: parts.method ?? (parts.body === undefined ? 'GET' : 'POST'),
        path,
        status: answered.status,
        header: (name) => answered.headers[name],
        body: answered.json,
      })
      return answered
    },
    keyFor: async (workspaceId, scopes, row) => (await apiKey(sql, workspaceId, scopes, row)).key,
  }
}
