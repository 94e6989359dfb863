// Bodies that come slowly, from clients who may be anybody.
import assert from 'node:assert/strict'
import type { ListenOptions } from '../../../../src/platform/http/uws.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'
import { answers, head, type RawClient, raw } from './raw.ts'
import { gate, serve } from './servers.ts'

async function world(options: Partial<ListenOptions>) {
  const clock = new SimulatedClock()
  let started = gate()
  const { server, url, port } = await serve(
    async (request) => {
      started.open()
      const body = await request.body(10_000)
      return { status: 200, body: String(body.byteLength) }
    },
    { clock, ...options },
  )
  return {
    ...{ clock, server },
    /** All of a body but its last byte. */
    async sendsMost(bytes = 10): Promise<RawClient> {
      started = gate()
      const client = await raw(port)
      client.write(head('POST / HTTP/1.1', [`Content-Length: ${bytes}`]) + 'x'.repeat(bytes - 1))
      await started.opened
      await new Promise((resolve) => setImmediate(resolve))
      return client
    },
    async statusOf(bytes: number): Promise<number> {
      const answer = await fetch(url, { method: 'POST', body: 'x'.repeat(bytes) })
      await answer.text()
      return answer.status
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
