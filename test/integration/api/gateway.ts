// The public API over real keys and real read stores. The test decides what the other features answer.
import assert from 'node:assert/strict'
import type { Logger } from 'pino'
import { createAuthenticator } from '../../../src/accounts/authenticate-key.ts'
import { createKeyDownloads } from '../../../src/accounts/key-downloads.ts'
import { createAuditStore } from '../../../src/accounts/store/audit.store.ts'
import { createKeyStore } from '../../../src/accounts/store/keys.store.ts'
import { createApi } from '../../../src/api/api.ts'
import type { ApiServices } from '../../../src/api/services.ts'
import { createCallReader } from '../../../src/calls/store/calls-read.store.ts'
import { createCampaigns } from '../../../src/campaigns/campaigns.module.ts'
import type { BlobStore } from '../../../src/contract/blobs.ts'
import { limits } from '../../../src/contract/limits.ts'
import type { Provider } from '../../../src/contract/provider.ts'
import type { Scope } from '../../../src/contract/scopes.ts'
import { createReadMarks } from '../../../src/messaging/mark-read.ts'
import { createConversationReader } from '../../../src/messaging/store/conversations-read.store.ts'
import { createMessageReader } from '../../../src/messaging/store/messages-read.store.ts'
import { createNumberReader } from '../../../src/messaging/store/numbers.store.ts'
import { createReadMarkStore } from '../../../src/messaging/store/read-marks.store.ts'
import { createTemplateStore } from '../../../src/messaging/store/templates.store.ts'
import type { HttpHandler } from '../../../src/platform/http/exchange.ts'
import type { RateLimiter } from '../../../src/platform/http/rate-limit.ts'
import { downloadPlaces } from '../../../src/platform/http/upload-places.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { createPrivacy } from '../../../src/privacy/privacy.module.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import type { WorkspaceId } from '../../../src/shared/ids.ts'
import { assertDocumented } from '../../support/documented.ts'
import { apiKey } from '../../support/fixtures.ts'
import { type Answered, dispatch, type RequestParts } from '../../unit/platform/http/requests.ts'

export interface Decided {
  readonly send: ApiServices['messages']['send']
  readonly media: ApiServices['messages']['media']
  readonly upload: ApiServices['messages']['upload']
  readonly preview: ApiServices['messages']['preview']
  readonly provider: Pick<Provider, 'markRead'>
  readonly blobs: Pick<BlobStore, 'open'>
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

/** A rate limiter that never refuses. */
const openHanded: RateLimiter = {
  take: async (_key, _rate, burst) => ({ allowed: true, remaining: burst - 1, retryAfterMs: 0 }),
}

export interface Gateway {
  readonly handler: HttpHandler
  /** `path` is below /api/v1. */
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
      enterDownload: downloadPlaces(limits.downloadsAtOnce),
      upload: decided.upload ?? notDecided,
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
    noteDownload: createKeyDownloads(createAuditStore(sql), systemClock),
    privacy: createPrivacy({ sql, blobs: decided.blobs ?? { open: async () => undefined } }),
    ...createCampaigns({
      ...{ sql, bulk: sql, accounts, clock: systemClock },
      rateLimit: { fence: async () => undefined, backoff: async () => ({ factor: 1, blockedMs: 0 }) },
      scheduler: { wake: () => undefined, beginAt: () => undefined },
      dispatch: () => undefined,
    }),
  }
  const handler = createApi({
    services,
    limiter,
    load: { admits: () => true, isAvailable: () => true },
    authenticate: createAuthenticator({
      keys: createKeyStore(sql),
      environment: 'test',
      clock: systemClock,
      onTouchFailed: () => undefined,
    }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined } as unknown as Logger,
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
