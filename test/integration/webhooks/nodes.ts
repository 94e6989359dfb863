// Gateways' webhook engines over one database and one Redis, in this process: actors, senders and recorder are the real
// ones. Nothing sweeps, and hints of changes go nowhere unless a test gives them.

import { after, type TestContext } from 'node:test'
import { Registry } from 'prom-client'
import type { AskResult, TellResult } from '../../../src/actors/letter.ts'
import { MemoryDirectory } from '../../../src/actors/memory-ownership.ts'
import { loadSettings } from '../../../src/config/config.ts'
import { connectRedis } from '../../../src/redis/client.ts'
import { createDialTimes } from '../../../src/redis/dial-times.ts'
import { type Clock, systemClock } from '../../../src/shared/clock.ts'
import { type EndpointId, newId, type WorkspaceId } from '../../../src/shared/ids.ts'
import type { EndpointMessage } from '../../../src/webhooks/endpoint.ts'
import type { AttemptRecord } from '../../../src/webhooks/settle-attempt.ts'
import { createSecret } from '../../../src/webhooks/signature.ts'
import { createWebhooks, type Webhooks } from '../../../src/wiring/bind-webhooks.ts'
import { DeliveryMetrics } from '../../../src/wiring/delivery-metrics.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { testRedis } from '../../support/redis.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'

export const sql = testPool(await testDatabase(), 8)
const redisServer = await testRedis()
const redis = await connectRedis({ url: redisServer.url, role: 'commands', onError: () => {} })
after(async () => {
  redis.destroy()
  await redisServer.stop()
})

export interface Node {
  readonly webhooks: Webhooks
  readonly sid: string
}

const quiet = { info() {}, warn() {} }

/** Metrics that keep what attempts came to. */
function noting(records: AttemptRecord[]): DeliveryMetrics {
  const metrics = new DeliveryMetrics(new Registry())
  metrics.attempted = (record) => void records.push(record)
  return metrics
}

export class Cluster {
  readonly directory = new MemoryDirectory()
  /** Every attempt of a queued delivery, those too that leave no row. */
  readonly records: AttemptRecord[] = []
  readonly #env: Record<string, string>
  readonly #nodes = new Map<string, Webhooks>()

  /** Its nodes leave with the test. */
  constructor(t: TestContext, env: Record<string, string> = {}) {
    t.after(async () => {
      for (const { directory, close } of this.#nodes.values()) {
        await directory.drain(1_000)
        await close()
      }
    })
    this.#env = { APP_ENV: 'test', WEBHOOK_TARGETS: 'any', WEBHOOK_RETRY_DELAYS: '1h,1h,1h,1h,1h', ...env }
  }

  node(clock: Clock = systemClock): Node {
    const sid = newId('attempt')
    const webhooks = createWebhooks({
      ...{ sql, clock, log: quiet },
      secrets: { open: (sealed) => Buffer.from(sealed).toString() },
      ownership: this.directory.join({ nodeId: sid, sid, address: '' }),
      dialTimes: createDialTimes(redis, clock),
      settings: loadSettings(this.#env),
      scheduleRetries: () => {},
      metrics: noting(this.records),
      router: {
        ask: (_kind, id, message, ms) => this.#ask(webhooks, id, message, ms),
        tell: (_kind, id, message) => this.#tell(webhooks, id, message),
      },
    })
    this.#nodes.set(sid, webhooks)
    return { webhooks, sid }
  }

  async #tell(from: Webhooks, id: string, message: EndpointMessage): Promise<TellResult> {
    const result = await from.directory.tell(id, message)
    const owner = result.type === 'theirs' ? this.#nodes.get(result.owner.sid) : undefined
    return owner ? owner.directory.tell(id, message) : result
  }

  async #ask(from: Webhooks, id: string, message: EndpointMessage, ms: number): Promise<AskResult> {
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

/** An event of the workspace, handed to the node that wrote it. */
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

/** The delivery as the store has it, and its attempts, which are written with it. */
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

/** Waits for what no promise tells of; the limit is only reached when it never comes. */
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
