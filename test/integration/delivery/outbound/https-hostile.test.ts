import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, type TestContext, test } from '../../../support/harness.ts'
import { makeSender, onRequest, rawReceiver, request } from './receivers.ts'

/** Sends one event to a receiver that runs `answer` on the socket once it has read the request. */
async function attempt(t: TestContext, answer: (socket: Socket) => void, deadlineMs = 5_000) {
  const port = await rawReceiver(t, (socket) => onRequest(socket, () => answer(socket)))
  return makeSender(t).send(request(`http://127.0.0.1:${port}/`, { deadlineMs }))
}

describe('a receiver that', () => {
  test('never answers times the attempt out', async (t) => {
    const report = await attempt(t, () => {}, 200)
    assert.deepEqual(report.outcome, { type: 'timedOut', code: 'TIMEOUT' })
    assert(report.durationMs >= 195)
    assert.equal(report.responseHeaders, null)
  })

  test('drips its head one byte at a time gains no time by it', async (t) => {
    const report = await attempt(
      t,
      (socket) => {
        const text = 'HTTP/1.1 200 OK\r\n'
        let sent = 0
        // Each byte comes well within any limit on gaps, so only the limit on the whole attempt can end it.
        const timer = setInterval(() => socket.write(text[sent++ % text.length] ?? ''), 20)
        socket.on('close', () => clearInterval(timer))
      },
      250,
    )
    assert.deepEqual(report.outcome, { type: 'timedOut', code: 'TIMEOUT' })
  })

  test('drips its body has delivered by its status line, and what came of it is kept', async (t) => {
    const report = await attempt(
      t,
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nabc')
        const timer = setInterval(() => socket.write('.'), 50)
        socket.on('close', () => clearInterval(timer))
      },
      300,
    )
    assert.deepEqual(report.outcome, { type: 'delivered', statusCode: 200 })
    assert.match(Buffer.from(report.responseBody ?? []).toString(), /^abc\.*$/)
  })

  test('sends a gigabyte is cut off after 64 KiB, of which 16 KiB are kept', async (t) => {
    let written = 0
    const report = await attempt(t, (socket) => {
      const piece = Buffer.alloc(64 * 1024, 'x')
      socket.write(`HTTP/1.1 500 No\r\ncontent-length: ${2 ** 30}\r\n\r\n`)
      const pour = () => {
        while (!socket.destroyed && written < 2 ** 30) {
          written += piece.byteLength
          if (!socket.write(piece)) return void socket.once('drain', pour)
        }
      }
      pour()
    })
    assert.deepEqual(report.outcome, { type: 'refused', statusCode: 500 })
    assert.equal(report.responseBody?.byteLength, 16 * 1024)
    // Only what the kernel buffers of both sides took, far from all of it.
    assert(written < 2 ** 26, `${written} bytes were taken`)
  })

  test('sends a compressed bomb gets it stored as it is', async (t) => {
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024))
    const report = await attempt(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.byteLength}\r\n\r\n`)
      socket.write(bomb)
    })
    assert.equal(report.responseHeaders?.['content-encoding'], 'gzip')
    assert(bomb.subarray(0, 16 * 1024).equals(Buffer.from(report.responseBody ?? [])))
  })

  test('sends more headers than fit has the first 4 KiB of them kept', async (t) => {
    const headers = Array.from({ length: 50 }, (_, index) => `x-h${index}: ${'v'.repeat(150)}\r\n`).join('')
    const report = await attempt(t, (socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${headers}content-length: 0\r\n\r\n`)
    })
    assert.equal(report.outcome.type, 'delivered')
    const kept = Object.entries(report.responseHeaders ?? {})
    const bytes = kept.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
    assert(bytes > 3_500 && bytes <= 4_096)
    assert.equal(kept[0]?.[0], 'x-h0')
  })

  test('never ends its headers is cut off', async (t) => {
    const report = await attempt(t, (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const pour = () => {
        while (!socket.destroyed && socket.write(`x-more: ${'v'.repeat(1_000)}\r\n`));
        if (!socket.destroyed) socket.once('drain', pour)
      }
      pour()
    })
    assert.deepEqual(report.outcome, { type: 'unreachable', code: 'INVALID_RESPONSE' })
  })

  test('resets before an answer, on a connection of its own, has failed once', async (t) => {
    let connections = 0
    const port = await rawReceiver(t, (socket) => {
      connections += 1
      onRequest(socket, () => socket.resetAndDestroy())
    })
    const report = await makeSender(t).send(request(`http://127.0.0.1:${port}/`))
    assert.deepEqual(report.outcome, { type: 'unreachable', code: 'CONNECTION_RESET' })
    assert.equal(connections, 1)
  })

  test('resets in the middle of its body has delivered by its status line', async (t) => {
    const report = await attempt(t, (socket) => {
      // Waits, because the reset would overtake what is still in the receiver's buffers.
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhalf', () =>
        setTimeout(() => socket.resetAndDestroy(), 50),
      )
    })
    assert.deepEqual(report.outcome, { type: 'delivered', statusCode: 200 })
    assert.equal(Buffer.from(report.responseBody ?? []).toString(), 'half')
  })

  for (const [name, answer] of [
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['ends in the middle of its status line', 'HTTP/1.1 20'],
    ['answers 100 alone', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['switches protocols unasked', 'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'],
    [
      'switches protocols unasked, and then answers',
      'HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n',
    ],
    ['states two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'],
  ] as const) {
    test(`${name} has not answered`, async (t) => {
      const report = await attempt(t, (socket) => void socket.end(answer))
      assert.deepEqual(report.outcome, { type: 'unreachable', code: 'INVALID_RESPONSE' })
    })
  }

  test('does not listen refuses the connection', async (t) => {
    const server = await import('node:net').then(({ createServer }) => createServer())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    await new Promise((resolve) => server.close(resolve))
    const report = await makeSender(t).send(request(`http://127.0.0.1:${port}/`))
    assert.deepEqual(report.outcome, { type: 'unreachable', code: 'CONNECT_REFUSED' })
  })
})
