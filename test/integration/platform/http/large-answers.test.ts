import assert from 'node:assert/strict'
import { systemClock } from '../../../../src/shared/clock.ts'
import { eventually } from '../../../e2e/scene.ts'
import { describe, test } from '../../../support/harness.ts'
import { head, raw } from './raw.ts'
import { serve } from './servers.ts'

// More than the buffers of two sockets hold.
const text = 'ü'.repeat(12 * 1024 * 1024)

describe('a large answer', () => {
  for (const [kind, body] of [
    ['text', text],
    ['bytes', Buffer.from(text)],
  ] as const)
    test(`of ${kind} takes no place of requests in flight while its client reads, and is whole`, async () => {
      let asked = 0
      const { server, port } = await serve(() => {
        asked += 1
        return { status: 200, body }
      })
      const client = await raw(port)
      client.socket.pause()
      client.write(head('GET / HTTP/1.1'))
      await eventually('it waits for its client', async () => asked === 1 && server.inFlight() === 0)
      const chunks: Buffer[] = []
      client.socket.on('data', (chunk) => chunks.push(chunk))
      client.socket.resume()
      const size = () => chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
      await eventually('all has come', async () => size() > Buffer.byteLength(text))
      const whole = Buffer.concat(chunks)
      assert.ok(whole.subarray(whole.indexOf('\r\n\r\n') + 4).equals(Buffer.from(text)))
      client.write(head('GET / HTTP/1.1'))
      await eventually('the connection goes on', async () => size() === 2 * whole.byteLength)
      client.socket.destroy()
    })

  for (const [kind, request] of [
    ['that is the last one', head('GET / HTTP/1.1', ['Connection: close'])],
    ['to a chunked request', `${head('POST / HTTP/1.1', ['Transfer-Encoding: chunked'])}0\r\n\r\n`],
    ['to a request whose body does not come', head('POST / HTTP/1.1', ['Content-Length: 1000000'])],
  ] as const)
    test(`${kind} waits for its client too, and then ends the connection`, async () => {
      const signals: AbortSignal[] = []
      let aheadMs = 0
      const clock = { ...systemClock, mono: () => systemClock.mono() + aheadMs }
      const { server, port } = await serve(
        ({ signal }) => {
          signals.push(signal)
          return { status: 200, body: text }
        },
        { maxInFlight: 1, lingerMs: 1, clock },
      )
      const ask = async (nth: number) => {
        const client = await raw(port)
        client.socket.pause()
        client.write(request)
        await eventually('it is asked for', async () => signals.length === nth)
        return client
      }
      const reader = await ask(1)
      await eventually('it takes no place', async () => server.inFlight() === 0)
      reader.socket.resume()
      const whole = await reader.closed()
      assert.equal(whole.slice(whole.indexOf('\r\n\r\n') + 4), Buffer.from(text).toString('latin1'))
      const unread = await ask(2)
      await eventually('it takes no place', async () => server.inFlight() === 0)
      aheadMs = 2_000
      const next = await ask(3)
      await eventually('it gives way to the next one', async () => signals[1]?.aborted === true)
      for (const { socket } of [unread, next]) socket.destroy()
    })

  test('that nobody reads ends the connection at the next request', async () => {
    const unread: AbortSignal[] = []
    const { port } = await serve(({ signal }) => {
      unread.push(signal)
      return { status: 200, body: text }
    })
    const client = await raw(port)
    client.socket.pause()
    client.write(head('GET / HTTP/1.1'))
    await eventually('it is asked for', async () => unread.length === 1)
    client.write(head('GET / HTTP/1.1'))
    await eventually('it has ended', async () => unread[0]?.aborted === true)
    client.socket.destroy()
  })

  test('that many do not read takes nobody a place, and the one that waits longest gives way', async () => {
    const unread: AbortSignal[] = []
    let aheadMs = 0
    const clock = { ...systemClock, mono: () => systemClock.mono() + aheadMs }
    const { server, port, url } = await serve(
      ({ path, signal }) => {
        if (path === '/small') return { status: 200, body: 'small' }
        unread.push(signal)
        return { status: 200, body: text }
      },
      { maxInFlight: 1, clock },
    )
    const ask = async () => {
      const client = await raw(port)
      client.socket.pause()
      client.write(head('GET / HTTP/1.1'))
      return client.socket
    }
    const first = await ask()
    await eventually('it waits', async () => unread.length === 1 && server.inFlight() === 0)
    assert.equal((await fetch(`${url}/small`)).status, 200)
    aheadMs = 2_000
    const second = await ask()
    await eventually('the first has ended', async () => unread[0]?.aborted === true)
    assert.equal(unread[1]?.aborted, false)
    const third = await ask()
    await eventually('nobody has waited for long', async () => unread[2]?.aborted === true)
    assert.equal(unread[1]?.aborted, false)
    for (const socket of [first, second, third]) socket.destroy()
  })
})
