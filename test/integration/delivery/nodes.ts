// The webhook engines of several gateways over one database and one Redis, in this process, with the real
// actors, senders and recorder. No sweeper runs, and only the test sends hints of changes.

import { Registry } from 'prom-client'
import { createDelivery, type Delivery } from '../../../src/delivery/delivery.module.ts'
import type { EndpointMessage } from '../../../src/delivery/endpoint.messages.ts'
import { DeliveryMetrics } from '../../../src/delivery/host/delivery-metrics.ts'
import type { AttemptRecord } from '../../../src/delivery/settle-attempt.ts'
import { createSecret } from '../../../src/delivery/signature.ts'
import { createDialTimes } from '../../../src/delivery/store/dial-times.ts'
import type { DirectoryEvent } from '../../../src/platform/actors/directory-options.ts'
import type { AskResult, TellResult } from '../../../src/platform/actors/mailbox-entry.ts'
import { loadSettings } from '../../../src/platform/config/config.ts'
import { connectRedis } from '../../../src/platform/redis/client.ts'
import { type Clock, systemClock } from '../../../src/shared/clock.ts'
import { type EndpointId, newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import { afterAllFiles, type TestContext } from '../../support/harness.ts'
import { MemoryDirectory } from '../../support/memory-ownership.ts'
import { sharedPool, testDatabase } from '../../support/postgres.ts'
import { testRedis } from '../../support/redis.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'

export const sql = sharedPool(await testDatabase(), 8)
const redisServer = await testRedis()
const redis = await connectRedis({ url: redisServer.url, role: 'commands', onError: () => {} })
afterAllFiles(async () => {
  redis.destroy()
  await redisServer.stop()
})

export interface Node {
  readonly webhooks: Delivery
  readonly sid: string
}

const quiet = { info() {}, warn() {} }

/** Metrics that record the result of each attempt. */
function noting(records: AttemptRecord[]): DeliveryMetrics {
  const metrics = new DeliveryMetrics(new Registry())
  metrics.attempted = (record) => void records.push(record)
  return metrics
}

export class Cluster {
  readonly directory = new MemoryDirectory()
  /** Every attempt of a queued delivery, including those that leave no row. */
  readonly records: AttemptRecord[] = []
  readonly #env: Record<string, string>
  readonly #nodes = new Map<string, Delivery>()

  /** The nodes leave when the test ends. */
  constructor(t: TestContext, env: Record<string, string> = {}) {
    t.after(async () => {
      for (const { directory, close } of this.#nodes.values()) {
        await directory.drain(1_000)
        await close()
      }
    })
    this.#env = { APP_ENV: 'test', WEBHOOK_TARGETS: 'any', WEBHOOK_RETRY_DELAYS: '1h,1h,1h,1h,1h', ...env }
  }

  node(clock: Clock = systemClock, observe: (event: DirectoryEvent) => void = () => undefined): Node {
    const sid = newId('attempt')
    const webhooks = createDelivery({
      ...{ sql, hot: sql, urgent: sql, clock, log: quiet },
      secrets: { open: (sealed) => Buffer.from(sealed).toString() },
      ownership: this.directory.join({ nodeId: sid, sid, address: '' }),
      dialTimes: createDialTimes(redis, clock),
      settings: loadSettings(this.#env),
      scheduleRetries: () => {},
      observe,
      metrics: noting(this.records),
      router: {
        ask: (_kind, id, message, ms) => this.#ask(webhooks, id, message, ms),
        tell: (_kind, id, message) => this.#tell(webhooks, id, message),
      },
    })
    this.#nodes.set(sid, webhooks)
    return { webhooks, sid }
  }

  async #tell(from: Delivery, id: string, message: EndpointMessage): Promise<TellResult> {
    const result = await from.directory.tell(id, message)
    const owner = result.type === 'theirs' ? this.#nodes.get(result.owner.sid) : undefined
    return owner ? owner.directory.tell(id, message) : result
  }

  async #ask(from: Delivery, id: string, message: EndpointMessage, ms: number): Promise<AskResult> {
    const result = await from.directory.ask(id, message, ms)
    const owner = result.type === 'theirs' ? this.#nodes.get(result.owner.sid) : undefined
    return owner ? owner.directory.ask(id, message, ms) : result
  }
}

export interface Tenancy {
  readonly workspaceId: WorkspaceId
  readonly endpointId: EndpointId
  readonly secret: string
}

export async function endpointAt(url: string): Promise<Tenancy> {
  const { workspaceId } = await addTenant(sql)
  const endpointId = await addEndpoint(sql, workspaceId)
  const secret = createSecret()
  await sql`update endpoints set url = ${url}, secret = ${Buffer.from(secret)} where id = ${endpointId}`
  return { workspaceId, endpointId, secret }
}

/** Emits an event of the workspace and hands it to the node that wrote it; returns the id of the delivery. */
export async function emitTo({ webhooks }: Node, { workspaceId }: Tenancy, body = '{}'): Promise<string> {
  const [written] = await emitEvent(sql, workspaceId, { body })
  if (!written) throw new Error('nobody wants the event')
  webhooks.dispatch([written])
  return written.deliveryId
}

interface AttemptRow {
  readonly statusCode: number | null
  readonly error: string | null
  readonly at: Date
  readonly durationMs: number
  readonly timings: Record<string, number>
  readonly responseHeaders: Record<string, string> | null
  readonly responseBody: Buffer | null
}

/** The delivery as the store has it, and its attempts, which are written together. */
export async function deliveryOf(id: string) {
  const attempts = await sql<AttemptRow[]>`
    select status_code, error, at, duration_ms, timings, response_headers, response_body
    from attempts
    where delivery_id = ${id}
    order by number`
  const [row] = await sql<{ state: string; attemptCount: number }[]>`
    select state, attempt_count from deliveries where id = ${id}`
  if (!row) throw new Error(`there is no delivery ${id}`)
  return { ...row, attempts: [...attempts] }
}

/** Polls, for changes that no promise announces. Only a failing test reaches the limit. */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  limitMs = 20_000,
): Promise<Exclude<T, false | undefined>> {
  const deadline = performance.now() + limitMs
  for (;;) {
    const seen = await look()
    if (seen) return seen as Exclude<T, false | undefined>
    if (performance.now() > deadline) throw new Error(`it never came: ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

export const settled = (id: string) =>
  until(`a result of ${id}`, async () => {
    const delivery = await deliveryOf(id)
    return delivery.attempts.length > 0 && delivery
  })
