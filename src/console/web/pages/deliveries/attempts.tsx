// One attempt in the drawer: what was sent, what was answered, and how long each part took.
import type { AttemptRecord, DeliveryDetail, EndpointRecord } from '../../../../contract/records/console.ts'
import { duration, pretty } from '../../core/format.ts'
import { CodeBlock } from '../../parts/code.tsx'
import type { Moment } from '../../parts/timeline.tsx'
import { isGood, outcomeWords } from './words.ts'

export function momentOf(
  attempt: AttemptRecord,
  delivery: DeliveryDetail,
  endpoint: EndpointRecord | undefined,
): Moment {
  const { number, at, durationMs } = attempt
  const isLast = attempt === delivery.attempts.at(-1)
  return {
    at,
    tone: isGood(attempt) ? 'good' : 'bad',
    title: `Attempt ${number}: ${outcomeWords(attempt)}, ${duration(durationMs)}`,
    body: (
      <details open={isLast}>
        <summary>Request and answer</summary>
        <div class="side-by-side">
          <CodeBlock label="Request" text={requestText(attempt, delivery, endpoint)} />
          <CodeBlock label="Answer" text={answerText(attempt)} />
        </div>
        <p class="hint">{timingsText(attempt)}</p>
      </details>
    ),
  }
}

/** Shows only headers that identify the event, because signatures and secrets are not stored. */
function requestText(
  attempt: AttemptRecord,
  delivery: DeliveryDetail,
  endpoint: EndpointRecord | undefined,
): string {
  const isSocket = endpoint?.url.startsWith('ws') === true
  const body = delivery.body === null ? '(no longer stored)' : pretty(delivery.body)
  if (isSocket) return body
  const head = [
    `POST ${endpoint?.url ?? ''}`.trim(),
    'content-type: application/json',
    `x-communication-event: ${delivery.event}`,
    `x-communication-delivery: ${delivery.id}`,
    `x-communication-attempt: ${attempt.number}`,
  ]
  return `${head.join('\n')}\n\n${body}`
}

function answerText({
  statusCode,
  error,
  errorDetail,
  responseHeaders,
  responseBody,
  responseBodyEncoding,
}: AttemptRecord): string {
  if (statusCode === null && error === null) return 'The socket took the frame.'
  if (statusCode === null)
    return [outcomeWords({ statusCode, error }), errorDetail].filter(Boolean).join(': ')
  const headers = Object.entries(responseHeaders ?? {}).map(([name, value]) => `${name}: ${value}`)
  const body =
    responseBodyEncoding === 'base64' ? `(no text; base64)\n${responseBody}` : pretty(responseBody ?? '')
  return [`${statusCode}`, ...headers, '', body].join('\n').trim()
}

function timingsText({ timings, remoteAddress, reusedConnection }: AttemptRecord): string {
  const parts = [
    ['DNS', timings.dnsMs],
    ['connect', timings.connectMs],
    ['TLS', timings.tlsMs],
    ['first byte', timings.firstByteMs],
  ] as const
  const took = parts.filter(([, ms]) => ms !== undefined).map(([name, ms]) => `${name} ${duration(ms ?? 0)}`)
  const to =
    remoteAddress === null ? [] : [`to ${remoteAddress}${reusedConnection ? ', connection used again' : ''}`]
  return [...took, ...to].join(' · ')
}
