import * as v from 'valibot'
import { ProviderError } from './provider-error.ts'
import { isType, type TemplateRecord, textOf, variablesIn } from './template-record.ts'
import type { World } from './world.ts'

const Parameter = v.looseObject({
  type: v.string(),
  text: v.optional(v.string()),
  parameter_name: v.optional(v.string()),
})
type Parameter = v.InferOutput<typeof Parameter>

/** The `template` object of a send request. */
export const TemplateSend = v.looseObject({
  name: v.pipe(v.string(), v.minLength(1)),
  language: v.looseObject({ code: v.pipe(v.string(), v.minLength(1)) }),
  components: v.optional(
    v.array(
      v.looseObject({
        type: v.string(),
        sub_type: v.optional(v.string()),
        index: v.optional(v.union([v.string(), v.number()])),
        parameters: v.optional(v.array(Parameter), []),
      }),
    ),
    [],
  ),
})
export type TemplateSend = v.InferOutput<typeof TemplateSend>

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
  checkHeader(world, template, parametersOf(send, 'HEADER'))
  checkTexts(template, 'body', variablesIn(textOf(template, 'BODY')), parametersOf(send, 'BODY'))
  checkButtons(template, send)
  return template
}

function findTemplate(world: World, name: string, language: string): TemplateRecord | undefined {
  for (const template of world.templates.values()) {
    if (template.name === name && template.language === language) return template
  }
  return undefined
}

const parametersOf = (send: TemplateSend, type: 'HEADER' | 'BODY'): readonly Parameter[] =>
  send.components.filter((component) => isType(component, type)).flatMap((component) => component.parameters)

function checkHeader(world: World, template: TemplateRecord, parameters: readonly Parameter[]): void {
  const header = template.components.find((component) => isType(component, 'HEADER'))
  const format = header !== undefined && 'format' in header ? String(header.format).toLowerCase() : 'text'
  if (format === 'text') {
    checkTexts(template, 'header', variablesIn(textOf(template, 'HEADER')), parameters)
    return
  }
  const [parameter] = parameters
  if (parameter === undefined) throw mismatch('header', 0, 1)
  if (parameter.type.toLowerCase() !== format) {
    throw new ProviderError(
      132012,
      `header: Format mismatch, expected ${format.toUpperCase()}, received ${parameter.type}`,
    )
  }
  checkFile(world, parameter)
}

/** The file is given by the id of an upload or by a link. */
function checkFile(world: World, parameter: Parameter): void {
  const { id, link } = (parameter[parameter.type.toLowerCase()] ?? {}) as { id?: unknown; link?: unknown }
  const isThere = id === undefined ? typeof link === 'string' && link !== '' : world.media.has(String(id))
  if (!isThere) throw new ProviderError(131053, 'Media upload error')
}

const mismatch = (part: string, got: number, expected: number): ProviderError =>
  new ProviderError(
    132000,
    `${part}: number of localizable_params (${got}) does not match the expected number of params (${expected})`,
  )

function checkTexts(
  template: TemplateRecord,
  part: string,
  expected: readonly string[],
  given: readonly Parameter[],
): void {
  if (given.length !== expected.length) throw mismatch(part, given.length, expected.length)
  for (const parameter of given) checkText(part, parameter)
  if (template.parameter_format !== 'NAMED') return
  const names = given.map((parameter) => parameter.parameter_name)
  if (names.includes(undefined)) throw new ProviderError(100, `${part}: Parameter name is missing or empty`)
  const unknown = names.find((name) => name !== undefined && !expected.includes(name))
  const repeated = new Set(names).size !== names.length
  if (unknown !== undefined || repeated) {
    throw new ProviderError(132012, `${part}: Parameter name is not one of ${expected.join(', ')} once each`)
  }
}

function checkText(part: string, parameter: Parameter): void {
  if (parameter.type === 'text' && (parameter.text ?? '') === '') {
    throw new ProviderError(131008, `${part}: parameter text is missing or empty`)
  }
}

function checkButtons(template: TemplateRecord, send: TemplateSend): void {
  const component = template.components.find((one) => isType(one, 'BUTTONS'))
  const buttons = component !== undefined && 'buttons' in component ? component.buttons : []
  if (!Array.isArray(buttons)) return
  for (const [index, button] of buttons.entries()) {
    if (typeof button.url !== 'string' || variablesIn(button.url).length === 0) continue
    const filled = send.components.find((one) => isType(one, 'BUTTON') && String(one.index) === String(index))
    if (filled?.parameters.length !== 1) throw mismatch(`button ${index}`, filled?.parameters.length ?? 0, 1)
  }
}

/** The text that the handset shows: header and body with their values. */
export function renderedText(template: TemplateRecord, send: TemplateSend): string {
  const fill = (type: 'HEADER' | 'BODY'): string => {
    const given = parametersOf(send, type)
    return textOf(template, type).replace(/\{\{\s*([a-zA-Z0-9_]+)\s*\}\}/g, (hole, key: string) => {
      const byName = given.find((parameter) => parameter.parameter_name === key)
      return (byName ?? given[Number(key) - 1])?.text ?? hole
    })
  }
  return [fill('HEADER'), fill('BODY')].filter((part) => part !== '').join('\n')
}
