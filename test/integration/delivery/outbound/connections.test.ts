import assert from 'node:assert/strict'
import { connect as connectTcp, type Socket } from 'node:net'
import { judgeUrl } from '../../../../src/delivery/address-rule.ts'
import type { Connector } from '../../../../src/delivery/outbound/connect.ts'
import { ConnectionPool } from '../../../../src/delivery/outbound/connections.ts'
import { startDeadline } from '../../../../src/delivery/outbound/deadline.ts'
import { describe, type TestContext, test } from '../../../support/harness.ts'
import { rawReceiver } from './receivers.ts'

/** A pool of one connection, and a way to acquire one with a deadline that ends when the test says. */
async function setUp(t: TestContext) {
  const sockets: Socket[] = []
  const port = await rawReceiver(t, () => {})
  const connect: Connector = (target) =>
    new Promise((resolve) => {
      const socket = connectTcp(target.port, target.host, () =>
        resolve({ type: 'connected', socket, timings: {} }),
      )
      socket.on('error', () => {})
      sockets.push(socket)
    })
  const pool = new ConnectionPool(connect, { perPool: 1, total: 10 })
  t.after(() => pool.close())
  const verdict = judgeUrl(`http://127.0.0.1:${port}/`, 'any')
  assert(verdict.type === 'ok')
  const acquire = async (signal?: AbortSignal) => {
    const deadline = startDeadline(5_000, signal)
    try {
      return await pool.acquire({ target: verdict.target, pool: 'a', deadline, fresh: false })
    } finally {
      deadline.clear()
    }
  }
  return { pool, acquire, sockets }
}

describe('a turn that comes in the very instant a request gives up', () => {
  test('leaves the connection to the next request', async (t) => {
    const { pool, acquire } = await setUp(t)
    const first = await acquire()
    assert(first.type === 'acquired')
    const cut = new AbortController()
    const late = acquire(cut.signal)
    const next = acquire()
    pool.release(first.connection)
    cut.abort()
    assert.equal((await late).type, 'failed')
    const second = await next
    assert(second.type === 'acquired')
    assert.equal(second.connection, first.connection)
    pool.release(second.connection)
    assert.equal(pool.openConnections, 1)
  })

  test('leaves the place for a new connection to the next request', async (t) => {
    const { acquire, pool, sockets } = await setUp(t)
    const first = await acquire()
    assert(first.type === 'acquired')
    const cut = new AbortController()
    const late = acquire(cut.signal)
    const next = acquire()
    // Runs right after the pool's own listener, which hands the place to the first waiter.
    sockets[0]?.once('close', () => cut.abort())
    first.connection.end()
    assert.equal((await late).type, 'failed')
    const second = await next
    assert(second.type === 'acquired')
    assert.notEqual(second.connection, first.connection)
    assert.equal(pool.openConnections, 1)
    assert.equal(sockets.length, 2)
  })
})
