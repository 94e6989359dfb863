// The ports for sending campaigns. The module and its caller provide them.

import type { ProviderAccount } from '../contract/provider.ts'
import type { PauseReason } from '../contract/records/campaign.ts'
import type { ParameterFormat, TemplateCategory } from '../contract/records/catalog.ts'
import type { Failure } from '../contract/records/failure.ts'
import type {
  CampaignId,
  ConversationId,
  MessageId,
  NumberId,
  RecipientId,
  Uuid,
  WorkspaceId,
} from '../shared/ids.ts'
import type { TemplateName, Variables } from './ports.ts'
import type { Backoff } from './running-pace.ts'

export type { AttemptSend } from '../messaging/attempt-send.ts'
export type { SendOutcome } from '../messaging/ports.ts'
export type { SendVerdict } from '../messaging/send-policy.ts'

/** Pauses the campaigns whose sends cannot succeed until a person acts. */
export interface Pause {
  readonly reason: PauseReason
  readonly scope: 'campaign' | 'number' | 'workspace'
  /** What the provider said. */
  readonly error?: Failure
}

export interface SendableTemplate {
  readonly status: string
  readonly category: TemplateCategory
  readonly parameterFormat: ParameterFormat
  readonly components: readonly unknown[]
}

/** A campaign with everything that a send needs, as of one instant. The epoch detects later changes. */
export interface RunningCampaign {
  readonly id: CampaignId
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly epoch: number
  readonly account: ProviderAccount
  /** Messages per second that the number may send in total. */
  readonly numberRate: number
  /** Null: as fast as the number may send. */
  readonly messagesPerSecond: number | null
  readonly template: TemplateName
  readonly definition: SendableTemplate
  readonly variables: Variables
}

/** A campaign that is RUNNING but cannot send. */
export interface StuckCampaign {
  readonly id: CampaignId
  readonly workspaceId: WorkspaceId
  readonly epoch: number
  readonly reason: PauseReason
  readonly error: Failure | null
}

export interface PickedRecipient {
  readonly id: RecipientId
  /** Digits or a user id, as on the list. */
  readonly waId: string
  readonly variables: Variables
  /** The message of an earlier try. */
  readonly messageId: MessageId | null
  /** The number of earlier tries that counted. */
  readonly tries: number
}

/** What the claiming transaction writes for a picked recipient. */
export type Claim =
  | {
      readonly type: 'send'
      readonly messageId: MessageId
      /** The message row exists already. */
      readonly isRepeated: boolean
      readonly text: string
      readonly variables: Variables
    }
  | { readonly type: 'fail'; readonly error: { readonly code: string; readonly title: string } }

/** `leave`: the recipient stays as it is, for a later claim. */
export type JudgeRecipient = (recipient: PickedRecipient) => Claim | 'leave'

/** A recipient whose message row says that a request may be on the wire. */
export interface ClaimedRecipient extends PickedRecipient {
  readonly messageId: MessageId
  /** Under which the person is written to now. */
  readonly address: string
  readonly conversationId: ConversationId
  readonly contactId: Uuid
  readonly merged: Variables
  /** The attempt number of the message: an outcome applies to this attempt and to no later one. */
  readonly attempt: number
}

export interface CampaignSendStore {
  /** The RUNNING campaigns of a number. */
  running(
    numberId: NumberId,
  ): Promise<{ readonly sendable: readonly RunningCampaign[]; readonly stuck: readonly StuckCampaign[] }>
  /**
   * Claims up to `limit` due recipients in one transaction: locks the campaign under its epoch, checks the
   * opt-outs, and commits a message row for each recipient before its request may begin. Undefined when the
   * campaign is no longer RUNNING in that epoch.
   */
  claim(
    campaign: RunningCampaign,
    limit: number,
    judge: JudgeRecipient,
  ): Promise<{ readonly picked: number; readonly claimed: readonly ClaimedRecipient[] } | undefined>
  /**
   * Completes the campaign when no recipient is PENDING and no request is under way. Otherwise returns what
   * it waits for; with PENDING recipients also the ms until the next one is due.
   */
  complete(campaign: Pick<RunningCampaign, 'id' | 'epoch'>): Promise<Completion>
  pause(
    campaign: Pick<RunningCampaign, 'id' | 'workspaceId' | 'numberId' | 'epoch'>,
    pause: Pause,
  ): Promise<readonly CampaignId[]>
}

export type Completion =
  | { readonly type: 'completed' | 'moved' | 'inFlight' }
  | { readonly type: 'waiting'; readonly dueInMs: number }

/** The rate of a workspace's number, shared by all processes. */
export interface NumberRateLimit {
  take(ask: RateRequest): Promise<RateGrant>
  /** The provider said that the number exceeds its rate: halve the rate, and grant nothing for `blockMs`. */
  slowDown(phoneNumberId: string, blockMs: number): Promise<void>
  /** The provider takes no sends of this campaign for now: grants it nothing for `blockMs`. */
  holdOff(campaignId: CampaignId, blockMs: number): Promise<void>
  /** What is left of the rate after such answers. */
  backoff(phoneNumberId: string): Promise<Backoff>
  /** Grants nothing to older epochs from now on. Best effort; Postgres decides. */
  fence(campaignId: CampaignId, epoch: number): Promise<void>
  /** Forgets the epoch, and the tokens that gathered at the campaign's own pace. */
  unfence(campaignId: CampaignId): Promise<void>
}

export interface RateRequest {
  readonly phoneNumberId: string
  readonly numberRate: number
  readonly campaignId: CampaignId
  readonly epoch: number
  readonly campaignRate: number | null
  readonly want: number
}

export interface RateGrant {
  readonly granted: number
  /** Ms until at least one token can be granted. */
  readonly waitMs: number
  /** What is exhausted. With `campaign`, another campaign of the number may still get tokens. */
  readonly limitedBy: 'number' | 'campaign' | 'epoch' | null
}

/** Rendering of templates. Messaging implements it; the caller of the module passes it in. */
export interface CampaignRendering {
  render(
    template: SendableTemplate,
    variables: Variables,
  ): { readonly text: string; readonly faults: readonly object[] }
  providerComponents(template: SendableTemplate, variables: Variables): readonly unknown[] | null
}
