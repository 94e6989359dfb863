// The whole webhook engine, one for each node of a test: real rows, real requests, ownership in memory.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { createDelivery, type Delivery } from '../../../src/delivery/delivery.module.ts'
import type { EndpointMessage } from '../../../src/delivery/endpoint.messages.ts'
import { DeliveryMetrics } from '../../../src/delivery/host/delivery-metrics.ts'
import type { EndpointRouter } from '../../../src/delivery/host/dispatch.ts'
import { createSweep } from '../../../src/delivery/host/sweep-deliveries.ts'
import { createDeliveryStore } from '../../../src/delivery/store/deliveries.store.ts'
import type { TellResult } from '../../../src/platform/actors/mailbox-entry.ts'
import { loadSettings } from '../../../src/platform/config/config.ts'
import type { RestoreWatch } from '../../../src/platform/postgres/restore-watch.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import type { EndpointId, WorkspaceId } from '../../../src/shared/ids.ts'
import type { TestContext } from '../../support/harness.ts'
import { MemoryDirectory } from '../../support/memory-ownership.ts'
import { addEndpoint } from '../../support/rows.ts'

export class Engine {
  readonly #sql: Pool
  readonly #directory = new MemoryDirectory()
  readonly #nodes: { readonly sid: string; readonly webhooks: Delivery; isGone: boolean }[] = []
  readonly #env: Record<string, string>
  /** The last message to each endpoint; the next one waits for it. */
  readonly #told = new Map<string, Promise<TellResult>>()
  #isClosing = false

  constructor(sql: Pool, env: Record<string, string> = {}) {
    this.#sql = sql
    this.#env = { WEBHOOK_TARGETS: 'any', APP_ENV: 'test', ...env }
  }

  /**
   * Routes to the node that has the endpoint, otherwise to the first that serves. Like the real router, it
   * repeats a message until it is taken, in order.
   */
  readonly router: EndpointRouter = {
    tell: (_kind, id, message) => {
      const told = (this.#told.get(id) ?? Promise.resolve()).then(() => this.#travel(id, message))
      this.#told.set(id, told)
      return told
    },
    ask: (_kind, id, message, deadlineMs) => this.#nodeOf(id).directory.ask(id, message, deadlineMs),
  }

  join(restores?: RestoreWatch): Delivery {
    const sid = `node-${this.#nodes.length}`
    const webhooks = createDelivery({
      sql: this.#sql,
      hot: this.#sql,
      urgent: this.#sql,
      secrets: { open: () => `whsec_${Buffer.alloc(32).toString('base64')}` },
      ownership: this.#directory.join({ nodeId: sid, sid, address: sid }),
      dialTimes: { next: async () => Date.now() },
      clock: systemClock,
      settings: loadSettings(this.#env),
      scheduleRetries: () => undefined,
      router: this.router,
      log: { info: () => undefined, warn: () => undefined },
      metrics: new DeliveryMetrics(new Registry()),
      ...(restores && { restores }),
    })
    this.#nodes.push({ sid, webhooks, isGone: false })
    return webhooks
  }

  /** A death as the other nodes see it: the session is over, even if the node still does something. */
  kill(index: number): void {
    const node = this.#nodes[index]
    if (!node) throw new Error(`no node ${index}`)
    node.isGone = true
    this.#directory.declareDead(node.sid)
  }

  async leave(index: number): Promise<void> {
    const node = this.#nodes[index]
    if (!node) throw new Error(`no node ${index}`)
    node.isGone = true
    await node.webhooks.directory.drain(10_000)
  }

  sweep(): Promise<boolean> {
    const deliveries = createDeliveryStore(this.#sql)
    return createSweep({ deliveries, router: this.router, woken: () => undefined })()
  }

  async close(): Promise<void> {
    this.#isClosing = true
    for (const { webhooks } of this.#nodes) {
      await webhooks.directory.drain(1)
      await webhooks.close()
    }
  }

  async #travel(id: string, message: EndpointMessage): Promise<TellResult> {
    for (;;) {
      const result = await this.#nodeOf(id).directory.tell(id, message)
      const isElsewhere = result.type === 'theirs' || result.type === 'leaving'
      if (!isElsewhere || this.#isClosing) return result
      await sleep(20)
    }
  }

  #nodeOf(id: string): Delivery {
    const serving = this.#nodes.filter(({ isGone }) => !isGone)
    const node = serving.find(({ webhooks }) => webhooks.directory.has(id)) ?? serving[0]
    if (!node) throw new Error('no node serves')
    return node.webhooks
  }
}

export async function endpointAt(sql: Pool, workspaceId: WorkspaceId, url: string): Promise<EndpointId> {
  const id = await addEndpoint(sql, workspaceId, { events: ['message.status'] })
  await sql`update endpoints set url = ${url} where id = ${id}`
  return id
}

/** A receiver that handles each path and body as the test says; returns its address. */
export async function receiver(
  t: TestContext,
  take: (path: string, body: string, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request: IncomingMessage, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => take(request.url ?? '', Buffer.concat(chunks).toString(), response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
