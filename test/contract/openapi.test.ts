import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { documentText, openApiDocument } from '../../src/api/openapi/document.ts'
import { rowKey } from '../../src/api/openapi/operation.ts'
import { operationNotes } from '../../src/api/openapi/operations.ts'
import { route } from '../../src/api/route.ts'
import { idParam } from '../../src/api/schemas/fields.ts'
import { table } from '../../src/api/table.ts'
import { errorCatalog } from '../../src/contract/errors.ts'
import { eventKinds } from '../../src/contract/events.ts'
import { stringMap } from '../../src/platform/http/fields.ts'
import type { JsonSchema } from '../../src/platform/http/shown.ts'
import { time } from '../../src/platform/http/time.ts'
import { check } from '../../src/platform/http/validate.ts'
import { describe, test } from '../support/harness.ts'
import { faults, resolve } from '../support/json-schema.ts'

const document = openApiDocument()

interface Media {
  readonly schema: JsonSchema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Found {
  readonly where: string
  readonly media: Media
}

/** Finds everything in the document that has a schema and a content type. */
function contents(json: unknown, where = '#'): Found[] {
  if (typeof json !== 'object' || json === null) return []
  return Object.entries(json).flatMap(([name, inner]) => {
    const below = `${where}/${name}`
    if (name !== 'content') return contents(inner, below)
    return Object.entries(inner as Record<string, Media>).map(([type, media]) => ({
      where: `${below}/${type}`,
      media,
    }))
  })
}

const operationOf = (row: (typeof table)[number]): JsonSchema => {
  const path = row.path.replaceAll(/:(\w+)/g, '{$1}')
  const operation = document.paths[path]?.[row.method.toLowerCase()]
  assert.ok(operation, rowKey(row))
  return operation
}

describe('the OpenAPI document', () => {
  test('is the committed one (npm run openapi)', () => {
    const committed = readFileSync(new URL('../fixtures/openapi.json', import.meta.url), 'utf8')
    assert.equal(documentText(), committed)
  })

  test('has every row of the table, with its scope, every error and no other status', () => {
    for (const row of table) {
      const operation = operationOf(row)
      const responses = Object.keys(operation['responses'] as object).map(Number)
      assert.equal(operation['x-required-scope'], row.scope)
      const own = row.errors.map((code) => errorCatalog[code].status)
      const withBody = row.body ? [413, 415] : []
      const streamed = row.upload ? [408] : []
      const replay = operationNotes[rowKey(row)]?.replay === undefined ? [] : [200]
      const also = Object.keys(operationNotes[rowKey(row)]?.also ?? {}).map(Number)
      const expected = [
        row.success,
        400,
        401,
        403,
        429,
        431,
        500,
        503,
        ...own,
        ...withBody,
        ...streamed,
        ...replay,
        ...also,
      ]
      assert.deepEqual(new Set(responses), new Set(expected), rowKey(row))
    }
    const count = Object.values(document.paths).flatMap((path) => Object.keys(path)).length
    assert.equal(count, table.length)
  })

  test('has notes on every row and on nothing else, each with a name of its own', () => {
    assert.deepEqual(Object.keys(operationNotes).sort(), table.map(rowKey).sort())
    const names = table.map((row) => operationOf(row)['operationId'])
    assert.equal(new Set(names).size, table.length)
  })

  test('every JSON body has an example that fits its schema', () => {
    const all = contents(document).filter(({ where }) => where.endsWith('/json'))
    assert.ok(all.length >= table.length)
    for (const { where, media } of all) {
      const examples = Object.values(media.examples ?? {}).map(({ value }) => value)
      if (media.example !== undefined) examples.push(media.example)
      assert.ok(examples.length > 0, `${where} has no example`)
      for (const example of examples) assert.deepEqual(faults(document, media.schema, example), [], where)
    }
  })

  test('every line of an example of lines fits its schema', () => {
    const all = contents(document).filter(({ where }) => where.endsWith('x-ndjson'))
    assert.ok(all.length > 0)
    for (const { where, media } of all) {
      const lines = String(media.example).trim().split('\n')
      const schema = (media.schema as Record<string, unknown>)['x-line-schema'] as typeof media.schema
      for (const line of lines) assert.deepEqual(faults(document, schema, JSON.parse(line)), [], where)
    }
  })

  test('an example of a request is one that the route takes', () => {
    for (const row of table) {
      const { request } = operationNotes[rowKey(row)] ?? {}
      if (row.body && request !== undefined) assert.equal(check(row.body, request).ok, true, rowKey(row))
    }
  })

  test('leaves no schema empty', () => {
    const isEmpty = (json: unknown): boolean =>
      typeof json === 'object' && json !== null && Object.keys(json).length === 0
    const empty = (json: unknown, where: string): string[] => {
      if (typeof json !== 'object' || json === null) return []
      return Object.entries(json).flatMap(([name, inner]) =>
        name === 'schema' && isEmpty(inner) ? [`${where}/${name}`] : empty(inner, `${where}/${name}`),
      )
    }
    const components = Object.entries(document.components['schemas'] ?? {})
    assert.deepEqual(empty(document.paths, '#'), [])
    for (const [name, schema] of components)
      for (const [field, property] of Object.entries((schema['properties'] ?? {}) as object))
        assert.ok(!isEmpty(property), `${name}.${field}`)
  })

  test('has the five events, each with the headers that sign it', () => {
    assert.deepEqual(Object.keys(document.webhooks), [...eventKinds])
    for (const { post } of Object.values(document.webhooks)) {
      const names = (post['parameters'] as { name: string }[]).map(({ name }) => name)
      assert.ok(names.includes('x-communication-signature-256') && names.includes('webhook-signature'))
      const rings = post['operationId'] === 'onCallRinging'
      assert.equal(names.includes('x-communication-answer-by'), rings, String(post['operationId']))
    }
  })

  test('takes a row that nobody has written about yet', () => {
    const path = '/things/:id/parts'
    const row = route({
      ...{
        method: 'PUT',
        path,
        scope: 'CATALOG_READ',
        summary: 'Put',
        errors: ['NOT_FOUND'],
        bodyBytes: 1024,
      },
      params: idParam('call'),
      body: v.strictObject({
        names: stringMap({ pairs: 2, nameLength: 3, valueLength: 4 }),
        at: v.optional(time),
      }),
      handle: () => undefined,
    })
    const { put } = openApiDocument([row]).paths['/things/{id}/parts'] ?? {}
    assert.ok(put)
    assert.equal(put['operationId'], 'putThingsIdParts')
    assert.deepEqual(put['tags'], ['things'])
    assert.deepEqual(Object.keys(put['responses'] as object).map(Number), [
      ...[200, 400, 401, 403, 404, 413, 415],
      ...[429, 431, 500, 503],
    ])
    const { content } = put['requestBody'] as { content: Record<string, Media> }
    const { schema } = content['application/json'] ?? { schema: {} }
    assert.deepEqual(faults(document, schema, { names: { a: 'b' }, at: '2026-11-20' }), [])
    assert.equal(faults(document, schema, { names: { abcd: 'b' }, more: 1 }).length, 2)
  })

  test('every reference leads somewhere', () => {
    const refs = [...documentText().matchAll(/"\$ref": "([^"]+)"/g)].map((match) => match[1] ?? '')
    assert.ok(refs.length > 50)
    for (const ref of new Set(refs)) assert.ok(resolve(document, ref))
  })
})
