// The types of one attempt: its outcome and its report. Decides nothing about what happens next.

/**
 * Every way in which an attempt can fail before the receiver's status line. The type names the responsible
 * side: `unreachable` and `timedOut` are the receiver's, `blocked` ends the delivery, `ours` is never
 * charged.
 */
export const attemptErrors = {
  URL_FORBIDDEN: { type: 'blocked', meaning: 'the address is not one that events may be sent to' },
  ADDRESS_FORBIDDEN: { type: 'blocked', meaning: 'the name leads to an address that is not public' },
  DNS_NOT_FOUND: { type: 'unreachable', meaning: 'the name does not exist' },
  DNS_FAILED: { type: 'unreachable', meaning: 'the name servers of the name failed' },
  DNS_TIMEOUT: { type: 'timedOut', meaning: 'the name servers of the name did not answer in time' },
  DNS_UNAVAILABLE: { type: 'ours', meaning: 'our resolver answers nothing at all' },
  CONNECT_REFUSED: { type: 'unreachable', meaning: 'nothing listens on the port' },
  CONNECT_FAILED: { type: 'unreachable', meaning: 'the host cannot be reached' },
  CONNECT_TIMEOUT: { type: 'timedOut', meaning: 'the host did not accept a connection in time' },
  TLS_CERTIFICATE_REJECTED: { type: 'unreachable', meaning: 'the certificate cannot be trusted' },
  TLS_FAILED: { type: 'unreachable', meaning: 'no encrypted connection could be agreed on' },
  TLS_TIMEOUT: { type: 'timedOut', meaning: 'the TLS handshake did not finish in time' },
  CONNECTION_RESET: { type: 'unreachable', meaning: 'the connection broke before an answer' },
  INVALID_RESPONSE: { type: 'unreachable', meaning: 'the answer is not valid HTTP' },
  TIMEOUT: { type: 'timedOut', meaning: 'no answer came in time' },
  SOCKET_CLOSED: { type: 'unreachable', meaning: 'the socket closed before the receiver had read the frame' },
  SOCKET_REJECTED_SIGNATURE: { type: 'unreachable', meaning: 'the receiver closed with 1008: bad signature' },
  BACKPRESSURE: { type: 'timedOut', meaning: 'the receiver does not read what it was sent' },
  OVERLOADED: { type: 'ours', meaning: 'no connection was free on our side' },
  EGRESS_FAILED: { type: 'ours', meaning: 'our own network or process could not open a connection' },
  INTERRUPTED: { type: 'ours', meaning: 'we broke the attempt off: shutdown, or the endpoint changed hands' },
} as const satisfies Record<
  string,
  { type: 'timedOut' | 'unreachable' | 'blocked' | 'ours'; meaning: string }
>

export type AttemptErrorCode = keyof typeof attemptErrors

type FailureType = (typeof attemptErrors)[AttemptErrorCode]['type']

export interface AttemptFailure {
  readonly type: FailureType
  readonly code: AttemptErrorCode
  /** The cause, where one code has several that call for different remedies. */
  readonly detail?: string
}

export type AttemptOutcome =
  /** A 2xx status line, or a frame that the receiver has read (without a status). */
  | { readonly type: 'delivered'; readonly statusCode: number | null }
  /** Any other status line, redirects included. */
  | { readonly type: 'refused'; readonly statusCode: number }
  | AttemptFailure

/** Milliseconds of each phase. A phase that did not take place, as on a reused connection, is absent. */
export interface AttemptTimings {
  readonly dnsMs?: number
  readonly connectMs?: number
  readonly tlsMs?: number
  /** From the first byte of the request to the head of the answer. */
  readonly firstByteMs?: number
}

export interface AttemptReport {
  readonly outcome: AttemptOutcome
  readonly durationMs: number
  readonly timings: AttemptTimings
  /** At most 4 KiB of names and values. Null when there was no answer, like the next two fields. */
  readonly responseHeaders: Readonly<Record<string, string>> | null
  /** The first 16 KiB as received: never decompressed. */
  readonly responseBody: Uint8Array | null
  /** The delay that a 429 or 503 requested. */
  readonly retryAfterMs: number | null
  readonly remoteAddress: string | null
  readonly reusedConnection: boolean
}

export const failure = (code: AttemptErrorCode, detail?: string): AttemptFailure => ({
  type: attemptErrors[code].type,
  code,
  ...(detail !== undefined && { detail }),
})

export const outcomeOfStatus = (statusCode: number): AttemptOutcome =>
  statusCode >= 200 && statusCode <= 299 ? { type: 'delivered', statusCode } : { type: 'refused', statusCode }

/** Whether the receiver failed: such an outcome counts towards switching the endpoint off. */
export const isReceiverFailure = (outcome: AttemptOutcome): boolean =>
  outcome.type === 'refused' || outcome.type === 'timedOut' || outcome.type === 'unreachable'
