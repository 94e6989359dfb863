// Connects the public API to the features that it exposes.
import type { Logger } from 'pino'
import type { AuthenticateKey } from '../accounts/authenticate-key.ts'
import type { NoteDownload } from '../accounts/key-downloads.ts'
import type { Calls } from '../calls/calls.module.ts'
import type { Campaigns } from '../campaigns/campaigns.module.ts'
import type { Messaging } from '../messaging/messaging.module.ts'
import type { HttpHandler } from '../platform/http/exchange.ts'
import type { Served } from '../platform/http/pipeline.ts'
import type { RateLimiter } from '../platform/http/rate-limit.ts'
import type { Load } from '../platform/process/load.ts'
import type { Privacy } from '../privacy/privacy.module.ts'
import { createApi } from './api.ts'

export interface ApiEdgeOptions {
  readonly authenticate: AuthenticateKey
  readonly noteDownload: NoteDownload
  readonly messaging: Messaging
  readonly calls: Calls
  readonly campaigns: Campaigns
  readonly privacy: Privacy
  readonly limiter: RateLimiter
  readonly load: Pick<Load, 'admits' | 'isAvailable'>
  readonly log: Logger
  readonly onServed: (served: Served) => void
}

export function createApiEdge({
  messaging,
  calls,
  campaigns,
  privacy,
  noteDownload,
  ...options
}: ApiEdgeOptions): HttpHandler {
  const { commands, records } = calls
  return createApi({
    ...options,
    services: {
      messages: {
        ...messaging.messages,
        send: messaging.send,
        preview: messaging.preview,
        media: messaging.media.find,
        enterDownload: messaging.media.enter,
        upload: messaging.storeUpload,
      },
      templates: messaging.templates,
      numbers: messaging.numbers,
      conversations: messaging.conversations,
      reading: messaging.readMarks,
      privacy,
      noteDownload,
      calls: {
        ...records,
        ...commands,
        ice: calls.ice,
        place: ({ workspaceId, keyId }, id, input) =>
          commands.place({ workspaceId, apiKeyId: keyId }, id, input),
      },
      campaigns: campaigns.campaigns,
      recipients: campaigns.recipients,
    },
  })
}
