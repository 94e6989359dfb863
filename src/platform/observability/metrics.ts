// The metrics for Prometheus. No label contains an id of a workspace, endpoint or call: they are unbounded.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { HttpResponse } from '../http/exchange.ts'
import type { Served } from '../http/pipeline.ts'

export interface GaugeSource {
  readonly name: string
  readonly help: string
  readonly read: () => number
}

/** One request to the provider. */
interface AskedRecord {
  readonly operation: string
  readonly outcome: string
  readonly durationMs: number
}

export type Metrics = ReturnType<typeof createMetrics>

/** Each sample wakes the process, also when it has nothing to do. */
const loopSampleMs = 50

const fastBuckets = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** If no route matched, the method is arbitrary text from the caller, so it is no label. */
const labelsOf = ({ method, route }: Served) =>
  route === undefined ? { method: 'none', route: 'none' } : { method, route }

type MakeCounter = (name: string, help: string, ...labelNames: string[]) => Counter

/** What the provider tells. */
function webhookMetrics(counter: MakeCounter) {
  const updates = counter('provider_updates', 'Updates received from the provider, by kind', 'kind')
  const ignored = counter('provider_updates_ignored', 'Updates that concern nothing of ours, by kind', 'kind')
  const taken = counter('provider_updates_taken', 'Updates applied for another gateway, by kind', 'kind')
  const unapplied = counter(
    'provider_elements_unapplied',
    'Elements of webhooks that nothing was made of, by reason',
    'reason',
  )
  const lost = counter('provider_copies_lost', 'Copies of understood elements that were not written')
  return {
    received({ kinds, skipped }: Readonly<Record<'kinds' | 'skipped', Readonly<Record<string, number>>>>) {
      for (const [kind, count] of Object.entries(kinds)) updates.inc({ kind }, count)
      for (const [reason, count] of Object.entries(skipped)) unapplied.inc({ reason }, count)
    },
    ignored: (kind: string) => ignored.inc({ kind }),
    taken: (kind: string) => taken.inc({ kind }),
    copiesLost: (count: number) => lost.inc(count),
  }
}

export function createMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: loopSampleMs })
  const registers = [registry]
  const seconds = (name: string, help: string, ...labelNames: string[]) =>
    new Histogram({ name: `switchboard_${name}_seconds`, help, labelNames, buckets: fastBuckets, registers })
  const counter = (name: string, help: string, ...labelNames: string[]) =>
    new Counter({ name: `switchboard_${name}_total`, help, labelNames, registers })
  const requests = seconds('http_request', 'Requests answered', 'edge', 'method', 'route', 'status')
  const refusals = counter('http_refusals', 'Requests refused before a handler got them, by code', 'code')
  const provider = seconds('provider_request', 'Requests to the provider', 'operation', 'result')
  const drops = counter('actor_drops', 'Actors that ended other than by their own wish', 'kind', 'reason')
  const parked = counter('actor_parked_messages', 'Messages that an actor could not handle', 'kind')
  const restored = counter('restored_rows', 'Rows after a restore of Postgres, by result', 'result')
  const refused = counter(
    'cluster_messages_refused',
    'Messages between processes that were refused, by way and reason',
    'way',
    'reason',
  )
  const secrets = counter(
    'secret_failures',
    'Sealed secrets that failed, by operation and fault',
    'operation',
    'fault',
  )
  return {
    served: (edge: string) => (served: Served) =>
      requests.observe(
        { edge, ...labelsOf(served), status: String(served.status) },
        served.durationMs / 1000,
      ),
    refusedEarly: (code: string) => refusals.inc({ code }),
    asked: (record: AskedRecord) =>
      provider.observe({ operation: record.operation, result: record.outcome }, record.durationMs / 1000),
    ...webhookMetrics(counter),
    dropped: (kind: string, reason: string) => drops.inc({ kind, reason }),
    parked: (kind: string) => parked.inc({ kind }),
    refused: (way: string, reason: string) => refused.inc({ way, reason }),
    restored: (result: string, rows: number) => restored.inc({ result }, rows),
    secretFailed: (operation: string, fault: string) => secrets.inc({ operation, fault }),
    /** For metrics that a feature declares itself. */
    registry,
    /** For a process that sends campaigns. */
    campaigns() {
      const sends = counter('campaign_sends', 'Sends of campaigns, by what became of them', 'outcome')
      return (outcome: string) => sends.inc({ outcome })
    },
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
