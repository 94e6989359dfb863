import assert from 'node:assert/strict'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { BlobStoreError } from '../../../../src/contract/blobs.ts'
import { AppError } from '../../../../src/contract/errors.ts'
import { RequestAborted } from '../../../../src/platform/http/exchange.ts'
import { createPipeline } from '../../../../src/platform/http/pipeline.ts'
import { BatcherFull } from '../../../../src/shared/batcher.ts'
import { DeadlineExceeded } from '../../../../src/shared/deadline.ts'
import { describe, test } from '../../../support/harness.ts'
import { request } from './requests.ts'
import { pipeline, route } from './things.ts'

describe('matching', () => {
  test('an unknown path is NOT_FOUND, with or without the prefix', async () => {
    const { send } = pipeline()
    for (const url of ['/api/nope', '/things', '/api', '/api/things/', '/api/things/1/2', '/apithings']) {
      const { status, json } = await send({ url })
      assert.deepEqual([url, status, json.error.code], [url, 404, 'NOT_FOUND'])
    }
  })

  test('a known path with another method is METHOD_NOT_ALLOWED and says which it takes', async () => {
    const { send } = pipeline()
    for (const method of ['PUT', 'HEAD', 'OPTIONS', 'get']) {
      const { status, json, headers } = await send({ url: '/api/things', method })
      assert.deepEqual([status, json.error.code, headers['allow']], [405, 'METHOD_NOT_ALLOWED', 'GET, POST'])
    }
  })

  test('a literal segment wins over a parameter, whatever the order of the table', async () => {
    const { send } = pipeline()
    assert.deepEqual((await send({ url: '/api/things/special' })).json, { special: true })
    assert.deepEqual((await send({ url: '/api/things/12' })).json, { id: '12' })
  })

  test('a route that is shed answers at once, before anybody is asked who calls', async () => {
    const { send } = pipeline({ shed: ['/things'], admitFail: new AppError('UNAUTHORIZED', 'no') })
    const { status, json, headers } = await send({ url: '/api/things' })
    assert.deepEqual([status, json.error.code, headers['retry-after']], [503, 'OVERLOADED', '1'])
    assert.equal((await send({ url: '/api/things/12' })).status, 401, 'another route is taken')
  })

  test('while the database is away a request is refused at once, and can be repeated', async () => {
    const { send } = pipeline({ isAway: true, admitFail: new AppError('UNAUTHORIZED', 'no') })
    const { status, json, headers } = await send({ url: '/api/things' })
    assert.deepEqual([status, json.error.code, headers['retry-after']], [503, 'UNAVAILABLE', '2'])
  })

  test('a path is matched before anybody is asked who calls', async () => {
    const { send } = pipeline({ admitFail: new AppError('UNAUTHORIZED', 'no') })
    assert.equal((await send({ url: '/api/nope' })).status, 404)
    assert.equal((await send({ url: '/api/things' })).status, 401)
  })

  test('two routes for one method and path refuse to start', () => {
    assert.throws(
      () =>
        createPipeline({
          prefix: '',
          routes: [route({ path: '/a/:x' }), route({ path: '/a/:y' })],
          guard: async () => ({ context: 'me', subject: {} }),
          log: undefined as never,
        }),
      /two routes for GET/,
    )
  })
})

describe('answers', () => {
  test('what a handler returns is JSON with the status of its route', async () => {
    const { status, json, headers } = await pipeline().send({ url: '/api/things', body: { name: 'a' } })
    assert.deepEqual([status, json], [201, { body: { name: 'a' }, context: 'me' }])
    assert.equal(headers['content-type'], 'application/json')
    assert.equal(headers['cache-control'], 'no-store')
  })

  test('an Answer brings its own status and headers', async () => {
    const { status, json, headers } = await pipeline().send({ url: '/api/answer' })
    assert.deepEqual([status, json, headers['x-a']], [202, { a: 1 }, 'b'])
  })

  test('a RawAnswer goes out as it is', async () => {
    const response = await pipeline().handler(request({ url: '/api/raw' }))
    assert.deepEqual([response.body, response.headers?.['content-type']], ['a,b', 'text/csv'])
  })

  test('an answer of lines is one value a line, and ends with the error that it broke off with', async () => {
    const response = await pipeline().handler(request({ url: '/api/values', requestId: 'abc' }))
    assert.deepEqual([response.status, response.headers?.['content-type']], [200, 'application/x-ndjson'])
    assert.ok(typeof response.body === 'object' && Symbol.asyncIterator in response.body)
    let text = ''
    for await (const piece of response.body) text += Buffer.from(piece).toString()
    const error =
      '{"error":{"code":"INVALID_STATE","message":"no more","requestId":"abc","docs":"http://gateway.test/docs/errors/INVALID_STATE"}}'
    assert.equal(text, `{"a":1}\n"b"\n${error}\n`)
  })

  test('a handler without a result answers without a body', async () => {
    const response = await pipeline().handler(request({ url: '/api/nothing' }))
    assert.deepEqual([response.status, response.body], [204, undefined])
  })

  test('the request id is on every answer and in every error', async () => {
    const { send } = pipeline()
    const ok = await send({ url: '/api/things', requestId: 'abc' })
    const lost = await send({ url: '/api/nope', requestId: 'abc' })
    assert.equal(ok.headers['x-request-id'], 'abc')
    assert.equal(lost.headers['x-request-id'], 'abc')
    assert.equal(lost.json.error.requestId, 'abc')
  })
})

describe('rate limit', () => {
  test('a taken token shows in the headers', async () => {
    const { send } = pipeline({ bucket: { allowed: true, remaining: 150, retryAfterMs: 0 } })
    const { headers } = await send({ url: '/api/things' })
    assert.equal(headers['ratelimit-policy'], '"key";q=200;w=2')
    assert.equal(headers['ratelimit'], '"key";r=150;t=1')
  })

  test('an empty bucket is RATE_LIMITED with Retry-After, and the handler does not run', async () => {
    const { send } = pipeline({ bucket: { allowed: false, remaining: 0.4, retryAfterMs: 1_200 } })
    const { status, json, headers } = await send({ url: '/api/things' })
    assert.deepEqual([status, json.error.code, headers['retry-after']], [429, 'RATE_LIMITED', '2'])
    assert.equal(headers['ratelimit'], '"key";r=0;t=2')
  })
})

describe('failures', () => {
  const coded = (code: string) => Object.assign(new Error('x'), { code })
  const outages: [string, unknown, string][] = [
    ['a full batcher', new BatcherFull(), 'OVERLOADED'],
    ['a refused connection', coded('ECONNREFUSED'), 'UNAVAILABLE'],
    ['a connection that broke', coded('CONNECTION_CLOSED'), 'UNAVAILABLE'],
    ['a statement timeout', coded('57014'), 'UNAVAILABLE'],
    ['too many connections', coded('53300'), 'UNAVAILABLE'],
    ['a deadlock', coded('40P01'), 'UNAVAILABLE'],
    ['a passed deadline', new DeadlineExceeded('it'), 'UNAVAILABLE'],
    ['an object store that is down', new BlobStoreError('it'), 'UNAVAILABLE'],
    ['Redis loading', new Error('LOADING Redis is loading the dataset in memory'), 'UNAVAILABLE'],
  ]
  for (const [name, fail, code] of outages) {
    test(`${name} is ${code} with Retry-After, and a warning`, async () => {
      const { send, lines } = pipeline({ fail })
      const { status, json, headers } = await send({ url: '/api/fail' })
      assert.deepEqual([status, json.error.code, lines[0]?.level], [503, code, 'warn'])
      assert.ok(Number(headers['retry-after']) >= 1)
    })
  }

  test('an unforeseen error is INTERNAL, says nothing of itself and is logged with the request id', async () => {
    const { send, lines } = pipeline({ fail: new Error('secret detail') })
    const { status, json } = await send({ url: '/api/fail', requestId: 'r-9' })
    assert.deepEqual([status, json.error.code], [500, 'INTERNAL'])
    assert.doesNotMatch(JSON.stringify(json), /secret/)
    const [line] = lines
    assert.equal(line?.level, 'error')
    assert.equal(line?.fields['requestId'], 'r-9')
    assert.match(String(line?.fields['err']), /secret detail/)
  })

  test('a unique violation is a bug of ours, not an outage', async () => {
    assert.equal((await pipeline({ fail: coded('23505') }).send({ url: '/api/fail' })).status, 500)
  })
})

describe('the log line', () => {
  test('says what was served to whom, and never a query or a body', async () => {
    const { send, lines, served } = pipeline()
    await send({ url: '/api/things?size=15551230000', requestId: 'r-1' })
    assert.equal(lines.length, 1)
    const { message, fields } = lines[0] ?? assert.fail('no line')
    const { durationMs, ...rest } = fields
    assert.equal(message, 'request.served')
    assert.ok(Number(durationMs) >= 0)
    assert.deepEqual(rest, {
      requestId: 'r-1',
      method: 'GET',
      route: '/things',
      status: 200,
      code: undefined,
      aborted: false,
      workspaceId: 'wsp_1',
      keyId: 'key_1',
    })
    assert.equal(served[0]?.route, '/things')
  })

  test('names the code of a refusal, without a stack', async () => {
    const { send, lines } = pipeline()
    await send({ url: '/api/things/abc' })
    assert.deepEqual(
      [lines[0]?.level, lines[0]?.fields['code'], lines[0]?.fields['err']],
      ['info', 'NOT_FOUND', undefined],
    )
  })

  for (const [name, fail, level] of [
    ['an outage', new DeadlineExceeded('it'), 'warn'],
    ['a fault of ours', new Error('ours'), 'error'],
  ] as const)
    test(`of a stream of lines that ${name} broke off is a line of its own`, async () => {
      const { handler, lines } = pipeline({ fail })
      const { body } = await handler(request({ url: '/api/failing-lines' }))
      assert.match(await text(body as Readable), /^\{"error":/)
      assert.deepEqual(
        lines.map((line) => [line.message, line.level]),
        [
          ['request.served', 'info'],
          ['request.broke_off', level],
        ],
      )
      assert.equal(lines[1]?.fields['err'], fail)
    })

  test('a client that went away is no error', async () => {
    const { send, lines } = pipeline({ fail: new RequestAborted() })
    await send({ url: '/api/fail' })
    assert.deepEqual([lines[0]?.level, lines[0]?.fields['aborted']], ['info', true])
  })
})
