// Checks answers of the API against the published OpenAPI document: status, headers, content type, body.
import assert from 'node:assert/strict'
import { type OpenApiDocument, openApiDocument } from '../../src/api/openapi/document.ts'
import type { JsonSchema } from '../../src/platform/http/shown.ts'
import { faults, resolve } from './json-schema.ts'

export interface Exchanged {
  readonly method: string
  /** Below /api/v1, with or without a query. */
  readonly path: string
  readonly status: number
  header(name: string): string | null | undefined
  readonly body: unknown
}

let made: OpenApiDocument | undefined
const theDocument = (): OpenApiDocument => {
  made ??= openApiDocument()
  return made
}

interface Documented {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, JsonSchema>>
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

/** Fails when an answer is not as documented. A request that matches no operation must be refused. */
export function assertDocumented(answer: Exchanged): void {
  const { method, path, status } = answer
  const what = `${method} ${path} ${status}`
  const operation = operationOf(theDocument(), method, path)
  if (!operation) return assertRefused(answer, what)
  const listed = (operation['responses'] as Record<string, Documented>)[String(status)]
  assert.ok(listed, `${what}: the status is not in the document: ${JSON.stringify(answer.body)}`)
  const response = listed.$ref ? (resolve(theDocument(), listed.$ref) as Documented) : listed
  const type = answer.header('content-type')?.split(';')[0]
  const content = Object.entries(response.content ?? {})
  if (content.length === 0) assert.ok(!answer.body, `${what}: a body that the document does not know`)
  const media = content.find(([name]) => name === type || name === '*/*')?.[1]
  assert.ok(content.length === 0 || media, `${what}: the content type ${type} is not in the document`)
  if (type === 'application/json' && media)
    assert.deepEqual(faults(theDocument(), media.schema, answer.body), [], what)
  assert.ok(answer.header('x-request-id'), `${what}: no X-Request-Id`)
}

/** Fails when the body of an event is not as documented. */
export function assertDocumentedEvent(body: { readonly event: string }): void {
  const { post } = theDocument().webhooks[body.event] ?? {}
  assert.ok(post, `${body.event} is not in the document`)
  const { content } = post['requestBody'] as Required<Documented>
  const schema = content['application/json']?.schema ?? {}
  assert.deepEqual(faults(theDocument(), schema, body), [], `the event ${body.event}`)
}

function assertRefused({ status, body }: Exchanged, what: string): void {
  assert.ok(status === 404 || status === 405, `${what}: an answer that no operation of the document gives`)
  const schema = { $ref: '#/components/schemas/Error' }
  assert.deepEqual(faults(theDocument(), schema, body), [], what)
}

function operationOf(document: OpenApiDocument, method: string, path: string): JsonSchema | undefined {
  const segments = path.split('?')[0]?.split('/') ?? []
  const fits = (pattern: string) => {
    const parts = pattern.split('/')
    return (
      parts.length === segments.length &&
      parts.every((part, index) => (part.startsWith('{') ? segments[index] !== '' : part === segments[index]))
    )
  }
  // A literal segment wins over a parameter, as in the router.
  const [best] = Object.keys(document.paths)
    .filter(fits)
    .sort((one, other) => one.split('{').length - other.split('{').length)
  return best === undefined ? undefined : document.paths[best]?.[method.toLowerCase()]
}
