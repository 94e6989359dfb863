// Messages that are no templates, as requests give them. The limits are the provider's.
import * as v from 'valibot'
import { sentMediaKinds } from '../../contract/message-content.ts'
import type { FreeInput } from '../../messaging/free-form-content.ts'
import { about } from '../../platform/http/shown.ts'
import { fileEntries, fileOf, hasOneFile, orNull, words } from './content-fields.ts'
import { id } from './fields.ts'
import { interactive } from './interactive.ts'

const text = v.pipe(
  v.strictObject({
    body: words(4_096),
    previewUrl: about(v.optional(v.boolean(), false), 'Shows a preview of the first link.'),
  }),
  v.transform((given) => ({ kind: 'text' as const, ...given })),
)

const [image, video, audio, voice, document, sticker] = sentMediaKinds
const caption = orNull(words(1_024))

const media = v.pipe(
  v.variant('kind', [
    v.strictObject({ kind: v.picklist([image, video]), ...fileEntries, caption }),
    v.strictObject({
      kind: v.literal(document),
      ...fileEntries,
      caption,
      fileName: about(orNull(words(240)), 'As the customer sees it. Default: that of the upload.'),
    }),
    v.strictObject({
      kind: about(
        v.picklist([audio, voice, sticker]),
        '`voice` is played as a voice message: OGG with Opus.',
      ),
      ...fileEntries,
    }),
  ]),
  v.check((given) => hasOneFile(given), 'must have either id or link'),
  v.transform((given) => ({
    kind: 'media' as const,
    media: {
      kind: given.kind,
      file: fileOf(given),
      caption: 'caption' in given ? given.caption : null,
      fileName: 'fileName' in given ? given.fileName : null,
    },
  })),
)

const degrees = (most: number) => v.pipe(v.number(), v.minValue(-most), v.maxValue(most))

const location = v.pipe(
  v.strictObject({
    latitude: degrees(90),
    longitude: degrees(180),
    name: orNull(words(1_000)),
    address: orNull(words(1_000)),
  }),
  v.transform((given) => ({ kind: 'location' as const, ...given })),
)

const several = <Entries extends v.ObjectEntries>(entries: Entries) =>
  v.optional(
    v.pipe(
      v.array(v.strictObject({ ...entries, type: orNull(words(64)) })),
      v.maxLength(20, 'must have at most 20 entries'),
    ),
    [],
  )

const waId = about(
  orNull(v.pipe(v.string(), v.regex(/^\d{5,20}$/, 'must be digits'))),
  'Digits: the customer can write to this account from the card.',
)

const card = v.strictObject({
  name: about(words(512), 'The whole name, as it is shown.'),
  phones: several({ phone: words(64), waId }),
  emails: several({ email: words(320) }),
  urls: several({ url: words(2_048) }),
  organization: orNull(
    v.strictObject({
      company: orNull(words(512)),
      department: orNull(words(512)),
      title: orNull(words(512)),
    }),
  ),
})

const contacts = v.pipe(
  v.array(card),
  v.minLength(1, 'must have at least one card'),
  v.maxLength(257, 'must have at most 257 cards'),
  v.transform((cards) => ({ kind: 'contacts' as const, contacts: cards })),
)

const segments = new Intl.Segmenter('en', { granularity: 'grapheme' })
const pictograph = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u20e3/u

const isEmoji = (given: string): boolean =>
  given.length <= 64 && [...segments.segment(given)].length === 1 && pictograph.test(given)

const reaction = v.strictObject({
  messageId: about(id('message'), 'The message to react to.'),
  emoji: about(
    v.pipe(
      v.string(),
      v.check(
        (given) => given === '' || isEmoji(given),
        'must be one emoji, or empty to take the reaction away',
      ),
    ),
    'One emoji; empty takes your earlier reaction away.',
  ),
})

const replyTo = about(v.optional(id('message')), 'The message of this conversation that yours quotes.')

/** In place of a template, exactly one of these. */
export const freeEntries = {
  text: v.optional(text),
  media: v.optional(media),
  location: v.optional(location),
  contacts: v.optional(contacts),
  interactive: v.optional(interactive),
  reaction: v.optional(reaction),
  replyTo,
}

const contentNames = ['template', 'text', 'media', 'location', 'contacts', 'interactive', 'reaction'] as const

type FreeFields = { readonly [Name in keyof typeof freeEntries]?: v.InferOutput<(typeof freeEntries)[Name]> }
type ContentFields<Template> = FreeFields & { readonly template?: Template | undefined }

/** Names the field where no content, or more than one, is given, or `replyTo` does not go with it. */
export const oneContent = <Fields extends ContentFields<unknown>>() =>
  v.rawCheck<Fields>(({ dataset, addIssue }) => {
    // The other faults of the body are told beside this one.
    const value = (dataset.value ?? {}) as Partial<Fields>
    const at = (key: string, message: string) =>
      addIssue({
        message,
        path: [{ type: 'object', origin: 'value', input: value as never, key, value: undefined }],
      })
    const given = contentNames.filter((name) => value[name] !== undefined)
    const list = contentNames.join(', ')
    if (given.length === 0) at('template', `is required, or ${contentNames.slice(1).join(', ')} in its place`)
    if (given[1] !== undefined) at(given[1], `stands beside ${given[0]}; give exactly one of ${list}`)
    if (value.replyTo === undefined) return
    if (value.template !== undefined) at('replyTo', 'does not go with a template')
    if (value.reaction !== undefined)
      at('replyTo', 'does not go with a reaction, which names its own message')
  })

/** `oneContent` has been checked. */
export function contentOf<Template>(
  fields: ContentFields<Template>,
):
  | { readonly template: Template; readonly free?: undefined }
  | { readonly free: FreeInput; readonly template?: undefined } {
  if (fields.template !== undefined) return { template: fields.template }
  const { reaction: reacted, replyTo: quoted = null } = fields
  if (reacted)
    return { free: { content: { kind: 'reaction', emoji: reacted.emoji }, about: reacted.messageId } }
  const content = fields.text ?? fields.media ?? fields.location ?? fields.contacts ?? fields.interactive
  if (!content) throw new Error('a message without content passed its check')
  return { free: { content, about: quoted } }
}
