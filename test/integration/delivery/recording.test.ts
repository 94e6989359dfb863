import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { describe, type TestContext, test } from '../../support/harness.ts'
import { Cluster, deliveryOf, emitTo, endpointAt, settled, sql, until } from './nodes.ts'
import { startNameServer, type Zone } from './outbound/name-server.ts'
import { onRequest, rawReceiver } from './outbound/receivers.ts'

const receiver = async (t: TestContext, answer: (socket: Socket, request: number) => void) => {
  let requests = 0
  const port = await rawReceiver(t, (socket) =>
    onRequest(socket, () => {
      requests += 1
      answer(socket, requests)
    }),
  )
  return `http://127.0.0.1:${port}/`
}

const failuresOf = async (id: string): Promise<number> => {
  const [row] = await sql<{ consecutiveFailures: number }[]>`
    select consecutive_failures from endpoints where id = ${id}`
  return row?.consecutiveFailures ?? -1
}

describe('what a receiver answers', () => {
  test('is recorded byte for byte, whatever the bytes are, and spoils no other record', async (t) => {
    const body = Buffer.from([0, 0xff, 0xed, 0xa0, 0x80, 0xc3, 0x28, 0, 0x7b, 0x22, 0x5c])
    const lines = [
      'x-bytes: \xff\xed\xa0\x80',
      '__proto__: p',
      'x-json: {"a":"\\u0000\\ud800"}',
      "x-quote: ';--",
    ]
    const head = `HTTP/1.1 500 \xff\xfe\r\n${lines.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n`
    const strange = await endpointAt(
      await receiver(t, (socket) => void socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))),
    )
    const plain = await endpointAt(
      await receiver(t, (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    )
    const node = new Cluster(t).node()
    const [odd, good] = [await emitTo(node, strange), await emitTo(node, plain)]
    const { attempts, state } = await settled(odd)
    assert.equal(state, 'RETRYING')
    assert.deepEqual(attempts[0]?.responseBody, body)
    const kept = attempts[0]?.responseHeaders ?? {}
    assert(Object.hasOwn(kept, '__proto__'))
    assert.equal(kept['x-json'], '{"a":"\\u0000\\ud800"}')
    assert.equal((await settled(good)).state, 'DELIVERED')
  })

  test('is timed in its parts, and a connection that is used again has no dial in them', async (t) => {
    const url = await receiver(t, (socket, request) => {
      const length = request === 1 ? 0 : 2
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${'ok'.slice(0, length)}`)
    })
    const endpoint = await endpointAt(url)
    const node = new Cluster(t).node()
    const before = Date.now()
    const first = (await settled(await emitTo(node, endpoint))).attempts[0]
    const second = (await settled(await emitTo(node, endpoint))).attempts[0]
    assert.deepEqual(Object.keys(first?.timings ?? {}).sort(), ['connectMs', 'firstByteMs'])
    assert.deepEqual(Object.keys(second?.timings ?? {}), ['firstByteMs'])
    const at = first?.at.getTime() ?? 0
    assert(at >= before - 1_000 && at <= Date.now())
  })
})

/** A public address at the first lookup, loopback from the second one on. */
const rebinding: Zone = (_name, family, count) =>
  family === 4 ? { addresses: [count === 1 ? '93.184.215.14' : '127.0.0.1'], ttl: 0 } : { addresses: [] }

describe('a name that leads inward when it is dialled', () => {
  for (const scheme of ['https', 'wss']) {
    test(`blocks the delivery over ${scheme}: nothing is sent, nothing counted, and no retry follows`, async (t) => {
      let connections = 0
      const port = await rawReceiver(t, () => {
        connections += 1
      })
      const names = await startNameServer(t, rebinding)
      const node = new Cluster(t, { WEBHOOK_TARGETS: 'public', DNS_SERVERS: names.address }).node()
      // The console makes this lookup when the endpoint is added.
      assert.equal((await node.webhooks.judgeHost('rebind.example.org')).type, 'ok')
      const endpoint = await endpointAt(`${scheme}://rebind.example.org:${port}/`)
      const { state, attempts } = await settled(await emitTo(node, endpoint))
      assert.equal(state, 'BLOCKED')
      assert.deepEqual([attempts.length, attempts[0]?.error], [1, 'ADDRESS_FORBIDDEN'])
      assert.doesNotMatch(JSON.stringify(attempts), /127\.0\.0\.1/)
      assert.equal(await failuresOf(endpoint.endpointId), 0)
      assert.equal(connections, 0)
    })
  }

  test('is delivered to where an operator has exempted the address', async (t) => {
    const names = await startNameServer(t, (_name, family) => ({
      addresses: family === 4 ? ['127.0.0.1'] : [],
    }))
    const port = await rawReceiver(t, (socket) => void socket.end('no TLS here'))
    const allow = { WEBHOOK_TARGETS: 'public', WEBHOOK_ALLOW: '127.0.0.1' }
    const node = new Cluster(t, { ...allow, DNS_SERVERS: names.address }).node()
    const endpoint = await endpointAt(`https://own.example.org:${port}/`)
    const { attempts } = await settled(await emitTo(node, endpoint))
    assert.equal(attempts[0]?.error, 'TLS_FAILED')
  })
})

describe('a resolver', () => {
  test('that is down is our own fault: the delivery waits, uncharged, and goes out once it is back', async (t) => {
    let isDown = true
    const names = await startNameServer(t, (_name, family) => {
      if (isDown) return 'refused'
      return { addresses: family === 4 ? ['127.0.0.1'] : [] }
    })
    const url = new URL(
      await receiver(t, (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n')),
    )
    const node = new Cluster(t, { DNS_SERVERS: names.address }).node()
    const endpoint = await endpointAt(`http://late.example.org:${url.port}/`)
    const id = await emitTo(node, endpoint)
    await until('a first look', () => names.asked('late.example.org') > 0)
    isDown = false
    const { state, attemptCount } = await settled(id)
    assert.deepEqual([state, attemptCount], ['DELIVERED', 1])
    assert.equal(await failuresOf(endpoint.endpointId), 0)
  })

  test('that does not know the name has charged the receiver with one attempt', async (t) => {
    const names = await startNameServer(t, () => 'unknown name')
    const node = new Cluster(t, { WEBHOOK_TARGETS: 'public', DNS_SERVERS: names.address }).node()
    const endpoint = await endpointAt('https://gone.example.org/')
    const id = await emitTo(node, endpoint)
    assert.deepEqual((await settled(id)).attempts[0]?.error, 'DNS_NOT_FOUND')
    assert.equal((await deliveryOf(id)).state, 'RETRYING')
    assert.equal(await failuresOf(endpoint.endpointId), 1)
  })
})
