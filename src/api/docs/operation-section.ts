// Renders one operation or one event as a section of the reference page.

import type { OpenApiDocument } from '../openapi/document.ts'
import { codeBlock, disclosure, escaped, jsonBlock, table } from './html.ts'
import {
  exampleOf,
  examplesOf,
  firstBody,
  type Media,
  type Operation,
  type Parameter,
  type Place,
  type Response,
  resolve,
} from './operation.ts'
import { inline, markdown } from './render.ts'
import { meaning, schemaTables, typeText } from './schema-table.ts'
import { tryForm } from './try-form.ts'

export function operationSection(operation: Operation, place: Place): string {
  const { operationId, summary, description, parameters = [] } = operation
  return `<section id="${operationId}" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title"><span class="method ${place.method.toLowerCase()}">${place.method}</span> <code>${escaped(place.path)}</code></h3>
<p class="summary">${escaped(summary)}</p>
${markdown(description)}
${parameterTable(parameters, operationId)}
${bodies(operation, 'Request body')}
${responses(operation, place.document)}
<h4>Example</h4>
${codeBlock(curl(operation, place))}
${tryForm(operation, place)}
</section>`
}

export function eventSection(event: string, operation: Operation): string {
  const { operationId, summary, description, parameters = [] } = operation
  return `<section id="${operationId}" aria-labelledby="${operationId}-title">
<h3 id="${operationId}-title"><code>${escaped(event)}</code></h3>
<p class="summary">${escaped(summary)}</p>
${markdown(description)}
${bodies(operation, 'Body')}
${disclosure('Headers over HTTPS', parameterTable(parameters, operationId, ''))}
</section>`
}

function parameterTable(parameters: readonly Parameter[], of: string, title = '<h4>Parameters</h4>'): string {
  if (parameters.length === 0) return ''
  const rows = parameters.map(({ name, in: place, required, description, schema }) => [
    `<code>${escaped(name)}</code> <span class="note">${place}${required ? '' : ', optional'}</span>`,
    typeText(schema),
    [inline(description ?? ''), meaning(schema)].join(' '),
  ])
  return `${title}${table(`Parameters of ${of}`, ['Name', 'Type', 'Meaning'], rows)}`
}

function bodies({ requestBody, operationId }: Operation, title: string): string {
  return Object.entries(requestBody?.content ?? {})
    .map(
      ([type, media]) =>
        `<h4>${title} <span class="note">${escaped(type)}</span></h4>${schemaTables(media.schema, `${title} of ${operationId}`)}${examples(media)}`,
    )
    .join('\n')
}

const examples = (media: Media): string =>
  examplesOf(media)
    .map(([title, value]) => disclosure(escaped(title), jsonBlock(value)))
    .join('\n')

function responses({ responses: listed }: Operation, document: OpenApiDocument): string {
  const all = Object.entries(listed).map(
    ([status, response]) => [status, resolve(response, document)] as const,
  )
  const isRefusal = (status: string) => Number(status) >= 400
  const good = all
    .filter(([status]) => !isRefusal(status))
    .map(([status, response]) => success(status, response))
  const refusals = all
    .filter(([status]) => isRefusal(status))
    .map(([status, { content }]) => [status, codesOf(content)])
  return `<h4>Answers</h4>${good.join('\n')}
${disclosure('Errors', table('Errors', ['Status', 'Codes'], refusals))}`
}

function success(status: string, { description, content = {} }: Response): string {
  const shown = Object.entries(content).map(([type, media]) => {
    const { schema } = media
    const head = type === 'application/json' ? '' : `<p class="note">${escaped(type)}</p>`
    const body = schema['properties']
      ? schemaTables(schema, `Answer ${status}`)
      : `<p>${typeText(schema)}</p>`
    return `${head}${body}${examples(media)}`
  })
  return `<p><strong>${status}</strong> ${inline(description)}</p>${shown.join('\n')}`
}

const codesOf = (content: Response['content']): string =>
  Object.keys(content?.['application/json']?.examples ?? {})
    .map((code) => `<a href="#error-${code}"><code>${code}</code></a>`)
    .join(' ')

function curl(operation: Operation, { method, path }: Place): string {
  const filled = (operation.parameters ?? [])
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, exampleOf(parameter)), path)
  const verb = method === 'GET' ? '' : `-X ${method} `
  const lines = [`curl ${verb}"$API${filled}" -H "Authorization: Bearer $KEY"`]
  const body = firstBody(operation)
  if (operation.requestBody?.content['multipart/form-data']) lines.push('  -F file=@invoice.pdf')
  if (body !== undefined) lines.push("  -H 'Content-Type: application/json'", `  -d '${shellQuoted(body)}'`)
  return lines.join(' \\\n')
}

const shellQuoted = (body: unknown): string => JSON.stringify(body, null, 2).replaceAll("'", "'\\''")
