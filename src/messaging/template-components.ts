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

export type MediaFormat = 'IMAGE' | 'VIDEO' | 'DOCUMENT'

export interface TemplateParts {
  readonly header: TextPart | null
  readonly headerMedia: { readonly format: MediaFormat; readonly example: string | null } | null
  readonly body: TextPart | null
  readonly footer: string | null
  readonly buttons: readonly Button[]
}

/** Examples by variable name; those of positional variables under `1`, `2`, ... */
export type Example = ReadonlyMap<string, string>

type Fields = Readonly<Record<string, unknown>>

const none: Example = new Map()

export function readParts(components: readonly unknown[]): TemplateParts {
  const byType = new Map<string, Fields>()
  for (const component of components) {
    if (isFields(component)) byType.set(upper(component['type']), component)
  }
  const header = byType.get('HEADER')
  const body = byType.get('BODY')
  const footer = byType.get('FOOTER')
  return {
    header: header && upper(header['format'] ?? 'TEXT') === 'TEXT' ? readText(header, 'header') : null,
    headerMedia: header ? readMedia(header) : null,
    body: body ? readText(body, 'body') : null,
    footer: footer ? text(footer['text']) : null,
    buttons: list(byType.get('BUTTONS')?.['buttons']).filter(isFields).map(readButton),
  }
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

function readMedia(header: Fields): TemplateParts['headerMedia'] {
  const format = upper(header['format'])
  if (format !== 'IMAGE' && format !== 'VIDEO' && format !== 'DOCUMENT') return null
  const example = isFields(header['example']) ? list(header['example']['header_handle'])[0] : undefined
  return { format, example: typeof example === 'string' ? example : null }
}

function readButton(button: Fields): Button {
  const [example] = list(button['example'])
  return {
    type: upper(button['type']),
    text: text(button['text']),
    url: optionalText(button['url']),
    phoneNumber: optionalText(button['phone_number']),
    example: optionalText(example ?? button['example']),
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const text = (value: unknown): string => (typeof value === 'string' ? value : '')

const optionalText = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const upper = (value: unknown): string => text(value).toUpperCase()
