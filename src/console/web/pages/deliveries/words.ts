// What the delivery log says about attempts, events and refusals, in words.
import type { DeliveryRecord, DeliverySubject, EndpointRecord } from '../../../../contract/records/console.ts'
import { formatsOf } from '../../../../web/browser/format.ts'
import { sentence } from '../../core/sentence.ts'

const { duration, moment, phone, plural } = formatsOf()

/** What became of an attempt that got no answer, for one line. */
export const errorWords: Readonly<Record<string, string>> = {
  URL_FORBIDDEN: 'Address not allowed',
  ADDRESS_FORBIDDEN: 'Address is not public',
  DNS_NOT_FOUND: 'Name does not exist',
  DNS_FAILED: 'Name server failed',
  DNS_TIMEOUT: 'Name server did not answer',
  DNS_UNAVAILABLE: 'Our resolver was down',
  CONNECT_REFUSED: 'Connection refused',
  CONNECT_FAILED: 'Host unreachable',
  CONNECT_TIMEOUT: 'Connection timed out',
  TLS_CERTIFICATE_REJECTED: 'Certificate not trusted',
  TLS_FAILED: 'TLS failed',
  TLS_TIMEOUT: 'TLS timed out',
  CONNECTION_RESET: 'Connection broke',
  INVALID_RESPONSE: 'Answer is not HTTP',
  TIMEOUT: 'No answer in time',
  SOCKET_CLOSED: 'Socket closed',
  SOCKET_REJECTED_SIGNATURE: 'Signature rejected',
  BACKPRESSURE: 'Receiver did not read',
  OVERLOADED: 'No connection was free here',
  EGRESS_FAILED: 'Our network failed',
  INTERRUPTED: 'Interrupted here',
}

type Ended = Pick<NonNullable<DeliveryRecord['lastAttempt']>, 'statusCode' | 'error'>

export const isGood = ({ statusCode, error }: Ended): boolean =>
  error === null && (statusCode === null || (statusCode >= 200 && statusCode < 300))

/** `503`, `No answer in time`; `Taken` by a socket, which has no status. */
export function outcomeWords({ statusCode, error }: Ended): string {
  const why = error === null ? undefined : (errorWords[error] ?? sentence(error))
  if (statusCode === null) return why ?? 'Taken'
  return why === undefined ? `${statusCode}` : `${statusCode} (${why})`
}

/** The last attempt as one line: `503 in 120 ms`. */
export const lastWords = (attempt: NonNullable<DeliveryRecord['lastAttempt']>): string =>
  `${outcomeWords(attempt)} ${isGood(attempt) ? 'in' : 'after'} ${duration(attempt.durationMs)}`

/** Whom an event is about. */
export function whoOf({ kind, contact, status }: DeliverySubject): string {
  if (kind === 'test') return 'Test event'
  if (kind === 'account') return status === null ? 'The account' : sentence(status)
  if (!contact) return 'No longer stored'
  return (
    contact.name ?? (contact.number === null ? (contact.username ?? 'Hidden number') : phone(contact.number))
  )
}

/** What else is known of it: number, template, campaign. */
export function moreOf({ contact, template, campaign }: DeliverySubject): string {
  const number = contact?.name != null && contact.number !== null ? phone(contact.number) : undefined
  return [campaign?.name ?? number, template].filter(Boolean).join(' · ')
}

const why: Readonly<Record<string, readonly [one: string, many: string]>> = {
  ENDPOINT_OFF: ['its endpoint is off', 'their endpoints are off'],
  ENDPOINT_DELETED: ['its endpoint was deleted', 'their endpoints were deleted'],
  STILL_WAITING: ['it waits for an attempt already', 'they wait for an attempt already'],
  PAST_RETENTION: ['its event is no longer stored', 'their events are no longer stored'],
  NOT_FOUND: ['it is no longer stored', 'they are no longer stored'],
}

/** `2 were not replayed, because their endpoints are off.` One sentence for each reason. */
export function refusedWords(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].map(([reason, count]) => {
    const [one, many] = why[reason] ?? ['it was refused', 'they were refused']
    return count === 1
      ? `One was not replayed, because ${one}.`
      : `${plural(count, 'delivery', 'deliveries')} were not replayed, because ${many}.`
  })
}

/** `crm is off since Nov 22, 07:01, after 20 failures in a row.` Undefined while it is on. */
export function offWords(endpoint: EndpointRecord): string | undefined {
  if (endpoint.enabled) return undefined
  const since = endpoint.disabledAt === null ? '' : ` since ${moment(endpoint.disabledAt)}`
  return `${endpoint.name} is off${since}${offReason(endpoint)}.`
}

function offReason({ disabledReason, disabledBy, consecutiveFailures }: EndpointRecord): string {
  if (disabledReason === 'FAILURES') return `, after ${consecutiveFailures} failures in a row`
  return disabledBy === null ? '' : `: ${disabledBy.name} turned it off`
}
