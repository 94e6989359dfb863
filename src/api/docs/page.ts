// The API reference as one HTML page, generated from the OpenAPI document. Only the try-it forms and the search
// need JavaScript.
import type { JsonSchema } from '../../platform/http/shown.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { type Chapter, guide, introduction } from '../openapi/guide.ts'
import { receiving } from '../openapi/receiving.ts'
import { codeBlock, escaped, table } from './html.ts'
import { type Contents, file, layout, type Page } from './layout.ts'
import type { Operation } from './operation.ts'
import { eventSection, operationSection } from './operation-section.ts'
import { inline, markdown } from './render.ts'
import { schemaTables } from './schema-table.ts'

/** `guides` are the contents above those of the reference. */
export function referencePage(document: OpenApiDocument, guides: Contents, handsetsUrl?: string): Page {
  const groups = groupsOf(document)
  const main = `<h1>Switchboard API</h1>
<p class="note">Version ${escaped(String(document.info['version']))}. For programs: <a href="/openapi.json">openapi.json</a>, <a href="/llms.txt">llms.txt</a></p>
<p class="summary">${escaped(introduction)}</p>
<p>Examples take <code>API</code> for the address of your gateway with <code>/api/v1</code>, and <code>KEY</code> for your key.</p>
<div class="key" hidden><p><label for="key">API key</label> <input id="key" type="password" autocomplete="off" spellcheck="false" placeholder="ck_test_..."></p>
<p class="note">For trying requests on this page: take a test key. It stays in the memory of this page and is gone when you leave.</p></div>
${groups.map(({ title, body }) => `<h2>${escaped(title)}</h2>\n${body}`).join('\n')}`
  const contents = groups.map(({ title, entries }) => ({
    title,
    entries: entries.map(({ id, label }) => ({ href: `#${id}`, label })),
  }))
  return layout({
    title: 'API reference · Switchboard',
    handsetsUrl,
    contents: [guides, ...contents],
    main,
    scripts: [file('./script.js')],
  })
}

interface Group {
  readonly title: string
  readonly entries: readonly { readonly id: string; readonly label: string }[]
  readonly body: string
}

function groupsOf(document: OpenApiDocument): Group[] {
  return [
    chapters('Basics', guide),
    ...document.tags.filter(({ name }) => name !== 'events').map((tag) => operations(document, tag)),
    records(document),
    events(document),
    chapters('Receiving events', receiving),
    catalogues(document),
  ]
}

const chapters = (title: string, all: readonly Chapter[]): Group => ({
  title,
  entries: all.map((chapter) => ({ id: chapter.id, label: chapter.title })),
  body: all.map(chapterSection).join('\n'),
})

const chapterSection = ({ id, title, text }: Chapter): string =>
  `<section id="${id}" aria-labelledby="${id}-title"><h3 id="${id}-title">${escaped(title)}</h3>${markdown(text)}${id === 'signatures' ? recipes() : ''}</section>`

/** Code examples for verifying signatures. A test runs each file. */
export const recipeFiles = { Node: 'verify.mjs', Python: 'verify.py', PHP: 'verify.php', Go: 'verify.go' }

const recipes = (): string =>
  Object.entries(recipeFiles)
    .map(([language, name]) => `<h4>${language}</h4>${codeBlock(file(`./recipes/${name}`).trim())}`)
    .join('\n')

function operations(document: OpenApiDocument, tag: OpenApiDocument['tags'][number]): Group {
  const mine = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => (operation['tags'] as string[]).includes(tag.name))
      .map(([method, operation]) => ({
        operation: operation as unknown as Operation,
        place: { document, path, method: method.toUpperCase() },
      })),
  )
  return {
    title: `${tag.name.charAt(0).toUpperCase()}${tag.name.slice(1)}`,
    entries: mine.map(({ operation }) => ({ id: operation.operationId, label: operation.summary })),
    body: `<p>${inline(tag.description)}</p>${mine.map(({ operation, place }) => operationSection(operation, place)).join('\n')}`,
  }
}

function records({ components }: OpenApiDocument): Group {
  const all = Object.entries(components['schemas'] ?? {}).filter(([name]) => !name.endsWith('Event'))
  return {
    title: 'Records',
    entries: all.map(([name]) => ({ id: `schema-${name}`, label: name })),
    body: all.map(([name, schema]) => recordSection(name, schema)).join('\n'),
  }
}

const recordSection = (name: string, schema: JsonSchema): string =>
  `<section id="schema-${name}" aria-labelledby="schema-${name}-title"><h3 id="schema-${name}-title">${escaped(name)}</h3>
<p>${inline(String(schema['description'] ?? ''))}</p>${schemaTables(schema, `Fields of ${name}`)}</section>`

function events({ webhooks, components }: OpenApiDocument): Group {
  const all = Object.entries(webhooks).map(([event, { post }]) => ({
    event,
    operation: withBody(post as unknown as Operation, components['schemas'] ?? {}),
  }))
  return {
    title: 'Events',
    entries: all.map(({ event, operation }) => ({ id: operation.operationId, label: event })),
    body: all.map(({ event, operation }) => eventSection(event, operation)).join('\n'),
  }
}

/** Puts the schema of an event into its section, because the list of records leaves events out. */
function withBody(operation: Operation, schemas: Readonly<Record<string, JsonSchema>>): Operation {
  const media = operation.requestBody?.content['application/json']
  const schema = schemas[String(media?.schema['$ref']).split('/').at(-1) ?? '']
  if (!media || !schema) return operation
  return { ...operation, requestBody: { content: { 'application/json': { ...media, schema } } } }
}

function catalogues(document: OpenApiDocument): Group {
  const errors = document['x-errors'] as Readonly<Record<string, { status: number; meaning: string }>>
  const scopes = document['x-scopes'] as Readonly<Record<string, { includes: string[] }>>
  const errorRows = Object.entries(errors).map(([code, { status, meaning }]) => [
    `<a href="/docs/errors/${code}"><code id="error-${code}">${code}</code></a>`,
    String(status),
    inline(meaning),
  ])
  const scopeRows = Object.entries(scopes).map(([scope, { includes }]) => [
    `<code>${scope}</code>`,
    routesOf(document, scope),
    includes.map((name) => `<code>${name}</code>`).join(' '),
  ])
  return {
    title: 'Catalogues',
    entries: [
      { id: 'errors', label: 'Errors' },
      { id: 'scopes', label: 'Scopes' },
    ],
    body: `<section id="errors" aria-labelledby="errors-title"><h3 id="errors-title">Errors</h3>
<p>Every refusal has the form of <a href="#schema-Error">Error</a>. Go by <code>code</code>; <code>message</code> is for people.</p>
${table('Errors', ['Code', 'Status', 'Meaning'], errorRows)}</section>
<section id="scopes" aria-labelledby="scopes-title"><h3 id="scopes-title">Scopes</h3>
<p>A backend that sends and follows what becomes of it needs <code>CHAT_SEND</code> and <code>MESSAGES_READ</code>.</p>
${table('Scopes', ['Scope', 'Routes', 'Includes'], scopeRows)}</section>`,
  }
}

function routesOf({ paths }: OpenApiDocument, scope: string): string {
  return Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, operation]) => operation['x-required-scope'] === scope)
        .map(
          ([method, operation]) =>
            `<a href="#${String(operation['operationId'])}">${method.toUpperCase()} ${escaped(path)}</a>`,
        ),
    )
    .join('<br>')
}
