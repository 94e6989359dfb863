import * as v from 'valibot'

const text = v.string()

const Button = v.looseObject({
  type: v.pipe(text, v.toUpperCase()),
  text: v.optional(v.pipe(text, v.maxLength(25))),
  url: v.optional(text),
})

const Example = v.optional(v.record(v.string(), v.unknown()))

const Component = v.variant('type', [
  v.looseObject({
    type: v.picklist(['HEADER', 'header']),
    format: v.optional(v.pipe(text, v.toUpperCase()), 'TEXT'),
    text: v.optional(v.pipe(text, v.maxLength(60))),
    example: Example,
  }),
  v.looseObject({
    type: v.picklist(['BODY', 'body']),
    text: v.pipe(text, v.minLength(1), v.maxLength(1024)),
    example: Example,
  }),
  v.looseObject({ type: v.picklist(['FOOTER', 'footer']), text: v.pipe(text, v.maxLength(60)) }),
  v.looseObject({
    type: v.picklist(['BUTTONS', 'buttons']),
    buttons: v.pipe(v.array(Button), v.maxLength(10)),
  }),
  v.looseObject({ type: v.picklist(['CALL_PERMISSION_REQUEST', 'call_permission_request']) }),
])

/** The request body that creates a template. */
export const TemplateBody = v.looseObject({
  name: v.pipe(text, v.regex(/^[a-z0-9_]{1,512}$/, 'must be lowercase letters, digits and underscores')),
  language: v.pipe(text, v.minLength(2)),
  category: v.pipe(text, v.toUpperCase(), v.picklist(['MARKETING', 'UTILITY', 'AUTHENTICATION'])),
  parameter_format: v.optional(
    v.pipe(text, v.toUpperCase(), v.picklist(['NAMED', 'POSITIONAL'])),
    'POSITIONAL',
  ),
  components: v.array(Component),
})

export type TemplateDefinition = v.InferOutput<typeof TemplateBody>

export type TemplateRecord = TemplateDefinition & {
  readonly id: string
  status: string
  rejected_reason: string
  quality_score: { score: string; date: number }
}

/** The names (or positions) of the variables in a text, in their order, without duplicates. */
export const variablesIn = (source: string): string[] => [
  ...new Set([...source.matchAll(/\{\{\s*([a-zA-Z0-9_]+)\s*\}\}/g)].map((match) => match[1] ?? '')),
]

export const isType = <T extends string>(component: { type: string }, type: T): boolean =>
  component.type.toUpperCase() === type

/** The text of the header or the body, which can contain variables; empty when there is none. */
export const textOf = (template: TemplateDefinition, type: 'HEADER' | 'BODY'): string => {
  const component = template.components.find((one) => isType(one, type))
  return component !== undefined && 'text' in component && typeof component.text === 'string'
    ? component.text
    : ''
}

export const asksForCallPermission = (template: TemplateDefinition): boolean =>
  template.components.some((component) => isType(component, 'CALL_PERMISSION_REQUEST'))
