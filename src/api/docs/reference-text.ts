// The reference as Markdown, for programs that read text: every route and event with its fields as JSON Schema.
import type { OpenApiDocument } from '../openapi/document.ts'
import { guide, introduction } from '../openapi/guide.ts'
import { receiving } from '../openapi/receiving.ts'
import { type Operation, type Response, resolve } from './operation.ts'

const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``

export function referenceText(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      section(`${method.toUpperCase()} ${path}`, operation as unknown as Operation, document),
    ),
  )
  const events = Object.entries(document.webhooks).map(([event, { post }]) =>
    section(event, post as unknown as Operation, document),
  )
  const records = Object.entries(document.components['schemas'] ?? {}).map(
    ([name, schema]) => `### ${name}\n\n${json(schema)}`,
  )
  return [
    '# Switchboard API',
    introduction,
    ...[...guide, ...receiving].map(({ title, text }) => `## ${title}\n\n${text}`),
    '## Routes',
    ...operations,
    '## Events',
    ...events,
    '## Records',
    ...records,
    '',
  ].join('\n\n')
}

function section(title: string, operation: Operation, document: OpenApiDocument): string {
  const { summary, description, parameters = [], requestBody, responses } = operation
  const named = parameters.map(
    ({ name, in: place, required, description: meaning = '' }) =>
      `- \`${name}\` (${place}${required ? '' : ', optional'}): ${meaning}`,
  )
  const bodies = Object.entries(requestBody?.content ?? {}).map(
    ([type, { schema }]) => `Body, \`${type}\`:\n\n${json(schema)}`,
  )
  const answers = Object.entries(responses).map(([status, response]) =>
    answer(status, resolve(response, document)),
  )
  return [`### ${title}`, summary, description, named.join('\n'), ...bodies, answers.join('\n')]
    .filter((part) => part !== '')
    .join('\n\n')
}

const answer = (status: string, { description }: Response): string =>
  `- ${status}: ${description.replace(/\n+/g, ' ')}`
