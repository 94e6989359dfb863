// Creates, changes and deletes campaigns (POST, PATCH, DELETE). Checks a plan against the workspace's
// templates and numbers.
import type { Author } from '../contract/administration.ts'
import { AppError } from '../contract/errors.ts'
import type { CampaignRecord } from '../contract/records/campaign.ts'
import { checkSameRequest, type Made, type RequestKey, requestKey } from '../contract/request-key.ts'
import { type CampaignId, type NumberId, newId, type WorkspaceId } from '../shared/ids.ts'
import { allows, campaignOperations } from './campaign.machine.ts'
import type {
  CampaignChange,
  CampaignPlan,
  CampaignPorts,
  CampaignStore,
  PlanContext,
  StoredCampaign,
  TemplateName,
  Variables,
} from './ports.ts'
import { noCampaign, noTemplate, wrongState } from './refusals.ts'

export interface CampaignDraft extends Omit<CampaignPlan, 'numberId'> {
  /** Null: the workspace's default number at this moment. */
  readonly numberId: NumberId | null
}

export const createCampaign = ({ campaigns, variableComparer }: CampaignPorts) => {
  async function replay(
    workspaceId: WorkspaceId,
    key: RequestKey,
  ): Promise<Made<CampaignRecord> | undefined> {
    const earlier = await campaigns.earlier(workspaceId, key.key)
    if (!earlier) return undefined
    checkSameRequest(earlier, key)
    const record = await campaigns.find(workspaceId, earlier.id as CampaignId)
    if (record) return { record, replayed: true }
    throw new AppError(
      'INVALID_STATE',
      'the campaign that was made with this Idempotency-Key was deleted; use a new key for another one',
    )
  }

  return async function createCampaign(
    workspaceId: WorkspaceId,
    draft: CampaignDraft,
    idempotencyKey: string | null = null,
    by?: Author,
  ): Promise<Made<CampaignRecord>> {
    const key = requestKey(idempotencyKey, draft)
    const made = key && (await replay(workspaceId, key))
    if (made) return made
    checkStart(draft)
    const context = await campaigns.context(workspaceId, draft)
    const numberId = numberOf(context, draft.numberId)
    checkDefaults(variableComparer, context, draft)
    const id = newId('campaign')
    const isFirst = await campaigns.insert({ workspaceId, id, key, by }, { ...draft, numberId })
    const record = isFirst ? await campaigns.find(workspaceId, id) : undefined
    if (record) return { record, replayed: false }
    const other = key && (await replay(workspaceId, key))
    if (other) return other
    throw new Error('a campaign vanished while it was made')
  }
}

function checkStart({ startAt }: CampaignDraft): void {
  if (startAt === null || startAt.getTime() > Date.now()) return
  const [path, message] = ['startAt', 'must be in the future']
  throw new AppError('VALIDATION_ERROR', `${path} ${message}`, { details: [{ path, message }] })
}

export const changeCampaign = ({ campaigns, variableComparer }: CampaignPorts) =>
  async function changeCampaign(
    workspaceId: WorkspaceId,
    id: CampaignId,
    change: CampaignChange,
    by?: Author,
  ): Promise<CampaignRecord> {
    const decide: Parameters<CampaignStore['change']>[2] = async (campaign, context) => {
      checkState(campaign, change)
      if (!change.template && !change.variables && !change.numberId) return change
      const { template, variables, numberId } = planAfter(campaign, change)
      const found = await context({ template, numberId })
      numberOf(found, numberId)
      checkDefaults(variableComparer, found, { template, variables })
      return change
    }
    const record = await campaigns.change(workspaceId, id, decide, by)
    if (!record) throw noCampaign()
    return record
  }

export const deleteCampaign = ({ campaigns }: CampaignPorts) =>
  async function deleteCampaign(workspaceId: WorkspaceId, id: CampaignId, by?: Author): Promise<void> {
    if (await campaigns.delete(workspaceId, id, campaignOperations.delete, by)) return
    const campaign = await campaigns.find(workspaceId, id)
    throw campaign ? wrongState('delete', campaign.status) : noCampaign()
  }

const planAfter = (campaign: StoredCampaign, change: CampaignChange) => ({
  template: change.template ?? campaign.template,
  variables: change.variables ?? campaign.variables,
  numberId: change.numberId ?? campaign.numberId,
})

function checkState({ status }: StoredCampaign, { name, messagesPerSecond, ...rest }: CampaignChange): void {
  if (!allows('adjust', status)) throw wrongState('adjust', status)
  const further = Object.entries(rest).filter(([, value]) => value !== undefined)
  if (further.length > 0 && !allows('change', status))
    throw new AppError(
      'INVALID_STATE',
      `the campaign is ${status}: only its name and messagesPerSecond can be changed`,
    )
  if (status === 'SCHEDULED' && rest.startAt === null)
    throw new AppError('INVALID_STATE', 'the campaign is SCHEDULED and needs its startAt; pause it first')
}

function numberOf({ numberId }: PlanContext, asked: NumberId | null): NumberId {
  if (numberId) return numberId
  throw new AppError(
    'NO_SENDER_NUMBER',
    asked
      ? 'numberId names no number of this workspace; GET /numbers lists them'
      : 'the workspace has no default number: set one in the console, or name one in numberId',
  )
}

/** Defaults need not be complete: each recipient must set the variables that they lack. */
function checkDefaults(
  variableComparer: CampaignPorts['variableComparer'],
  { template }: PlanContext,
  plan: { readonly template: TemplateName; readonly variables: Variables },
): void {
  if (!template) throw noTemplate(plan.template)
  const found = variableComparer(template)(plan.variables)
  const details = [
    ...found.unexpectedVariables.map((name) => ({ path: `variables.${name}`, message: 'unexpected' })),
    ...found.invalidVariables.map(({ name, message }) => ({ path: `variables.${name}`, message })),
    ...found.unsupportedParts.map((part) => ({
      path: 'template.name',
      message: `has a part that cannot be filled here: ${part}`,
    })),
  ]
  if (details.length === 0) return
  throw new AppError(
    'TEMPLATE_VARIABLES_MISMATCH',
    `the variables are not those of template ${plan.template.name} (${plan.template.language})`,
    { details },
  )
}
