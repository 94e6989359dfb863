import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { everyAttempt } from '../../../src/platform/postgres/every-attempt.ts'
import { newId } from '../../../src/shared/ids.ts'
import { describe, type TestContext, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { addTenant, emitEvent } from '../../support/rows.ts'
import { eventually } from '../platform/cluster/gateway.ts'
import { Engine, endpointAt, receiver } from './engine.ts'

const sql = testPool(await testDatabase())

/** Accepts connections and never sends anything, not even in a handshake. */
async function mute(t: TestContext): Promise<number> {
  const sockets = new Set<{ destroy(): unknown }>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

describe('an endpoint beside nineteen of its workspace that are dead, hang or answer slowly', () => {
  test('gets every event, and its calls, before the first of their attempts has ended', async (t) => {
    const { workspaceId } = await addTenant(sql)
    const arrived: string[] = []
    const url = await receiver(t, (path, body, response) => {
      if (path === '/hang') return
      if (path !== '/good') return void setTimeout(() => response.writeHead(200).end(), 60_000).unref()
      arrived.push(body)
      response.writeHead(200).end()
    })
    const silent = await mute(t)
    const others = [
      `${url}/hang`,
      `${url}/slow`,
      `https://127.0.0.1:${silent}/`,
      `wss://127.0.0.1:${silent}/`,
    ]
    for (let index = 0; index < 19; index += 1)
      await endpointAt(sql, workspaceId, `${others[index % others.length]}`)
    const good = await endpointAt(sql, workspaceId, `${url}/good`)
    const engine = new Engine(sql, { WEBHOOK_TIMEOUT: '60s' })
    const node = engine.join()
    t.after(() => engine.close())
    for (let number = 0; number < 60; number += 1)
      node.dispatch(
        await emitEvent(sql, workspaceId, { key: newId('conversation'), body: `{"number":${number}}` }),
      )
    await eventually(() => arrived.length === 60)
    const call = await node.direct.send({
      endpointId: good,
      kind: 'call.ringing',
      body: Buffer.from('{"event":"call.ringing"}'),
    } as never)
    assert.deepEqual(call, { type: 'delivered' })
    const [row] = await sql`
      select count(*)::int as count from ${everyAttempt(sql)} and workspace_id = ${workspaceId} and endpoint_id <> ${good}
        and error is distinct from 'TLS_TIMEOUT'`
    assert.equal(row?.['count'], 0)
    assert.ok(node.openConnections() <= 64 + 20 * 8, `${node.openConnections()}`)
  })
})
