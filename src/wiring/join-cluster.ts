// A gateway among the others: its internal port, and its place in the cluster.
import { type ClusterNode, startNode } from '../cluster/node.ts'
import { version } from '../contract/version.ts'
import type { HttpHandler } from '../http/exchange.ts'
import { type HttpServer, listen } from '../http/uws.ts'
import type { Foundation } from './foundation.ts'

/** The internal port is open before the node is: others must reach it under the address that it registers. */
export async function joinCluster({
  settings,
  redisUrl,
  secrets,
  clock,
  log,
}: Foundation): Promise<{ internal: HttpServer; node: ClusterNode }> {
  const late: { handler: HttpHandler } = { handler: () => ({ status: 503 }) }
  const internal = await listen({
    host: settings.INTERNAL_HOST,
    port: settings.INTERNAL_PORT,
    handler: (request) => late.handler(request),
    maxInFlight: settings.MAX_REQUESTS,
  })
  const node = await startNode({
    redisUrl,
    secret: secrets.cluster,
    isFastDeathEnabled: settings.FAST_DEATH,
    ...{ clock, log },
    address: settings.INTERNAL_ADDRESS ?? `http://${settings.INTERNAL_HOST}:${internal.port}`,
    version,
    sessionTtlMs: settings.SESSION_TTL,
    sessionRenewMs: settings.SESSION_RENEW,
    joinWaitMs: settings.HANDOVER_SILENCE,
  })
  late.handler = (request) => node.handleRpc(request)
  return { internal, node }
}
