// The content of each type of free-form message, and the files that it names.
import * as v from 'valibot'
import { mediaOf, shortText } from './content-parts.ts'
import { Interactive } from './interactive.ts'
import type { MediaFile } from './model.ts'
import { ProviderError, wrongParameter } from './provider-error.ts'
import { readWire } from './wire.ts'
import type { World } from './world.ts'

const MOST_CARDS = 257

const caption = v.optional(v.pipe(v.string(), v.maxLength(1024, 'must be at most 1024 characters long.')))
const noCaption = v.optional(v.undefined_('is not supported for this type'))

const degrees = (most: number) =>
  v.pipe(
    v.union([
      v.number(),
      v.pipe(v.string(), v.regex(/^-?\d+(\.\d+)?$/, 'must be a number'), v.transform(Number)),
    ]),
    v.minValue(-most),
    v.maxValue(most),
  )

/** One schema for each type. A type without a schema is refused as unknown. */
const CONTENT = {
  text: v.looseObject({
    body: v.pipe(
      v.string('must be a string.'),
      v.minLength(1, 'must be at least 1 character long.'),
      v.maxLength(4096, 'must be at most 4096 characters long.'),
    ),
    preview_url: v.optional(v.boolean('must be a boolean.')),
  }),
  image: mediaOf({ caption }),
  video: mediaOf({ caption }),
  document: mediaOf({ caption, filename: v.optional(v.string()) }),
  audio: mediaOf({ caption: noCaption, voice: v.optional(v.boolean()) }),
  sticker: mediaOf({ caption: noCaption }),
  location: v.looseObject({
    latitude: degrees(90),
    longitude: degrees(180),
    name: v.optional(v.string()),
    address: v.optional(v.string()),
  }),
  contacts: v.pipe(
    v.array(
      v.looseObject({
        name: v.looseObject({ formatted_name: shortText(1024) }),
        phones: v.optional(v.array(v.looseObject({}))),
        emails: v.optional(v.array(v.looseObject({}))),
      }),
    ),
    v.minLength(1),
    v.maxLength(MOST_CARDS),
  ),
  reaction: v.looseObject({ message_id: shortText(512), emoji: v.optional(v.string(), '') }),
  interactive: Interactive,
} as const

type FreeFormType = keyof typeof CONTENT

const isFreeForm = (type: string): type is FreeFormType => Object.hasOwn(CONTENT, type)

export type FreeForm = Readonly<{ type: string; content: object; text: string }>

/** Reads the content of a free-form message. Throws the provider's error for what it does not accept. */
export function freeFormOf(type: string, raw: unknown): FreeForm {
  if (!isFreeForm(type)) {
    const types = ['template', ...Object.keys(CONTENT)].join(', ').toUpperCase()
    throw wrongParameter(100, `Param type must be one of {${types}} - got "${type}".`)
  }
  if (raw === undefined) throw new ProviderError(131008, `The parameter ${type} is required.`)
  const codes = type === 'interactive' ? { missing: 131008, invalid: 131009 } : {}
  const content = readWire<v.GenericSchema<unknown, object>>(CONTENT[type], raw, { inside: type, ...codes })
  return { type, content, text: textOf(content) }
}

function textOf(content: object): string {
  const body: unknown = Reflect.get(content, 'body')
  const text = typeof body === 'object' && body !== null ? Reflect.get(body, 'text') : body
  const shown: unknown = text ?? Reflect.get(content, 'caption') ?? Reflect.get(content, 'emoji')
  return typeof shown === 'string' ? shown : ''
}

const FILE_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const
type FileKind = (typeof FILE_KINDS)[number]

type FileRef = Readonly<{ kind: FileKind; path: string; id: string | undefined; link: string | undefined }>

/** Every file in a content, wherever it is. */
export function filesIn(path: string, type: string, content: unknown): FileRef[] {
  if (typeof content !== 'object' || content === null) return []
  const kind = FILE_KINDS.find((one) => one === type)
  const { id, link } = content as { id?: unknown; link?: unknown }
  if (kind !== undefined && (typeof id === 'string' || typeof link === 'string')) {
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
    return [{ kind, path, id: text(id), link: text(link) }]
  }
  return Object.entries(content).flatMap(([key, value]) => filesIn(`${path}['${key}']`, key, value))
}

const MIME_OF: Readonly<Record<FileKind, RegExp>> = {
  image: /^image\/(jpeg|png)/,
  video: /^video\//,
  audio: /^audio\//,
  document: /./,
  sticker: /^image\/webp/,
}

/**
 * Refuses the id of a file that was never uploaded. Returns the code with which the message fails later: the
 * provider downloads links and looks into files only after it has answered.
 */
export function checkFiles(world: World, files: readonly FileRef[]): number | undefined {
  const found: (MediaFile | undefined)[] = files.map(({ id, path }) => {
    const file = id === undefined ? undefined : world.media.get(id)
    if (id === undefined || file !== undefined) return file
    throw wrongParameter(
      100,
      `Param ${path}['id'] is not a valid whatsapp business account media attachment ID`,
    )
  })
  if (files.some(({ link }) => link !== undefined && isUnreachable(link))) return 131052
  const fits = files.every(({ kind }, index) => {
    const file = found[index]
    return file === undefined || MIME_OF[kind].test(file.mimeType)
  })
  return fits ? undefined : 131053
}

/** Names under `.invalid` never resolve: a way to have a link that the provider cannot download. */
const isUnreachable = (link: string): boolean =>
  URL.canParse(link) && new URL(link).hostname.endsWith('.invalid')
