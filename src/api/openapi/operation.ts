// Turns one route of the table into one OpenAPI operation.
import type * as v from 'valibot'
import type { JsonSchema } from '../../platform/http/shown.ts'
import type { ApiRoute } from '../route.ts'
import type { OperationNotes } from './operation-notes.ts'
import { operationNotes } from './operations.ts'
import { headersWith, refusals, scopesThatGrant } from './responses.ts'
import { convert, type SchemaBook } from './schema.ts'

export const rowKey = ({ method, path }: Pick<ApiRoute, 'method' | 'path'>): string => `${method} ${path}`

const noNotes: OperationNotes = {}

export function operation(route: ApiRoute, book: SchemaBook): JsonSchema {
  const notes = operationNotes[rowKey(route)] ?? noNotes
  const parameters = [
    ...parametersOf(route.params, 'path'),
    ...parametersOf(route.query, 'query'),
    ...parametersOf(route.headers, 'header'),
  ]
  return {
    operationId: notes.id ?? derivedId(route),
    tags: [tagOf(route.path)],
    summary: route.summary,
    description: describe(route, notes),
    'x-required-scope': route.scope,
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(route, notes, book),
    responses: { ...successes(route, notes, book), ...refusals(route) },
  }
}

/** `/calls/:id/offer` → calls. */
export const tagOf = (path: string): string => path.split('/')[1] ?? ''

/** The operationId of a route without notes. */
const derivedId = ({ method, path }: ApiRoute): string =>
  `${method.toLowerCase()}${path.replace(/[/:](\w)/g, (_, letter: string) => letter.toUpperCase()).replaceAll(/\W/g, '')}`

function describe({ scope }: ApiRoute, { description }: OperationNotes): string {
  const others = scopesThatGrant(scope).filter((name) => name !== scope)
  const included = others.length > 0 ? ` (included in ${others.map((name) => `\`${name}\``).join(', ')})` : ''
  const needs = `Needs the scope \`${scope}\`${included}.`
  return description === undefined ? needs : `${description}\n\n${needs}`
}

function parametersOf(schema: v.GenericSchema | undefined, place: 'path' | 'query' | 'header'): JsonSchema[] {
  if (schema === undefined) return []
  const json = convert(schema, 'input') as { properties?: Record<string, JsonSchema>; required?: string[] }
  return Object.entries(json.properties ?? {}).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || json.required?.includes(name) === true,
    ...(description === undefined ? {} : { description }),
    ...(rest['type'] === 'object' ? { style: 'deepObject', explode: true } : {}),
    schema: rest,
  }))
}

function requestBody(route: ApiRoute, notes: OperationNotes, book: SchemaBook): JsonSchema {
  if (route.body === undefined && notes.requestContent === undefined) return {}
  const json = route.body === undefined ? {} : requestContent(book.add(route.body, 'input'), notes)
  const size = route.bodyBytes && { description: `At most ${route.bodyBytes / 1024} KiB.` }
  return { requestBody: { required: true, ...size, content: { ...json, ...notes.requestContent } } }
}

function successes(route: ApiRoute, notes: OperationNotes, book: SchemaBook): Record<string, JsonSchema> {
  const json = route.response && jsonContent(book.add(route.response, 'output'), notes.response)
  const content = json || notes.responseContent ? { content: { ...json, ...notes.responseContent } } : {}
  const success = { description: notes.answer ?? 'Done.', headers: headersWith(), ...content }
  if (notes.replay === undefined) return { [route.success]: success, ...notes.also }
  const replayed = { ...success, description: notes.replay, headers: headersWith('Idempotent-Replayed') }
  return { 200: replayed, [route.success]: success }
}

function requestContent(schema: JsonSchema, { request, requests }: OperationNotes): JsonSchema {
  if (requests === undefined) return jsonContent(schema, request)
  const all = Object.entries({ 'A template': request, ...requests })
  const named = all.map(([summary, value]) => [
    summary.toLowerCase().replaceAll(' ', '-'),
    { summary, value },
  ])
  return { 'application/json': { schema, examples: Object.fromEntries(named) } }
}

const jsonContent = (schema: JsonSchema, example: unknown): JsonSchema => ({
  'application/json': { schema, ...(example === undefined ? {} : { example }) },
})
