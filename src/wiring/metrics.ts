// What Prometheus scrapes. No label carries an id of a workspace, endpoint or call: their number has no bound.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { HttpResponse } from '../http/exchange.ts'
import type { Served } from '../http/pipeline.ts'
import type { ReceivedRecord } from '../ingest/webhooks.ts'
import type { ProviderRequestRecord } from '../provider/ask.ts'
import { backlogMetrics } from './backlog-metrics.ts'
import { DeliveryMetrics } from './delivery-metrics.ts'

export interface GaugeSource {
  readonly name: string
  readonly help: string
  readonly read: () => number
}

export type Metrics = ReturnType<typeof createMetrics>

const fastBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Where no route matched, the method is whatever a caller made up. */
const labelsOf = ({ method, route }: Served) =>
  route === undefined ? { method: 'none', route: 'none' } : { method, route }

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const seconds = (name: string, help: string, ...labelNames: string[]) =>
    new Histogram({ name: `switchboard_${name}_seconds`, help, labelNames, buckets: fastBuckets, registers })
  const requests = seconds('http_request', 'Requests answered', 'edge', 'method', 'route', 'status')
  const provider = seconds('provider_request', 'Requests to the provider', 'operation', 'result')
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `switchboard_${name}_total`, help, labelNames, registers })
  const updates = counter('provider_updates', 'Updates received from the provider, by kind', 'kind')
  const ignored = counter('provider_updates_ignored', 'Updates that concern nothing of ours, by kind', 'kind')
  const drops = counter('actor_drops', 'Actors that ended other than by their own wish', 'kind', 'reason')
  return {
    served: (edge: string) => (served: Served) =>
      requests.observe(
        { edge, ...labelsOf(served), status: String(served.status) },
        served.durationMs / 1000,
      ),
    asked: (record: ProviderRequestRecord) =>
      provider.observe({ operation: record.operation, result: record.outcome }, record.durationMs / 1000),
    received({ kinds }: ReceivedRecord) {
      for (const [kind, count] of Object.entries(kinds)) updates.inc({ kind }, count)
    },
    ignored: (kind: string) => ignored.inc({ kind }),
    dropped: (kind: string, reason: string) => drops.inc({ kind, reason }),
    /** Of a process that delivers. */
    deliveries: () => new DeliveryMetrics(registry),
    /** Of a process that sends campaigns. */
    campaigns() {
      const sends = counter('campaign_sends', 'Sends of campaigns, by what became of them', 'outcome')
      return (outcome: string) => sends.inc({ outcome })
    },
    /** Of a process that sweeps. */
    backlog: () => backlogMetrics(registry),
    gauge({ name, help, read }: GaugeSource) {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    },
    async answer(): Promise<HttpResponse> {
      return {
        status: 200,
        headers: { 'content-type': registry.contentType },
        body: await registry.metrics(),
      }
    },
  }
}
