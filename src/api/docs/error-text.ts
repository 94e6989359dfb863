// A page for each error code, as Markdown: what it means, which routes answer with it, and what it looks like.
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'
import { errorExamples } from '../openapi/error-examples.ts'
import { isOfConsole, routesWith } from '../openapi/error-places.ts'
import { apiPrefix, table } from '../table.ts'
import { errorAdvice } from './error-advice.ts'

/** Where it also comes from, besides the routes. */
const elsewhere: Partial<Record<ErrorCode, string>> = {
  METHOD_NOT_ALLOWED: 'Every path answers with it, to a method that it does not take.',
  NOT_FOUND: 'A path that does not exist answers with it, too.',
}

function placesOf(code: ErrorCode): string {
  if (isOfConsole(code)) return 'Only the console answers with it, and no route of the API.'
  const routes = routesWith(code)
  if (routes.length === table.length) return 'Any route can answer with it.'
  const listed = routes.map(({ method, path, summary }) => `- \`${method} ${apiPrefix}${path}\`: ${summary}`)
  return [listed.join('\n'), elsewhere[code] ?? ''].filter((part) => part !== '').join('\n\n')
}

export function errorText(code: ErrorCode): string {
  const { status, meaning } = errorCatalog[code]
  return `# ${code}

HTTP status **${status}**. ${meaning}

## What to do

${errorAdvice[code]} See [Errors and retries](/docs/errors).

## Where

${placesOf(code)}

## Example

\`\`\`json
${JSON.stringify(errorExamples(code), null, 2)}
\`\`\`
`
}
