import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createSecret, createSigner } from '../../../src/delivery/signature.ts'
import { handshakeJudge } from '../../../src/examples/bot/handshake.ts'
import { describe, test } from '../../support/harness.ts'

const secret = createSecret()
const signed = (at: number, by = secret) => createSigner({ current: by }).handshakeHeaders(at, randomUUID())

describe('the bot’s judgement of a handshake', () => {
  test('takes what was signed within five minutes either way', () => {
    const isGenuine = handshakeJudge(secret)
    for (const agoMs of [0, 299_000, -299_000])
      assert.ok(isGenuine(signed(Date.now() - agoMs)), `${agoMs} ms ago`)
    for (const agoMs of [300_001, -301_000])
      assert.ok(!isGenuine(signed(Date.now() - agoMs)), `${agoMs} ms ago`)
  })

  test('refuses another secret, changed headers, missing headers and a nonce of before', () => {
    const isGenuine = handshakeJudge(secret)
    const good = signed(Date.now())
    const later = String(Number(good['x-communication-timestamp']) + 1)
    const forged = [
      signed(Date.now(), createSecret()),
      { ...good, 'x-communication-nonce': randomUUID() },
      { ...good, 'x-communication-timestamp': later },
      { ...good, 'x-communication-signature-256': 'sha256=' },
      {},
    ]
    for (const headers of forged) assert.ok(!isGenuine(headers))
    assert.deepEqual([isGenuine(good), isGenuine(good)], [true, false])
  })
})
