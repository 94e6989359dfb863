// Reads the provider's template components leniently: they are external and have fields that we do not know.

/** What rendering and sending need of a template. */
export interface TemplateText {
  readonly components: readonly unknown[]
}

export interface TextPart {
  readonly text: string
  readonly example: Example
}

export interface Button {
  readonly type: string
  readonly text: string
  readonly url: string | null
  readonly phoneNumber: string | null
  readonly example: string | null
}

export const mediaFormats = ['IMAGE', 'VIDEO', 'GIF', 'DOCUMENT'] as const
export type MediaFormat = (typeof mediaFormats)[number]

export type Header =
  | ({ readonly format: 'TEXT' } & TextPart)
  | { readonly format: MediaFormat; readonly example: string | null }
  | { readonly format: 'LOCATION' }
  | { readonly format: 'PRODUCT' }

/** What a carousel's card and a template have in common. */
export interface CardParts {
  readonly header: Header | null
  readonly body: TextPart | null
  readonly buttons: readonly Button[]
}

export interface Offer {
  readonly text: string
  /** Whether each send says when the offer ends. */
  readonly hasExpiration: boolean
}

export interface TemplateParts extends CardParts {
  readonly footer: string | null
  readonly offer: Offer | null
  readonly asksForCallPermission: boolean
  /** Empty: no carousel. */
  readonly cards: readonly CardParts[]
  /** Parts whose content cannot be known, such as `component ORDER_STATUS`. */
  readonly unknown: readonly string[]
}

/** Examples by variable name; those of positional variables under `1`, `2`, ... */
export type Example = ReadonlyMap<string, string>

type Fields = Readonly<Record<string, unknown>>

const none: Example = new Map()

export function readParts(components: readonly unknown[]): TemplateParts {
  const byType = componentsByType(components)
  const footer = byType.get('FOOTER')
  const offer = byType.get('LIMITED_TIME_OFFER')?.['limited_time_offer']
  const cards = list(byType.get('CAROUSEL')?.['cards'])
    .filter(isFields)
    .map((card) => componentsByType(list(card['components'])))
  return {
    ...readCard(byType),
    footer: footer ? readFooter(footer) : null,
    offer: isFields(offer)
      ? { text: text(offer['text']), hasExpiration: offer['has_expiration'] === true }
      : null,
    asksForCallPermission: byType.has('CALL_PERMISSION_REQUEST'),
    cards: cards.map(readCard),
    unknown: [
      ...unknownParts(byType, templateTypes, ''),
      ...cards.flatMap((card, index) => unknownParts(card, cardTypes, `card ${index}: `)),
    ],
  }
}

type ByType = ReadonlyMap<string, Fields>

function componentsByType(components: readonly unknown[]): ByType {
  const byType = new Map<string, Fields>()
  for (const component of components) {
    if (isFields(component)) byType.set(upper(component['type']), component)
  }
  return byType
}

const cardTypes = ['HEADER', 'BODY', 'BUTTONS']
const templateTypes = [...cardTypes, 'FOOTER', 'LIMITED_TIME_OFFER', 'CALL_PERMISSION_REQUEST', 'CAROUSEL']

function unknownParts(byType: ByType, known: readonly string[], place: string): string[] {
  const format = headerFormat(byType.get('HEADER'))
  const isKnown = format === null || format === 'TEXT' || isMedia(format) || isPlace(format)
  return [
    ...[...byType.keys()].filter((type) => !known.includes(type)).map((type) => `${place}component ${type}`),
    ...(isKnown ? [] : [`${place}header ${format}`]),
  ]
}

function readCard(byType: ByType): CardParts {
  const header = byType.get('HEADER')
  const body = byType.get('BODY')
  const buttons = list(byType.get('BUTTONS')?.['buttons']).filter(isFields).map(readButton)
  const isCode = buttons.some(({ type }) => type === 'OTP')
  return { header: header ? readHeader(header) : null, body: body ? readBody(body, isCode) : null, buttons }
}

const headerFormat = (header: Fields | undefined): string | null =>
  header ? upper(header['format'] ?? 'TEXT') : null

function readHeader(header: Fields): Header | null {
  const format = headerFormat(header) ?? ''
  if (format === 'TEXT') return { format, ...readText(header, 'header') }
  if (isPlace(format)) return { format }
  if (!isMedia(format)) return null
  const example = isFields(header['example']) ? list(header['example']['header_handle'])[0] : undefined
  return { format, example: optionalText(example) }
}

const isMedia = (format: string): format is MediaFormat =>
  (mediaFormats as readonly string[]).includes(format)

const isPlace = (format: string): format is 'LOCATION' | 'PRODUCT' =>
  format === 'LOCATION' || format === 'PRODUCT'

// An authentication template is submitted without a text: the provider writes it, around the code.
function readBody(body: Fields, isCode: boolean): TextPart {
  const part = readText(body, 'body')
  return isCode && part.text === '' ? { ...part, text: '*{{1}}* is your verification code.' } : part
}

function readFooter(footer: Fields): string {
  const minutes = footer['code_expiration_minutes']
  const given = text(footer['text'])
  return given === '' && typeof minutes === 'number' ? `This code expires in ${minutes} minutes.` : given
}

function readText(component: Fields, name: 'header' | 'body'): TextPart {
  const example = component['example']
  return { text: text(component['text']), example: isFields(example) ? readExample(example, name) : none }
}

// `{header_text: ["x"]}`, `{body_text: [["x", "y"]]}` or `{body_text_named_params: [{param_name, example}]}`.
function readExample(example: Fields, name: 'header' | 'body'): Example {
  const named = list(example[`${name}_text_named_params`]).filter(isFields)
  if (named.length > 0)
    return new Map(named.map((entry) => [text(entry['param_name']), text(entry['example'])]))
  const values = list(example[`${name}_text`])
  const first = Array.isArray(values[0]) ? values[0] : values
  return new Map(first.map((value, index) => [String(index + 1), text(value)]))
}

// The provider lists the button of an authentication template as a link to this address.
const codeUrl = 'https://www.whatsapp.com/otp/'

function readButton(button: Fields): Button {
  const [example] = list(button['example'])
  const url = optionalText(button['url'])
  const isCode = url?.startsWith(codeUrl) === true
  return {
    type: isCode ? 'OTP' : upper(button['type']),
    text: text(button['text']),
    url: isCode ? null : url,
    phoneNumber: optionalText(button['phone_number']),
    example: isCode ? null : optionalText(example ?? button['example']),
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const optionalText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const upper = (value: unknown): string => text(value).toUpperCase()
