// What bodies hold together, from clients who may be anybody.
import assert from 'node:assert/strict'
import type { ListenOptions } from '../../../../src/platform/http/listen-options.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'
import { answers, head, type RawClient, raw } from './raw.ts'
import { gate, serve } from './servers.ts'

const post = (bytes: number, headers: readonly string[] = []): string =>
  head('POST /unlimited HTTP/1.1', [`Content-Length: ${bytes}`, ...headers])

async function world(options: Partial<ListenOptions>) {
  const clock = new SimulatedClock()
  let started = gate()
  const { server, port } = await serve(
    async (request) => {
      started.open()
      const body = await request.body(10_000)
      return { status: 200, body: String(body.byteLength) }
    },
    { clock, ...options },
  )
  return {
    ...{ clock, server, port },
    /** All of a body but its last byte. */
    async sendsMost(bytes = 10): Promise<RawClient> {
      started = gate()
      const client = await raw(port)
      client.write(post(bytes) + 'x'.repeat(bytes - 1))
      await started.opened
      await new Promise((resolve) => setImmediate(resolve))
      return client
    },
    /** The status of a request that comes in one piece. */
    async statusOf(bytes: number): Promise<number | undefined> {
      const client = await raw(port)
      client.write(post(bytes, ['Connection: close']) + 'x'.repeat(bytes))
      return answers(await client.closed())[0]?.status
    },
  }
}

const isRefused = async (client: RawClient): Promise<void> => {
  assert.match(await client.sees('/docs/errors/OVERLOADED"}}'), /^HTTP\/1\.1 503 /)
}

describe('slow bodies', () => {
  test('take no place from requests whose body is there', async () => {
    const { server, sendsMost, statusOf } = await world({ maxInFlight: 2 })
    const slow = [await sendsMost(), await sendsMost()]
    assert.equal(server.inFlight(), 0)
    assert.equal(await statusOf(10), 200)
    for (const client of slow) {
      client.write('x')
      assert.deepEqual(answers(await client.sees('\r\n\r\n10')), [{ status: 200, body: '10' }])
    }
  })

  test('make room for each other: who has been awaited longest is disconnected, after a second', async () => {
    const { clock, server, sendsMost } = await world({ maxInFlight: 2 })
    const first = await sendsMost()
    await clock.advance(999)
    const second = await sendsMost()
    await isRefused(await sendsMost())
    await clock.advance(1)
    const third = await sendsMost()
    assert.equal(await first.closed(), '')
    await isRefused(await sendsMost())
    for (const client of [second, third]) {
      client.write('x')
      await client.sees('\r\n\r\n10')
    }
    assert.equal(server.inFlight(), 0)
  })

  test('give their bytes to a body that comes at once', async () => {
    const { clock, server, sendsMost, statusOf } = await world({ maxBodyBytesHeld: 1_000 })
    const slow = [await sendsMost(500), await sendsMost(500)]
    assert.equal(await statusOf(400), 503)
    await clock.advance(1_000)
    assert.equal(await statusOf(400), 200)
    assert.equal(await slow[0]?.closed(), '')
    assert.equal(await statusOf(900), 200)
    assert.equal(await slow[1]?.closed(), '')
    assert.equal(await statusOf(1_000), 200)
    assert.equal(await statusOf(1_001), 503)
    assert.equal(server.inFlight(), 0)
  })
})

describe('requests that are refused by their head', () => {
  const body = 'x'.repeat(600)
  const length = `Content-Length: ${body.length}`
  for (const [name, code, options, headers] of [
    ['for two keys', 'VALIDATION_ERROR', {}, ['X-Api-Key: a', 'X-Api-Key: b', length]],
    // With a length besides, the parser refuses it by itself.
    ['for an encoding that nobody knows', undefined, {}, ['Transfer-Encoding: gzip', length]],
    ['for their length', 'HEADERS_TOO_LARGE', {}, [`X-Long: ${'x'.repeat(20_000)}`, length]],
    ['for want of room', 'OVERLOADED', { maxInFlight: 0 }, ['Transfer-Encoding: chunked']],
  ] as const)
    test(`are told of, and give back the bytes that came with them: ${name}`, async () => {
      const refused: string[] = []
      const { port, statusOf } = await world({
        ...{ maxBodyBytesHeld: 1_000, unlimitedPaths: new Set(['/unlimited']), ...options },
        onRefused: (refusal) => refused.push(refusal),
      })
      for (let count = 0; count < 2; count += 1) {
        const client = await raw(port)
        const isChunked = headers[0].endsWith('chunked')
        client.write(head('POST / HTTP/1.1', headers) + (isChunked ? `258\r\n${body}\r\n0\r\n\r\n` : body))
        assert.match(await client.closed(), /^HTTP\/1\.1 (400|431|503) /)
      }
      assert.equal(await statusOf(600), 200)
      assert.deepEqual(refused, code === undefined ? [] : [code, code])
    })
})
