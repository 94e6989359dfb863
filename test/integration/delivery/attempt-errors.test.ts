// Every code that an attempt can fail with, provoked by its real cause.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type AttemptErrorCode, type AttemptOutcome, attemptErrors } from '../../../src/delivery/attempt.ts'
import { makeCertificate } from '../../support/certificate.ts'
import { describe, type TestContext, test } from '../../support/harness.ts'
import { Cluster, emitTo, endpointAt, until } from './nodes.ts'
import { fullBacklog } from './outbound/full-backlog.ts'
import { type Answer, startNameServer } from './outbound/name-server.ts'
import { httpsReceiver, makeSender, onRequest, rawReceiver, request } from './outbound/receivers.ts'
import { socketReceiver, switching } from './outbound/socket-receivers.ts'

type Env = Record<string, string>

/** The outcome of the first attempt to send an event to the address. */
async function outcomeAt(
  t: TestContext,
  url: string,
  { env = {}, body = '{}' }: { env?: Env; body?: string } = {},
) {
  const cluster = new Cluster(t, { WEBHOOK_TIMEOUT: '1s', ...env })
  const [node, endpoint] = [cluster.node(), await endpointAt(url)]
  await emitTo(node, endpoint, body)
  // A large event may be so long on its way that its owner leaves it to the sweep, which does not run here.
  const wake = () => void node.webhooks.directory.tell(endpoint.endpointId, { type: 'wake' })
  const timer = setInterval(wake, 1_000)
  t.after(() => clearInterval(timer))
  const record = await until('an attempt', () => cluster.records[0], 60_000)
  return record.report.outcome
}

async function atName(t: TestContext, answer: Answer, env: Env = {}): Promise<AttemptOutcome> {
  const names = await startNameServer(t, () => answer)
  return outcomeAt(t, 'https://some.example.org/', { env: { DNS_SERVERS: names.address, ...env } })
}

const atPort = async (t: TestContext, scheme: string, ...input: [Parameters<typeof rawReceiver>[1]]) =>
  outcomeAt(t, `${scheme}://127.0.0.1:${await rawReceiver(t, ...input)}/`)

/** More than the kernel buffers of both sides hold, as nobody reads, so that the frame is only partly written. */
const huge = JSON.stringify({ text: 'x'.repeat(8 * 1024 * 1024) })

/** The close frame comes with the response to the upgrade, so no frame can have been accepted before it. */
const atSocketClosedWith = (t: TestContext, code: number) =>
  atPort(t, 'ws', (socket) =>
    onRequest(socket, (request) => {
      const closeFrame = Buffer.from([0x88, 0x02, code >> 8, code & 255])
      socket.write(Buffer.concat([Buffer.from(switching(request)), closeFrame]))
    }),
  )

/** A request that we break off is no attempt, so no delivery log shows it: asks the sender itself. */
async function brokenOff(t: TestContext): Promise<AttemptOutcome> {
  const cut = new AbortController()
  const port = await rawReceiver(t, (socket) => onRequest(socket, () => cut.abort()))
  const asked = request(`http://127.0.0.1:${port}/`, { signal: cut.signal })
  return (await makeSender(t).send(asked)).outcome
}

async function behindTenDials(t: TestContext): Promise<AttemptOutcome> {
  const cluster = new Cluster(t, { WEBHOOK_TIMEOUT: '3s' })
  const url = `ws://127.0.0.1:${await fullBacklog(t)}/`
  const node = cluster.node()
  const endpoints = await Promise.all(Array.from({ length: 12 }, () => endpointAt(url)))
  await Promise.all(endpoints.map((endpoint) => emitTo(node, endpoint)))
  const outcomes = () => cluster.records.map(({ report }) => report.outcome)
  const isOurs = (outcome: AttemptOutcome) => outcome.type === 'ours'
  return until('one that waited in vain', () => outcomes().find(isOurs))
}

async function starved(t: TestContext): Promise<AttemptOutcome> {
  const port = await rawReceiver(t, () => {})
  const script = fileURLToPath(new URL('./outbound/starved-sender.ts', import.meta.url))
  const command = 'ulimit -n 256; exec "$0" --import tsx "$1" "$2"'
  const args = ['-c', command, process.execPath, script, `http://127.0.0.1:${port}/`]
  const { stdout } = await promisify(execFile)('sh', args)
  return JSON.parse(stdout)
}

const causes: Record<AttemptErrorCode, (t: TestContext) => Promise<AttemptOutcome>> = {
  URL_FORBIDDEN: (t) => outcomeAt(t, 'http://example.org/', { env: { WEBHOOK_TARGETS: 'public' } }),
  ADDRESS_FORBIDDEN: (t) => atName(t, { addresses: ['10.0.0.1'] }, { WEBHOOK_TARGETS: 'public' }),
  DNS_NOT_FOUND: (t) => atName(t, 'unknown name'),
  DNS_FAILED: (t) => atName(t, 'server failure'),
  DNS_TIMEOUT: (t) => atName(t, 'silence'),
  DNS_UNAVAILABLE: (t) => atName(t, 'refused'),
  CONNECT_REFUSED: (t) => outcomeAt(t, 'https://127.0.0.1:1/'),
  // TCP has no connections to a multicast address, whatever routes the machine has.
  CONNECT_FAILED: (t) => outcomeAt(t, 'https://[ff0e::1]/'),
  CONNECT_TIMEOUT: async (t) => outcomeAt(t, `https://127.0.0.1:${await fullBacklog(t)}/`),
  TLS_CERTIFICATE_REJECTED: async (t) => {
    const port = await httpsReceiver(t, makeCertificate('DNS:localhost'), () => {})
    return outcomeAt(t, `https://localhost:${port}/`)
  },
  TLS_FAILED: (t) => atPort(t, 'https', (socket) => void socket.end('HTTP/1.1 400 No\r\n\r\n')),
  TLS_TIMEOUT: (t) => atPort(t, 'https', () => {}),
  CONNECTION_RESET: (t) => atPort(t, 'http', (socket) => onRequest(socket, () => socket.resetAndDestroy())),
  INVALID_RESPONSE: (t) =>
    atPort(t, 'http', (socket) => onRequest(socket, () => void socket.write('what?\r\n\r\n'))),
  TIMEOUT: (t) => atPort(t, 'http', () => {}),
  SOCKET_CLOSED: (t) => atSocketClosedWith(t, 1011),
  SOCKET_REJECTED_SIGNATURE: (t) => atSocketClosedWith(t, 1008),
  BACKPRESSURE: async (t) => {
    const url = await socketReceiver(t, (websocket) => websocket.pause())
    return outcomeAt(t, url, { body: huge, env: { WEBHOOK_PING: '200ms' } })
  },
  OVERLOADED: behindTenDials,
  EGRESS_FAILED: starved,
  INTERRUPTED: brokenOff,
}

describe('an attempt fails with', () => {
  for (const [code, cause] of Object.entries(causes)) {
    test(`${code}: ${attemptErrors[code as AttemptErrorCode].meaning}`, async (t) => {
      const { type, code: given } = { code: null, ...(await cause(t)) }
      assert.deepEqual([type, given], [attemptErrors[code as AttemptErrorCode].type, code])
    })
  }
})
