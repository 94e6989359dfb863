// What the campaigns domain needs of the world; the wiring provides it.
import type { CampaignRecord, CampaignStatus } from '../contract/records/campaign.ts'
import type { CampaignId, NumberId, RecipientId, WorkspaceId } from '../shared/ids.ts'

export type Variables = Readonly<Record<string, string>>

export interface TemplateName {
  readonly name: string
  readonly language: string
}

/** The part of a campaign that decides what is sent to whom and how. */
export interface CampaignPlan {
  readonly name: string
  readonly template: TemplateName
  readonly numberId: NumberId
  /** Defaults for variables that a recipient does not bring. */
  readonly variables: Variables
  readonly startAt: Date | null
  readonly messagesPerSecond: number | null
}

export type CampaignChange = { readonly [Field in keyof CampaignPlan]?: CampaignPlan[Field] | undefined }

/** As it stands in the database. */
export interface StoredCampaign extends Omit<CampaignPlan, 'numberId'> {
  readonly id: CampaignId
  readonly status: CampaignStatus
  readonly numberId: NumberId | null
}

export interface TemplateDefinition {
  readonly components: readonly unknown[]
}

/** What a plan refers to, null where the workspace has no such thing. */
export interface PlanContext {
  readonly template: TemplateDefinition | null
  /** The number that was named, or the workspace's default. */
  readonly numberId: NumberId | null
}

export interface PlanQuery {
  readonly template: TemplateName
  readonly numberId: NumberId | null
}

export interface NewRecipient {
  readonly id: RecipientId
  /** Digits. */
  readonly waId: string
  readonly variables: Variables
}

/** Those of an addition that did not become PENDING, by their digits. */
export interface Exceptions {
  /** The campaign has them already, and they stay as they are. */
  readonly duplicates: readonly string[]
  /** Opted out: they are SKIPPED. */
  readonly skipped: readonly string[]
}

/** Which PENDING recipients go. */
export type RemovalChoice =
  | { readonly ids: readonly RecipientId[] }
  /** Digits. */
  | { readonly to: readonly string[] }
  | { readonly all: true }

export interface CampaignTarget {
  readonly campaign: StoredCampaign
  readonly template: TemplateDefinition | null
}

export interface CampaignStore {
  find(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord | undefined>
  context(workspaceId: WorkspaceId, query: PlanQuery): Promise<PlanContext>
  insert(workspaceId: WorkspaceId, id: CampaignId, plan: CampaignPlan): Promise<void>
  /**
   * Lets `decide` see the campaign while nobody else changes it, and writes what it gives. Undefined: no such
   * campaign. What `decide` throws leaves everything as it was.
   */
  change(
    workspaceId: WorkspaceId,
    id: CampaignId,
    decide: (
      campaign: StoredCampaign,
      context: (query: PlanQuery) => Promise<PlanContext>,
    ) => Promise<CampaignChange>,
  ): Promise<CampaignRecord | undefined>
  /** False where the campaign is not in one of the statuses, or not there. */
  delete(workspaceId: WorkspaceId, id: CampaignId, from: readonly CampaignStatus[]): Promise<boolean>
}

export interface RecipientStore {
  /** The campaign with its template, for judging recipients. */
  target(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignTarget | undefined>
  /**
   * Adds those whose number the campaign does not have yet, all or none of them. No two have the same number. Undefined
   * where the campaign is no longer as it was judged, or not in one of the statuses.
   */
  add(
    workspaceId: WorkspaceId,
    campaign: StoredCampaign,
    from: readonly CampaignStatus[],
    recipients: readonly NewRecipient[],
  ): Promise<Exceptions | undefined>
  /** What `add` would give, without adding anybody. */
  known(workspaceId: WorkspaceId, campaignId: CampaignId, waIds: readonly string[]): Promise<Exceptions>
  /** Gives how many, or undefined where the campaign is not in one of the statuses, or not there. */
  remove(
    workspaceId: WorkspaceId,
    id: CampaignId,
    from: readonly CampaignStatus[],
    choice: RemovalChoice,
  ): Promise<number | undefined>
}

export interface VariableComparison {
  readonly missingVariables: readonly string[]
  readonly unexpectedVariables: readonly string[]
}

/** What templates know; another domain, so it comes through the wiring. */
export type VariableComparer = (template: TemplateDefinition) => (variables: Variables) => VariableComparison

export interface CampaignPorts {
  readonly campaigns: CampaignStore
  readonly recipients: RecipientStore
  readonly variableComparer: VariableComparer
}
