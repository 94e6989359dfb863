// Which variables a template takes, and whether those of a send fit it. Pure.
import type { TemplateVariable } from '../contract/records/catalog.ts'
import { isKnownButton } from './template-buttons.ts'
import { readParts, type TemplateParts, type TemplateText } from './template-components.ts'
import { cardPrefix, type LookUp, type Slot } from './template-names.ts'
import { cardCount, placesOf } from './template-places.ts'
import { valueFault } from './template-values.ts'

export type Variables = Readonly<Record<string, string>>

/** The variables that a send has to give, in the order of the template's parts. */
export const templateVariables = (template: TemplateText): TemplateVariable[] => variablesOf(template, true)

/** The variables that a send may give besides. */
export const optionalVariables = (template: TemplateText): TemplateVariable[] => variablesOf(template, false)

const variablesOf = ({ components }: TemplateText, isRequired: boolean): TemplateVariable[] =>
  placesOf(readParts(components))
    .flatMap(({ slots }) => slots)
    .filter(({ required }) => required === isRequired)
    .map(({ name, example, in: place, kind }) => ({ name, example, in: place, kind }))

/** Parts of a template whose content is not known here: with one, the template cannot be sent. */
export function unsupportedParts({ components }: TemplateText): string[] {
  const parts = readParts(components)
  const ofButtons = ({ buttons }: Pick<TemplateParts, 'buttons'>, place: string) =>
    buttons.flatMap((button, index) =>
      isKnownButton(button) ? [] : [`${place}button ${index} (${button.type})`],
    )
  return [
    ...parts.unknown,
    ...ofButtons(parts, ''),
    ...parts.cards.flatMap((card, index) => ofButtons(card, `card ${index}: `)),
  ]
}

export interface VariableComparison {
  readonly missingVariables: readonly string[]
  readonly unexpectedVariables: readonly string[]
  /** Values that the template cannot take; `message` continues the name. */
  readonly invalidVariables: readonly { readonly name: string; readonly message: string }[]
  /** See `unsupportedParts`: no variables make the message complete. */
  readonly unsupportedParts: readonly string[]
}

export interface VariableFault {
  /** Null: the template itself cannot be sent. */
  readonly variable: string | null
  readonly message: string
}

/** All that is wrong, one by one. */
export const variableFaults = (found: VariableComparison): VariableFault[] => [
  ...found.missingVariables.map((variable) => ({ variable, message: 'missing' })),
  ...found.unexpectedVariables.map((variable) => ({ variable, message: 'unexpected' })),
  ...found.invalidVariables.map(({ name, message }) => ({ variable: name, message })),
  ...found.unsupportedParts.map((part) => ({
    variable: null,
    message: `has a part that cannot be filled here: ${part}`,
  })),
]

export const compareVariables = (template: TemplateText, variables: Variables): VariableComparison =>
  variableComparer(template)(variables)

/** Compares many sets of variables with one template. An empty value is missing: the provider refuses it. */
export function variableComparer(template: TemplateText): (variables: Variables) => VariableComparison {
  const parts = readParts(template.components)
  const unsupported = unsupportedParts(template)
  // Per number of cards: of all other templates there is one.
  const expectedBy = new Map<number, ReadonlyMap<string, Slot>>()
  const expectedOf = (cards: number) => {
    let expected = expectedBy.get(cards)
    if (!expected) {
      const all = placesOf(parts, cards).flatMap(({ slots }) => slots)
      expected = new Map(all.map((slot) => [slot.name, slot]))
      expectedBy.set(cards, expected)
    }
    return expected
  }
  return (variables) => {
    const expected = expectedOf(cardCount(parts, Object.keys(variables)))
    const lookUp = reader(variables)
    const missing: string[] = []
    const invalid: { name: string; message: string }[] = []
    for (const { name, kind, required } of expected.values()) {
      const value = lookUp(name)
      const message = value === undefined ? undefined : valueFault(kind, value)
      if (value === undefined && required) missing.push(name)
      if (message !== undefined) invalid.push({ name, message })
    }
    return {
      missingVariables: missing,
      unexpectedVariables: Object.keys(variables).filter((name) => !expected.has(name)),
      invalidVariables: invalid,
      unsupportedParts: unsupported,
    }
  }
}

/** Reads own properties only, because a variable may be called `constructor`. */
export const reader =
  (variables: Variables): LookUp =>
  (name) =>
    Object.hasOwn(variables, name) && variables[name] !== '' ? variables[name] : undefined

/** The variables of one card, under the names that they would have in a template. */
export const ofCard =
  (lookUp: LookUp, index: number): LookUp =>
  (name) =>
    lookUp(`${cardPrefix(index)}${name}`)
