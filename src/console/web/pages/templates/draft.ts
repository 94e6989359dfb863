// The draft of a template: the form's state, the components for the provider, and the checks before that.
import type { ParameterFormat, TemplateCategory } from '../../../../contract/records/catalog.ts'

export type MediaFormat = 'IMAGE' | 'VIDEO' | 'DOCUMENT'
export type ButtonType =
  | 'QUICK_REPLY'
  | 'URL'
  | 'PHONE_NUMBER'
  | 'COPY_CODE'
  | 'FLOW'
  | 'VOICE_CALL'
  | 'CATALOG'
  | 'REQUEST_CONTACT_INFO'

export interface ButtonDraft {
  readonly id: number
  readonly type: ButtonType
  readonly text: string
  /** The URL, the phone number, the code that is the example, or the id of the flow. */
  readonly value: string
  /** An example for the variable at the end of a URL. */
  readonly example: string
}

export interface Draft {
  readonly name: string
  readonly language: string
  readonly category: TemplateCategory
  readonly header: 'NONE' | 'TEXT' | 'LOCATION' | MediaFormat
  readonly headerText: string
  /** The provider's handle of an uploaded example. */
  readonly headerMedia: string
  /** The headline of a limited-time offer; empty: no offer. */
  readonly offer: string
  readonly offerEnds: boolean
  readonly body: string
  readonly footer: string
  readonly buttons: readonly ButtonDraft[]
  /** Keyed by place and name, such as `BODY first_name`. */
  readonly examples: Readonly<Record<string, string>>
}

export const emptyDraft: Draft = {
  name: '',
  language: 'en_US',
  category: 'UTILITY',
  header: 'NONE',
  headerText: '',
  headerMedia: '',
  offer: '',
  offerEnds: true,
  body: '',
  footer: '',
  buttons: [],
  examples: {},
}

export interface Variable {
  readonly key: string
  readonly name: string
  readonly place: 'HEADER' | 'BODY'
}

const placeholder = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g
const isPosition = (name: string): boolean => /^\d+$/.test(name)
export const hasVariable = (text: string): boolean => text.search(placeholder) >= 0

function namesIn(text: string): string[] {
  const names = [...new Set([...text.matchAll(placeholder)].map((match) => match[1] ?? ''))]
  return names.every(isPosition) ? names.sort((a, b) => Number(a) - Number(b)) : names
}

export function variablesOf({ header, headerText, body }: Draft): Variable[] {
  const of = (place: Variable['place'], text: string) =>
    namesIn(text).map((name) => ({ key: `${place} ${name}`, name, place }))
  return [...(header === 'TEXT' ? of('HEADER', headerText) : []), ...of('BODY', body)]
}

export const formatOf = (draft: Draft): ParameterFormat =>
  variablesOf(draft).some(({ name }) => isPosition(name)) ? 'POSITIONAL' : 'NAMED'

export const isMedia = (header: Draft['header']): header is MediaFormat =>
  header !== 'NONE' && header !== 'TEXT' && header !== 'LOCATION'

/** Only marketing has offers: one that was written before the category changed is kept, but not sent. */
const hasOffer = ({ category, offer }: Draft): boolean => category === 'MARKETING' && offer !== ''

/** The components in the provider's format, without empty parts. */
export function componentsOf(draft: Draft): object[] {
  const { header, headerText, headerMedia, body, footer, buttons } = draft
  const components: object[] = []
  if (header === 'TEXT' && headerText !== '')
    components.push({ type: 'HEADER', format: 'TEXT', text: headerText, ...exampleOf(draft, 'HEADER') })
  if (header === 'LOCATION') components.push({ type: 'HEADER', format: header })
  if (isMedia(header))
    components.push({
      type: 'HEADER',
      format: header,
      ...(headerMedia !== '' && { example: { header_handle: [headerMedia] } }),
    })
  if (hasOffer(draft))
    components.push({
      type: 'LIMITED_TIME_OFFER',
      limited_time_offer: { text: draft.offer, has_expiration: draft.offerEnds },
    })
  if (body !== '') components.push({ type: 'BODY', text: body, ...exampleOf(draft, 'BODY') })
  if (footer !== '') components.push({ type: 'FOOTER', text: footer })
  if (buttons.length > 0) components.push({ type: 'BUTTONS', buttons: buttons.map(providerButton) })
  return components
}

function exampleOf(draft: Draft, place: Variable['place']): { example?: object } {
  const given = variablesOf(draft)
    .filter((variable) => variable.place === place)
    .map(({ key, name }) => ({ param_name: name, example: draft.examples[key] ?? '' }))
    .filter(({ example }) => example !== '')
  if (given.length === 0) return {}
  const field = `${place.toLowerCase()}_text`
  if (formatOf(draft) === 'NAMED') return { example: { [`${field}_named_params`]: given } }
  const values = given.map(({ example }) => example)
  return { example: { [field]: place === 'BODY' ? [values] : values } }
}

function providerButton({ type, text, value, example }: ButtonDraft): object {
  if (type === 'PHONE_NUMBER') return { type, text, phone_number: value.trim() }
  if (type === 'COPY_CODE') return { type, example: value.trim() }
  if (type === 'REQUEST_CONTACT_INFO') return { type }
  if (type === 'FLOW') return { type, text, flow_id: value.trim() }
  if (type !== 'URL') return { type, text }
  return {
    type,
    text,
    url: value.trim(),
    ...(hasVariable(value) && example !== '' && { example: [example] }),
  }
}

const EMPTY = 'Enter a value'
const NEEDED = 'The review needs this'
const isBlank = (text: string | undefined): boolean => (text ?? '').trim() === ''

/** Problems by field name: only those that can be found without the provider. */
export function problemsOf(draft: Draft): Readonly<Record<string, string>> {
  const variables = variablesOf(draft)
  const inHeader = variables.filter(({ place }) => place === 'HEADER')
  const missing = variables.filter(({ key }) => isBlank(draft.examples[key]))
  return {
    ...(!/^[a-z0-9_]+$/.test(draft.name) && { name: 'Use lower-case letters, digits and _' }),
    ...(draft.header === 'TEXT' && isBlank(draft.headerText) && { header: EMPTY }),
    ...(isMedia(draft.header) && draft.headerMedia === '' && { header: NEEDED }),
    ...(hasOffer(draft) &&
      draft.footer !== '' && { footer: 'Leave the footer out: it cannot stand beside an offer' }),
    ...(inHeader.length > 1 && { header: 'Use one variable at most' }),
    ...(isBlank(draft.body) ? { body: EMPTY } : variableProblem(variables)),
    ...Object.fromEntries(missing.map(({ key }) => [key, NEEDED])),
    ...Object.assign({}, ...draft.buttons.map(buttonProblems)),
  }
}

/** Whether its label is ours: the provider writes those of the others. */
export const hasLabel = (type: ButtonType): boolean => type !== 'COPY_CODE' && type !== 'REQUEST_CONTACT_INFO'

/** Whether it has a `value`. */
const hasValue = (type: ButtonType): boolean =>
  type === 'URL' || type === 'PHONE_NUMBER' || type === 'COPY_CODE' || type === 'FLOW'

const buttonProblems = ({ id, type, text, value, example }: ButtonDraft): Record<string, string> => ({
  ...(hasLabel(type) && isBlank(text) && { [`text ${id}`]: EMPTY }),
  ...(hasValue(type) && isBlank(value) && { [`value ${id}`]: EMPTY }),
  ...(type === 'URL' && hasVariable(value) && isBlank(example) && { [`example ${id}`]: NEEDED }),
})

function variableProblem(variables: readonly Variable[]): { body?: string } {
  const names = variables.map(({ name }) => name)
  if (names.some(isPosition) && !names.every(isPosition))
    return { body: 'Name the variables or number them, not both' }
  const numbers = variables.filter(({ name, place }) => place === 'BODY' && isPosition(name))
  if (numbers.some(({ name }, index) => Number(name) !== index + 1))
    return { body: 'Number the variables {{1}}, {{2}} and so on' }
  return names.some((name) => /[A-Z]/.test(name)) ? { body: 'Name the variables in lower case' } : {}
}

const concerns = [
  ['body', /\bbody\b/i],
  ['header', /\bheader\b/i],
  ['footer', /\bfooter\b/i],
  ['buttons', /\bbuttons?\b/i],
  ['language', /\blanguage\b/i],
  ['category', /\bcategory\b/i],
  ['name', /\bname\b/i],
] as const

/** The field that a refusal concerns. The provider names it only in the text of its message. */
export const concernOf = (message: string): string | undefined =>
  concerns.find(([, words]) => words.test(message))?.[0]

/** A part of the form: the draft, how to change it, and what is wrong with a field. */
export interface FormPart {
  readonly draft: Draft
  change(changes: Partial<Draft>): void
  errorOf(field: string): string | undefined
}
