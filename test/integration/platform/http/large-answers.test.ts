import assert from 'node:assert/strict'
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
    test(`of ${kind} is in flight until its client has read it, and is whole`, async () => {
      const { server, port } = await serve(() => ({ status: 200, body }))
      const client = await raw(port)
      client.socket.pause()
      client.write(head('GET / HTTP/1.1'))
      await eventually('it is in flight', async () => server.inFlight() === 1)
      const chunks: Buffer[] = []
      client.socket.on('data', (chunk) => chunks.push(chunk))
      client.socket.resume()
      await eventually('it is read', async () => server.inFlight() === 0)
      const size = () => chunks.reduce((sum, { byteLength }) => sum + byteLength, 0)
      await eventually('all has come', async () => size() > Buffer.byteLength(text))
      const whole = Buffer.concat(chunks)
      assert.ok(whole.subarray(whole.indexOf('\r\n\r\n') + 4).equals(Buffer.from(text)))
      client.write(head('GET / HTTP/1.1'))
      await eventually('the connection goes on', async () => size() === 2 * whole.byteLength)
      client.socket.destroy()
    })

  test('that nobody reads ends the connection at the next request', async () => {
    const { server, port } = await serve(() => ({ status: 200, body: text }))
    const client = await raw(port)
    client.socket.pause()
    client.write(head('GET / HTTP/1.1'))
    await eventually('it is in flight', async () => server.inFlight() === 1)
    client.write(head('GET / HTTP/1.1'))
    await eventually('it has ended', async () => server.inFlight() === 0)
    client.socket.destroy()
  })
})
