import assert from 'node:assert/strict'
import { rowKey } from '../../../src/api/openapi/operation.ts'
import { operationNotes } from '../../../src/api/openapi/operations.ts'
import type { ApiRoute } from '../../../src/api/route.ts'
import { apiPrefix, table } from '../../../src/api/table.ts'
import { scopes } from '../../../src/contract/scopes.ts'
import { encodeId, newId } from '../../../src/shared/ids.ts'
import { workspace } from '../../support/fixtures.ts'
import { describe, test } from '../../support/harness.ts'
import { testDatabase, testPool } from '../../support/postgres.ts'
import { raw } from '../platform/http/raw.ts'
import { serve } from '../platform/http/servers.ts'
import { gateway } from './gateway.ts'

const sql = testPool(await testDatabase())
const { handler, keyFor } = gateway(sql)
const { url, port } = await serve(handler, { lingerMs: 20 })
const key = await keyFor(await workspace(sql), scopes, { requestsPerSecond: 0 })

const kinds = {
  messages: 'message',
  conversations: 'conversation',
  calls: 'call',
  campaigns: 'campaign',
} as const

/** The path with a well-formed id that does not exist. */
function pathOf(path: string): string {
  const kind = kinds[path.split('/')[1] as keyof typeof kinds]
  return `${apiPrefix}${path.replace(':phone', '15550001111').replace(':id', encodeId(kind, newId(kind)))}`
}

const ask = (method: string, path: string, headers: Record<string, string> = {}, body?: string | Buffer) =>
  fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
  })

async function codeOf(answer: Response): Promise<string> {
  const { error } = (await answer.json()) as { error: { code: string; requestId: string } }
  assert.equal(answer.headers.get('x-request-id'), error.requestId)
  return `${answer.status} ${error.code}`
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const paths = [...new Set(table.map(({ path }) => path))]

describe('methods and paths', () => {
  for (const path of paths)
    test(`${path} answers every other method with 405 and what it takes`, async () => {
      const taken = table.filter((row) => row.path === path).map(({ method }) => method as string)
      for (const method of methods.filter((one) => !taken.includes(one))) {
        const answer = await ask(method, pathOf(path))
        const allow = answer.headers.get('allow')?.split(', ') ?? []
        assert.deepEqual([answer.status, allow.sort()], [405, taken.toSorted()], method)
        assert.ok(answer.headers.get('x-request-id') && answer.headers.get('ratelimit-policy'), method)
        if (method === 'HEAD') assert.equal(await answer.text(), '')
        else assert.equal(await codeOf(answer), '405 METHOD_NOT_ALLOWED', method)
      }
    })

  test('what is beside, above and below a path is NOT_FOUND, with whatever method', async () => {
    const known = paths.map((path) => new RegExp(`^${apiPrefix}${path.replace(/:(id|phone)/, '[^/]+')}$`))
    const beside = paths.flatMap((path) => ['/', '/x', 'x'].map((more) => pathOf(path) + more))
    const unknown = beside.filter((path) => !known.some((pattern) => pattern.test(path)))
    assert.ok(unknown.length > paths.length)
    for (const path of [
      ...unknown,
      '/api',
      '/api/',
      '/api/v1',
      '/api/v1/',
      '/api/v2/numbers',
      '/api/v1/API/v1/numbers',
    ])
      for (const method of ['GET', 'DELETE'])
        assert.equal(await codeOf(await ask(method, path)), '404 NOT_FOUND', `${method} ${path}`)
  })
})

const speechless = (row: ApiRoute) => row.method === 'POST' && row.body === undefined && !row.upload
const withBody = table.filter((row) => row.body !== undefined || speechless(row))
const limitOf = ({ bodyBytes }: ApiRoute) => bodyBytes ?? 256 * 1024

const headOf = ({ method, path }: ApiRoute, length: string): string =>
  [
    `${method} ${pathOf(path)} HTTP/1.1`,
    'Host: gateway.test',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    length,
    '\r\n',
  ].join('\r\n')

const tooLarge = /^HTTP\/1\.1 413 .*\r\nconnection: close\r\n.*"code":"PAYLOAD_TOO_LARGE"/is

describe('bodies', () => {
  for (const row of withBody) {
    const { method, path } = row
    const name = `${method} ${path}`
    const limit = limitOf(row)

    test(`${name} refuses a length past its limit before a byte of it came`, async () => {
      const client = await raw(port)
      client.write(headOf(row, `Content-Length: ${limit + 1}`))
      assert.match(await client.closed(), tooLarge)
    })

    test(`${name} refuses chunks where they pass its limit, and waits for no end`, async () => {
      const client = await raw(port)
      client.write(headOf(row, 'Transfer-Encoding: chunked'))
      // There is no last chunk: a server that reads on would wait for it.
      for (let sent = 0; sent <= limit; sent += 65_536) client.write(`10000\r\n${' '.repeat(65_536)}\r\n`)
      assert.match(await client.closed(), tooLarge)
    })

    test(`${name} reads up to its limit, and refuses what is no JSON, and what does not say that it is`, async () => {
      const json = { 'content-type': 'application/json' }
      const full = await ask(method, pathOf(path), json, Buffer.alloc(limit, ' '))
      assert.equal(await codeOf(full), '400 MALFORMED_JSON')
      for (const text of ['{', '{"a":1,}', "{'a':1}", 'undefined', '\ufeff{}'])
        assert.equal(await codeOf(await ask(method, pathOf(path), json, text)), '400 MALFORMED_JSON', text)
      for (const type of ['text/plain', 'application/xml', 'application/json; charset=utf-16', 'json'])
        assert.equal(
          await codeOf(await ask(method, pathOf(path), { 'content-type': type }, '{}')),
          '415 UNSUPPORTED_MEDIA_TYPE',
          type,
        )
    })

    test(`${name} refuses what is no object, and a field that it does not know`, async () => {
      const { request = {} } = operationNotes[rowKey(row)] ?? {}
      const bodies: readonly [unknown, path: RegExp][] = [
        ...[[], null, 7, 'x'].map((body): [unknown, RegExp] => [body, /^(?!colour)/]),
        [{ ...(request as object), colour: 'red' }, /^colour$/],
      ]
      for (const [body, at] of bodies) {
        const type = { 'content-type': 'application/json; charset=UTF-8' }
        const answer = await ask(method, pathOf(path), type, JSON.stringify(body))
        const { error } = (await answer.json()) as { error: { code: string; details: { path: string }[] } }
        assert.deepEqual([answer.status, error.code], [400, 'VALIDATION_ERROR'], JSON.stringify(body))
        assert.match(error.details[0]?.path ?? '', at)
      }
    })
  }
})
