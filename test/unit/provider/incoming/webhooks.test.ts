import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { pino } from 'pino'
import { AppError } from '../../../../src/contract/errors.ts'
import type { ProviderUpdate } from '../../../../src/contract/provider-updates.ts'
import type { HttpRequest } from '../../../../src/platform/http/exchange.ts'
import type { KeptElement } from '../../../../src/provider/incoming/kept-elements.ts'
import { providerWebhooks, type ReceivedRecord } from '../../../../src/provider/incoming/webhooks.ts'
import { describe, test } from '../../../support/harness.ts'
import { change, envelope, messages, statuses } from './fixtures.ts'

const secret = 'app-secret-for-tests'
const verifyToken = 'verify-for-tests'

interface Given {
  readonly method?: string
  readonly body?: string
  readonly signature?: string
  readonly query?: Record<string, string>
}

const signatureOf = (body: string) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

function requestOf({
  method = 'POST',
  body = '',
  signature = signatureOf(body),
  query = {},
}: Given): HttpRequest {
  return {
    method,
    path: '/provider/webhooks',
    query: new URLSearchParams(query),
    requestId: 'req-1',
    publicUrl: 'http://gateway.test',
    remoteAddress: '127.0.0.1',
    signal: new AbortController().signal,
    header: (name) => (name === 'x-hub-signature-256' ? signature : undefined),
    body: (limit) =>
      Buffer.byteLength(body) > limit
        ? Promise.reject(new AppError('PAYLOAD_TOO_LARGE', 'too large'))
        : Promise.resolve(Buffer.from(body)),
    bodyStream: () => assert.fail('webhooks are read whole'),
  }
}

function rig(
  apply: (update: ProviderUpdate) => Promise<void> = () => Promise.resolve(),
  keep: (elements: readonly KeptElement[]) => Promise<void> = () => Promise.resolve(),
) {
  const kept: KeptElement[] = []
  const lines: string[] = []
  const records: ReceivedRecord[] = []
  const applied: ProviderUpdate[] = []
  const handler = providerWebhooks({
    appSecret: secret,
    verifyToken,
    log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
    observe: (record) => records.push(record),
    apply: async (update) => {
      await apply(update)
      applied.push(update)
      return 'applied'
    },
    keep: {
      async keep(elements) {
        await keep(elements)
        kept.push(...elements)
      },
    },
  })
  return { kept, lines, records, applied, send: async (given: Given) => handler(requestOf(given)) }
}

const batch = JSON.stringify(
  envelope(
    change('messages', {
      messages: [messages['text']],
      statuses: [statuses['sent'], { ...statuses['sent'], status: 'played' }],
    }),
  ),
)

describe('the handshake of the provider', () => {
  const handshake = {
    'hub.mode': 'subscribe',
    'hub.challenge': '1158201444',
    'hub.verify_token': verifyToken,
  }

  test('is answered with its challenge as plain text', async () => {
    const answer = await rig().send({ method: 'GET', query: handshake })
    assert.deepEqual([answer.status, answer.body], [200, '1158201444'])
    assert.match(answer.headers?.['content-type'] ?? '', /^text\/plain/)
  })

  test('is refused with another token, another mode, or neither', async () => {
    const wrong = [{ 'hub.verify_token': 'guess' }, { 'hub.mode': 'unsubscribe' }, { 'hub.verify_token': '' }]
    for (const part of wrong) {
      const answer = await rig().send({ method: 'GET', query: { ...handshake, ...part } })
      assert.deepEqual([answer.status, answer.body], [403, undefined])
    }
    assert.equal((await rig().send({ method: 'GET' })).status, 403)
  })
})

describe('a webhook of the provider', () => {
  test('is answered 200 once everything that it carries is applied', async () => {
    let finish = () => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    const { send, applied } = rig(() => held)
    let isAnswered = false
    const answer = send({ body: batch }).then((response) => {
      isAnswered = true
      return response
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isAnswered, false)
    finish()
    assert.equal((await answer).status, 200)
    assert.deepEqual(
      applied.map(({ type }) => type),
      ['inboundMessage', 'messageStatus'],
    )
  })

  test('is answered 503 when one update fails, after the others were applied', async () => {
    const { send, applied, records } = rig(({ type }) =>
      type === 'inboundMessage' ? Promise.reject(new Error('no database')) : Promise.resolve(),
    )
    assert.equal((await send({ body: batch })).status, 503)
    assert.deepEqual(
      applied.map(({ type }) => type),
      ['messageStatus'],
    )
    assert.deepEqual([records[0]?.outcome, records[0]?.failed], ['failed', 1])
  })

  test('with a wrong signature is answered 401 and not read', async () => {
    const { send, applied, records } = rig()
    assert.equal((await send({ body: batch, signature: signatureOf('other') })).status, 401)
    assert.deepEqual([applied, records[0]?.outcome], [[], 'badSignature'])
  })

  test('signed by the provider and no JSON is answered 200, for it would come back for a week', async () => {
    const { send, records } = rig()
    assert.equal((await send({ body: '{"entry":[' })).status, 200)
    assert.equal(records[0]?.outcome, 'unreadable')
  })

  test('that nothing is made of is answered once it is kept, and counted by its reason', async () => {
    let finish = () => {}
    const held = new Promise<void>((resolve) => {
      finish = resolve
    })
    const { send, kept, records } = rig(undefined, () => held)
    let isAnswered = false
    const answer = send({ body: JSON.stringify(envelope(change('novelties', {}))) }).then((response) => {
      isAnswered = true
      return response
    })
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isAnswered, false)
    finish()
    assert.equal((await answer).status, 200)
    assert.deepEqual([kept.length, records[0]?.skipped], [1, { unknown: 1 }])
  })

  test('that cannot be kept is answered 503', async () => {
    const { send } = rig(undefined, () => Promise.reject(new Error('no database')))
    assert.equal((await send({ body: '{"entry":[' })).status, 503)
  })

  test('larger than the limit is refused before it is read', async () => {
    await assert.rejects(
      rig().send({ body: ' '.repeat(4 * 1024 * 1024 + 1) }),
      (error) => error instanceof AppError && error.code === 'PAYLOAD_TOO_LARGE',
    )
  })

  test('leaves one line in the log: counts and time, and nothing that anybody wrote', async () => {
    const failing = rig(() =>
      Promise.reject(Object.assign(new Error('no database'), { detail: 'Is the pier open' })),
    )
    await failing.send({ body: batch })
    const { send, lines } = rig()
    await send({ body: batch })
    assert.equal(lines.length, 1)
    const line = JSON.parse(lines[0] ?? '') as Record<string, unknown>
    assert.deepEqual(
      [line['msg'], line['kinds'], line['skipped'], line['failed'], line['requestId']],
      ['ingest.received', { inboundMessage: 1, messageStatus: 1 }, { irrelevant: 1 }, 0, 'req-1'],
    )
    for (const text of [...lines, ...failing.lines]) {
      assert.doesNotMatch(text, /pier|Marta|351910000077/)
    }
  })

  test('that is applied as a whole leaves a line at debug alone', async () => {
    const { send, lines } = rig()
    await send({ body: batch })
    const plain = { body: JSON.stringify(envelope(change('messages', { messages: [messages['text']] }))) }
    await send(plain)
    const failing = rig(() => Promise.reject(new Error('no database')))
    await failing.send(plain)
    const levels = [...lines, ...failing.lines].map((line) => JSON.parse(line)['level'])
    assert.deepEqual(levels, [30, 20, 40], 'irrelevant parts, none, a failure')
  })

  test('by another method is refused', async () => {
    const answer = await rig().send({ method: 'PUT' })
    assert.deepEqual([answer.status, answer.headers?.['allow']], [405, 'GET, POST'])
  })
})
