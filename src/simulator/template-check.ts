import * as v from 'valibot'
import { ProviderError } from './provider-error.ts'
import {
  buttonsOf,
  type Composed,
  componentOf,
  isType,
  type TemplateRecord,
  textOf,
  variablesIn,
} from './template-record.ts'
import type { World } from './world.ts'

const Parameter = v.looseObject({
  type: v.string(),
  text: v.optional(v.string()),
  parameter_name: v.optional(v.string()),
})
type Parameter = v.InferOutput<typeof Parameter>

const SentComponent = v.looseObject({
  type: v.string(),
  sub_type: v.optional(v.string()),
  index: v.optional(v.union([v.string(), v.number()])),
  parameters: v.optional(v.array(Parameter), []),
})

const SentCard = v.looseObject({ card_index: v.number(), components: v.array(SentComponent) })
type SentCard = v.InferOutput<typeof SentCard>

/** The `template` object of a send request. */
export const TemplateSend = v.looseObject({
  name: v.pipe(v.string(), v.minLength(1)),
  language: v.looseObject({ code: v.pipe(v.string(), v.minLength(1)) }),
  components: v.optional(
    v.array(v.looseObject({ ...SentComponent.entries, cards: v.optional(v.array(SentCard)) })),
    [],
  ),
})
export type TemplateSend = v.InferOutput<typeof TemplateSend>

type Sent = Readonly<{ components: readonly v.InferOutput<typeof SentComponent>[] }>

const NOT_SENDABLE: Readonly<Record<string, number>> = { PAUSED: 132015, DISABLED: 132016 }

/** The requested template. Throws the provider's error if it is not sendable or its parameters are wrong. */
export function checkedTemplate(world: World, send: TemplateSend): TemplateRecord {
  const template = findTemplate(world, send.name, send.language.code)
  if (template === undefined) {
    throw new ProviderError(132001, `template name (${send.name}) does not exist in ${send.language.code}`)
  }
  if (template.status !== 'APPROVED') {
    throw new ProviderError(NOT_SENDABLE[template.status] ?? 132001, `template is ${template.status}`)
  }
  const isNamed = template.parameter_format === 'NAMED'
  checkParts(world, { part: template, sent: send, isNamed })
  checkOffer(template, send)
  checkCards(world, template, { sent: send, isNamed })
  return template
}

type Filled = Readonly<{ part: Composed; sent: Sent; isNamed: boolean }>

/** Header, body and buttons of a template or of a card. */
function checkParts(world: World, filled: Filled): void {
  const { part, sent } = filled
  checkHeader(world, filled)
  checkTexts(filled, 'body', {
    expected: variablesIn(textOf(part, 'BODY')),
    given: parametersOf(sent, 'BODY'),
  })
  checkButtons(part, sent)
}

function findTemplate(world: World, name: string, language: string): TemplateRecord | undefined {
  for (const template of world.templates.values()) {
    if (template.name === name && template.language === language) return template
  }
  return undefined
}

const parametersOf = ({ components }: Sent, type: string): readonly Parameter[] =>
  components.filter((component) => isType(component, type)).flatMap((component) => component.parameters)

function checkHeader(world: World, filled: Filled): void {
  const { part, sent } = filled
  const format = (componentOf(part, 'HEADER')?.format ?? 'TEXT').toLowerCase()
  const given = parametersOf(sent, 'HEADER')
  if (format === 'text') {
    checkTexts(filled, 'header', { expected: variablesIn(textOf(part, 'HEADER')), given })
    return
  }
  const [parameter] = given
  if (parameter === undefined) throw mismatch('header', 0, 1)
  if (parameter.type.toLowerCase() !== format) {
    throw new ProviderError(
      132012,
      `header: Format mismatch, expected ${format.toUpperCase()}, received ${parameter.type}`,
    )
  }
  checkHeaderValue(world, format, Object(parameter[parameter.type.toLowerCase()]))
}

const VALUE_NEEDS: Readonly<Record<string, readonly string[]>> = {
  location: ['latitude', 'longitude', 'name', 'address'],
  product: ['product_retailer_id', 'catalog_id'],
}

/** A place, a product, or a file by the id of an upload or by a link. */
function checkHeaderValue(world: World, format: string, value: object): void {
  const needed = VALUE_NEEDS[format]
  if (needed !== undefined) {
    const missing = needed.find((field) => (Reflect.get(value, field) ?? '') === '')
    if (missing === undefined) return
    throw new ProviderError(131008, `header: parameter ${format}['${missing}'] is missing or empty`)
  }
  const { id, link } = value as { id?: unknown; link?: unknown }
  const isThere = id === undefined ? typeof link === 'string' && link !== '' : world.media.has(String(id))
  if (!isThere) throw new ProviderError(131053, 'Media upload error')
}

const mismatch = (part: string, got: number, expected: number): ProviderError =>
  new ProviderError(
    132000,
    `${part}: number of localizable_params (${got}) does not match the expected number of params (${expected})`,
  )

type Texts = Readonly<{ expected: readonly string[]; given: readonly Parameter[] }>

function checkTexts({ isNamed }: Pick<Filled, 'isNamed'>, part: string, { expected, given }: Texts): void {
  if (given.length !== expected.length) throw mismatch(part, given.length, expected.length)
  for (const parameter of given) checkText(part, parameter)
  if (!isNamed) return
  const names = given.map((parameter) => parameter.parameter_name)
  if (names.includes(undefined)) throw new ProviderError(100, `${part}: Parameter name is missing or empty`)
  const unknown = names.find((name) => name !== undefined && !expected.includes(name))
  const repeated = new Set(names).size !== names.length
  if (unknown !== undefined || repeated) {
    throw new ProviderError(132012, `${part}: Parameter name is not one of ${expected.join(', ')} once each`)
  }
}

function checkText(part: string, parameter: Parameter): void {
  const type = parameter.type.toLowerCase()
  if (!['text', 'currency', 'date_time'].includes(type)) {
    throw new ProviderError(132012, `${part}: Format mismatch, expected TEXT, received ${parameter.type}`)
  }
  const shown: unknown =
    type === 'text' ? parameter.text : Reflect.get(Object(parameter[type]), 'fallback_value')
  if ((shown ?? '') === '') {
    throw new ProviderError(131008, `${part}: parameter ${type} is missing or empty`)
  }
}

/** The parameter that a button of each type needs when it is sent, and the field of it that may not be empty. */
const BUTTON_NEEDS: Readonly<Record<string, readonly [type: string, field: string]>> = {
  URL: ['text', 'text'],
  COPY_CODE: ['coupon_code', 'coupon_code'],
  MPM: ['action', 'action'],
  FLOW: ['action', 'action'],
}

function checkButtons(part: Composed, sent: Sent): void {
  const filled = sent.components.filter((one) => isType(one, 'BUTTON'))
  const buttons = buttonsOf(part)
  for (const component of filled) checkButtonExists(buttons, component)
  for (const [index, { type, url }] of buttons.entries()) {
    const needs = type === 'URL' && variablesIn(url ?? '').length === 0 ? undefined : BUTTON_NEEDS[type]
    if (needs === undefined) continue
    const component = filled.find((one) => String(one.index) === String(index))
    checkButtonValue({ index, type, needs }, component?.parameters ?? [])
  }
}

type Needing = Readonly<{ index: number; type: string; needs: readonly [type: string, field: string] }>

function checkButtonValue(
  { index, type, needs: [wanted, field] }: Needing,
  given: readonly Parameter[],
): void {
  const [parameter] = given
  if (parameter === undefined) {
    throw new ProviderError(131008, `buttons: Button at index ${index} of type ${type} requires a parameter`)
  }
  const isRight = parameter.type.toLowerCase() === wanted && (parameter[field] ?? '') !== ''
  if (isRight && given.length === 1) return
  throw new ProviderError(132012, `buttons: Button at index ${index} requires one ${wanted} parameter`)
}

function checkButtonExists(
  buttons: readonly { type: string }[],
  { index, sub_type: subType }: Sent['components'][number],
): void {
  if (subType === undefined) throw new ProviderError(131008, 'buttons: sub_type is missing')
  // A call button needs no index: a template has one at most.
  if (index === undefined && subType.toUpperCase() === 'VOICE_CALL') return
  const button = buttons[Number(index)]
  if (button === undefined || button.type !== subType.toUpperCase()) {
    throw new ProviderError(
      132012,
      `buttons: Button at index ${index ?? ''} is not of type ${subType.toUpperCase()}`,
    )
  }
}

function checkOffer(template: Composed, sent: Sent): void {
  const offer = componentOf(template, 'LIMITED_TIME_OFFER')?.limited_time_offer
  if (offer?.has_expiration !== true) return
  const [parameter] = parametersOf(sent, 'LIMITED_TIME_OFFER')
  const expiry: unknown = Reflect.get(Object(parameter?.['limited_time_offer']), 'expiration_time_ms')
  if (typeof expiry !== 'number') {
    throw new ProviderError(131008, 'limited_time_offer: parameter expiration_time_ms is missing')
  }
}

function checkCards(
  world: World,
  template: Composed,
  { sent, isNamed }: Readonly<{ sent: TemplateSend; isNamed: boolean }>,
): void {
  const expected = componentOf(template, 'CAROUSEL')?.cards ?? []
  const given: readonly SentCard[] = sent.components.find((one) => isType(one, 'CAROUSEL'))?.cards ?? []
  if (given.length !== expected.length) throw mismatch('carousel', given.length, expected.length)
  for (const [index, part] of expected.entries()) {
    const card = given.find((one) => one.card_index === index)
    if (card === undefined) throw new ProviderError(131008, `carousel: card ${index} is missing`)
    checkParts(world, { part, sent: card, isNamed })
  }
}

/** The text that the handset shows: header and body with their values. */
export function renderedText(template: TemplateRecord, send: TemplateSend): string {
  const fill = (type: 'HEADER' | 'BODY'): string => {
    const given = parametersOf(send, type)
    return textOf(template, type).replace(/\{\{\s*([a-zA-Z0-9_]+)\s*\}\}/g, (hole, key: string) => {
      const parameter = given.find(({ parameter_name: name }) => name === key) ?? given[Number(key) - 1]
      const fallback: unknown = Reflect.get(Object(parameter?.[parameter.type]), 'fallback_value')
      return parameter?.text ?? (typeof fallback === 'string' ? fallback : hole)
    })
  }
  return [fill('HEADER'), fill('BODY')].filter((part) => part !== '').join('\n')
}
