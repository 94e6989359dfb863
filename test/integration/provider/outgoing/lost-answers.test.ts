// What is known after a failure: nothing was sent, or the outcome is unknown.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import type { ProviderResult, SentMessage } from '../../../../src/contract/provider.ts'
import type { CloudApi } from '../../../../src/provider/outgoing/cloud-api.ts'
import { describe, test } from '../../../support/harness.ts'
import { type ApiOptions, accepted, account, adapter, json, portOf, withRig } from './rig.ts'

const message = {
  to: '+351910000077',
  template: { name: 'pier_notice', language: 'pt_PT', components: [] },
  opaque: 'msg_1',
}
const send = (api: CloudApi) => api.sendTemplate(account, message)
const outcome = (result: ProviderResult<SentMessage>) =>
  result.type === 'ok' ? ['ok'] : [result.type, result.error.code]

const okBody = JSON.stringify({ messages: [{ id: 'wamid.A1' }] })
const okAnswer = `HTTP/1.1 200 OK\r\ncontent-length: ${okBody.length}\r\n\r\n${okBody}`

/** A server below HTTP: `onData` gets the connection and the count whenever data arrives. */
async function withSocketServer(
  onData: (socket: Socket, request: number) => void,
  run: (api: CloudApi, arrived: () => number) => Promise<void>,
  options: ApiOptions = {},
): Promise<void> {
  let requests = 0
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', () => {
      requests += 1
      onData(socket, requests)
    })
  })
  const { api } = adapter(`http://127.0.0.1:${await portOf(server)}`, options)
  try {
    await run(api, () => requests)
  } finally {
    for (const socket of sockets) socket.destroy()
    await api.close()
    server.close()
  }
}

describe('certainly not sent', () => {
  test('is a request to a port where nobody listens', async () => {
    const server = createServer()
    const port = await portOf(server)
    server.close()
    await once(server, 'close')
    const { api } = adapter(`http://127.0.0.1:${port}`)
    const result = await send(api)
    assert.deepEqual(outcome(result), ['notSent', 'UNREACHABLE'])
    assert.equal(result.type === 'notSent' && result.error.details, 'ECONNREFUSED')
    await api.close()
  })

  test('is a request to a name that does not exist', async () => {
    const { api } = adapter('http://provider.invalid')
    assert.deepEqual(outcome(await send(api)), ['notSent', 'UNREACHABLE'])
    await api.close()
  })

  test('is a request whose TLS handshake fails', async () => {
    let received = ''
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.on('data', (data) => {
        received += data.toString('latin1')
        socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')
      })
    })
    const { api } = adapter(`https://127.0.0.1:${await portOf(server)}`)
    assert.deepEqual(outcome(await send(api)), ['notSent', 'UNREACHABLE'])
    assert.doesNotMatch(received, /Bearer/)
    await api.close()
    server.close()
  })

  test('is a request whose time ended within the TLS handshake', async () => {
    let bytes = 0
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => {})
      socket.on('data', (data) => {
        bytes += data.length
      })
    })
    const { api } = adapter(`https://127.0.0.1:${await portOf(server)}`, { timeoutMs: 200 })
    assert.deepEqual(outcome(await send(api)), ['notSent', 'TIMEOUT'])
    assert.ok(bytes > 0, 'the handshake began')
    await api.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  test('is a request to an adapter that is closed or has too many waiting', async () => {
    await withRig(
      (_, response) => void setTimeout(() => response.end(okBody), 200),
      async ({ api }) => {
        const results = await Promise.all(Array.from({ length: 2_002 }, () => send(api)))
        const last = results.at(-1)
        assert.deepEqual(last && outcome(last), ['notSent', 'OVERLOADED'])
        await api.close()
        assert.deepEqual(outcome(await send(api)), ['notSent', 'OVERLOADED'])
      },
      { connections: 1, timeoutMs: 500 },
    )
  })
})

describe('unknown', () => {
  test('is a request that was read and never answered', async () => {
    await withRig(
      () => {},
      async ({ api, seen }) => {
        assert.deepEqual(outcome(await send(api)), ['unknown', 'TIMEOUT'])
        assert.equal(seen.length, 1)
      },
      { timeoutMs: 300 },
    )
  })

  test('is a request whose connection was reset before any answer', async () => {
    await withSocketServer(
      (socket) => socket.resetAndDestroy(),
      async (api, arrived) => {
        assert.deepEqual(outcome(await send(api)), ['unknown', 'CONNECTION_LOST'])
        assert.equal(arrived(), 1)
      },
    )
  })

  test('is a request on a connection kept alive that breaks before a byte of the answer, and it is not repeated', async () => {
    await withSocketServer(
      (socket, request) => (request === 1 ? socket.write(okAnswer) : socket.destroy()),
      async (api, arrived) => {
        assert.deepEqual(outcome(await send(api)), ['ok'])
        assert.deepEqual(outcome(await send(api)), ['unknown', 'CONNECTION_LOST'])
        assert.equal(arrived(), 2)
      },
      { connections: 1 },
    )
  })

  test('is a request whose answer breaks off', async () => {
    await withSocketServer(
      (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"messages"'),
      async (api) => assert.deepEqual(outcome(await send(api)), ['unknown', 'CONNECTION_LOST']),
    )
  })

  test('is a request whose answer trickles past the deadline', async () => {
    await withSocketServer(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n')
        const timer = setInterval(() => socket.write(' '), 20)
        socket.on('close', () => clearInterval(timer))
      },
      async (api) => assert.deepEqual(outcome(await send(api)), ['unknown', 'TIMEOUT']),
      { timeoutMs: 300 },
    )
  })

  test('is a request whose answer has no end', async () => {
    const chunk = Buffer.alloc(1024 * 1024, ' ')
    await withRig(
      (_, response) => {
        response.on('error', () => {})
        const more = () => {
          while (!response.destroyed && response.write(chunk));
        }
        response.on('drain', more)
        more()
      },
      async ({ api }) => assert.deepEqual(outcome(await send(api)), ['unknown', 'ANSWER_TOO_LARGE']),
    )
  })

  test('is a request that a proxy answers for the provider', async () => {
    await withRig(
      (_, response) => void response.writeHead(502).end('<html>Bad gateway</html>'),
      async ({ api }) => assert.deepEqual(outcome(await send(api)), ['unknown', 'UNREADABLE_ANSWER']),
    )
  })
})

describe('after a failure', () => {
  test('the next request goes through', async () => {
    let requests = 0
    await withRig(
      (request, response) => {
        requests += 1
        if (requests === 1) response.destroy()
        else accepted(request, response)
      },
      async ({ api }) => {
        assert.equal((await send(api)).type, 'unknown')
        assert.equal((await send(api)).type, 'ok')
      },
      { connections: 1 },
    )
  })

  test('calls go through while every connection for messages is stuck', async () => {
    await withRig(
      (request, response) => {
        if (request.url.endsWith('/calls')) json(200, { success: true })(request, response)
      },
      async ({ api }) => {
        const stuck = Promise.all(Array.from({ length: 20 }, () => send(api)))
        assert.equal((await api.terminate(account, 'wacid.C1')).type, 'ok')
        await stuck
      },
      { connections: 2, timeoutMs: 1_000 },
    )
  })
})
