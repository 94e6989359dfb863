import assert from 'node:assert/strict'
import { errorResponse, toAppError } from '../../../../src/platform/http/error-response.ts'
import { type HttpHandler, RequestAborted } from '../../../../src/platform/http/exchange.ts'
import { leastBytesPerSecond } from '../../../../src/platform/http/least-rate.ts'
import { uploadPlaces } from '../../../../src/platform/http/upload-places.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'
import { answers, head, raw } from './raw.ts'
import { gate, serve } from './servers.ts'

const mebibyte = 1024 * 1024

/** Answers with how many bytes came, or with why not all of them came. */
const measure =
  (limitBytes: number, onPiece: (bytes: number) => unknown = () => undefined): HttpHandler =>
  async (request) => {
    let bytes = 0
    try {
      for await (const piece of request.bodyStream(limitBytes)) {
        bytes += piece.byteLength
        await onPiece(bytes)
      }
      return { status: 200, body: String(bytes) }
    } catch (error) {
      return errorResponse(toAppError(error), request)
    }
  }

const echo =
  (onPiece: (bytes: number) => void = () => undefined): HttpHandler =>
  (request) => ({ status: 200, body: counted(request.bodyStream(1_024 * mebibyte), onPiece) })

async function* counted(
  pieces: AsyncIterable<Uint8Array>,
  onPiece: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    onPiece(piece.byteLength)
    yield piece
  }
}

const statuses = (text: string) => answers(text).map(({ status }) => status)

/** Long enough for a stream without back-pressure to run to its end. */
const aWhile = () => new Promise((resolve) => setTimeout(resolve, 400))

describe('a body that is read piece by piece', () => {
  test('comes whole, with a length and without, empty and large', async () => {
    const { url } = await serve(measure(64 * mebibyte))
    for (const size of [0, 1, 5 * mebibyte, 32 * mebibyte]) {
      const body = Buffer.alloc(size, 'x')
      assert.equal(await (await fetch(url, { method: 'POST', body })).text(), String(size))
      const chunked = new ReadableStream({
        start(controller) {
          for (let at = 0; at < size; at += 100_000) controller.enqueue(body.subarray(at, at + 100_000))
          controller.close()
        },
      })
      const init = { method: 'POST', body: chunked, duplex: 'half' } as RequestInit
      assert.equal(await (await fetch(url, init)).text(), String(size))
    }
  })

  test('is dropped to its end behind a refusal before the connection goes, so that the client reads why', async () => {
    const { port } = await serve(async (request) => {
      for await (const piece of request.bodyStream(64 * mebibyte))
        if (piece.byteLength > 0) return { status: 400, body: 'refused' }
      return { status: 200 }
    })
    const body = Buffer.alloc(24 * mebibyte)
    const chunk = Buffer.concat([
      Buffer.from(`${body.byteLength.toString(16)}\r\n`),
      body,
      Buffer.from('\r\n0\r\n\r\n'),
    ])
    for (const [header, sent] of [
      [`Content-Length: ${body.byteLength}`, body],
      ['Transfer-Encoding: chunked', chunk],
    ] as const) {
      const client = await raw(port)
      client.write(head('POST / HTTP/1.1', [header, 'Connection: close']))
      const taken = new Promise((resolve) => client.socket.write(sent, resolve))
      await client.sees('refused')
      assert.ok(!(await taken), 'the connection broke')
      await client.closed()
    }
  })

  test('holds its client up while nobody asks for more, and goes on afterwards', async () => {
    const goOn = gate()
    let most = 0
    const { port } = await serve(
      measure(256 * mebibyte, async (bytes) => {
        most = bytes
        await goOn.opened
      }),
    )
    const client = await raw(port)
    const size = 96 * mebibyte
    client.write(head('POST / HTTP/1.1', [`Content-Length: ${size}`, 'Connection: close']))
    client.write(Buffer.alloc(size))
    await aWhile()
    assert.ok(client.socket.writableLength > 0, 'all of it was taken for nobody')
    assert.ok(most < mebibyte)
    goOn.open()
    await client.sees(`\r\n\r\n${size}`)
    client.socket.destroy()
  })

  test('can be answered while it comes', async () => {
    const { port } = await serve(echo())
    const client = await raw(port)
    client.write(head('POST / HTTP/1.1', ['Content-Length: 9', 'Connection: close']))
    for (const part of ['abc', 'def', 'ghi']) {
      client.write(part)
      await client.sees(part)
    }
    assert.deepEqual(statuses(await client.closed()), [200])
  })

  test('is answered behind its end where it is chunked, and the connection closes', async () => {
    const { port } = await serve(echo())
    const client = await raw(port)
    client.write(head('POST / HTTP/1.1', ['Transfer-Encoding: chunked']))
    for (const part of ['abc', 'def']) client.write(`3\r\n${part}\r\n`)
    client.write('0\r\n\r\n')
    assert.deepEqual(answers(await client.closed()), [{ status: 200, body: 'abcdef' }])
  })

  test('leaves a connection that can be used again', async () => {
    const { port } = await serve(
      measure(64 * mebibyte, () => new Promise((resolve) => setImmediate(resolve))),
    )
    const client = await raw(port)
    for (const size of [3, 700_000, 4_000_001, 2]) {
      client.write(head('POST / HTTP/1.1', [`Content-Length: ${size}`]))
      client.write(Buffer.alloc(size))
      await client.sees(`\r\n\r\n${size}`)
    }
    client.socket.destroy()
  })

  test('may take longer than an idle connection lasts, once it is there', async () => {
    const longer = () => new Promise((resolve) => setTimeout(resolve, 14_000))
    const { url } = await serve(measure(mebibyte, longer))
    const { url: slow } = await serve(
      measure(8 * mebibyte, (bytes) => (bytes < 3 * mebibyte ? undefined : longer())),
    )
    const taken = async (at: string, body: string | Uint8Array<ArrayBuffer>) =>
      (await fetch(at, { method: 'POST', body })).text()
    const size = 3 * mebibyte
    assert.deepEqual(await Promise.all([taken(url, 'abc'), taken(slow, Buffer.alloc(size))]), [
      '3',
      `${size}`,
    ])
  })

  test('comes back whole to a client that reads only when it has sent all', async () => {
    const { port } = await serve(echo())
    for (const size of [100_000, 3 * mebibyte, 8 * mebibyte]) {
      const client = await raw(port)
      client.socket.pause()
      client.write(head('POST / HTTP/1.1', [`Content-Length: ${size}`]))
      await new Promise<void>((resolve) => client.socket.write(Buffer.alloc(size, '~'), () => resolve()))
      await aWhile()
      let received = 0
      const full = gate()
      client.socket.removeAllListeners('data')
      client.socket.on('data', (chunk) => {
        received += chunk.toString('latin1').split('~').length - 1
        if (chunk.subarray(-7).equals(Buffer.from('\r\n0\r\n\r\n'))) full.open()
      })
      client.socket.resume()
      await full.opened
      assert.equal(received, size)
      client.socket.destroy()
    }
  })

  test('of a client that sends and sends and reads nothing is cut off', async () => {
    let taken = 0
    const { port, server } = await serve(
      echo((bytes) => {
        taken += bytes
      }),
    )
    const client = await raw(port)
    client.socket.pause()
    const size = 256 * mebibyte
    client.write(head('POST / HTTP/1.1', [`Content-Length: ${size}`]))
    client.write(Buffer.alloc(size))
    const closed = new Promise((resolve) => client.socket.once('close', resolve))
    while (server.inFlight() === 0) await new Promise((resolve) => setImmediate(resolve))
    while (server.inFlight() > 0) await new Promise((resolve) => setImmediate(resolve))
    assert.ok(taken < 64 * mebibyte, `${taken} bytes were taken`)
    client.socket.destroy()
    await closed
  })

  test('that is refused in its middle does not hang up on who is still sending', async () => {
    const { url } = await serve(async (request) => {
      for await (const _ of request.bodyStream(64 * mebibyte)) return { status: 400, body: 'no' }
      return { status: 200 }
    })
    for (let round = 0; round < 3; round += 1) {
      const answer = await fetch(url, { method: 'POST', body: Buffer.alloc(32 * mebibyte) })
      assert.deepEqual([answer.status, await answer.text()], [400, 'no'])
    }
  })

  test('past its limit is refused: at once where its length says so, else where it passes it', async () => {
    const { port } = await serve(measure(1_000), { lingerMs: 50 })
    const announced = await raw(port)
    announced.write(head('POST / HTTP/1.1', ['Content-Length: 1000000000']))
    assert.deepEqual(statuses(await announced.closed()), [413])
    const chunked = await raw(port)
    chunked.write(head('POST / HTTP/1.1', ['Transfer-Encoding: chunked']))
    for (let count = 0; count < 3; count += 1) chunked.write(`190\r\n${'x'.repeat(400)}\r\n`)
    assert.deepEqual(statuses(await chunked.closed()), [413])
  })

  test('of a client that leaves ends with RequestAborted', async () => {
    const [came, ended] = [gate(), gate<unknown>()]
    const { port, server } = await serve(async (request) => {
      try {
        for await (const _ of request.bodyStream(mebibyte)) came.open()
      } catch (error) {
        ended.open(error)
        throw error
      }
      return { status: 200 }
    })
    const client = await raw(port)
    client.write(`${head('POST / HTTP/1.1', ['Content-Length: 100'])}abc`)
    await came.opened
    client.socket.destroy()
    assert.ok((await ended.opened) instanceof RequestAborted)
    while (server.inFlight() > 0) await new Promise((resolve) => setImmediate(resolve))
  })

  for (const [name, options] of [
    ['falls silent', { bodyDeadlineMs: 100 }],
    ['takes too long in all', { streamDeadlineMs: 100 }],
  ] as const) {
    test(`of a client that ${name} is cut off`, async () => {
      const { port } = await serve(measure(mebibyte), options)
      const client = await raw(port)
      client.write(`${head('POST / HTTP/1.1', ['Content-Length: 100'])}abc`)
      assert.equal(await client.closed(), '')
    })
  }

  test('that comes too slowly is refused, says so, and gives its place back', async () => {
    const clock = new SimulatedClock()
    const enter = uploadPlaces({ perWorkspace: 1, all: 1 })
    const workspaceId = newId('workspace')
    const came = { bytes: 0 }
    const count = measure(mebibyte, (bytes) => {
      came.bytes = bytes
    })
    const { port } = await serve(
      (request) => {
        const place = enter(workspaceId)
        return Promise.resolve(count(request)).finally(place.leave)
      },
      { clock, slowMs: 30_000, bodyDeadlineMs: 60_000 },
    )
    const client = await raw(port)
    let sent = 0
    const sends = async (bytes: number) => {
      client.write('x'.repeat(bytes))
      sent += bytes
      while (came.bytes < sent) await new Promise((resolve) => setImmediate(resolve))
    }
    client.write(head('POST / HTTP/1.1', ['Content-Length: 1000000', 'Connection: close']))
    const enough = leastBytesPerSecond * 30
    for (let round = 0; round < 3; round += 1) {
      await sends(enough)
      await clock.advance(29_999)
    }
    await sends(enough - 1)
    assert.equal(client.text(), '')
    const second = await raw(port)
    const short = head('POST / HTTP/1.1', ['Content-Length: 1', 'Connection: close'])
    second.write(`${short}y`)
    assert.deepEqual(statuses(await second.closed()), [429])
    await clock.advance(1)
    await client.sees('BODY_TOO_SLOW')
    assert.deepEqual(statuses(client.text()), [408])
    const third = await raw(port)
    third.write(`${short}y`)
    assert.deepEqual(answers(await third.closed()), [{ status: 200, body: '1' }])
    client.socket.destroy()
  })
})
