import type * as v from 'valibot'
import { limits } from '../contract/limits.ts'
import type { HttpRequest } from './exchange.ts'
import { readBody } from './read-body.ts'
import { check, validationError } from './validate.ts'

/** The body of a route that can do without one: nothing at all reads as `{}`. */
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
