// The console's JSON API under /console/api: its routes and its pipeline. It serves no pages.

import type { HttpHandler } from '../platform/http/exchange.ts'
import { createPipeline, type PipelineOptions } from '../platform/http/pipeline.ts'
import type { Load, RequestClass } from '../platform/process/load.ts'
import { consolePrefix, createGuard } from './guard.ts'
import type { ConsoleContext, ConsoleRoute } from './route.ts'
import { actingRoutes } from './routes/acting.ts'
import { auditRoutes } from './routes/audit.ts'
import { campaignRoutes } from './routes/campaigns.ts'
import { conversationRoutes } from './routes/conversations.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { endpointRoutes } from './routes/endpoints.ts'
import { exportRoutes } from './routes/exports.ts'
import { inboundRoutes } from './routes/inbound.ts'
import { invitationRoutes } from './routes/invitations.ts'
import { keyRoutes } from './routes/keys.ts'
import { meRoutes } from './routes/me.ts'
import { mediaRoutes } from './routes/media.ts'
import { memberRoutes } from './routes/members.ts'
import { mySessionRoutes } from './routes/my-sessions.ts'
import { numberRoutes } from './routes/numbers.ts'
import { privacyRoutes } from './routes/privacy.ts'
import { readingRoutes } from './routes/reading.ts'
import { replyRoutes } from './routes/replies.ts'
import { searchRoutes } from './routes/search.ts'
import { secondFactorRoutes } from './routes/second-factor.ts'
import { sessionRoutes } from './routes/session.ts'
import { templateRoutes } from './routes/templates.ts'
import { workspaceRoutes } from './routes/workspace.ts'
import type { ConsoleServices } from './services.ts'

export const consoleRoutes: readonly ConsoleRoute[] = [
  ...sessionRoutes,
  ...meRoutes,
  ...mySessionRoutes,
  ...secondFactorRoutes,
  ...workspaceRoutes,
  ...keyRoutes,
  ...endpointRoutes,
  ...deliveryRoutes,
  ...inboundRoutes,
  ...numberRoutes,
  ...templateRoutes,
  ...readingRoutes,
  ...searchRoutes,
  ...auditRoutes,
  ...exportRoutes,
  ...conversationRoutes,
  ...privacyRoutes,
  ...actingRoutes,
  ...replyRoutes,
  ...mediaRoutes,
  ...campaignRoutes,
  ...memberRoutes,
  ...invitationRoutes,
]

/** What is shed first in an overload: whoever repairs something goes before whoever looks, and a call before all. */
function classOf({ method, path }: ConsoleRoute): RequestClass {
  if (method !== 'GET') return /\/calls?\b/.test(path) ? 'call' : 'send'
  return path.endsWith(':id') || path.startsWith('/me') ? 'read' : 'list'
}

export const createConsole = (
  services: ConsoleServices,
  {
    shared,
    load,
    ...options
  }: Pick<PipelineOptions<ConsoleContext, ConsoleRoute>, 'log' | 'onServed'> & {
    /** Routes that the public API also has. */
    readonly shared: readonly ConsoleRoute[]
    readonly load: Pick<Load, 'admits' | 'isAvailable'>
  },
): HttpHandler =>
  createPipeline({
    ...options,
    prefix: consolePrefix,
    routes: [...consoleRoutes, ...shared],
    guard: createGuard(services),
    admits: (route) => load.admits(classOf(route)),
    isAvailable: load.isAvailable,
  })
