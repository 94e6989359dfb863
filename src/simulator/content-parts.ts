// The parts that contents of several types share.
import * as v from 'valibot'

const lengthMessage = (max: number) => `length invalid. Min length: 1, Max length: ${max}`

export const shortText = (max: number) =>
  v.pipe(v.string(), v.minLength(1, lengthMessage(max)), v.maxLength(max, lengthMessage(max)))

export const url = v.pipe(v.string(), v.regex(/^https?:\/\/[^\s]+$/, 'is not a valid URI.'))

const mediaFields = { id: v.optional(v.string()), link: v.optional(url) } as const

const hasOneSource = ({ id, link }: { id?: string | undefined; link?: string | undefined }): boolean =>
  (id === undefined) !== (link === undefined)

const oneSource = v.check(hasOneSource, 'must have exactly one of id and link')

/** A file by the id of an upload or by a link. */
export const MediaRef = v.pipe(v.looseObject(mediaFields), oneSource)

/** A media message. `Fields`: what this type has beside the file. */
export const mediaOf = <const Fields extends v.ObjectEntries>(fields: Fields) =>
  v.pipe(
    v.looseObject({ ...mediaFields, ...fields }),
    v.check((given) => hasOneSource(given), 'must have exactly one of id and link'),
  )

/** The header of an interactive message. */
export const header = v.variant('type', [
  v.looseObject({ type: v.literal('text'), text: shortText(60) }),
  v.looseObject({ type: v.literal('image'), image: MediaRef }),
  v.looseObject({ type: v.literal('video'), video: MediaRef }),
  v.looseObject({ type: v.literal('document'), document: MediaRef }),
])
