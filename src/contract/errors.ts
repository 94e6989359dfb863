// The catalogue of all error codes: code → status and meaning. The API reference is generated from it.

export const errorCatalog = {
  VALIDATION_ERROR: {
    status: 400,
    meaning: 'A field or query parameter is missing, unknown or of the wrong form; details name the path.',
  },
  MALFORMED_JSON: { status: 400, meaning: 'The body is not JSON.' },
  UNAUTHORIZED: {
    status: 401,
    meaning: 'The request carries no API key. Send it as Authorization: Bearer <key> or X-Api-Key.',
  },
  INVALID_API_KEY: { status: 401, meaning: 'The API key is unknown, malformed, revoked or expired.' },
  IP_NOT_ALLOWED: {
    status: 403,
    meaning: 'The API key may be used from certain addresses only, and the request came from another one.',
  },
  TENANT_SUSPENDED: { status: 403, meaning: 'The workspace of this key is suspended.' },
  FORBIDDEN: { status: 403, meaning: 'The key or operator lacks what this route needs.' },
  CONFIRMATION_REQUIRED: {
    status: 403,
    meaning:
      'Console: the password was given too long ago for this; confirm it (POST /me/confirm), then repeat.',
  },
  SECOND_FACTOR_REQUIRED: {
    status: 403,
    meaning:
      'Console: this workspace requires a second factor, and your account has none; turn it on (POST and PUT /me/totp), then repeat.',
  },
  SESSION_EXPIRED: {
    status: 401,
    meaning:
      'Console: this workspace takes only sessions that are younger, or were not unused for so long; sign in again (POST /session).',
  },
  NOT_FOUND: { status: 404, meaning: 'No such resource in this workspace, or no such path.' },
  METHOD_NOT_ALLOWED: { status: 405, meaning: 'The path exists with other methods; Allow lists them.' },
  BODY_TOO_SLOW: {
    status: 408,
    meaning:
      'A streamed body (CSV, JSON a line, or a file) came slower than 4 KiB/s for too long (`UPLOAD_GRACE`).',
  },
  PAYLOAD_TOO_LARGE: { status: 413, meaning: 'The body is larger than this route accepts.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The body is not application/json, nor another media type that this route takes.',
  },
  HEADERS_TOO_LARGE: {
    status: 431,
    meaning: 'The path, the query and the headers together are larger than 16 KiB.',
  },
  RANGE_NOT_SATISFIABLE: {
    status: 416,
    meaning: 'The byte range lies outside of the file; Content-Range says how long it is.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 409, meaning: 'This idempotency key was used with another body.' },
  INVALID_STATE: {
    status: 409,
    meaning: 'The resource is not in a state that allows this; the message names the state.',
  },
  ACCOUNT_RESTRICTED: {
    status: 409,
    meaning: 'The provider restricts the account, which stops this; the message says what and until when.',
  },
  CALLING_RESTRICTED: {
    status: 409,
    meaning:
      'The provider lets the account or the number place no calls now; the message says until when, if known.',
  },
  CALL_NOT_RINGING: { status: 409, meaning: 'The call is not a ringing inbound call.' },
  CALL_ALREADY_ANSWERED: { status: 409, meaning: 'Another answer to this call came first.' },
  CALL_ENDED: { status: 409, meaning: 'The call has ended.' },
  OFFER_UNAVAILABLE: { status: 409, meaning: 'The provider can give no SDP offer for this call now.' },
  WINDOW_CLOSED: {
    status: 409,
    meaning:
      "The 24 hours after the customer's last message or call are over, or never began; only templates can be sent.",
  },
  IN_USE: {
    status: 409,
    meaning: 'Console: something relies on what this would take away; the message names it.',
  },
  TEMPLATE_NOT_FOUND: { status: 422, meaning: 'The workspace has no template of this name and language.' },
  TEMPLATE_NOT_APPROVED: { status: 422, meaning: 'The template is not approved by the provider.' },
  TEMPLATE_VARIABLES_MISMATCH: {
    status: 422,
    meaning:
      'The variables are not those of the template; details list what is missing, unexpected or of a wrong form.',
  },
  RECIPIENT_OPTED_OUT: { status: 422, meaning: 'The contact has opted out with STOP.' },
  MEDIA_NOT_FOUND: {
    status: 422,
    meaning:
      'The message names no uploaded file of the workspace, or one that has expired; details name the path.',
  },
  MEDIA_UNSUITABLE: {
    status: 422,
    meaning:
      'The file is of another type than the message takes, or was uploaded for another number; details say which.',
  },
  MESSAGE_NOT_FOUND: {
    status: 422,
    meaning:
      'The message to quote or to react to is none of this conversation, or takes no answer; details name the path.',
  },
  MARKETING_OPTED_OUT: {
    status: 422,
    meaning: 'The contact has stopped marketing messages; templates of other categories can be sent.',
  },
  RECIPIENT_NEEDS_PHONE: {
    status: 422,
    meaning: 'This can be sent to a phone number only, and the person is known by a user id.',
  },
  CALL_PERMISSION_REQUIRED: { status: 422, meaning: 'The contact has not granted permission to be called.' },
  INVALID_SDP: {
    status: 422,
    meaning: 'The SDP is not a usable audio session; details say what is missing.',
  },
  NO_SENDER_NUMBER: {
    status: 422,
    meaning: 'No such number, no default number to send from, or no access token of the provider.',
  },
  ADDRESS_NOT_ALLOWED: { status: 422, meaning: 'Console: the endpoint URL is not encrypted and public.' },
  RATE_LIMITED: { status: 429, meaning: 'Too many requests at once; Retry-After says when to go on.' },
  INTERNAL: { status: 500, meaning: 'An unexpected error; quote the requestId.' },
  PROVIDER_ERROR: {
    status: 502,
    meaning: 'The provider refused or failed; details carry its code and title.',
  },
  OVERLOADED: { status: 503, meaning: 'This process is past its limits; try again after Retry-After.' },
  UNAVAILABLE: { status: 503, meaning: 'A backing service is down; try again.' },
} as const satisfies Record<string, { status: number; meaning: string }>

export type ErrorCode = keyof typeof errorCatalog

export interface ErrorDetail {
  readonly path?: string
  readonly message: string
}

export interface AppErrorOptions {
  readonly details?: readonly ErrorDetail[]
  readonly retryAfterSeconds?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly cause?: unknown
}

/** Refuses a request with a code of the catalogue. `message` is for a person and says what to do. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly details: readonly ErrorDetail[] | undefined
  readonly retryAfterSeconds: number | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(code: ErrorCode, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.details = options.details
    this.retryAfterSeconds = options.retryAfterSeconds
    this.headers = options.headers
  }

  get status(): number {
    return errorCatalog[this.code].status
  }
}

/** The same error with one more detail. */
export const withDetail = (error: AppError, detail: ErrorDetail): AppError =>
  new AppError(error.code, error.message, {
    details: [...(error.details ?? []), detail],
    cause: error,
    ...(error.retryAfterSeconds !== undefined && { retryAfterSeconds: error.retryAfterSeconds }),
    ...(error.headers && { headers: error.headers }),
  })

/** Also for a resource of another workspace: a caller cannot tell the two cases apart. */
export const notFound = (what: string): AppError =>
  new AppError('NOT_FOUND', `there is no such ${what} in this workspace`)
