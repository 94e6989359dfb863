// Why a send failed or a campaign paused, in the provider's words or ours: in records, events and reports.

export interface Failure {
  /** The provider's code as text, or ours. */
  code: string
  title: string
  /** The provider's finer code, where it gives one. */
  subcode?: string
  /** What exactly was wrong, in the provider's words. */
  details?: string
  /** The provider's id of the request, for its support. */
  traceId?: string
}

/** An error as it is read: fields that are not known are null or absent. */
export interface GivenFailure {
  readonly code: string
  readonly title: string
  readonly subcode?: string | null
  readonly details?: string | null
  readonly traceId?: string | null
}

/** Only what is known, and nothing else that the error holds. */
export const failureOf = ({ code, title, subcode, details, traceId }: GivenFailure): Failure => ({
  code,
  title,
  ...(subcode && { subcode }),
  ...(details && { details }),
  ...(traceId && { traceId }),
})
