// Renders a template with its variables: as the customer sees it, and as the provider's components. Pure.
import { type Button, readParts, type TemplateText } from './template-components.ts'
import {
  buttonVariable,
  fillIn,
  headerVariable,
  isPosition,
  mediaVariable,
  placeholders,
  takesVariable,
  templateVariables,
} from './template-variables.ts'

export type Variables = Readonly<Record<string, string>>

export interface RenderedButton {
  readonly type: string
  readonly text: string
  readonly url?: string
  readonly phoneNumber?: string
}

export interface RenderedTemplate {
  /** The text of the header, or the link of its image, video or document. */
  readonly header: string | null
  readonly body: string
  readonly footer: string | null
  readonly buttons: readonly RenderedButton[]
  /** Header, body and footer as one text, as the message record shows it. */
  readonly text: string
  readonly missingVariables: readonly string[]
  readonly unexpectedVariables: readonly string[]
}

export function renderTemplate(template: TemplateText, variables: Variables): RenderedTemplate {
  const { header, headerMedia, body, footer, buttons } = readParts(template.components)
  const lookUp = reader(variables)
  const headerText = header ? fillIn(header.text, (name) => lookUp(headerVariable(name))) : null
  const bodyText = body ? fillIn(body.text, lookUp) : ''
  return {
    header: headerMedia ? (lookUp(mediaVariable) ?? null) : headerText,
    body: bodyText,
    footer,
    buttons: buttons.map((button, index) => renderButton(button, lookUp(buttonVariable(index)))),
    text: [headerText, bodyText, footer].filter((part) => part !== null && part !== '').join('\n'),
    ...compareVariables(template, variables),
  }
}

export interface VariableComparison {
  readonly missingVariables: readonly string[]
  readonly unexpectedVariables: readonly string[]
}

export const compareVariables = (template: TemplateText, variables: Variables): VariableComparison =>
  variableComparer(template)(variables)

/** Compares many sets of variables with one template. An empty value is missing: the provider refuses it. */
export function variableComparer(template: TemplateText): (variables: Variables) => VariableComparison {
  const expected = new Set(templateVariables(template).map((variable) => variable.name))
  return (variables) => {
    const lookUp = reader(variables)
    return {
      missingVariables: [...expected].filter((name) => lookUp(name) === undefined),
      unexpectedVariables: Object.keys(variables).filter((name) => !expected.has(name)),
    }
  }
}

/** The `components` of a send; empty where the template takes none. Expects variables that fit it. */
export function toProviderComponents(template: TemplateText, variables: Variables): unknown[] {
  const { header, headerMedia, body, buttons } = readParts(template.components)
  const lookUp = reader(variables)
  const components: unknown[] = []
  const add = (type: string, parameters: unknown[]): void => {
    if (parameters.length > 0) components.push({ type, parameters })
  }
  if (headerMedia) {
    const kind = headerMedia.format.toLowerCase()
    add('header', [{ type: kind, [kind]: mediaSource(lookUp(mediaVariable) ?? '') }])
  }
  if (header)
    add(
      'header',
      textParameters(header.text, (name) => lookUp(headerVariable(name))),
    )
  if (body) add('body', textParameters(body.text, lookUp))
  buttons.forEach((button, index) => {
    if (takesVariable(button)) components.push(buttonComponent(button, index, lookUp(buttonVariable(index))))
  })
  return components
}

/** A value of digits is the provider's id of an uploaded file; any other value is a link. */
const mediaSource = (value: string) => (/^\d+$/.test(value) ? { id: value } : { link: value })

// A name of digits is a position: the provider takes positional parameters in order and without a name.
const textParameters = (text: string, lookUp: (name: string) => string | undefined): unknown[] =>
  placeholders(text).map((name) => ({
    type: 'text',
    ...(isPosition(name) ? {} : { parameter_name: name }),
    text: lookUp(name) ?? '',
  }))

function buttonComponent(button: Button, index: number, value = ''): unknown {
  if (button.type === 'COPY_CODE')
    return {
      type: 'button',
      sub_type: 'copy_code',
      index: String(index),
      parameters: [{ type: 'coupon_code', coupon_code: value }],
    }
  return {
    type: 'button',
    sub_type: 'url',
    index: String(index),
    parameters: [{ type: 'text', text: value }],
  }
}

function renderButton(button: Button, value: string | undefined): RenderedButton {
  return {
    type: button.type,
    text: button.text,
    ...(button.url === null ? {} : { url: fillIn(button.url, () => value) }),
    ...(button.phoneNumber === null ? {} : { phoneNumber: button.phoneNumber }),
  }
}

// Reads own properties only, because a variable may be called `constructor`.
const reader =
  (variables: Variables) =>
  (name: string): string | undefined =>
    Object.hasOwn(variables, name) && variables[name] !== '' ? variables[name] : undefined
