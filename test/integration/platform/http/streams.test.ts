import assert from 'node:assert/strict'
import { eventually } from '../../../e2e/scene.ts'
import { describe, test } from '../../../support/harness.ts'
import { head, raw } from './raw.ts'
import { gate, serve } from './servers.ts'

const pieceBytes = 64 * 1024
const pieces = 200
const total = pieceBytes * pieces

async function* numbered(onPiece: (index: number) => void = () => undefined): AsyncGenerator<Uint8Array> {
  for (let index = 0; index < pieces; index += 1) {
    onPiece(index)
    yield Buffer.alloc(pieceBytes, index % 251)
  }
}

const isWhole = (bytes: Uint8Array): boolean =>
  bytes.byteLength === total && bytes.every((byte, offset) => byte === Math.floor(offset / pieceBytes) % 251)

describe('streamed answers', () => {
  test('a stream of known length arrives whole under its Content-Length', async () => {
    const { url } = await serve(() => ({
      status: 200,
      headers: { 'content-length': String(total) },
      body: numbered(),
    }))
    const response = await fetch(url)
    assert.equal(response.headers.get('content-length'), String(total))
    assert.ok(isWhole(new Uint8Array(await response.arrayBuffer())))
  })

  test('a stream of unknown length arrives whole in chunks', async () => {
    const { url } = await serve(() => ({ status: 200, body: numbered() }))
    const response = await fetch(url)
    assert.equal(response.headers.get('content-length'), null)
    assert.ok(isWhole(new Uint8Array(await response.arrayBuffer())))
  })

  for (const [name, headers] of [
    ['of known length', { 'content-length': String(total) }],
    ['of unknown length', {}],
  ] as const) {
    test(`a reader that stops holds up a stream ${name} instead of filling memory, and gets all of it later`, async () => {
      let made = 0
      const { port } = await serve(() => ({
        status: 200,
        headers,
        body: numbered((index) => {
          made = index
        }),
      }))
      const client = await raw(port)
      client.socket.pause()
      client.write(head('GET / HTTP/1.1', ['Connection: close']))
      // Long enough for a stream without back-pressure to run to its end.
      await new Promise((resolve) => setTimeout(resolve, 300))
      assert.ok(made < pieces - 1, `${made} pieces were made for nobody`)
      let bytes = 0
      client.socket.on('data', (chunk) => {
        bytes += chunk.byteLength
      })
      const full = gate()
      client.socket.on('data', () => {
        if (bytes >= total) full.open()
      })
      client.socket.resume()
      await full.opened
      assert.equal(made, pieces - 1)
      client.socket.destroy()
    })
  }

  test('a reader that leaves ends the source', async () => {
    const ended = gate()
    const { port } = await serve(() => ({
      status: 200,
      body: (async function* () {
        try {
          for (;;) yield Buffer.alloc(pieceBytes)
        } finally {
          ended.open()
        }
      })(),
    }))
    const client = await raw(port)
    client.write(head('GET / HTTP/1.1'))
    await client.sees('HTTP/1.1 200')
    client.socket.destroy()
    await ended.opened
  })

  test('a source that fails because its reader has left is no fault', async () => {
    const faults: unknown[] = []
    const started = gate()
    const { server, port } = await serve(
      ({ signal }) => ({
        status: 200,
        body: (async function* () {
          yield Buffer.alloc(1)
          started.open()
          await new Promise((resolve) => signal.addEventListener('abort', resolve))
          signal.throwIfAborted()
        })(),
      }),
      { onFault: (error) => faults.push(error) },
    )
    const client = await raw(port)
    client.write(head('GET / HTTP/1.1'))
    await started.opened
    client.socket.destroy()
    await eventually('it is over', async () => server.inFlight() === 0)
    assert.deepEqual(faults, [])
  })

  for (const headers of [{}, { 'content-length': String(10 * pieceBytes) }]) {
    test(`a source that breaks off makes no whole answer (${JSON.stringify(headers)})`, async () => {
      const faults: unknown[] = []
      const { url } = await serve(
        () => ({
          status: 200,
          headers,
          body: (async function* () {
            yield Buffer.alloc(pieceBytes)
            throw new Error('disk gone')
          })(),
        }),
        { onFault: (error) => faults.push(error) },
      )
      const response = await fetch(url)
      await assert.rejects(response.arrayBuffer())
      assert.match(String(faults[0]), /disk gone/)
    })
  }

  test('a source shorter than announced makes no whole answer', async () => {
    const { url } = await serve(() => ({
      status: 200,
      headers: { 'content-length': '100' },
      body: (async function* () {
        yield Buffer.alloc(10)
      })(),
    }))
    await assert.rejects(fetch(url).then((response) => response.arrayBuffer()))
  })
})
