import assert from 'node:assert/strict'
import { connect, createServer, type Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { createSecret, createSigner } from '../../../src/delivery/signature.ts'
import { systemClock } from '../../../src/shared/clock.ts'
import { describe, type TestContext, test } from '../../support/harness.ts'
import { Cluster, deliveryOf, emitTo, endpointAt, settled, sql, until } from './nodes.ts'
import { httpReceiver, listen } from './outbound/receivers.ts'
import { socketReceiver } from './outbound/socket-receivers.ts'

interface Seen {
  readonly websocket: WebSocket
  readonly headers: Record<string, string>
  readonly frames: string[]
  closed: { code: number; at: number } | undefined
}

/** A receiver that records what it sees of each connection. */
async function watchedReceiver(t: TestContext, accept: (websocket: WebSocket) => void = () => {}) {
  const seen: Seen[] = []
  let most = 0
  const url = await socketReceiver(t, (websocket, incoming) => {
    const one: Seen = {
      websocket,
      headers: incoming.headers as Record<string, string>,
      frames: [],
      closed: undefined,
    }
    seen.push(one)
    websocket.on('message', (data) => one.frames.push(String(data)))
    websocket.on('close', (code) => {
      one.closed = { code, at: performance.now() }
    })
    most = Math.max(most, seen.filter(({ closed }) => !closed).length)
    accept(websocket)
  })
  return { url, seen, mostOpen: () => most, frames: () => seen.flatMap(({ frames }) => frames) }
}

const timestampOf = ({ headers }: Seen) => Number(headers['x-communication-timestamp'])

describe('one socket per endpoint', () => {
  test('serves two gateways that both have events for it, and is signed with exactly three headers', async (t) => {
    const receiver = await watchedReceiver(t)
    const cluster = new Cluster(t)
    const nodes = [cluster.node(), cluster.node()] as const
    const endpoint = await endpointAt(receiver.url)
    const ids = []
    for (let index = 0; index < 40; index += 1) {
      ids.push(await emitTo(nodes[index % 2 === 0 ? 0 : 1], endpoint, JSON.stringify({ index })))
    }
    await until('all frames', () => receiver.frames().length >= 40)
    assert.equal(receiver.mostOpen(), 1)
    assert.equal(receiver.seen.length, 1)
    assert.equal(new Set(receiver.frames()).size, 40)
    const headers = receiver.seen[0]?.headers ?? {}
    const ours = Object.keys(headers).filter((name) => name.startsWith('x-'))
    const nonce = headers['x-communication-nonce'] ?? ''
    const timestamp = Number(headers['x-communication-timestamp'])
    const expected = createSigner({ current: endpoint.secret }).handshakeHeaders(timestamp, nonce)
    assert.deepEqual(Object.fromEntries(ours.map((name) => [name, headers[name]])), expected)
    for (const id of ids) assert.equal((await settled(id)).state, 'DELIVERED')
  })

  test('is dialled with a later time by an owner whose clock is a minute behind', async (t) => {
    const receiver = await watchedReceiver(t)
    const cluster = new Cluster(t, { HANDOVER_SILENCE: '300ms', GUARD: '200ms', SESSION_RENEW: '50ms' })
    const first = cluster.node()
    const endpoint = await endpointAt(receiver.url)
    await emitTo(first, endpoint)
    await until('the first frame', () => receiver.frames().length === 1)
    cluster.directory.expire(first.sid)
    const slow = cluster.node({ ...systemClock, now: () => Date.now() - 60_000 })
    await emitTo(slow, endpoint)
    await until('the second frame', () => receiver.frames().length >= 2)
    const times = receiver.seen.map(timestampOf)
    assert(times.length === 2 && (times[1] ?? 0) > (times[0] ?? 0), `dialled at ${times}`)
    // The first owner learns of it by its next confirmation. The sockets were never used at the same time.
    await until('the old socket is gone', () => receiver.seen[0]?.closed)
  })
})

const edits: Record<string, (endpointId: string, url: string) => Promise<unknown>> = {
  rotated: (id) => sql`update endpoints set secret = ${Buffer.from(createSecret())} where id = ${id}`,
  edited: (id, url) => sql`update endpoints set url = ${`${url}/v2`} where id = ${id}`,
  'switched off': (id) => sql`update endpoints set enabled = false where id = ${id}`,
  deleted: (id) => sql`update endpoints set deleted_at = now() where id = ${id}`,
}

describe('the socket of an endpoint whose change nobody told of', () => {
  for (const [change, edit] of Object.entries(edits)) {
    test(`is closed by the next confirmation once it is ${change}, and nothing is sent on it`, async (t) => {
      const receiver = await watchedReceiver(t)
      const node = new Cluster(t).node()
      const endpoint = await endpointAt(receiver.url)
      await emitTo(node, endpoint, '"before"')
      await until('the frame', () => receiver.frames().length === 1)
      await edit(endpoint.endpointId, receiver.url)
      await sql`update endpoints set config_version = config_version + 1 where id = ${endpoint.endpointId}`
      const changedAt = performance.now()
      const closed = await until('the end', () => receiver.seen[0]?.closed)
      // The product promises one second; the rest is for a busy machine.
      assert(closed.at - changedAt < 10_000, `closed after ${closed.at - changedAt} ms`)
      assert.deepEqual(receiver.frames(), ['"before"'])
      if (change !== 'rotated' && change !== 'edited') return
      await emitTo(node, endpoint, '"after"')
      await until('the next frame', () => receiver.seen[1]?.frames.length === 1)
    })
  }
})

describe('a receiver on a socket', () => {
  test('that closes with 1008 within two seconds has failed the frames sent on it; later it has not', async (t) => {
    const receiver = await watchedReceiver(t)
    const node = new Cluster(t).node()
    const [early, late] = [await endpointAt(receiver.url), await endpointAt(receiver.url)]
    const refused = await emitTo(node, early)
    await until('the frame', () => receiver.frames().length === 1)
    receiver.seen[0]?.websocket.close(1008)
    const failed = await settled(refused)
    assert.deepEqual([failed.state, failed.attempts[0]?.error], ['RETRYING', 'SOCKET_REJECTED_SIGNATURE'])
    const taken = await emitTo(node, late)
    // A frame counts as accepted two seconds after the upgrade; only then is it recorded.
    assert.equal((await settled(taken)).state, 'DELIVERED')
    receiver.seen[1]?.websocket.close(1008)
    await until('the end', () => receiver.seen[1]?.closed)
    assert.equal((await deliveryOf(taken)).state, 'DELIVERED')
  })

  test('that answers the upgrade with anything else has failed one attempt, with its answer', async (t) => {
    const node = new Cluster(t).node()
    const answers: Record<string, [status: number | null, error: string | null]> = {
      'HTTP/1.1 401 No\r\ncontent-length: 2\r\n\r\nno': [401, null],
      'HTTP/1.1 404 No\r\ncontent-length: 0\r\n\r\n': [404, null],
      'HTTP/1.1 500 No\r\nx-odd: \xff\xfe\r\ncontent-length: 3\r\n\r\n\0\xff\0': [500, null],
      'HTTP/1.1 301 No\r\nlocation: http://127.0.0.1:9/\r\ncontent-length: 0\r\n\r\n': [301, null],
      'HTTP/1.1 101 Yes\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: x\r\n\r\n': [
        null,
        'INVALID_RESPONSE',
      ],
      garbage: [null, 'INVALID_RESPONSE'],
    }
    for (const [answer, expected] of Object.entries(answers)) {
      const port = await httpReceiver(
        t,
        () => {},
        (_incoming, socket) => void socket.end(Buffer.from(answer, 'latin1')),
      )
      const { attempts, state } = await settled(
        await emitTo(node, await endpointAt(`ws://127.0.0.1:${port}/`)),
      )
      assert.equal(state, 'RETRYING')
      assert.deepEqual([attempts[0]?.statusCode, attempts[0]?.error], expected, answer)
    }
  })

  test('that vanishes without a word is found by the missing pong, and the next event dials again', async (t) => {
    const receiver = await watchedReceiver(t)
    const { url, blackHole } = await wire(t, receiver.url)
    const node = new Cluster(t, { WEBHOOK_PING: '300ms', WEBHOOK_TIMEOUT: '2s' }).node()
    const endpoint = await endpointAt(url)
    await emitTo(node, endpoint, '"heard"')
    await until('the frame', () => receiver.frames().length === 1)
    blackHole()
    await emitTo(node, endpoint, '"lost"')
    await until('the socket is given up', () => node.webhooks.openSockets() === 0, 30_000)
    await emitTo(node, endpoint, '"again"')
    await until('the next frame', () => receiver.frames().includes('"again"'))
    assert.equal(receiver.frames().includes('"lost"'), false)
  })

  test('that reads nothing is sent four events, and a call to it fails in its five seconds', async (t) => {
    const receiver = await watchedReceiver(t, (websocket) => websocket.pause())
    const node = new Cluster(t, { DIRECT_TIMEOUT: '1s' }).node()
    const endpoint = await endpointAt(receiver.url)
    const { url, bytes } = await wire(t, receiver.url)
    await sql`update endpoints set url = ${url} where id = ${endpoint.endpointId}`
    const body = JSON.stringify({ text: 'x'.repeat(15_000) })
    for (let count = 0; count < 40; count += 1) await emitTo(node, endpoint, body)
    await until('the window is full', () => bytes() > 60_000)
    const call = {
      endpointId: endpoint.endpointId,
      kind: 'call.ringing',
      body: Buffer.from(`"${'x'.repeat(62_000)}"`),
    } as const
    const results = await Promise.all([1, 2, 3, 4, 5].map(() => node.webhooks.direct.send(call as never)))
    assert(bytes() <= 4 * 15_100 + 5 * 62_100 + 4_096, `${bytes()} bytes were sent`)
    const codes = results.map((result) => (result.type === 'failed' ? result.code : result.type))
    assert.deepEqual(new Set(codes), new Set(['BACKPRESSURE']))
  })

  test('that takes the upgrade and stops reading gets nothing counted as delivered, and all of it later', async (t) => {
    let isDeaf = true
    const receiver = await watchedReceiver(t, (websocket) => isDeaf && websocket.pause())
    const cluster = new Cluster(t, { WEBHOOK_TIMEOUT: '3s' })
    const node = cluster.node()
    const endpoint = await endpointAt(receiver.url)
    const ids: string[] = []
    for (let index = 0; index < 40; index += 1)
      ids.push(await emitTo(node, endpoint, JSON.stringify({ index })))
    await until('a second deaf socket', () => receiver.seen.length >= 2, 30_000)
    const failed = await until('the failures', () => cluster.records.length >= 4 && [...cluster.records])
    for (const { report } of failed)
      assert.deepEqual(report.outcome, { type: 'timedOut', code: 'BACKPRESSURE' })
    const states = await sql`select state from deliveries where id = any(${ids}) and state = 'DELIVERED'`
    assert.equal(states.length, 0)
    isDeaf = false
    await until('the first attempts', () => cluster.records.length >= ids.length, 60_000)
    // The schedule of this test waits an hour: its timers fire by hand.
    await sql`update deliveries set next_attempt_at = now() - interval '1 second' where id = any(${ids}) and state = 'RETRYING'`
    await node.webhooks.directory.tell(endpoint.endpointId, { type: 'wake' })
    const delivered = () => cluster.records.filter(({ verdict }) => verdict.type === 'delivered').length
    await until('all deliveries', () => delivered() === ids.length, 60_000)
    assert.equal(new Set(receiver.frames()).size, ids.length)
    for (const id of ids) await until('its row', async () => (await deliveryOf(id)).state === 'DELIVERED')
  })
})

/** A proxy to a receiver that can drop all traffic without telling either end. */
async function wire(t: TestContext, url: string) {
  const target = new URL(url)
  let bytes = 0
  let isCut = new WeakSet<Socket>()
  const open = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    far.on('error', () => {})
    open.add(near)
    near.on('data', (chunk) => {
      bytes += chunk.length
      if (!isCut.has(near)) far.write(chunk)
    })
    far.on('data', (chunk) => {
      if (!isCut.has(near)) near.write(chunk)
    })
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
  })
  return {
    url: `ws://127.0.0.1:${await listen(t, server)}/`,
    bytes: () => bytes,
    blackHole() {
      isCut = new WeakSet(open)
    },
  }
}
