// Fields that several routes share. Each error message follows the path of the field: "to must be ...".
import * as v from 'valibot'
import type { OneOf } from '../../contract/filters.ts'
import type { Failure } from '../../contract/records/failure.ts'
import { about, type JsonSchema, shownAs } from '../../platform/http/shown.ts'
import { time } from '../../platform/http/time.ts'
import { isUserId } from '../../shared/address.ts'
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

/** The pattern and the values of one value, for the reference. */
interface Shown {
  readonly pattern: string
  readonly example: string
}

const severalAtMost = 20

/** A filter that takes one value, or several with commas between them: what fits one of them is kept. */
const several = <Output>(item: v.GenericSchema<string, Output>, { pattern, example }: Shown) =>
  v.pipe(
    v.string(),
    shownAs({
      type: 'string',
      pattern: `^(${pattern})(,(${pattern})){0,${severalAtMost - 1}}$`,
      examples: [example],
    }),
    v.rawTransform<string, OneOf<Output>>(({ dataset, addIssue, NEVER }) => {
      const parts = [...new Set(dataset.value.split(','))]
      if (parts.length > severalAtMost) {
        addIssue({ message: `must hold at most ${severalAtMost} values` })
        return NEVER
      }
      const values: Output[] = []
      for (const part of parts) {
        const checked = v.safeParse(item, part)
        if (!checked.success) {
          addIssue({ message: checked.issues[0].message })
          return NEVER
        }
        values.push(checked.output)
      }
      const [only] = values
      return values.length === 1 && only !== undefined ? only : values
    }),
  )

/** One or several of these words. */
export const choiceOf = <const Word extends string>(words: readonly Word[], text = '') => {
  const list = words.join(', ')
  const item = v.picklist(words, `must be one of ${list}, or several with commas between them`)
  const shown = { pattern: words.join('|'), example: words.slice(0, 2).join(',') }
  return about(several<Word>(item, shown), `${text}One of ${list}, or several with commas between them.`)
}

/** One or several ids of one kind. */
export const idsOf = <Kind extends IdKind>(kind: Kind) =>
  about(
    several<Uuid<Kind>>(id(kind), {
      pattern: idForm(kind).pattern.slice(1, -1),
      example: `${idPrefixes[kind]}_01m7x2p7bye5prh2tdnbm5yxza`,
    }),
    `The id of a ${kind}, or several with commas between them.`,
  )

const contactForm = /^(?:[+ ]?[1-9]\d{6,14}|[A-Z]{2}\.(?:ENT\.)?[A-Za-z0-9]{1,128})$/
export const contactPattern = '(\\+?[1-9]\\d{6,14}|[A-Z]{2}\\.(ENT\\.)?[A-Za-z0-9]{1,128})'

/** A customer's number in a filter, plus optional, or a user id. An unescaped plus in a query arrives as a space. */
export const contact = v.pipe(
  v.string(),
  v.regex(contactForm, 'must be a phone number in international format, or a user id'),
  shownAs({ type: 'string', pattern: `^${contactPattern}$`, examples: ['15551230000'] }),
  v.transform((text) => (isUserId(text) ? text : toDigits(text))),
)

/** One customer or several. */
export const contacts = about(
  several(contact, { pattern: contactPattern, example: '15551230000' }),
  'The number of a customer, with or without its plus, or the user id, or several with commas between them.',
)

/** One text or several, without commas in them. */
export const textsOf = (item: v.GenericSchema<string, string>, example: string) =>
  about(several(item, { pattern: '[^,]+', example }), 'One, or several with commas between them.')

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

/** updatedSince ≤ the time of the last change; the list is then by this time. */
export const changed = {
  updatedSince: v.optional(
    about(
      time,
      'Changed at this time or later; the list is then by change, the oldest first. For polling. ISO 8601 with a zone.',
    ),
  ),
}

// The fields below are for responses.

/** Beside the number of the customer, which is empty where it is hidden. */
export const whoView = {
  userId: about(
    v.nullable(v.string()),
    "The customer's user id, where the provider has shown it. The number may be hidden: it is then empty.",
  ),
  username: about(v.nullable(v.string()), "The customer's username; for display, since it may change."),
}

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

/** A page of a list that can be asked by change. */
export const changesOf = <View extends v.GenericSchema>(view: View) =>
  v.object({
    ...pageOf(view).entries,
    updatedUntil: about(
      v.exactOptional(timestamp),
      'With `updatedSince`: all changes before this time are in the list. Poll next with it as `updatedSince`.',
    ),
  })

/** Why a send failed or a campaign paused. */
export const failureView = v.object({
  code: about(v.string(), "The provider's code, or one of Switchboard's."),
  title: v.string(),
  subcode: about(v.exactOptional(v.string()), "The provider's finer code."),
  details: about(v.exactOptional(v.string()), "What exactly was wrong, in the provider's words."),
  traceId: about(v.exactOptional(v.string()), "The provider's id of the request, for its support."),
}) satisfies v.GenericSchema<unknown, Failure>
