// Readers and schemas for the fields of webhook elements. An invalid optional field counts as absent, so that it
// does not lose the whole update. What every text, status and call has is read by plain functions, which give null
// for what they do not take: a schema costs ten times as much. What is rare has schemas.
import * as v from 'valibot'
import { classOfReported } from '../../contract/provider-errors.ts'
import type { ReportedError } from '../../contract/provider-updates.ts'
import { isUserId } from '../../shared/address.ts'
import { toDigits } from '../../shared/phone.ts'
import { storableStart } from '../../shared/storable-text.ts'

type Read<Output> = (given: unknown) => Output | null

export const readString: Read<string> = (given) => (typeof given === 'string' ? given : null)

export const readText = (given: unknown, maxLength: number): string | null =>
  typeof given === 'string' ? storableStart(given, maxLength) : null

const matching =
  (form: RegExp): Read<string> =>
  (given) =>
    typeof given === 'string' && form.test(given) ? given : null

/** Ids are opaque. The length limit keeps them within the size of an index entry. */
export const readId = matching(/^[\x21-\x7e]{1,512}$/)

export const readOpaque = matching(/^[\x20-\x7e]{1,512}$/)

const isPhone = /^\+?\d{5,20}$/

/** Only digits with an optional plus make a number: whatever else has digits in it is none. */
export const readPhone: Read<string> = (given) =>
  typeof given === 'string' && isPhone.test(given) ? toDigits(given) : null

const isShown = /^\d{5,20}$/

/** A number of ours, which the provider also shows with spaces and dashes. */
export const readShownNumber: Read<string> = (given) => {
  const digits = typeof given === 'string' ? toDigits(given) : ''
  return isShown.test(digits) ? digits : null
}

export const readUserId: Read<string> = (given) =>
  typeof given === 'string' && isUserId(given) ? given : null

const earliestSeconds = Date.UTC(2009, 0) / 1000
const latestSeconds = Date.UTC(2100, 0) / 1000

const readNumber: Read<number> = (given) =>
  typeof given === 'string' || typeof given === 'number' ? Number(given) : null

/** Unix seconds, as text or as a number. */
export const readInstant: Read<Date> = (given) => {
  const seconds = readNumber(given)
  const isInRange = seconds !== null && seconds >= earliestSeconds && seconds <= latestSeconds
  return isInRange ? new Date(seconds * 1000) : null
}

/** A whole number from 0, as text or as a number. */
export const readCount: Read<number> = (given) => {
  const number = readNumber(given)
  return number !== null && Number.isInteger(number) && number >= 0 ? number : null
}

/** The schema of what a reader takes. */
const schemaOf = <Output>(read: Read<Output>) =>
  v.pipe(
    v.unknown(),
    v.rawTransform<unknown, Output>(({ dataset, addIssue, NEVER }) => {
      const output = read(dataset.value)
      if (output !== null) return output
      addIssue()
      return NEVER
    }),
  )

export const text = (maxLength: number) => schemaOf((given) => readText(given, maxLength))

export const optional = <Output>(schema: v.GenericSchema<unknown, Output>) =>
  v.fallback(v.nullish(schema, null), null) as v.GenericSchema<unknown, Output | null>

export const id = schemaOf(readId)
export const phone = schemaOf(readPhone)
export const shownNumber = schemaOf(readShownNumber)
export const userId = schemaOf(readUserId)
export const instant = schemaOf(readInstant)

/** Refuses unsafe integers: JSON parsing has already rounded them. */
const numericId = v.pipe(
  v.union([v.string(), v.pipe(v.number(), v.safeInteger())]),
  v.transform(String),
  v.regex(/^\d{1,32}$/),
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

// Shared, because most of what is looked for is absent.
const none: readonly unknown[] = []
const empty: Readonly<Record<string, unknown>> = {}

export const list = (given: unknown): readonly unknown[] => (Array.isArray(given) ? given : none)

export const record = (given: unknown): Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null ? (given as Readonly<Record<string, unknown>>) : empty
