import * as v from 'valibot'

const text = v.string()
const Example = v.optional(v.union([v.record(v.string(), v.unknown()), v.array(v.unknown())]))

const BUTTON_TYPES = [
  'QUICK_REPLY',
  'URL',
  'PHONE_NUMBER',
  'COPY_CODE',
  'OTP',
  'FLOW',
  'CATALOG',
  'MPM',
  'SPM',
  'VOICE_CALL',
  'REQUEST_CONTACT_INFO',
  'APP',
] as const

/** What a button of each type cannot be without. The labels of the others are the provider's. */
const NEEDED_BY: Readonly<Partial<Record<string, readonly string[]>>> = {
  QUICK_REPLY: ['text'],
  URL: ['text', 'url'],
  PHONE_NUMBER: ['text', 'phone_number'],
  COPY_CODE: ['example'],
  OTP: ['otp_type'],
  FLOW: ['text'],
}

const Button = v.pipe(
  v.looseObject({
    type: v.pipe(text, v.toUpperCase(), v.picklist(BUTTON_TYPES)),
    text: v.optional(v.pipe(text, v.maxLength(25))),
    url: v.optional(v.pipe(text, v.maxLength(2000))),
  }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return
    const { value } = dataset
    const missing = NEEDED_BY[value.type]?.find((field) => (value[field] ?? '') === '')
    if (missing !== undefined) addIssue({ message: `of type ${value.type} needs ${missing}` })
  }),
)
type Button = v.InferOutput<typeof Button>

const Header = v.looseObject({
  type: v.literal('HEADER'),
  format: v.optional(
    v.pipe(
      text,
      v.toUpperCase(),
      v.picklist(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'GIF', 'LOCATION', 'PRODUCT']),
    ),
    'TEXT',
  ),
  text: v.optional(v.pipe(text, v.maxLength(60))),
  example: Example,
})

const Body = v.looseObject({
  type: v.literal('BODY'),
  /** Absent in authentication templates, whose text is the provider's. */
  text: v.optional(v.pipe(text, v.minLength(1), v.maxLength(1024))),
  example: Example,
})

const Buttons = v.looseObject({
  type: v.literal('BUTTONS'),
  buttons: v.pipe(v.array(Button), v.minLength(1), v.maxLength(10)),
})

/** The provider takes the types in either case, and lists them in capitals. */
const capitals = v.transform((raw: unknown): unknown => {
  const type: unknown = Reflect.get(Object(raw), 'type')
  return typeof type === 'string' ? { ...Object(raw), type: type.toUpperCase() } : raw
})

const CardComponent = v.pipe(v.unknown(), capitals, v.variant('type', [Header, Body, Buttons]))

const Component = v.pipe(
  v.unknown(),
  capitals,
  v.variant('type', [
    Header,
    Body,
    v.looseObject({
      type: v.literal('FOOTER'),
      text: v.optional(v.pipe(text, v.maxLength(60))),
      code_expiration_minutes: v.optional(v.pipe(v.number(), v.minValue(1), v.maxValue(90))),
    }),
    Buttons,
    v.looseObject({ type: v.literal('CALL_PERMISSION_REQUEST') }),
    v.looseObject({
      type: v.literal('LIMITED_TIME_OFFER'),
      limited_time_offer: v.looseObject({
        text: v.pipe(text, v.minLength(1), v.maxLength(16)),
        has_expiration: v.optional(v.boolean()),
      }),
    }),
    v.looseObject({
      type: v.literal('CAROUSEL'),
      cards: v.pipe(
        v.array(v.looseObject({ components: v.array(CardComponent) })),
        v.minLength(2),
        v.maxLength(10),
      ),
    }),
  ]),
)

export type TemplateComponent = v.InferOutput<typeof Component>

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

/** A template, or a card of a carousel: what has components. */
export type Composed = Readonly<{ components: readonly TemplateComponent[] }>

/** The names (or positions) of the variables in a text, in their order, without duplicates. */
export const variablesIn = (source: string): string[] => [
  ...new Set([...source.matchAll(/\{\{\s*([a-zA-Z0-9_]+)\s*\}\}/g)].map((match) => match[1] ?? '')),
]

export const isType = <T extends string>(component: { type: string }, type: T): boolean =>
  component.type.toUpperCase() === type

export const componentOf = <const T extends TemplateComponent['type']>(
  { components }: Composed,
  type: T,
): Extract<TemplateComponent, { type: T }> | undefined =>
  components.find((one): one is Extract<TemplateComponent, { type: T }> => one.type === type)

/** The text of the header or the body, which can contain variables; empty when there is none. */
export const textOf = (template: Composed, type: 'HEADER' | 'BODY'): string =>
  componentOf(template, type)?.text ?? ''

export const buttonsOf = (template: Composed): readonly Button[] =>
  componentOf(template, 'BUTTONS')?.buttons ?? []

export const asksForCallPermission = (template: Composed): boolean =>
  componentOf(template, 'CALL_PERMISSION_REQUEST') !== undefined

const OTP_URL = 'https://www.whatsapp.com/otp/code/?otp_type='

/** An authentication template as the provider completes it: with its own text, and the button as a link. */
export function completedAuthentication(definition: TemplateDefinition): TemplateDefinition {
  if (definition.category !== 'AUTHENTICATION') return definition
  return { ...definition, components: definition.components.map(completedComponent) }
}

function completedComponent(component: TemplateComponent): TemplateComponent {
  if (component.type === 'BODY' && component.text === undefined) {
    const advice = component['add_security_recommendation'] === true
    return {
      ...component,
      text: `*{{1}}* is your verification code.${advice ? ' For your security, do not share this code.' : ''}`,
      example: { body_text: [['123456']] },
    }
  }
  if (component.type === 'FOOTER' && component.code_expiration_minutes !== undefined) {
    return { ...component, text: `This code expires in ${component.code_expiration_minutes} minutes.` }
  }
  if (component.type !== 'BUTTONS') return component
  return { ...component, buttons: component.buttons.map(completedButton) }
}

function completedButton(button: Button): Button {
  if (button.type !== 'OTP') return button
  const url = `${OTP_URL}${String(button['otp_type'])}&code=otp{{1}}`
  return {
    type: 'URL',
    text: button.text ?? 'Copy code',
    url,
    example: [url.replace('{{1}}', '123456')],
  }
}
