// Generates the OpenAPI 3.1 document from the route table. The same table always gives the same bytes.
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'
import { grants, scopes } from '../../contract/scopes.ts'
import type { JsonSchema } from '../../platform/http/shown.ts'
import { version } from '../../shared/version.ts'
import type { ApiRoute } from '../route.ts'
import { apiPrefix, table } from '../table.ts'
import { isOfConsole } from './error-places.ts'
import { guide, introduction } from './guide.ts'
import { operation, tagOf } from './operation.ts'
import { receiving } from './receiving.ts'
import { errorSchema, headers, sharedResponses } from './responses.ts'
import { createSchemaBook, type SchemaBook } from './schema.ts'
import { webhooks } from './webhooks.ts'

export interface OpenApiDocument {
  readonly openapi: string
  readonly info: JsonSchema
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
  readonly webhooks: Readonly<Record<string, { readonly post: JsonSchema }>>
  readonly components: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
  readonly [other: string]: unknown
}

export function openApiDocument(routes: readonly ApiRoute[] = table): OpenApiDocument {
  const book = createSchemaBook()
  const paths = pathsOf(routes, book)
  const events = webhooks(book)
  return {
    openapi: '3.1.0',
    info: {
      title: 'Switchboard',
      version,
      summary: 'Chat messages, calls and campaigns over one REST API; events over signed webhooks.',
      description: [
        introduction,
        ...[...guide, ...receiving].map(({ title, text }) => `## ${title}\n\n${text}`),
      ].join('\n\n'),
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: apiPrefix, description: 'This gateway' }],
    security: [{ bearer: [] }, { apiKey: [] }],
    tags: [...tagsOf(routes), { name: 'events', description: 'What is pushed to your endpoints.' }],
    paths,
    webhooks: events,
    components: {
      securitySchemes,
      headers,
      responses: sharedResponses,
      schemas: { ...book.components(), Error: errorSchema },
    },
    'x-errors': errorsOf(),
    'x-scopes': Object.fromEntries(scopes.map((scope) => [scope, { includes: includedIn(scope) }])),
  }
}

/** The text that is served, and that is committed to the repository. */
export const documentText = (document = openApiDocument()): string => `${JSON.stringify(document, null, 2)}\n`

const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key, `ck_<env>_<prefix>_<secret>`. It wins where both headers are sent.',
  },
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Api-Key',
    description: 'The same key, for clients that cannot set Authorization.',
  },
}

const tagTexts: Readonly<Record<string, string>> = {
  messages: 'Send templates and free-form messages, and read the log.',
  conversations: 'Threads, one per number and contact.',
  templates: 'What can be sent.',
  numbers: 'What can be sent from.',
  calls: 'Answer, place and end voice calls from your own server.',
  campaigns: 'One template to many recipients.',
  contacts: 'Erase a contact, or export what is known of it.',
  erasures: 'Erasures that were asked for, and how far they are.',
  exports: 'Exports that were asked for, and their files.',
  media: 'Files to send in messages.',
}

const tagsOf = (routes: readonly ApiRoute[]) =>
  [...new Set(routes.map(({ path }) => tagOf(path)))].map((name) => ({
    name,
    description: tagTexts[name] ?? '',
  }))

function pathsOf(routes: readonly ApiRoute[], book: SchemaBook): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(route, book) }
  }
  return paths
}

const errorsOf = () =>
  Object.fromEntries(Object.entries(errorCatalog).filter(([code]) => !isOfConsole(code as ErrorCode)))

const includedIn = (scope: (typeof scopes)[number]) =>
  scopes.filter((other) => other !== scope && grants([scope], other))
