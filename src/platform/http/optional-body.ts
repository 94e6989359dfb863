import type * as v from 'valibot'
import type { ErrorCode } from '../../contract/errors.ts'
import { limits } from '../../contract/limits.ts'
import type { HttpRequest } from './exchange.ts'
import { readBody } from './read-body.ts'
import { check, validationError } from './validate.ts'

/** Errors of a route with an optional body. */
export const bodyErrors: readonly ErrorCode[] = [
  'VALIDATION_ERROR',
  'MALFORMED_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
]

/** Reads an optional body. An absent body reads as `{}`. */
export async function optionalBody<Output>(
  request: HttpRequest,
  schema: v.GenericSchema<unknown, Output>,
): Promise<Output> {
  const bytes = await request.body(limits.bodyBytes)
  const isEmpty = bytes.byteLength === 0
  const header = (name: string) => request.header(name)
  const value = isEmpty ? {} : await readBody({ header, body: async () => bytes }, limits.bodyBytes)
  const checked = check(schema as v.GenericSchema<unknown, unknown>, value)
  if (!checked.ok) throw validationError(checked.details)
  return checked.value as Output
}
