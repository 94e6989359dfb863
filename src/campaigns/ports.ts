// The ports for building campaigns. The module provides them.
import type { Author } from '../contract/administration.ts'
import type { CampaignRecord, CampaignStatus } from '../contract/records/campaign.ts'
import type { EarlierRequest, RequestKey } from '../contract/request-key.ts'
import type { CampaignId, NumberId, RecipientId, WorkspaceId } from '../shared/ids.ts'

export type Variables = Readonly<Record<string, string>>

export interface TemplateName {
  readonly name: string
  readonly language: string
}

/** What a campaign sends, from which number, when and how fast. */
export interface CampaignPlan {
  readonly name: string
  readonly template: TemplateName
  readonly numberId: NumberId
  /** Defaults for variables that a recipient does not set. */
  readonly variables: Variables
  readonly startAt: Date | null
  readonly messagesPerSecond: number | null
}

export type CampaignChange = { readonly [Field in keyof CampaignPlan]?: CampaignPlan[Field] | undefined }

/** A campaign as stored in the database. */
export interface StoredCampaign extends Omit<CampaignPlan, 'numberId'> {
  readonly id: CampaignId
  readonly status: CampaignStatus
  readonly numberId: NumberId | null
}

export interface TemplateDefinition {
  readonly components: readonly unknown[]
}

/** What a plan refers to; null when the workspace has no such template or number. */
export interface PlanContext {
  readonly template: TemplateDefinition | null
  /** The number that was named, or the workspace's default number. */
  readonly numberId: NumberId | null
}

export interface PlanQuery {
  readonly template: TemplateName
  readonly numberId: NumberId | null
}

export interface NewRecipient {
  readonly id: RecipientId
  /** Digits, or a user id. */
  readonly waId: string
  readonly variables: Variables
}

/** The recipients of an addition that did not become PENDING, by their addresses. */
export interface Exceptions {
  /** Already in the campaign; they stay unchanged. */
  readonly duplicates: readonly string[]
  /** Opted out; they are added as SKIPPED. */
  readonly skipped: readonly string[]
}

/** Which PENDING recipients to remove. */
export type RemovalChoice =
  | { readonly ids: readonly RecipientId[] }
  /** Digits, or user ids, as on the list. */
  | { readonly to: readonly string[] }
  | { readonly all: true }

export interface CampaignTarget {
  readonly campaign: StoredCampaign
  readonly template: TemplateDefinition | null
}

export interface NewCampaign {
  readonly workspaceId: WorkspaceId
  readonly id: CampaignId
  /** Null: a repeat of the request makes another campaign. */
  readonly key: RequestKey | null
  readonly by?: Author | undefined
}

/** `by`: the operator who makes the change, for the audit; a key has none. */
export interface CampaignStore {
  find(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignRecord | undefined>
  context(workspaceId: WorkspaceId, query: PlanQuery): Promise<PlanContext>
  /** False when a request with the same key was faster. */
  insert(campaign: NewCampaign, plan: CampaignPlan): Promise<boolean>
  /** What the request with this Idempotency-Key has made, also if it is deleted by now. */
  earlier(workspaceId: WorkspaceId, key: string): Promise<EarlierRequest | undefined>
  /**
   * Passes the locked campaign to `decide` and writes the change that it returns. Undefined: no such
   * campaign. When `decide` throws, nothing changes.
   */
  change(
    workspaceId: WorkspaceId,
    id: CampaignId,
    decide: (
      campaign: StoredCampaign,
      context: (query: PlanQuery) => Promise<PlanContext>,
    ) => Promise<CampaignChange>,
    by?: Author,
  ): Promise<CampaignRecord | undefined>
  /** False when the campaign is not in one of the statuses, or does not exist. */
  delete(
    workspaceId: WorkspaceId,
    id: CampaignId,
    from: readonly CampaignStatus[],
    by?: Author,
  ): Promise<boolean>
}

export interface RecipientStore {
  /** The campaign with its template, for judging recipients. */
  target(workspaceId: WorkspaceId, id: CampaignId): Promise<CampaignTarget | undefined>
  /**
   * Adds the recipients whose number is not in the campaign yet, all or none. No two of them may have the
   * same number. Undefined when the campaign is no longer as it was judged, or not in one of the statuses.
   */
  add(
    workspaceId: WorkspaceId,
    campaign: StoredCampaign,
    from: readonly CampaignStatus[],
    recipients: readonly NewRecipient[],
  ): Promise<Exceptions | undefined>
  /** What `add` would return, without adding any recipient. */
  known(workspaceId: WorkspaceId, campaignId: CampaignId, waIds: readonly string[]): Promise<Exceptions>
  /** Returns how many were removed; undefined when the campaign is missing or not in one of the statuses. */
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
  /** Values that the template cannot take; `message` continues the name. */
  readonly invalidVariables: readonly { readonly name: string; readonly message: string }[]
  /** Parts of the template that no variables fill: it cannot be sent. */
  readonly unsupportedParts: readonly string[]
}

/** Compares variables with a template. Messaging implements it. */
export type VariableComparer = (template: TemplateDefinition) => (variables: Variables) => VariableComparison

export interface CampaignPorts {
  readonly campaigns: CampaignStore
  readonly recipients: RecipientStore
  readonly variableComparer: VariableComparer
}
