// Schemas that several console routes use.
import * as v from 'valibot'
import { passwordLimits } from '../accounts/password.ts'
import { type EventKind, eventKinds } from '../contract/events.ts'
import { limits } from '../contract/limits.ts'
import { orderedEvents } from '../delivery/endpoint-rules.ts'
import { maxCharacters, stringMap } from '../platform/http/fields.ts'
import { decodeId, type IdKind, idPrefixes, type Uuid } from '../shared/ids.ts'

/** Takes a TypeID of one kind and outputs its UUID. */
export const idOf = <Kind extends IdKind>(kind: Kind) =>
  v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }): Uuid<Kind> => {
      const id = decodeId(kind, dataset.value)
      if (id !== undefined) return id
      addIssue({ message: `must be an id that starts with ${idPrefixes[kind]}_` })
      return NEVER
    }),
  )

/** The path parameter `:id`. */
export const idParams = <Kind extends IdKind>(kind: Kind) => v.object({ id: idOf(kind) })

export const shownName = v.pipe(
  v.string(),
  v.trim(),
  v.minLength(1, 'Enter a name'),
  maxCharacters(100, 'Use at most 100 characters'),
)

export const eventList = v.pipe(
  v.array(v.picklist(eventKinds)),
  v.minLength(1, 'Choose at least one event'),
  v.transform((events: EventKind[]) => orderedEvents(events)),
)

export const flag = v.pipe(
  v.picklist(['true', 'false']),
  v.transform((text) => text === 'true'),
)

export const variableMap = v.optional(
  stringMap({
    pairs: limits.variablePairs,
    nameLength: limits.variableNameLength,
    valueLength: limits.variableValueLength,
  }),
  {},
)

/** Requires at least one field: an empty change is a mistake. */
export const hasField = <Fields extends object>() =>
  v.check<Fields, string>(
    (value) => Object.values(value).some((field) => field !== undefined),
    'Change something first',
  )

/** An existing password as typed. The rules for a new one are in `newPassword`. */
export const password = v.pipe(v.string(), v.maxLength(1_024))

const { minLength, maxLength } = passwordLimits
export const newPassword = v.pipe(
  v.string(),
  v.minLength(minLength, `Use at least ${minLength} characters`),
  v.maxLength(maxLength, `Use at most ${maxLength} characters`),
)

export const totpCode = v.pipe(v.string(), v.regex(/^\d{6}$/, 'Enter the six digits of your app'))

/** The second factor of a sign-in: a TOTP code, or a recovery code instead. */
export const secondFactor = {
  totp: v.optional(totpCode),
  recoveryCode: v.optional(v.pipe(v.string(), v.maxLength(64, 'That is none of your recovery codes'))),
}
