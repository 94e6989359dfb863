// Fields that several routes share. Each error message follows the path of the field: "to must be ...".
import * as v from 'valibot'
import { about, type JsonSchema, shownAs } from '../../platform/http/shown.ts'
import { time } from '../../platform/http/time.ts'
import { decodeId, type IdKind, idPrefixes, type Uuid } from '../../shared/ids.ts'
import { toDigits } from '../../shared/phone.ts'

// 26 base32 characters encode the 128 bits of a UUID.
const idForm = (kind: IdKind) => ({
  type: 'string',
  pattern: `^${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`,
})

/** An id of one kind in a request. The output is the decoded UUID. */
export const id = <Kind extends IdKind>(kind: Kind) =>
  v.pipe(
    v.string(),
    shownAs({ ...idForm(kind), description: `The id of a ${kind}.` }),
    v.check(
      (text) => decodeId(kind, text) !== undefined,
      `must be an id that starts with ${idPrefixes[kind]}_`,
    ),
    v.transform((text) => decodeId(kind, text) as Uuid<Kind>),
  )

export const idParam = <Kind extends IdKind>(kind: Kind) => v.strictObject({ id: id(kind) })

/** For routes without fields: the body is `{}` or absent. */
export const noFields = v.strictObject({})

const contactForm = /^[+ ]?[1-9]\d{6,14}$/

/** A customer's number in a filter, plus optional. An unescaped plus in a query arrives as a space. */
export const contact = v.pipe(
  v.string(),
  v.regex(contactForm, 'must be a phone number in international format'),
  shownAs({ type: 'string', pattern: '^\\+?[1-9]\\d{6,14}$', examples: ['15551230000'] }),
  v.transform(toDigits),
)

const flagShownAs = (json: JsonSchema) =>
  v.pipe(
    v.picklist(['true', 'false'], 'must be true or false'),
    shownAs({ type: 'boolean', ...json }),
    v.transform((text) => text === 'true'),
  )

/** Left out, it filters nothing. */
export const flag = flagShownAs({})

/** Left out, it is undefined and means false. */
export const flagOff = flagShownAs({ default: false })

const between = (what: string) => ({
  since: v.optional(about(time, `${what} at this time or later: ISO 8601 with a zone.`)),
  until: v.optional(about(time, `${what} before this time: ISO 8601 with a zone.`)),
})

/** since ≤ createdAt < until. */
export const period = between('Created')

/** since ≤ updatedAt < until. */
export const activePeriod = between('Last active')

// The fields below are for responses.

export const timestamp = v.pipe(
  v.string(),
  shownAs({ type: 'string', format: 'date-time', examples: ['2026-11-20T14:21:03.127Z'] }),
)

/** An id in a response, in its encoded form. */
export const idView = (kind: IdKind) => v.pipe(v.string(), shownAs(idForm(kind)))

export const pageOf = <View extends v.GenericSchema>(view: View) =>
  v.object({
    data: v.pipe(v.array(view), v.readonly()),
    nextCursor: about(v.nullable(v.string()), 'Continues the list; null on its last page.'),
  })
