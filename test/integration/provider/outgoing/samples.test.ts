import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from '../../../support/harness.ts'
import { account, json, type Rig, type Seen, withRig } from './rig.ts'

const bytes = randomBytes(100_000)
const sample = { mimeType: 'image/png', fileName: 'a b.png', bytes }
const session = 'upload:MTphdHRhY2g6LzA5PT0=?sig=ARZq+k/A'
type Answer = Parameters<typeof withRig>[0]

/** Answers the requests in this order. */
const inTurn = (...answers: readonly Answer[]): Answer => {
  let next = 0
  return (request, response) => (answers[next++] ?? json(500, {}))(request, response)
}

const cut: Answer = (_, response) => void response.destroy()

const line = ({ method, url, headers }: Seen) =>
  [method, url, headers.authorization, headers['file_offset']].filter((one) => one !== undefined).join(' ')

const address = '/v24.0/upload:MTphdHRhY2g6LzA5PT0=?sig=ARZq+k%2FA'

describe('a sample of a template', () => {
  test('is announced for the app of the token, then uploaded as it is', async () => {
    await withRig(inTurn(json(200, { id: session }), json(200, { h: '4::aW' })), async ({ api, seen }) => {
      assert.deepEqual(await api.uploadSample(account, sample), { type: 'ok', value: { handle: '4::aW' } })
      assert.deepEqual(seen.map(line), [
        'POST /v24.0/app/uploads?file_name=a+b.png&file_length=100000&file_type=image%2Fpng Bearer token-for-tests',
        `POST ${address} OAuth token-for-tests 0`,
      ])
      assert.ok(seen[1]?.raw.equals(bytes))
      assert.equal(seen[1]?.headers['content-type'], 'application/octet-stream')
    })
  })

  test('goes on where its connection broke', async () => {
    const answers = [
      json(200, { id: 'upload:1' }),
      cut,
      json(200, { id: 'upload:1', file_offset: 60_000 }),
      json(200, { h: '4::b' }),
    ]
    await withRig(inTurn(...answers), async ({ api, seen }: Rig) => {
      assert.deepEqual(await api.uploadSample(account, sample), { type: 'ok', value: { handle: '4::b' } })
      assert.deepEqual(seen.slice(1).map(line), [
        'POST /v24.0/upload:1 OAuth token-for-tests 0',
        'GET /v24.0/upload:1 OAuth token-for-tests',
        'POST /v24.0/upload:1 OAuth token-for-tests 60000',
      ])
      assert.ok(seen[3]?.raw.equals(bytes.subarray(60_000)))
    })
  })

  test('is given up where its connection keeps breaking', async () => {
    const answer: Answer = (request, response) =>
      request.url.endsWith('/upload:1')
        ? (request.method === 'GET' ? json(200, { file_offset: 0 }) : cut)(request, response)
        : json(200, { id: 'upload:1' })(request, response)
    await withRig(answer, async ({ api, seen }) => {
      const result = await api.uploadSample(account, sample)
      assert.equal(result.type, 'unknown')
      assert.equal(seen.filter(({ method, url }) => method === 'POST' && url.endsWith('1')).length, 4)
    })
  })

  test('is refused with the words of the provider, and so is a session that is none', async () => {
    const refusal = { error: { message: 'Unsupported get request', code: 100, type: 'GraphMethodException' } }
    await withRig(json(400, refusal), async ({ api, seen }) => {
      const result = await api.uploadSample(account, sample)
      assert.equal(result.type === 'refused' && result.error.code, '100')
      assert.equal(seen.length, 1)
    })
    await withRig(json(200, { id: '../me' }), async ({ api, seen }) => {
      assert.equal((await api.uploadSample(account, sample)).type, 'unknown')
      assert.equal(seen.length, 1)
    })
  })
})
