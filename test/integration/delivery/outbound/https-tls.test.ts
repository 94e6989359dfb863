import assert from 'node:assert/strict'
import { Webhook } from 'standardwebhooks'
import { createSecret, createSigner } from '../../../../src/delivery/signature.ts'
import { makeCertificate } from '../../../support/certificate.ts'
import { describe, test } from '../../../support/harness.ts'
import { httpsReceiver, makeSender, rawReceiver, request } from './receivers.ts'

const certificate = makeCertificate('DNS:localhost')
const stranger = makeCertificate('DNS:localhost')

const rejected = (detail: string) => ({ type: 'unreachable', code: 'TLS_CERTIFICATE_REJECTED', detail })

describe('an encrypted attempt', () => {
  test('verifies with the Standard Webhooks library on the other side', async (t) => {
    const secret = createSecret()
    let verified: unknown
    const port = await httpsReceiver(t, certificate, async (incoming, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of incoming) chunks.push(chunk)
      verified = new Webhook(secret).verify(Buffer.concat(chunks), incoming.headers as Record<string, string>)
      response.end()
    })
    const body = Buffer.from('{"event":"call.status","data":{"callId":"cal_1"}}')
    const attempt = { event: 'call.status', deliveryId: 'dlv_1', attemptNumber: 1, body, at: new Date() }
    const headers = createSigner({ current: secret }).attemptHeaders(attempt)
    const sender = makeSender(t, { ca: certificate.cert })
    const report = await sender.send(request(`https://localhost:${port}/`, { body, headers }))
    assert.equal(report.outcome.type, 'delivered')
    assert.deepEqual(verified, JSON.parse(body.toString()))
    const { dnsMs, connectMs, tlsMs, firstByteMs } = report.timings
    for (const part of [dnsMs, connectMs, tlsMs, firstByteMs]) assert(part !== undefined && part >= 0)
  })

  test('accepts no certificate of an authority it was not given', async (t) => {
    const port = await httpsReceiver(t, certificate, () => assert.fail('reached'))
    for (const sender of [makeSender(t), makeSender(t, { ca: stranger.cert })]) {
      const { outcome } = await sender.send(request(`https://localhost:${port}/`))
      assert.deepEqual(outcome, rejected('the issuer of the certificate is unknown: it is self-signed'))
    }
  })

  test('accepts no certificate of another name', async (t) => {
    const port = await httpsReceiver(t, certificate, () => assert.fail('reached'))
    const { outcome } = await makeSender(t, { ca: certificate.cert }).send(
      request(`https://127.0.0.1:${port}/`),
    )
    assert.deepEqual(outcome, rejected('the certificate is for another name'))
  })

  test('accepts no certificate that has expired', async (t) => {
    const expired = makeCertificate('DNS:localhost', { isExpired: true })
    const port = await httpsReceiver(t, expired, () => assert.fail('reached'))
    const { outcome } = await makeSender(t, { ca: expired.cert }).send(request(`https://localhost:${port}/`))
    assert.deepEqual(outcome, rejected('the certificate has expired'))
  })

  test('accepts a certificate that names an IP address', async (t) => {
    const named = makeCertificate('IP:127.0.0.1')
    const port = await httpsReceiver(t, named, (_incoming, response) => void response.end())
    const report = await makeSender(t, { ca: named.cert }).send(request(`https://127.0.0.1:${port}/`))
    assert.equal(report.outcome.type, 'delivered')
  })

  test('reuses its connection, and a close that the receiver announces costs nothing', async (t) => {
    const port = await httpsReceiver(t, certificate, (incoming, response) => {
      response.end()
      if (incoming.url === '/last') incoming.socket.end()
    })
    const sender = makeSender(t, { ca: certificate.cert })
    const paths = ['a', 'b', 'last', 'c']
    const reports = []
    for (const path of paths) reports.push(await sender.send(request(`https://localhost:${port}/${path}`)))
    assert(reports.every((report) => report.outcome.type === 'delivered'))
    assert.deepEqual(
      reports.map((report) => report.reusedConnection),
      [false, true, true, false],
    )
  })

  test('fails on a port that speaks in the clear', async (t) => {
    const port = await rawReceiver(t, (socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
    const { outcome } = await makeSender(t).send(request(`https://localhost:${port}/`))
    assert.deepEqual(outcome, { type: 'unreachable', code: 'TLS_FAILED' })
  })

  test('fails when the connection is reset in the handshake', async (t) => {
    const port = await rawReceiver(t, (socket) => void socket.once('data', () => socket.resetAndDestroy()))
    const { outcome } = await makeSender(t).send(request(`https://localhost:${port}/`))
    assert.deepEqual(outcome, { type: 'unreachable', code: 'CONNECTION_RESET' })
  })

  test('times out on a handshake that is never answered', async (t) => {
    const port = await rawReceiver(t, () => {})
    const { outcome } = await makeSender(t).send(request(`https://localhost:${port}/`, { deadlineMs: 200 }))
    assert.deepEqual(outcome, { type: 'timedOut', code: 'TLS_TIMEOUT' })
  })
})
