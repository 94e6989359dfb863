// What generators of clients need from the document. The rules come from compiling, in strict TypeScript, what
// orval, hey-api and kubb make of it.
import assert from 'node:assert/strict'
import { openApiDocument } from '../../src/api/openapi/document.ts'
import { sends } from '../../src/api/openapi/free-form-examples.ts'
import { rowKey } from '../../src/api/openapi/operation.ts'
import { operationNotes } from '../../src/api/openapi/operations.ts'
import { convert } from '../../src/api/openapi/schema.ts'
import { table } from '../../src/api/table.ts'
import type { JsonSchema } from '../../src/platform/http/shown.ts'
import { check } from '../../src/platform/http/validate.ts'
import { describe, test } from '../support/harness.ts'
import { faults } from '../support/json-schema.ts'

const document = openApiDocument()

type Json = Readonly<Record<string, unknown>>
type Place = readonly [where: string, schema: JsonSchema]

const isObject = (json: unknown): json is Json =>
  typeof json === 'object' && json !== null && !Array.isArray(json)

/** The schemas of every parameter, header, body and component. */
function roots(json: unknown, where: string): Place[] {
  if (Array.isArray(json)) return json.flatMap((item, index) => roots(item, `${where}/${index}`))
  if (!isObject(json)) return []
  return Object.entries(json).flatMap(([name, inner]) => {
    if (name === 'example' || name === 'examples') return []
    return name === 'schema' ? [[`${where}/schema`, inner as JsonSchema]] : roots(inner, `${where}/${name}`)
  })
}

/** The schema and all schemas inside it. */
function within([where, schema]: Place): Place[] {
  const { properties = {}, anyOf = [], oneOf = [], ...rest } = schema
  const single = ['items', 'additionalProperties', 'propertyNames', 'x-line-schema']
  const inner = [
    ...Object.entries(properties as Json),
    ...Object.entries([...(anyOf as JsonSchema[]), ...(oneOf as JsonSchema[])]),
    ...single.map((name) => [name, rest[name]] as const),
  ].filter((entry): entry is [string, Json] => isObject(entry[1]))
  return [[where, schema], ...inner.flatMap(([name, one]) => within([`${where}/${name}`, one]))]
}

const { schemas: components = {}, headers, responses } = document.components
const places = [
  ...roots([document.paths, document.webhooks, headers, responses], '#'),
  ...Object.entries(components),
].flatMap(within)

/** Every map of media types. */
function contents(json: unknown, where = '#'): [string, Readonly<Record<string, Json>>][] {
  if (Array.isArray(json)) return json.flatMap((item, index) => contents(item, `${where}/${index}`))
  if (!isObject(json)) return []
  return Object.entries(json).flatMap(([name, inner]) =>
    name === 'content' ? [[where, inner as Record<string, Json>]] : contents(inner, `${where}/${name}`),
  )
}

describe('for generated clients', () => {
  test('every schema says its type, also a const and an enum', () => {
    assert.ok(places.length > 500)
    const untyped = places.filter(
      ([, schema]) => !['type', '$ref', 'anyOf', 'oneOf'].some((name) => name in schema),
    )
    assert.deepEqual(untyped, [])
  })

  test('every const, enum value and default is one that its own schema allows', () => {
    for (const [where, schema] of places) {
      const { default: absent, enum: choices = [], const: only } = schema
      const values = [...(choices as unknown[]), ...[absent, only].filter((value) => value !== undefined)]
      for (const value of values) assert.deepEqual(faults(document, schema, value), [], where)
    }
  })

  test('JSON comes first where a body has several media types: generators take the first', () => {
    const all = contents([document.paths, document.webhooks, responses])
    for (const [where, media] of all) {
      const types = Object.keys(media)
      if (types.includes('application/json')) assert.equal(types[0], 'application/json', where)
    }
  })

  test('a request that is not JSON is bytes: a text would be sent in quotes', () => {
    const requests = contents(document.paths).filter(([where]) => where.endsWith('/requestBody'))
    const others = requests.flatMap(([, media]) =>
      Object.entries(media).filter(([type]) => type !== 'application/json'),
    )
    const form = 'multipart/form-data'
    assert.deepEqual(others.map(([type]) => type).sort(), ['*/*', 'application/x-ndjson', form, 'text/csv'])
    for (const [type, { schema }] of others.filter(([name]) => name !== form)) {
      const { type: kind, format } = schema as JsonSchema
      assert.deepEqual([kind, format], ['string', 'binary'], type)
    }
  })

  test('names of operations and components are names in any language', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path))
    const names = operations.map(({ operationId }) => String(operationId))
    for (const name of names) assert.match(name, /^[a-z][A-Za-z0-9]+$/)
    for (const name of Object.keys(components)) assert.match(name, /^[A-Z][A-Za-z0-9]+$/)
    const all = [...names, ...Object.keys(components)].map((name) => name.toLowerCase())
    assert.equal(new Set(all).size, all.length)
  })

  test('every pattern is a regular expression that is anchored', () => {
    for (const [where, { pattern }] of places)
      if (pattern !== undefined)
        assert.match(String(new RegExp(String(pattern), 'u')), /^\/\^.*\$\/u$/, where)
  })
})

/** The value with this value at the path, whose objects it makes where they are missing. */
function withAt(value: unknown, [name, ...rest]: readonly string[], put: unknown): unknown {
  if (name === undefined) return put
  const fields = isObject(value) ? value : {}
  return { ...fields, [name]: withAt(fields[name], rest, put) }
}

interface Limit {
  readonly path: readonly string[]
  readonly most: number
  /** The limit is on a name at this path. */
  readonly isName: boolean
}

/** The limits on text in an object. A map holds the key `name`. */
function limitsIn(schema: JsonSchema, path: readonly string[] = []): Limit[] {
  const { maxLength, properties = {}, additionalProperties, propertyNames } = schema
  const own = typeof maxLength === 'number' ? [{ path, most: maxLength, isName: false }] : []
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>)
  const names = isObject(propertyNames)
    ? limitsIn(propertyNames).map(({ most }) => ({ path, most, isName: true }))
    : []
  const values = isObject(additionalProperties) ? limitsIn(additionalProperties, [...path, 'name']) : []
  return [...own, ...fields.flatMap(([name, one]) => limitsIn(one, [...path, name])), ...names, ...values]
}

// Each takes two UTF-16 units and four bytes.
const letters = (count: number): string => '𝒳'.repeat(count)

describe('a limit on text', () => {
  const example = (row: string): object => operationNotes[row]?.request as object
  // A change of one field must come with the fields beside it.
  const whole = { ...example('POST /campaigns'), ...example('PATCH /campaigns/:id') }
  const bodyOf = (row: string): object => (row === 'PATCH /campaigns/:id' ? whole : example(row))
  const cases = table.flatMap((row) => [
    ...(row.body ? [{ row, schema: row.body, value: bodyOf(rowKey(row)), part: 'body' }] : []),
    ...(row.query ? [{ row, schema: row.query, value: {}, part: 'query' }] : []),
  ])
  const limited = cases.flatMap((one) =>
    limitsIn(convert(one.schema, 'input')).map((limit) => ({ ...one, limit })),
  )

  test('is in bodies, in maps and in queries', () => {
    assert.ok(limited.length >= 25)
    assert.deepEqual([...new Set(limited.map(({ part }) => part))].sort(), ['body', 'query'])
    assert.ok(limited.some(({ limit }) => limit.isName))
  })

  for (const { row, schema, value, part, limit } of limited) {
    const at = [part, ...limit.path].join('.')
    test(`${rowKey(row)} ${at}${limit.isName ? ' (name)' : ''}: ${limit.most} code points, as the document says`, () => {
      const put = (count: number) => (limit.isName ? { [letters(count)]: 'x' } : letters(count))
      // A message is of one kind.
      const whole =
        Object.values(sends).find((send) => (limit.path[0] ?? '') in send && limit.path.length > 1) ?? value
      assert.deepEqual(check(schema, withAt(whole, limit.path, put(limit.most))).ok, true)
      assert.deepEqual(check(schema, withAt(whole, limit.path, put(limit.most + 1))).ok, false)
    })
  }
})
