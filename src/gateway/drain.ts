// How a gateway ends: requests, then sends, then the actors, then the connections. Each step gets a share of what is
// left of DRAIN_TIMEOUT, so a hanging Redis, Postgres, client or receiver cannot take the time of the next.
import { type Closing, type DrainTime, type Ending, startDrainTime } from '../platform/process/drain-time.ts'
import type { Clock } from '../shared/clock.ts'
import type { Log } from '../shared/log.ts'
import { pause } from '../shared/pause.ts'

interface Actors {
  drain(deadlineMs: number): Promise<void>
  close(): void
}

export interface GatewayParts {
  readonly node: { leave(): Promise<void> } & Closing
  /** The public port. */
  readonly server: Closing
  readonly live: { close(): void }
  readonly messaging: Ending & { readonly media: Ending }
  readonly keeper: Ending
  readonly blobs: Closing
  readonly calls: { readonly directory: Actors }
  readonly delivery: { readonly directory: Pick<Actors, 'drain'> } & Closing
  readonly timers: Closing
  readonly scheduler: Closing
  readonly provider: Closing
  readonly internal: Closing
}

export interface DrainOptions {
  readonly settings: { readonly DRAIN_GRACE: number; readonly DRAIN_TIMEOUT: number }
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
}

const second = 1_000
/** Requests that are answered at all are answered sooner. */
const requestsMs = 10 * second

/** The pools of Postgres are left open. */
export async function drainGateway(
  parts: GatewayParts,
  { settings, clock, log }: DrainOptions,
): Promise<void> {
  const { node, server, live } = parts
  const time = startDrainTime(settings.DRAIN_TIMEOUT, { clock, log })
  await time.step('leaving the cluster', node.leave(), second)
  // Load balancers keep sending requests until /readyz tells them to stop.
  await pause(clock, settings.DRAIN_GRACE)
  await time.step('requests', server.close(), Math.min(requestsMs, time.leftMs() * 0.5))
  live.close()
  await drainWork(parts, time)
}

async function drainWork(parts: GatewayParts, time: DrainTime): Promise<void> {
  const { node, messaging, keeper, blobs, calls, delivery, timers, scheduler, provider, internal } = parts
  const share = (part: number) => time.leftMs() * part
  // An outcome that Postgres cannot store now stays UNKNOWN until a status of the provider settles it.
  const sends = Promise.all([messaging.drain(), messaging.media.drain(), keeper.drain()])
  await time.step('sends', sends, share(0.4))
  await time.step('the store of files', blobs.close(), second)
  await calls.directory.drain(share(0.4))
  await delivery.directory.drain(share(0.7))
  await time.step('results of attempts', delivery.close(), share(0.5))
  calls.directory.close()
  const queues = Promise.allSettled([timers.close(), scheduler.close(), provider.close()])
  await time.step('queues and provider', queues, 2 * second)
  await time.step('the internal port', internal.close(), share(0.5))
  await time.step('the cluster', node.close(), 2 * second)
}
