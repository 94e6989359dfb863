import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { Pool } from 'undici'
import { ConnectionPool } from '../../../../src/provider/outgoing/connection-pool.ts'
import { type Exchange, PendingExchange } from '../../../../src/provider/outgoing/pending-exchange.ts'
import { describe, test } from '../../../support/harness.ts'
import { account, adapter, portOf } from './rig.ts'

/** The result of a request with this deadline, whose connection comes about once `isReady`. */
async function dispatch(timeoutMs: number, isReady: (exchange: Promise<Exchange>) => Promise<unknown>) {
  let requests = 0
  const server = createServer((_, response) => {
    requests += 1
    response.end('{}')
  })
  const port = await portOf(server)
  const connected = once(server, 'connection')
  const pool = new Pool(`http://127.0.0.1:${port}`, {
    connect: (_, done) => {
      void isReady(exchange).then(() => {
        const socket = connect(port, '127.0.0.1', () => done(null, socket))
      })
    },
  })
  const exchange = new Promise<Exchange>((resolve) => {
    const pending = new PendingExchange({ timeoutMs, maxAnswerBytes: 1_000 }, resolve)
    setImmediate(() => pool.dispatch({ method: 'POST', path: '/', body: '{}' }, pending))
  })
  await Promise.all([exchange, connected])
  await pool.close()
  await new Promise((resolve) => server.close(resolve))
  return { exchange: await exchange, requests }
}

describe('a connection that comes about', () => {
  test('after the deadline carries nothing: what was reported as not sent stays unsent', async () => {
    const { exchange, requests } = await dispatch(100, (ended) => ended)
    assert.deepEqual(exchange, { type: 'failed', code: 'TIMEOUT', written: false, details: null })
    assert.equal(requests, 0)
  })

  test('in time carries the request', async () => {
    const { exchange, requests } = await dispatch(10_000, () => Promise.resolve())
    assert.deepEqual([exchange.type, requests], ['answered', 1])
  })
})

/** A pool of one connection, to a provider that answers only what is asked at /answered. */
async function silentPool() {
  let requests = 0
  const server = createServer(({ url }, response) => {
    requests += 1
    if (url === '/answered') response.end('{}')
  })
  const arrived = once(server, 'request')
  const origin = `http://127.0.0.1:${await portOf(server)}`
  const pool = new ConnectionPool({
    origin,
    timeoutMs: 10_000,
    connections: 1,
    maxWaiting: 3_000,
    maxAnswerBytes: 1_000,
  })
  const close = async () => {
    const closed = pool.close()
    server.closeAllConnections()
    await closed
    await new Promise((resolve) => server.close(resolve))
  }
  return { pool, requests: () => requests, arrived, close }
}

const request = { method: 'POST', path: '/', body: '{}' } as const

describe('a request that waits for a connection', () => {
  test('is not sent when its time ends', async () => {
    const { pool, requests, arrived, close } = await silentPool()
    const first = pool.exchange(request)
    await arrived
    const second = await pool.exchange({ ...request, timeoutMs: 100 })
    assert.deepEqual(second, { type: 'failed', code: 'TIMEOUT', written: false, details: null })
    await close()
    assert.equal((await first).type, 'failed')
    assert.equal(requests(), 1)
  })

  test('is not sent when the pool closes, and thousands of them end', async () => {
    const { pool, requests, arrived, close } = await silentPool()
    const all = Array.from({ length: 2_000 }, () => pool.exchange(request))
    await arrived
    await close()
    const [first, ...others] = await Promise.all(all)
    assert.deepEqual([first?.type, others.length], ['failed', 1_999])
    assert.ok(others.every((one) => one.type === 'failed' && !one.written))
    assert.equal(requests(), 1)
  })

  test('gets its turn when the one before it is given up', async () => {
    const { pool, close } = await silentPool()
    const stuck = pool.exchange({ ...request, timeoutMs: 300 })
    const next = pool.exchange({ ...request, path: '/answered' })
    assert.deepEqual([(await stuck).type, (await next).type], ['failed', 'answered'])
    await close()
  })
})

test('a token that no header can carry is not sent, and is no exception', async () => {
  const { api } = adapter('http://127.0.0.1:9')
  const result = await api.terminate({ ...account, accessToken: 'two\r\nlines' }, 'wacid.C1')
  assert.equal(result.type, 'notSent')
  await api.close()
})
