// The names of a template's variables. Those in the text of header and body have the names from the text (`1`, `2` in
// a positional body). The others are named by their place: `header.1` for a positional or a media header, `button.0`
// for a button, `offer.expiresAt` for an offer. In a card of a carousel, `card.0.` stands before the name that the
// variable would have in a template.
import type { TemplateVariable } from '../contract/records/catalog.ts'

/** The value of a variable; undefined where none was given, or an empty one. */
export type LookUp = (name: string) => string | undefined

export interface Slot extends TemplateVariable {
  /** False: the message is complete without it. */
  readonly required: boolean
}

/** A place of a template that a send fills. */
export interface Place {
  readonly slots: readonly Slot[]
  /** The components in the provider's form. `lookUp` has every required variable, each with a value that fits. */
  components(lookUp: LookUp): unknown[]
}

const placeholder = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g

/** The names between the braces, each once: in the order of the text, or of their numbers if positional. */
export function placeholders(text: string): string[] {
  const names = [...new Set([...text.matchAll(placeholder)].map((match) => match[1] ?? ''))]
  return names.every(isPosition) ? names.sort((a, b) => Number(a) - Number(b)) : names
}

/** A placeholder without a value stays as it is. */
export const fillIn = (text: string, lookUp: LookUp): string =>
  text.replaceAll(placeholder, (whole, name: string) => lookUp(name) ?? whole)

export const isPosition = (name: string): boolean => /^\d+$/.test(name)

export const headerVariable = (name: string): string => (isPosition(name) ? `header.${name}` : name)

/** The variables of a header that has no text. */
export const headerNames = {
  media: 'header.1',
  fileName: 'header.fileName',
  latitude: 'header.latitude',
  longitude: 'header.longitude',
  name: 'header.name',
  address: 'header.address',
  productId: 'header.productId',
  catalogId: 'header.catalogId',
} as const

export const buttonVariable = (index: number): string => `button.${index}`

export const cardPrefix = (index: number): string => `card.${index}.`

export const offerVariable = 'offer.expiresAt'
