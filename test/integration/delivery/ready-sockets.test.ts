// With WEBHOOK_KEEP_OPEN, a worker gives every endpoint at which calls ring an owner, which keeps its socket open.
import assert from 'node:assert/strict'
import { createKeepReady } from '../../../src/delivery/host/keep-ready.ts'
import { createRingingStore } from '../../../src/delivery/store/endpoints.store.ts'
import type { Pool } from '../../../src/platform/postgres/sql.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import type { EndpointId } from '../../../src/shared/ids.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addEndpoint, addTenant, emitEvent } from '../../support/rows.ts'
import { Cluster, endpointAt, sql, until } from './nodes.ts'
import { socketReceiver } from './outbound/socket-receivers.ts'

const ringAt = (pool: Pool, endpointId: EndpointId, workspaceId: string) => pool`
  update numbers set endpoint_id = ${endpointId}, forward_calls = true where workspace_id = ${workspaceId}`

describe('endpoints at which calls ring', () => {
  test('get an owner that opens the socket, and another when it is gone', async (t) => {
    let open = 0
    const url = await socketReceiver(t, (websocket) => {
      open += 1
      websocket.on('close', () => {
        open -= 1
      })
    })
    const cluster = new Cluster(t, { WEBHOOK_KEEP_OPEN: 'true' })
    const [first, second] = [cluster.node(), cluster.node()]
    const { endpointId, workspaceId } = await endpointAt(url)
    await ringAt(sql, endpointId, workspaceId)
    const serving = new Map([first, second].map((node) => [node.sid, node]))
    const told: string[] = []
    const keepReady = createKeepReady({
      ...{ endpoints: createRingingStore(sql), clock: systemClock },
      servingSids: async () => [...serving.keys()],
      router: {
        tell: async (_kind, id, message) => {
          const [node] = serving.values()
          if (id !== endpointId || !node) return
          told.push(node.sid)
          await node.webhooks.directory.tell(id, message)
        },
      },
    })
    await keepReady()
    await until('a socket', () => open === 1)
    assert.ok(first.webhooks.directory.has(endpointId))
    const before = told.length
    await keepReady()
    assert.equal(told.length, before, 'it has an owner that serves')
    serving.delete(first.sid)
    await first.webhooks.directory.drain(5_000)
    await keepReady()
    await until('another socket', () => second.webhooks.directory.has(endpointId) && open === 1)
    assert.equal(told.at(-1), second.sid)
  })

  test('have a socket that closes when idle, and that the next event dials again, unless told to stay open', async (t) => {
    const closed: number[] = []
    const url = await socketReceiver(t, (websocket) => websocket.on('close', (code) => closed.push(code)))
    const { webhooks } = new Cluster(t, { WEBHOOK_IDLE_CLOSE: '300ms' }).node()
    const { endpointId, workspaceId } = await endpointAt(url)
    await ringAt(sql, endpointId, workspaceId)
    for (const closes of [[1000], [1000, 1000]]) {
      await emitEvent(sql, workspaceId)
      await webhooks.directory.tell(endpointId, { type: 'wake', isAnew: true })
      await until('a close', () => closed.length === closes.length)
      assert.deepEqual(closed, closes)
    }
  })

  test('are told in the order of their ids, page after page, and owned ones now and then', async () => {
    const pool = testPool(await testDatabase())
    const all: EndpointId[] = []
    for (let count = 0; count < 5; count += 1) {
      const { workspaceId } = await addTenant(pool)
      const id = await addEndpoint(pool, workspaceId)
      await pool`update endpoints set url = 'wss://example.com/events' where id = ${id}`
      await ringAt(pool, id, workspaceId)
      all.push(id)
    }
    const [owned, left] = [all[1] ?? assert.fail(), all[3] ?? assert.fail()]
    await pool`update endpoints set owner_sid = 'serves' where id = ${owned}`
    await pool`update endpoints set owner_sid = 'is gone' where id = ${left}`
    let told: string[] = []
    const keepReady = createKeepReady({
      ...{ endpoints: createRingingStore(pool), servingSids: async () => ['serves'], most: 2 },
      clock: systemClock,
      router: { tell: async (_kind, id) => void told.push(id) },
    })
    const ownerless = all.filter((id) => id !== owned)
    const rounds: string[][] = []
    while (rounds.length < 7) {
      told = []
      while (await keepReady());
      rounds.push(told)
    }
    assert.deepEqual(rounds, [
      [...all.slice(0, 2), ...ownerless],
      ...Array.from({ length: 5 }, () => ownerless),
      [...all.slice(2, 4), ...ownerless],
    ])
  })
})
