// A page for each error code, as Markdown: what it means, which routes answer with it, and what it looks like.
import { type ErrorCode, errorCatalog } from '../../contract/errors.ts'
import { errorExamples } from '../openapi/error-examples.ts'
import { apiPrefix, table } from '../table.ts'

const retryable: readonly ErrorCode[] = ['RATE_LIMITED', 'OVERLOADED', 'UNAVAILABLE']

const retryAdvice = (code: ErrorCode): string => {
  if (retryable.includes(code))
    return 'Send the same request again after the seconds of `Retry-After`, then with growing pauses.'
  if (errorCatalog[code].status >= 500)
    return 'Repeat a send with the same `idempotencyKey`, or a request that only reads; quote `requestId` when it goes on.'
  return 'The same request gets the same answer: change what the message names, then send it again.'
}

export function errorText(code: ErrorCode): string {
  const { status, meaning } = errorCatalog[code]
  const routes = table.filter(({ errors }) => errors?.includes(code))
  const where =
    routes.length === 0
      ? 'Any route can answer with it.'
      : routes
          .map(({ method, path, summary }) => `- \`${method} ${apiPrefix}${path}\`: ${summary}`)
          .join('\n')
  return `# ${code}

HTTP status **${status}**. ${meaning}

## What to do

${retryAdvice(code)} See [Errors and retries](/docs/errors).

## Where

${where}

## Example

\`\`\`json
${JSON.stringify(errorExamples(code), null, 2)}
\`\`\`
`
}
