// Recipients that come and go while a campaign is built. Each row is judged by itself: the good ones are added, the
// others are named in the answer.
import { AppError } from '../contract/errors.ts'
import { limits } from '../contract/limits.ts'
import { type CampaignId, newId, type WorkspaceId } from '../shared/ids.ts'
import { isE164, toDigits } from '../shared/phone.ts'
import { allows, campaignOperations } from './campaign.machine.ts'
import type {
  CampaignPorts,
  CampaignTarget,
  NewRecipient,
  RemovalChoice,
  VariableComparison,
  Variables,
} from './ports.ts'
import { noCampaign, noTemplate, wrongState } from './refusals.ts'

export interface RecipientRow {
  readonly to: string
  readonly variables: Variables
}

export interface InvalidRow {
  /** Of the row in the call, from 0. */
  readonly index: number
  readonly to: string
  readonly message: string
}

export interface Addition {
  readonly added: number
  readonly duplicates: number
  readonly invalid: readonly InvalidRow[]
}

const tries = 3

export const addRecipients = ({ recipients, variableComparer }: CampaignPorts) =>
  async function addRecipients(
    workspaceId: WorkspaceId,
    id: CampaignId,
    rows: readonly RecipientRow[],
  ): Promise<Addition> {
    // Again where the campaign was changed between the judging and the adding.
    for (let round = 0; round < tries; round += 1) {
      const target = await recipients.target(workspaceId, id)
      if (!target) throw noCampaign()
      const { valid, invalid } = judge(rows, target, variableComparer)
      const added = await recipients.add(
        workspaceId,
        target.campaign,
        campaignOperations.addRecipients,
        valid,
      )
      if (added !== undefined) return { added, duplicates: valid.length - added, invalid }
    }
    throw new AppError('UNAVAILABLE', 'the campaign is being changed at the same time; try again', {
      retryAfterSeconds: 1,
    })
  }

export const removeRecipients = ({ campaigns, recipients }: CampaignPorts) =>
  async function removeRecipients(
    workspaceId: WorkspaceId,
    id: CampaignId,
    choice: RemovalChoice,
  ): Promise<{ removed: number }> {
    const removed = await recipients.remove(workspaceId, id, campaignOperations.removeRecipients, choice)
    if (removed !== undefined) return { removed }
    const campaign = await campaigns.find(workspaceId, id)
    throw campaign ? wrongState('removeRecipients', campaign.status) : noCampaign()
  }

function judge(
  rows: readonly RecipientRow[],
  { campaign, template }: CampaignTarget,
  variableComparer: CampaignPorts['variableComparer'],
): { valid: NewRecipient[]; invalid: InvalidRow[] } {
  if (!allows('addRecipients', campaign.status)) throw wrongState('addRecipients', campaign.status)
  if (!template) throw noTemplate(campaign.template)
  const compare = variableComparer(template)
  const valid: NewRecipient[] = []
  const invalid: InvalidRow[] = []
  rows.forEach(({ to, variables }, index) => {
    const message = isE164(to)
      ? (lengthFault(variables) ?? variablesFault(compare({ ...campaign.variables, ...variables })))
      : 'to must be a phone number in international format, such as +15551230000'
    if (message === undefined) valid.push({ id: newId('recipient'), waId: toDigits(to), variables })
    else invalid.push({ index, to: to.slice(0, shownLength), message })
  })
  return { valid, invalid }
}

const shownLength = 40
const shownNames = 5

function lengthFault(variables: Variables): string | undefined {
  const long = Object.keys(variables).find(
    (name) => (variables[name]?.length ?? 0) > limits.variableValueLength,
  )
  return long === undefined
    ? undefined
    : `${shown([long])} must be at most ${limits.variableValueLength} characters long`
}

function variablesFault({ missingVariables, unexpectedVariables }: VariableComparison): string | undefined {
  const faults = [
    ...(missingVariables.length > 0 ? [`missing variables: ${shown(missingVariables)}`] : []),
    ...(unexpectedVariables.length > 0 ? [`unexpected variables: ${shown(unexpectedVariables)}`] : []),
  ]
  return faults.length > 0 ? faults.join('; ') : undefined
}

// A name that no template has may be as long as the body.
const shown = (names: readonly string[]): string =>
  names
    .slice(0, shownNames)
    .map((name) => name.slice(0, limits.variableNameLength))
    .join(', ') + (names.length > shownNames ? ` and ${names.length - shownNames} more` : '')
