// The variables of a template, under the names that API callers use. Variables in the text of header and body
// have the names from the text (`1`, `2` in a positional body). The others are named by their place:
// `header.1` for a positional or a media header, `button.0` for a button.
import type { TemplateVariable } from '../contract/records/catalog.ts'
import { type Button, readParts, type TemplateText, type TextPart } from './template-components.ts'

const placeholder = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g

/** The names between the braces, each once: in the order of the text, or of their numbers if positional. */
export function placeholders(text: string): string[] {
  const names = [...new Set([...text.matchAll(placeholder)].map((match) => match[1] ?? ''))]
  return names.every(isPosition) ? names.sort((a, b) => Number(a) - Number(b)) : names
}

/** A placeholder without a value stays as it is. */
export const fillIn = (text: string, lookUp: (name: string) => string | undefined): string =>
  text.replaceAll(placeholder, (whole, name: string) => lookUp(name) ?? whole)

export const isPosition = (name: string): boolean => /^\d+$/.test(name)

export const headerVariable = (name: string): string => (isPosition(name) ? `header.${name}` : name)

export const mediaVariable = 'header.1'

export const buttonVariable = (index: number): string => `button.${index}`

/** Buttons whose content the sender completes: a URL with a placeholder, a one-time password or a coupon. */
export const takesVariable = (button: Button): boolean =>
  (button.type === 'URL' && button.url !== null && placeholders(button.url).length > 0) ||
  button.type === 'OTP' ||
  button.type === 'COPY_CODE'

export function templateVariables({ components }: TemplateText): TemplateVariable[] {
  const { header, headerMedia, body, buttons } = readParts(components)
  const variables: TemplateVariable[] = []
  if (headerMedia) variables.push({ name: mediaVariable, example: headerMedia.example, in: 'HEADER' })
  if (header) variables.push(...ofText(header, 'HEADER', headerVariable))
  if (body) variables.push(...ofText(body, 'BODY', (name) => name))
  buttons.forEach((button, index) => {
    if (takesVariable(button))
      variables.push({ name: buttonVariable(index), example: button.example, in: 'BUTTON' })
  })
  return variables
}

function ofText(
  part: TextPart,
  place: TemplateVariable['in'],
  nameOf: (name: string) => string,
): TemplateVariable[] {
  return placeholders(part.text).map((name) => ({
    name: nameOf(name),
    example: part.example.get(name) ?? null,
    in: place,
  }))
}
