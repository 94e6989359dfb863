// What a gateway holds at the moment of a scrape.
import type { Live } from '../console/live/live.ts'
import type { CallDirectory } from './bind-calls.ts'
import type { Webhooks } from './bind-webhooks.ts'
import type { Metrics } from './metrics.ts'

export function gatewayGauges(
  metrics: Metrics,
  parts: { readonly webhooks: Webhooks; readonly calls: CallDirectory; readonly live: Live },
): void {
  const { webhooks, calls, live } = parts
  const gauge = (name: string, help: string, read: () => number) =>
    metrics.gauge({ name: `switchboard_${name}`, help, read })
  gauge('endpoint_actors', 'Endpoints owned by this process', () => webhooks.directory.size)
  gauge('call_actors', 'Calls owned by this process', () => calls.size)
  gauge('webhook_sockets', 'Open webhook sockets', () => webhooks.openSockets())
  gauge('webhook_connections', 'Open HTTPS connections to endpoints', () => webhooks.openConnections())
  gauge('console_sockets', 'Open live connections of the console', () => live.openSockets())
  gauge('webhook_backlog_bytes', 'Bytes of events that wait in memory', () => webhooks.backlogBytes())
}
