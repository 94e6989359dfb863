import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import { createSecret, createSigner } from '../../../../src/delivery/signature.ts'
import { makeCertificate } from '../../../support/certificate.ts'
import { describe, test } from '../../../support/harness.ts'
import { dial, opened, send, socketReceiver } from './socket-receivers.ts'

const certificate = makeCertificate('DNS:localhost')

function countWrites(socket: Socket, count: () => void): void {
  const { _write, _writev } = socket
  socket._write = (...args) => {
    count()
    _write.apply(socket, args)
  }
  socket._writev = (...args) => {
    count()
    _writev?.apply(socket, args)
  }
}

describe('an open socket', () => {
  test('was asked for on the exact path with exactly the three headers [signatures]', async (t) => {
    let seen: { url: string | undefined; headers: IncomingHttpHeaders } | undefined
    const url = await socketReceiver(t, (_websocket, { url, headers }) => {
      seen = { url, headers }
    })
    const headers = createSigner({ current: createSecret() }).handshakeHeaders(Date.now(), randomUUID())
    const { dialled } = await dial(t, `${url}/a/../b?x='y'&z={1}`, { headers })
    assert(dialled.type === 'open')
    assert.equal(dialled.socket.isOpen(), true)
    assert.equal(dialled.socket.remoteAddress, '127.0.0.1')
    assert((dialled.timings.firstByteMs ?? -1) >= 0)
    assert(seen)
    assert.equal(seen.url, "/a/../b?x='y'&z={1}")
    const protocol = ['connection', 'host', 'sec-websocket-key', 'sec-websocket-version', 'upgrade']
    assert.deepEqual(Object.keys(seen.headers).sort(), [...protocol, ...Object.keys(headers)].sort())
    for (const [name, value] of Object.entries(headers)) assert.equal(seen.headers[name], value)
  })

  test('carries each event as one text frame of the exact bytes, and leaves them untouched', async (t) => {
    const frames: { data: Buffer; isBinary: boolean }[] = []
    const url = await socketReceiver(t, (websocket) => {
      websocket.on('message', (data, isBinary) => frames.push({ data: data as Buffer, isBinary }))
    })
    const watched = await dial(t, url)
    const socket = opened(watched)
    const body = Buffer.from(`{"text":"Grüße 👋", "pad":"${'x'.repeat(100_000)}"}`)
    const copy = Buffer.from(body)
    assert.equal(await send(socket, body), undefined)
    assert.equal(await send(socket, body.toString()), undefined)
    const pong = watched.nextPong()
    socket.ping(Buffer.from('after both'))
    assert.equal(await pong, 'after both')
    assert.equal(frames.length, 2)
    for (const frame of frames) {
      assert.equal(frame.isBinary, false)
      assert(frame.data.equals(copy))
    }
    assert(body.equals(copy))
    assert.equal(socket.bufferedBytes(), 0)
  })

  test('writes nothing after the process stood still in the turn of the frame: another may have the endpoint', async (t) => {
    const received: string[] = []
    const url = await socketReceiver(t, (websocket) => {
      websocket.on('message', (data) => received.push(String(data)))
    })
    const watched = await dial(t, url)
    const sent = send(opened(watched), 'late')
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_100)
    assert(await sent)
    assert.equal((await watched.closed).code, 1006)
    assert.deepEqual(received, [])
  })

  test('writes what is sent in one turn of the loop at once, in its order, with one proof, and on demand before its end', async (t) => {
    const received: string[] = []
    const url = await socketReceiver(t, (websocket) => {
      websocket.on('message', (data) => received.push(String(data)))
      websocket.on('ping', (data) => received.push(`ping ${data}`))
    })
    let writes = 0
    const watched = await dial(t, url, { onConnected: (socket) => countWrites(socket, () => (writes += 1)) })
    const socket = opened(watched)
    writes = 0
    const pong = watched.nextPong()
    const done = ['one', 'two', 'three'].map((frame) => send(socket, frame))
    socket.ping(Buffer.from('1'))
    assert.equal(writes, 0)
    assert.deepEqual(await Promise.all(done), [undefined, undefined, undefined])
    await pong
    assert.equal(writes, 1)
    assert.deepEqual(received, ['one', 'two', 'three', 'ping 1'])
    void send(socket, 'four')
    socket.prove(Buffer.from('2'))
    socket.hurry()
    void send(socket, 'five')
    socket.prove(Buffer.from('3'))
    const proved = watched.nextPong()
    await Promise.resolve()
    assert.equal(writes, 1)
    await new Promise((resolve) => process.nextTick(resolve))
    assert.equal(writes, 2)
    assert.equal(await proved, '3')
    assert.deepEqual(received.slice(4), ['four', 'five', 'ping 3'])
    socket.prove(Buffer.from('4'))
    socket.ping(Buffer.from('5'))
    void send(socket, 'six')
    socket.close(1000, 'done')
    await watched.closed
    assert.deepEqual(received.slice(7), ['ping 4', 'ping 5', 'six'])
  })

  test('works over TLS with the added authority, and not without it', async (t) => {
    const received: string[] = []
    const url = await socketReceiver(
      t,
      (websocket) => websocket.on('message', (data) => received.push(String(data))),
      certificate,
    )
    const watched = await dial(t, url, { ca: certificate.cert })
    await send(opened(watched), 'event')
    const pong = watched.nextPong()
    opened(watched).ping(Buffer.alloc(0))
    await pong
    assert.deepEqual(received, ['event'])
    assert(watched.dialled.type === 'open' && (watched.dialled.timings.tlsMs ?? -1) >= 0)

    const { dialled } = await dial(t, url)
    assert(dialled.type === 'failed')
    const detail = 'the issuer of the certificate is unknown: it is self-signed'
    const rejected = { type: 'unreachable', code: 'TLS_CERTIFICATE_REJECTED', detail }
    assert.deepEqual(dialled.report.outcome, rejected)
  })

  test('pays no heed to what the receiver says', async (t) => {
    const url = await socketReceiver(t, (websocket) => {
      websocket.send('hello')
      websocket.on('message', (data) => websocket.send(data))
    })
    const watched = await dial(t, url)
    const socket = opened(watched)
    for (let count = 0; count < 20; count += 1) assert.equal(await send(socket, 'echo me'), undefined)
    const pong = watched.nextPong()
    socket.ping(Buffer.from('still here'))
    assert.equal(await pong, 'still here')
  })

  test('closes with 1009 on a frame above 4 KiB from the receiver', async (t) => {
    let told: (code: number) => void = () => {}
    const code = new Promise<number>((resolve) => {
      told = resolve
    })
    const url = await socketReceiver(t, (websocket) => {
      websocket.on('close', told)
      websocket.send('x'.repeat(4 * 1024 + 1))
    })
    const watched = await dial(t, url)
    assert.equal(await code, 1009)
    await watched.closed
    assert.equal(opened(watched).isOpen(), false)
  })

  test('answers pings, but piles up no answers for a receiver that does not read them', async (t) => {
    let flood: () => void = () => {}
    const url = await socketReceiver(t, (websocket) => {
      flood = () => {
        websocket.pause()
        for (let count = 0; count < 50_000; count += 1) websocket.ping('x'.repeat(125))
      }
    })
    const watched = await dial(t, url)
    const socket = opened(watched)
    flood()
    let most = 0
    // Long enough for the flood to pass through loopback; the test asserts only the upper bound.
    for (let turn = 0; turn < 200; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      most = Math.max(most, socket.bufferedBytes())
    }
    assert(most < 64 * 1024, `${most} bytes of pongs are waiting`)
  })

  test('tells of a rejected signature by its code and reason', async (t) => {
    const url = await socketReceiver(t, (websocket) => websocket.close(1008, 'bad signature'))
    const watched = await dial(t, url)
    assert.equal(watched.dialled.type, 'open')
    assert.deepEqual(await watched.closed, { code: 1008, reason: 'bad signature' })
    assert(await send(opened(watched), 'late'), 'a frame on a closed socket is an error')
  })

  test('tells of a normal close by 1006 when the receiver did not read what was sent before', async (t) => {
    let deaf: WebSocket | undefined
    const url = await socketReceiver(t, (websocket) => {
      websocket.pause()
      deaf = websocket
    })
    const watched = await dial(t, url)
    await send(opened(watched), 'unread')
    deaf?.close(1000)
    assert.equal((await watched.closed).code, 1006)
  })

  test('tells of an end without a close frame by 1006, and fails the frames it still held', async (t) => {
    let cut: () => void = () => {}
    const url = await socketReceiver(t, (websocket, incoming) => {
      websocket.pause()
      cut = () => void incoming.socket.resetAndDestroy()
    })
    const watched = await dial(t, url)
    const socket = opened(watched)
    const frame = Buffer.alloc(256 * 1024, 'x')
    const sent = Array.from({ length: 64 }, () => send(socket, frame))
    assert(socket.bufferedBytes() > 0)
    cut()
    assert.equal((await watched.closed).code, 1006)
    const results = await Promise.all(sent)
    assert(results.some((error) => error !== undefined))
  })

  test('ends when told to, in a handshake or at once', async (t) => {
    const codes: number[] = []
    const url = await socketReceiver(t, (websocket) => websocket.on('close', (code) => codes.push(code)))
    const polite = await dial(t, url)
    opened(polite).close(1000, 'idle')
    assert.deepEqual(await polite.closed, { code: 1000, reason: 'idle' })
    const blunt = await dial(t, url)
    opened(blunt).terminate()
    assert.equal((await blunt.closed).code, 1006)
    while (codes.length < 2) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(codes, [1000, 1006])
  })

  test('is cut two seconds after a close that the receiver does not answer', async (t) => {
    const url = await socketReceiver(t, (websocket) => websocket.pause())
    const watched = await dial(t, url)
    opened(watched).close(1000, 'idle')
    assert.equal((await watched.closed).code, 1006)
  })

  test('may be pinged and sent to after its end without harm', async (t) => {
    const url = await socketReceiver(t, (websocket) => websocket.close(1000))
    const watched = await dial(t, url)
    await watched.closed
    const socket = opened(watched)
    socket.ping(Buffer.alloc(0))
    socket.close(1000, '')
    socket.terminate()
    assert(await send(socket, 'x'))
  })
})
