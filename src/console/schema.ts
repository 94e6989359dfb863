// Pieces of the console's schemas.
import * as v from 'valibot'
import { passwordLimits } from '../auth/password.ts'
import { type EventKind, eventKinds } from '../contract/events.ts'
import { limits } from '../contract/limits.ts'
import { stringMap } from '../http/fields.ts'
import { decodeId, type IdKind, idPrefixes, type Uuid } from '../shared/ids.ts'
import { orderedEvents } from '../webhooks/endpoint-rules.ts'

/** A TypeID of one kind, as the uuid it stands for. */
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
  v.minLength(1, 'must not be empty'),
  v.maxLength(100, 'must be at most 100 characters'),
)

export const eventList = v.pipe(
  v.array(v.picklist(eventKinds)),
  v.minLength(1, 'must list at least one event'),
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

/** At least one of the fields must be there: an empty change is a mistake. */
export const hasField = <Fields extends object>() =>
  v.check<Fields, string>(
    (value) => Object.values(value).some((field) => field !== undefined),
    'must change something',
  )

/** As it is typed in; what a new one must be is another matter. */
export const password = v.pipe(v.string(), v.maxLength(1_024))

const { minLength, maxLength } = passwordLimits
export const newPassword = v.pipe(
  v.string(),
  v.minLength(minLength, `must have at least ${minLength} characters`),
  v.maxLength(maxLength, `must have at most ${maxLength} characters`),
)

export const totpCode = v.pipe(v.string(), v.regex(/^\d{6}$/, 'must be six digits'))

/** What a sign-in sends of the second factor: a code, or in its place one of the recovery codes. */
export const secondFactor = {
  totp: v.optional(totpCode),
  recoveryCode: v.optional(v.pipe(v.string(), v.maxLength(64, 'must be one of the recovery codes'))),
}
