import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { makeCertificate } from '../../../support/certificate.ts'
import { describe, type TestContext, test } from '../../../support/harness.ts'
import { httpsReceiver, makeSender, onRequest, rawReceiver, request } from './receivers.ts'

const certificate = makeCertificate('DNS:localhost')
const MEBIBYTE = 1024 * 1024

/** Writes the piece again and again while it is accepted, up to a gigabyte; returns a count of the bytes. */
function pour(socket: Socket, piece: string | Buffer): () => number {
  let taken = 0
  const bytes = Buffer.from(piece)
  const more = () => {
    while (!socket.destroyed && taken < 1024 * MEBIBYTE) {
      taken += bytes.byteLength
      if (!socket.write(bytes)) return void socket.once('drain', more)
    }
  }
  more()
  return () => taken
}

/** One attempt at a receiver that answers with a head and then sends without end. */
async function flood(t: TestContext, head: string, piece: string | Buffer) {
  let taken = () => 0
  const port = await rawReceiver(t, (socket) =>
    onRequest(socket, () => {
      socket.write(head)
      taken = pour(socket, piece)
    }),
  )
  const sender = makeSender(t)
  const before = process.memoryUsage().rss
  const report = await sender.send(request(`http://127.0.0.1:${port}/`, { deadlineMs: 20_000 }))
  // The sender cannot limit what the kernels of both sides hold.
  assert(taken() < 32 * MEBIBYTE, `${taken()} bytes were taken`)
  assert(report.durationMs < 15_000, 'it was cut off, not timed out')
  assert(process.memoryUsage().rss - before < 128 * MEBIBYTE)
  while (sender.openConnections() > 0) await new Promise((resolve) => setImmediate(resolve))
  return report
}

const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'

describe('a receiver that never stops is cut off after', () => {
  for (const [name, head, piece] of [
    ['early hints without an answer', '', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'],
    ['processing without an answer', '', 'HTTP/1.1 102 Processing\r\n\r\n'],
    ['continue without an answer', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['an interim head without an end', 'HTTP/1.1 100 Continue\r\n', 'x: y\r\n'.repeat(200)],
    ['a status line without an end', 'HTTP/1.1 200 ', 'x'.repeat(1_000)],
    ['one header without an end', 'HTTP/1.1 200 OK\r\nx: ', 'x'.repeat(1_000)],
    ['empty lines', '', '\r\n'.repeat(500)],
  ] as const) {
    test(`${name}: no valid answer`, async (t) => {
      const { outcome } = await flood(t, head, piece)
      assert.deepEqual(outcome, { type: 'unreachable', code: 'INVALID_RESPONSE' })
    })
  }

  for (const [name, head, piece, kept] of [
    ['a body without a length', 'HTTP/1.0 200 OK\r\n\r\n', 'y'.repeat(1_000), 16 * 1024],
    ['chunks of one byte', chunked, '1\r\ny\r\n'.repeat(100), 16 * 1024],
    ['a chunk extension without an end', `${chunked}1;`, 'x'.repeat(1_000), 0],
    ['trailers', `${chunked}1\r\ny\r\n0\r\n`, `x-t: ${'x'.repeat(100)}\r\n`, 1],
  ] as const) {
    test(`${name}: delivered by the status line`, async (t) => {
      const report = await flood(t, head, piece)
      assert.deepEqual(report.outcome, { type: 'delivered', statusCode: 200 })
      assert.equal(Buffer.from(report.responseBody ?? []).toString(), 'y'.repeat(kept))
    })
  }

  test('a body over TLS: refused by the status line', async (t) => {
    let taken = () => 0
    const port = await httpsReceiver(t, certificate, (_incoming, response) => {
      response.writeHead(503, { 'content-encoding': 'br', 'content-length': 1024 * MEBIBYTE }).flushHeaders()
      taken = pour(response.socket as Socket, Buffer.alloc(64 * 1024, 1))
    })
    const report = await makeSender(t, { ca: certificate.cert }).send(request(`https://localhost:${port}/`))
    assert.deepEqual(report.outcome, { type: 'refused', statusCode: 503 })
    assert.equal(report.responseHeaders?.['content-encoding'], 'br')
    assert((report.responseBody?.byteLength ?? 0) <= 16 * 1024)
    assert(taken() < 32 * MEBIBYTE)
  })
})
