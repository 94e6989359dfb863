// Schemas for the fields of webhook elements. An invalid optional field counts as absent, so that it does not
// lose the whole update.
import * as v from 'valibot'
import { classOfReported } from '../../contract/provider-errors.ts'
import type { ReportedError } from '../../contract/provider-updates.ts'
import { isUserId } from '../../shared/address.ts'
import { toDigits } from '../../shared/phone.ts'
import { storableStart } from '../../shared/storable-text.ts'

export const text = (maxLength: number) =>
  v.pipe(
    v.string(),
    v.transform((given) => storableStart(given, maxLength)),
  )

export const optional = <Output>(schema: v.GenericSchema<unknown, Output>) =>
  v.fallback(v.nullish(schema, null), null) as v.GenericSchema<unknown, Output | null>

/** Ids are opaque. The length limit keeps them within the size of an index entry. */
export const id = v.pipe(v.string(), v.regex(/^[\x21-\x7e]{1,512}$/))

/** Refuses unsafe integers: JSON parsing has already rounded them. */
export const numericId = v.pipe(
  v.union([v.string(), v.pipe(v.number(), v.safeInteger())]),
  v.transform(String),
  v.regex(/^\d{1,32}$/),
)

/** Only digits with an optional plus make a number: whatever else has digits in it is none. */
export const phone = v.pipe(v.string(), v.regex(/^\+?\d{5,20}$/), v.transform(toDigits))

/** A number of ours, which the provider also shows with spaces and dashes. */
export const shownNumber = v.pipe(v.string(), v.transform(toDigits), v.regex(/^\d{5,20}$/))

export const userId = v.pipe(v.string(), v.check(isUserId))

export const opaque = v.pipe(v.string(), v.regex(/^[\x20-\x7e]{1,512}$/))

const earliestSeconds = Date.UTC(2009, 0) / 1000
const latestSeconds = Date.UTC(2100, 0) / 1000

/** Unix seconds, as text or as a number. */
export const instant = v.pipe(
  v.union([v.string(), v.number()]),
  v.transform(Number),
  v.minValue(earliestSeconds),
  v.maxValue(latestSeconds),
  v.transform((seconds) => new Date(seconds * 1000)),
)

/**
 * When something happened. The provider tells whole seconds; what arrives within the second that it tells
 * happened at most as long before, so the time of arrival is closer.
 */
export function momentOf(told: Date | null, receivedAt: Date): Date {
  if (told === null) return receivedAt
  const lateMs = receivedAt.getTime() - told.getTime()
  return lateMs >= 0 && lateMs < 1_000 ? receivedAt : told
}

const ErrorElement = v.pipe(
  v.object({
    code: v.pipe(v.union([v.string(), v.number()]), v.transform(Number), v.integer()),
    title: optional(text(512)),
    message: optional(text(512)),
    error_data: optional(v.object({ details: optional(text(1024)) })),
    error_subcode: optional(numericId),
    fbtrace_id: optional(text(128)),
  }),
  v.transform(
    ({ code, title, message, error_data, error_subcode, fbtrace_id }): ReportedError => ({
      code: String(code),
      // Errors in call webhooks have a message but no title.
      title: title || message || `Provider error ${code}`,
      details: error_data?.details ?? null,
      ...(error_subcode && { subcode: error_subcode }),
      ...(fbtrace_id && { traceId: fbtrace_id }),
      class: classOfReported(code, error_subcode),
    }),
  ),
)

export const unnamedError: ReportedError = {
  code: 'UNKNOWN',
  title: 'The provider gave no reason',
  details: null,
  class: 'permanent',
}

/** The readable errors, in their original order. */
export const errorsIn = (given: unknown): ReportedError[] =>
  list(given).flatMap((element) => {
    const parsed = v.safeParse(ErrorElement, element)
    return parsed.success ? [parsed.output] : []
  })

export const list = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : [])

export const record = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : {}
