// The public API, assembled.
import { createApi } from '../api/api.ts'
import type { ApiServices } from '../api/services.ts'
import { createAuthenticator } from '../auth/authenticate-key.ts'
import { keyEnvironment } from '../auth/key-format.ts'
import type { HttpHandler } from '../http/exchange.ts'
import type { RateLimiter } from '../http/rate-limit.ts'
import { createCallReader } from '../store/calls-read.store.ts'
import { createKeyStore } from '../store/keys.store.ts'
import { createNumberReader } from '../store/numbers.store.ts'
import { createTemplateStore } from '../store/templates.store.ts'
import type { Calls } from './bind-calls.ts'
import type { createCampaigns } from './bind-campaigns.ts'
import type { Media } from './bind-media.ts'
import type { createMessages } from './bind-messages.ts'
import { iceServers } from './bind-reads.ts'
import type { Foundation } from './foundation.ts'

export interface ApiParts {
  readonly base: Foundation
  readonly limiter: RateLimiter
  readonly reads: Pick<ApiServices, 'conversations' | 'reading'>
  readonly messages: ReturnType<typeof createMessages>
  readonly calls: Calls
  readonly media: Media
  readonly campaigns: ReturnType<typeof createCampaigns>
}

export function apiServices({ base, reads, messages, calls, media, campaigns }: ApiParts): ApiServices {
  const { sql } = base
  const { find, list } = createCallReader(sql)
  return {
    messages: { send: messages.send, preview: messages.preview, media: media.find, ...messages.reader },
    templates: createTemplateStore(sql),
    numbers: createNumberReader(sql),
    ...reads,
    calls: {
      ice: iceServers(base),
      find,
      list,
      ...calls.commands,
      place: ({ workspaceId, keyId }, id, session) =>
        calls.commands.place({ workspaceId, apiKeyId: keyId }, id, session),
    },
    ...campaigns,
  }
}

export function bindApi(
  services: ApiServices,
  { base, limiter }: Pick<ApiParts, 'base' | 'limiter'>,
): HttpHandler {
  const { sql, settings, clock, log, metrics } = base
  return createApi({
    services,
    authenticate: createAuthenticator({
      keys: createKeyStore(sql),
      environment: keyEnvironment(settings.APP_ENV),
      clock,
      onTouchFailed: (error) => log.warn({ error: String(error) }, 'key.touch_failed'),
    }),
    limiter,
    log,
    onServed: metrics.served('api'),
  })
}
