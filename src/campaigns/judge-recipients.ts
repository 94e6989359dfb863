// Decides whether a row can become a recipient. Each row is judged on its own.
import { limits } from '../contract/limits.ts'
import { addressForm, addressOf } from '../shared/address.ts'
import { isLongerThan } from '../shared/code-points.ts'
import { allows } from './campaign.machine.ts'
import type { CampaignPorts, CampaignTarget, VariableComparison, Variables } from './ports.ts'
import { noTemplate, wrongState } from './refusals.ts'

export interface RecipientRow {
  readonly to: string
  readonly variables: Variables
  /** Why the row could not be parsed. */
  readonly fault?: string | undefined
}

/** Returns a function that names a row's fault, or undefined. Throws when the campaign accepts no rows. */
export function judgeOf(
  { campaign, template }: CampaignTarget,
  variableComparer: CampaignPorts['variableComparer'],
): (row: RecipientRow) => string | undefined {
  if (!allows('addRecipients', campaign.status)) throw wrongState('addRecipients', campaign.status)
  if (!template) throw noTemplate(campaign.template)
  const compare = variableComparer(template)
  return ({ to, variables, fault }) => {
    if (fault !== undefined) return fault
    if (addressOf(to) === undefined) return `to must be ${addressForm}`
    return lengthFault(variables) ?? variablesFault(compare({ ...campaign.variables, ...variables }))
  }
}

const shownNames = 5

function lengthFault(variables: Variables): string | undefined {
  const long = Object.keys(variables).find((name) =>
    isLongerThan(variables[name] ?? '', limits.variableValueLength),
  )
  return long === undefined
    ? undefined
    : `${shown([long])} must be at most ${limits.variableValueLength} characters long`
}

function variablesFault({
  missingVariables,
  unexpectedVariables,
  invalidVariables,
  unsupportedParts,
}: VariableComparison): string | undefined {
  const faults = [
    ...(missingVariables.length > 0 ? [`missing variables: ${shown(missingVariables)}`] : []),
    ...(unexpectedVariables.length > 0 ? [`unexpected variables: ${shown(unexpectedVariables)}`] : []),
    ...invalidVariables.slice(0, shownNames).map(({ name, message }) => `${shown([name])} ${message}`),
    ...(unsupportedParts.length > 0
      ? [`the template has what cannot be sent: ${shown(unsupportedParts)}`]
      : []),
  ]
  return faults.length > 0 ? faults.join('; ') : undefined
}

// A name that is in no template may be as long as the request body.
const shown = (names: readonly string[]): string =>
  names
    .slice(0, shownNames)
    .map((name) => name.slice(0, limits.variableNameLength))
    .join(', ') + (names.length > shownNames ? ` and ${names.length - shownNames} more` : '')
