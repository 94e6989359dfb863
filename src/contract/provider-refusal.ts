// What the provider answered, as an error of the API. The only place that writes the details `provider.*`.
import { AppError, type ErrorDetail } from './errors.ts'

interface Told {
  readonly code: string
  readonly title: string
  readonly details?: string | null | undefined
  readonly subcode?: string | null | undefined
  readonly traceId?: string | null | undefined
}

/** Which error it was, and where the provider finds it in its records. */
export const providerDetails = ({ code, title, subcode, traceId }: Told): readonly ErrorDetail[] => [
  { path: 'provider.code', message: code },
  { path: 'provider.title', message: title },
  ...(subcode ? [{ path: 'provider.subcode', message: subcode }] : []),
  ...(traceId ? [{ path: 'provider.traceId', message: traceId }] : []),
]

/** `what`: what did not work. */
export function providerError(what: string, error: Told): AppError {
  const { code, title, details } = error
  const told = details ? `${title}: ${details}` : title
  const message = code === noProviderToken.code ? `${title}; ${setToken}` : `${what}: ${told} (${code})`
  return new AppError('PROVIDER_ERROR', message, {
    details: [
      ...providerDetails(error),
      ...(details ? [{ path: 'provider.details', message: details }] : []),
    ],
  })
}

/** The error of a request that could not be made. It is the process that lacks the token: others may have it. */
export const noProviderToken = {
  code: 'NO_PROVIDER_TOKEN',
  title: 'this gateway has no access token of the provider for the workspace',
  details: null,
  class: 'account',
} as const

const setToken = 'whoever runs it has to set PROVIDER_ACCESS_TOKEN for every gateway and worker'

export const notConnected = (): AppError =>
  new AppError(
    'PROVIDER_ERROR',
    'the workspace has no account at the provider, or this gateway no access token for it',
  )

/** Refuses a send before it is stored: nothing could go out. */
export const noTokenToSend = (): AppError =>
  new AppError('NO_SENDER_NUMBER', `${noProviderToken.title}; ${setToken}`, {
    details: providerDetails(noProviderToken),
  })
