// Opens the internal port of a gateway, which also serves the metrics, and joins the cluster.
import { type ClusterNode, startNode } from '../platform/cluster/node.ts'
import { mostRequests } from '../platform/cluster/room.ts'
import { rpcSockets, type UpgradeRpc } from '../platform/cluster/rpc-handler.ts'
import { internalAddress } from '../platform/config/gateway-settings.ts'
import type { HttpHandler } from '../platform/http/exchange.ts'
import type { HttpServer } from '../platform/http/listen-options.ts'
import { listen } from '../platform/http/uws.ts'
import { version } from '../shared/version.ts'
import type { ProcessContext } from './process-context.ts'

const metricsPath = '/metrics'

/** Opens the internal port before the node registers: other nodes must reach the registered address. */
export async function joinCluster(
  context: ProcessContext,
): Promise<{ internal: HttpServer; node: ClusterNode }> {
  const { settings, redisUrl, secrets, clock, log, metrics, postgres } = context
  const busy = { status: 503 }
  const late: { handler: HttpHandler; upgrade: UpgradeRpc } = {
    handler: () => busy,
    upgrade: async () => busy,
  }
  const internal = await listen({
    host: settings.INTERNAL_HOST,
    port: settings.INTERNAL_PORT,
    handler: (request) => late.handler(request),
    sockets: rpcSockets((request) => late.upgrade(request)),
    maxInFlight: mostRequests,
    unlimitedPaths: new Set([metricsPath]),
  })
  const node = await startNode({
    ...{ redisUrl, clock, log, version },
    secrets: secrets.cluster,
    isFastDeathEnabled: settings.FAST_DEATH,
    address: internalAddress(settings, internal.port),
    sessionTtlMs: settings.SESSION_TTL,
    sessionRenewMs: settings.SESSION_RENEW,
    joinWaitMs: settings.HANDOVER_SILENCE,
    onRefused: metrics.refused,
    postgresAwayMs: postgres.awayMs,
  })
  late.handler = (request) => (request.path === metricsPath ? metrics.answer() : node.handleRpc(request))
  late.upgrade = node.upgradeRpc
  return { internal, node }
}
