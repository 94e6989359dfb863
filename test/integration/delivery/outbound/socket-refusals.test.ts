import assert from 'node:assert/strict'
import { describe, test } from '../../../support/harness.ts'
import { httpReceiver, onRequest, rawReceiver } from './receivers.ts'
import { dial, makeDialer, switching } from './socket-receivers.ts'

const failedReport = async (...input: Parameters<typeof dial>) => {
  const { dialled } = await dial(...input)
  assert(dialled.type === 'failed', 'the dial succeeded')
  return dialled.report
}

describe('a dial', () => {
  for (const status of [200, 401, 404, 500]) {
    test(`that is answered ${status} is refused, with the answer`, async (t) => {
      const port = await httpReceiver(
        t,
        () => {},
        (_incoming, socket) => {
          socket.end(`HTTP/1.1 ${status} No\r\nx-why: because\r\ncontent-length: 4\r\n\r\nnope`)
        },
      )
      const report = await failedReport(t, `ws://127.0.0.1:${port}/`)
      // A 2xx is an HTTP success but opens no socket, so nothing was delivered.
      assert.deepEqual(report.outcome, { type: 'refused', statusCode: status })
      assert.equal(report.responseHeaders?.['x-why'], 'because')
      assert.equal(Buffer.from(report.responseBody ?? []).toString(), 'nope')
    })
  }

  test('passes over interim answers, unasked, to the upgrade', async (t) => {
    const port = await rawReceiver(t, (socket) =>
      onRequest(socket, (request) => {
        const interim = 'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'
        socket.write(interim + switching(request))
      }),
    )
    const { dialled } = await dial(t, `ws://127.0.0.1:${port}/`)
    assert.equal(dialled.type, 'open')
  })

  test('does not follow a redirect', async (t) => {
    const paths: (string | undefined)[] = []
    const port = await httpReceiver(
      t,
      () => {},
      (incoming, socket) => {
        paths.push(incoming.url)
        socket.end('HTTP/1.1 302 Found\r\nlocation: /elsewhere\r\ncontent-length: 0\r\n\r\n')
      },
    )
    const report = await failedReport(t, `ws://127.0.0.1:${port}/here`)
    assert.deepEqual(report.outcome, { type: 'refused', statusCode: 302 })
    assert.deepEqual(paths, ['/here'])
  })

  test('reads no more than 16 KiB of a refusal', async (t) => {
    const port = await httpReceiver(
      t,
      () => {},
      (_incoming, socket) => {
        socket.write(`HTTP/1.1 503 No\r\nretry-after: 7\r\ncontent-length: ${2 ** 30}\r\n\r\n`)
        const pour = () => {
          while (!socket.destroyed && socket.write(Buffer.alloc(64 * 1024)));
          if (!socket.destroyed) socket.once('drain', pour)
        }
        pour()
      },
    )
    const report = await failedReport(t, `ws://127.0.0.1:${port}/`)
    assert.deepEqual(report.outcome, { type: 'refused', statusCode: 503 })
    assert.equal(report.responseBody?.byteLength, 16 * 1024)
    assert.equal(report.retryAfterMs, 7_000)
  })

  test('takes what came of a refusal whose body never ends', async (t) => {
    const port = await httpReceiver(
      t,
      () => {},
      (_incoming, socket) => void socket.write('HTTP/1.1 403 No\r\ncontent-length: 50\r\n\r\nhalf'),
    )
    const report = await failedReport(t, `ws://127.0.0.1:${port}/`, { deadlineMs: 200 })
    assert.deepEqual(report.outcome, { type: 'refused', statusCode: 403 })
    assert.equal(Buffer.from(report.responseBody ?? []).toString(), 'half')
  })

  test('that hangs in the upgrade times out', async (t) => {
    const port = await rawReceiver(t, () => {})
    const report = await failedReport(t, `ws://127.0.0.1:${port}/`, { deadlineMs: 200 })
    assert.deepEqual(report.outcome, { type: 'timedOut', code: 'TIMEOUT' })
  })

  test('that hangs in the upgrade has less time once a call waits for it', async (t) => {
    const call = new AbortController()
    const port = await rawReceiver(t, (socket) => onRequest(socket, () => call.abort()))
    const urgent = { urgency: call.signal, urgentMs: 100 }
    const dialled = await makeDialer().dial(
      { url: `ws://127.0.0.1:${port}/`, headers: {}, deadlineMs: 60_000, ...urgent },
      { onClose: () => {}, onPong: () => {} },
    )
    assert(dialled.type === 'failed')
    assert.deepEqual(dialled.report.outcome, { type: 'timedOut', code: 'TIMEOUT' })
  })

  test('that we break off is our own fault', async (t) => {
    const cut = new AbortController()
    const port = await rawReceiver(t, (socket) => onRequest(socket, () => cut.abort()))
    const report = await failedReport(t, `ws://127.0.0.1:${port}/`, { signal: cut.signal })
    assert.deepEqual(report.outcome, { type: 'ours', code: 'INTERRUPTED' })
  })

  test('that is reset in the upgrade fails as such', async (t) => {
    const port = await rawReceiver(t, (socket) => onRequest(socket, () => socket.resetAndDestroy()))
    const report = await failedReport(t, `ws://127.0.0.1:${port}/`)
    assert.deepEqual(report.outcome, { type: 'unreachable', code: 'CONNECTION_RESET' })
  })

  for (const [name, answer] of [
    ['no HTTP', () => 'garbage\r\n\r\n'],
    ['the wrong key', () => switching('sec-websocket-key: other\r\n')],
    [
      'an extension nobody asked for',
      (request: string) =>
        switching(request).replace('\r\n\r\n', '\r\nsec-websocket-extensions: permessage-deflate\r\n\r\n'),
    ],
  ] as const) {
    test(`that is answered with ${name} has no valid answer`, async (t) => {
      const port = await rawReceiver(t, (socket) =>
        onRequest(socket, (request) => void socket.write(answer(request))),
      )
      const report = await failedReport(t, `ws://127.0.0.1:${port}/`)
      assert.deepEqual(report.outcome, { type: 'unreachable', code: 'INVALID_RESPONSE' })
    })
  }

  test('is told of an end that came with the very opening, after it has the socket', async (t) => {
    const port = await rawReceiver(t, (socket) =>
      onRequest(socket, (request) => {
        const closeFrame = Buffer.from([0x88, 0x02, 0x03, 0xf0])
        socket.end(Buffer.concat([Buffer.from(switching(request)), closeFrame]))
      }),
    )
    const order: string[] = []
    await new Promise<void>((resolve) => {
      const onClose = (code: number) => {
        order.push(`closed ${code}`)
        resolve()
      }
      const request = { url: `ws://127.0.0.1:${port}/`, headers: {}, deadlineMs: 5_000 }
      void makeDialer()
        .dial(request, { onClose, onPong: () => {} })
        .then((dialled) => order.push(dialled.type))
    })
    assert.deepEqual(order, ['open', 'closed 1008'])
  })

  test('that breaks the protocol after the opening ends the socket, not the process', async (t) => {
    const port = await rawReceiver(t, (socket) =>
      onRequest(socket, (request) => void socket.write(`${switching(request)}no frames here at all`)),
    )
    const watched = await dial(t, `ws://127.0.0.1:${port}/`)
    assert.equal(watched.dialled.type, 'open')
    assert.equal((await watched.closed).code, 1006)
  })

  test('to a port where nobody listens is refused', async (t) => {
    const report = await failedReport(t, 'ws://127.0.0.1:1/')
    assert.deepEqual(report.outcome, { type: 'unreachable', code: 'CONNECT_REFUSED' })
  })

  test('to an address that is not allowed is blocked', async () => {
    const handlers = { onClose: () => {}, onPong: () => {} }
    for (const [url, code] of [
      ['wss://127.0.0.1/', 'ADDRESS_FORBIDDEN'],
      ['ws://example.org/', 'URL_FORBIDDEN'],
      ['https://example.org/', 'URL_FORBIDDEN'],
    ] as const) {
      const dialled = await makeDialer(undefined, 'public').dial(
        { url, headers: {}, deadlineMs: 1_000 },
        handlers,
      )
      assert(dialled.type === 'failed')
      assert.deepEqual(dialled.report.outcome, { type: 'blocked', code }, url)
    }
  })
})
