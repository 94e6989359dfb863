import assert from 'node:assert/strict'
import { limits } from '../../../../src/contract/limits.ts'
import { describe, test } from '../../../support/harness.ts'
import { type RequestParts, request } from './requests.ts'
import { pipeline } from './things.ts'

describe('bodies', () => {
  const json = { 'content-type': 'application/json' }
  const cases: [string, RequestParts, number, string][] = [
    ['no content type', { url: '/api/things', body: '{"name":"a"}' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    [
      'a form',
      { url: '/api/things', body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'another charset',
      { url: '/api/things', body: '{}', headers: { 'content-type': 'application/json; charset=utf-16' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'something that begins like JSON',
      { url: '/api/things', body: '{}', headers: { 'content-type': 'application/jsonp' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'a compressed body',
      { url: '/api/things', body: '{}', headers: { ...json, 'content-encoding': 'gzip' } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    ['half an object', { url: '/api/things', body: '{"name":', headers: json }, 400, 'MALFORMED_JSON'],
    ['an empty body', { url: '/api/things', body: '', headers: json }, 400, 'MALFORMED_JSON'],
    ['a list', { url: '/api/things', body: '[]', headers: json }, 400, 'VALIDATION_ERROR'],
    [
      'too many bytes',
      { url: '/api/things', body: `{"name":"${'a'.repeat(limits.bodyBytes)}"}`, headers: json },
      413,
      'PAYLOAD_TOO_LARGE',
    ],
  ]
  for (const [name, parts, status, code] of cases) {
    test(`${name} is ${code}`, async () => {
      const answer = await pipeline().send({ method: 'POST', ...parts })
      assert.deepEqual([answer.status, answer.json.error.code], [status, code])
    })
  }

  test('a list is refused for what it is, before its missing fields', async () => {
    const { json: answer } = await pipeline().send({ url: '/api/things', body: [] })
    assert.equal(answer.error.message, 'body must be an object')
  })

  test('bytes that are not UTF-8 are MALFORMED_JSON', async () => {
    const { handler } = pipeline()
    const latin1 = { ...request({ url: '/api/things', method: 'POST', headers: json }) }
    const response = await handler({ ...latin1, body: async () => Buffer.from('{"name":"\xe9"}', 'latin1') })
    assert.equal(JSON.parse(String(response.body)).error.code, 'MALFORMED_JSON')
  })

  test('the charset utf-8 is taken in any spelling', async () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"']) {
      const { status } = await pipeline().send({
        url: '/api/things',
        method: 'POST',
        body: '{"name":"a"}',
        headers: { 'content-type': type },
      })
      assert.equal(status, 201)
    }
  })

  test('a further media type is handed on piece by piece, with the query that was checked', async () => {
    const send = (body: string, type: string, query = '') =>
      pipeline().send({ url: `/api/lines${query}`, method: 'POST', body, headers: { 'content-type': type } })
    for (const type of ['text/plain', 'Text/Plain; charset=utf-8'])
      assert.deepEqual((await send('a\nb', type)).json, { type: 'text/plain', bytes: 3 }, type)
    assert.deepEqual((await send('{"lines":["a"]}', 'application/json')).json, { lines: ['a'] })
    assert.equal((await send('a', 'text/plain', '?x=1')).json.error.details[0].path, 'x')
    assert.equal((await send('a'.repeat(1_001), 'text/plain')).status, 413)
    for (const type of ['text/plain; charset=latin1', 'text/html', 'constructor', '__proto__', '']) {
      const { status, json: answer } = await send('a', type)
      assert.equal(status, 415, type)
      assert.match(answer.error.message, /application\/json or text\/plain/)
    }
    const elsewhere = await pipeline().send({
      url: '/api/things',
      method: 'POST',
      body: 'a',
      headers: { 'content-type': 'text/plain' },
    })
    assert.equal(elsewhere.status, 415)
  })

  test('a text that the database cannot hold is refused with its path', async () => {
    for (const name of ['a\0b', 'a\ud800']) {
      const { status, json: body } = await pipeline().send({ url: '/api/things', body: { name, tags: [] } })
      assert.deepEqual([status, body.error.details[0].path], [400, 'name'])
    }
    const { json: body } = await pipeline().send({
      url: '/api/things',
      body: { name: 'a', tags: ['b', '\0'] },
    })
    assert.equal(body.error.details[0].path, 'tags.1')
  })
})

describe('validation', () => {
  test('missing, unknown and wrong fields are listed by path, and the message names the first', async () => {
    const { json } = await pipeline().send({ url: '/api/things', body: { tags: [1], extra: true } })
    assert.equal(json.error.code, 'VALIDATION_ERROR')
    assert.equal(json.error.message, 'name is required')
    assert.deepEqual(json.error.details, [
      { path: 'name', message: 'is required' },
      { path: 'tags.0', message: 'must be a string' },
      { path: 'extra', message: 'is not a known field' },
    ])
  })

  test('an unknown name as long as the body is not repeated in full', async () => {
    const { json } = await pipeline().send({
      url: '/api/things',
      body: { name: 'a', ['x'.repeat(100_000)]: 1 },
    })
    assert.equal(json.error.details[0].path, 'x'.repeat(200))
  })

  test('__proto__ is a query parameter as unknown as any other', async () => {
    for (const url of ['/api/things?__proto__=1', '/api/things/7?__proto__=1']) {
      const { status, json } = await pipeline().send({ url })
      assert.deepEqual([status, json.error.details?.[0].path], [400, '__proto__'], url)
    }
  })

  test('parameters that are repeated a hundred times are named once each, and twenty at most', async () => {
    const { json } = await pipeline().send({ url: `/api/things?${'a=1&'.repeat(100)}b=1` })
    assert.deepEqual(json.error.details, [{ path: 'a', message: 'must not be repeated' }])
    const names = Array.from({ length: 50 }, (_, index) => `n${index}=1&n${index}=2`).join('&')
    assert.equal((await pipeline().send({ url: `/api/things?${names}` })).json.error.details.length, 20)
  })

  test('an unknown query parameter is refused, also where the route takes none', async () => {
    for (const url of ['/api/things?colour=red', '/api/answer?colour=red']) {
      const { status, json } = await pipeline().send({ url })
      assert.deepEqual([status, json.error.details[0].path], [400, 'colour'])
    }
  })

  test('a repeated query parameter is refused', async () => {
    const { json } = await pipeline().send({ url: '/api/things?size=1&size=2' })
    assert.deepEqual(json.error.details, [{ path: 'size', message: 'must not be repeated' }])
  })

  test('a map in the query has its keys in brackets', async () => {
    const ask = async (query: string) => (await pipeline().send({ url: `/api/things?${query}` })).json
    assert.deepEqual(await ask('labels[a]=1&labels%5Bb]c%5D=x%3Dy&size=2'), {
      labels: { a: '1', 'b]c': 'x=y' },
      size: '2',
    })
    const refused: [query: string, path: string][] = [
      ['labels=a', 'labels'],
      ['labels[a]=1&labels=a', 'labels'],
      ['labels[]=a', 'labels.'],
      ['labels[a]=123456', 'labels.a'],
      ['labels[a]=1&labels[b]=1&labels[c]=1', 'labels'],
      ['labels[__proto__]=1', 'labels'],
      ['labels[a]=1&labels[a]=2', 'labels[a]'],
      ['size[a]=1', 'size[a]'],
      ['toString[a]=1', 'toString[a]'],
    ]
    for (const [query, path] of refused) {
      const { error } = await ask(query)
      assert.deepEqual([error?.code, error?.details[0].path], ['VALIDATION_ERROR', path], query)
    }
  })

  test('a malformed id in the path is NOT_FOUND', async () => {
    const { status, json } = await pipeline().send({ url: '/api/things/abc' })
    assert.deepEqual([status, json.error.code], [404, 'NOT_FOUND'])
  })

  test('however much is wrong, only twenty details are listed', async () => {
    const { json } = await pipeline().send({
      url: '/api/things',
      body: { name: 'a', tags: Array(500).fill(1) },
    })
    assert.equal(json.error.details.length, 20)
  })
})
