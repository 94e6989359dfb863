import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import type { AttemptErrorCode, AttemptTimings } from '../../../../src/delivery/attempt.ts'
import { createResolver } from '../../../../src/delivery/outbound/resolve.ts'
import { systemClock } from '../../../../src/shared/clock.ts'
import { makeCertificate } from '../../../support/certificate.ts'
import { describe, type TestContext, test } from '../../../support/harness.ts'
import { fullBacklog } from './full-backlog.ts'
import { startNameServer } from './name-server.ts'
import { httpsReceiver, makeSender, onRequest, rawReceiver, request, type SenderSetup } from './receivers.ts'

const certificate = makeCertificate('DNS:localhost,DNS:slow.example.org')
const DEADLINE_MS = 400

interface Stage {
  readonly url: string
  readonly setup?: SenderSetup
  readonly body?: Buffer
}

interface Stalled {
  readonly code: AttemptErrorCode
  /** The parts of the attempt that were completed, and the one that took the rest of the time. */
  readonly parts: readonly (keyof AttemptTimings)[]
  stage(t: TestContext): Promise<Stage>
}

const overTls = async (t: TestContext, path = '') => ({
  url: `https://localhost:${await httpsReceiver(t, certificate, (incoming, response) => {
    if (path === '/early') response.writeEarlyHints({ link: '</x>; rel=preload' })
    incoming.resume()
  })}${path}`,
  setup: { ca: certificate.cert },
})

const stages: Record<string, Stalled> = {
  'the name server is silent': {
    code: 'DNS_TIMEOUT',
    parts: ['dnsMs'],
    async stage(t) {
      const server = await startNameServer(t, () => 'silence')
      const resolver = createResolver({ policy: 'any', clock: systemClock, servers: [server.address] })
      return { url: 'https://slow.example.org/', setup: { resolver } }
    },
  },
  'the host lets nobody in': {
    code: 'CONNECT_TIMEOUT',
    parts: ['connectMs'],
    stage: async (t) => ({ url: `https://127.0.0.1:${await fullBacklog(t)}/` }),
  },
  'the handshake is never answered': {
    code: 'TLS_TIMEOUT',
    parts: ['dnsMs', 'connectMs', 'tlsMs'],
    stage: async (t) => ({ url: `https://localhost:${await rawReceiver(t, () => {})}/` }),
  },
  'the request is never read': {
    code: 'TIMEOUT',
    parts: ['connectMs'],
    stage: async (t) => ({
      url: `http://127.0.0.1:${await rawReceiver(t, (socket) => void socket.pause())}/`,
      // Far more than the kernel buffers of both sides hold.
      body: Buffer.alloc(32 * 1024 * 1024, 'x'),
    }),
  },
  'the answer never comes': {
    code: 'TIMEOUT',
    parts: ['dnsMs', 'connectMs', 'tlsMs'],
    stage: (t) => overTls(t),
  },
  'nothing but early hints come': {
    code: 'TIMEOUT',
    parts: ['dnsMs', 'connectMs', 'tlsMs'],
    stage: (t) => overTls(t, '/early'),
  },
}

describe('one deadline covers an attempt: it ends in time when', () => {
  for (const [name, { code, parts, stage }] of Object.entries(stages)) {
    test(`${name}: ${code}`, async (t) => {
      const { url, setup, body } = await stage(t)
      const sender = makeSender(t, setup)
      const report = await sender.send(request(url, { deadlineMs: DEADLINE_MS, ...(body && { body }) }))
      assert.deepEqual(report.outcome, { type: 'timedOut', code })
      // Only a gross overrun breaks the deadline, because the machine may be busy.
      assert(report.durationMs > DEADLINE_MS - 5 && report.durationMs < 10_000)
      assert.deepEqual(Object.keys(report.timings), parts)
      const sum = Object.values(report.timings).reduce((total, ms) => total + ms, 0)
      assert(sum <= report.durationMs + 1, `${JSON.stringify(report.timings)} in ${report.durationMs}`)
      assert.equal(report.responseHeaders, null)
      // Neither a connection nor its place in the pool is left.
      while (sender.openConnections() > 0) await new Promise((resolve) => setImmediate(resolve))
    })
  }

  test('the body never ends: delivered by the status line, in time', async (t) => {
    const port = await rawReceiver(t, (socket: Socket) =>
      onRequest(
        socket,
        () => void socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n'),
      ),
    )
    const sent = request(`http://127.0.0.1:${port}/`, { deadlineMs: DEADLINE_MS })
    const report = await makeSender(t).send(sent)
    assert.deepEqual(report.outcome, { type: 'delivered', statusCode: 200 })
    assert(report.durationMs > DEADLINE_MS - 5 && report.durationMs < 10_000)
    assert((report.timings.firstByteMs ?? DEADLINE_MS) < DEADLINE_MS)
    assert.equal(Buffer.from(report.responseBody ?? []).toString(), 'abc')
  })
})
