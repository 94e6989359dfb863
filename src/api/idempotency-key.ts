// The header Idempotency-Key of requests that make a resource and have no field for a key in their body.
import * as v from 'valibot'
import { AppError } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import type { Made } from '../contract/request-key.ts'
import type { HttpRequest } from '../platform/http/exchange.ts'
import { Answer } from '../platform/http/route.ts'
import { about } from '../platform/http/shown.ts'

const name = 'Idempotency-Key'
const message = `must be 1 to ${limits.idempotencyKeyLength} printable ASCII characters`
const form = new RegExp(`^[\\x20-\\x7e]{1,${limits.idempotencyKeyLength}}$`)

/** The header for the OpenAPI document. */
export const idempotencyHeaders = v.object({
  [name]: v.optional(
    about(
      v.pipe(v.string(), v.regex(form, message)),
      'Names this request: repeated with the same body, it answers with what the first one made, and makes nothing again.',
    ),
  ),
})

/** Null where the request has no key. */
export function idempotencyKeyOf(request: Pick<HttpRequest, 'header'>): string | null {
  const given = request.header(name.toLowerCase())?.trim()
  if (given === undefined) return null
  if (form.test(given)) return given
  throw new AppError('VALIDATION_ERROR', `${name} ${message}`, { details: [{ path: name, message }] })
}

/** 200 with `Idempotent-Replayed` for what an earlier request made. */
export const madeAnswer = <Record>({ record, replayed }: Made<Record>): Record | Answer<Record> =>
  replayed ? new Answer(record, { status: 200, headers: { 'idempotent-replayed': 'true' } }) : record
