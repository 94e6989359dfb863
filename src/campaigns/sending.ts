// What the sending of campaigns needs of the world; the wiring provides it.
import type { WrittenDelivery } from '../contract/dispatch.ts'
import type { ProviderAccount } from '../contract/provider.ts'
import type { PauseReason } from '../contract/records/campaign.ts'
import type {
  CampaignId,
  ConversationId,
  EventId,
  MessageId,
  NumberId,
  RecipientId,
  Uuid,
  WorkspaceId,
} from '../shared/ids.ts'
import type { Pause, SendVerdict } from './judge-send.ts'
import type { TemplateName, Variables } from './ports.ts'

export interface SendableTemplate {
  readonly status: string
  readonly parameterFormat: 'NAMED' | 'POSITIONAL'
  readonly components: readonly unknown[]
}

/** A campaign with all that a send of it takes, as of one instant; what may have changed since is fenced by the epoch. */
export interface RunningCampaign {
  readonly id: CampaignId
  readonly workspaceId: WorkspaceId
  readonly numberId: NumberId
  readonly epoch: number
  readonly account: ProviderAccount
  /** What the number may send in a second, everything together. */
  readonly numberRate: number
  /** Null: as fast as the number may. */
  readonly messagesPerSecond: number | null
  readonly template: TemplateName
  readonly definition: SendableTemplate
  readonly variables: Variables
}

/** One that is RUNNING and cannot send. */
export interface StuckCampaign {
  readonly id: CampaignId
  readonly workspaceId: WorkspaceId
  readonly epoch: number
  readonly reason: PauseReason
}

export interface PickedRecipient {
  readonly id: RecipientId
  /** Digits. */
  readonly waId: string
  readonly variables: Variables
  /** Of an earlier try. */
  readonly messageId: MessageId | null
  /** Earlier tries that counted. */
  readonly tries: number
}

/** What is written of a picked recipient in the transaction that claims it. */
export type Claim =
  | {
      readonly type: 'send'
      readonly messageId: MessageId
      /** The row is there already. */
      readonly isRepeated: boolean
      readonly text: string
      readonly variables: Variables
    }
  | { readonly type: 'fail'; readonly error: { readonly code: string; readonly title: string } }

/** Its message row says that a request may be on the wire. */
export interface ClaimedRecipient extends PickedRecipient {
  readonly messageId: MessageId
  readonly conversationId: ConversationId
  readonly contactId: Uuid
  readonly merged: Variables
  /** Of the message: an outcome speaks of this try and no later one. */
  readonly attempt: number
}

export interface SendOutcome {
  readonly messageId: MessageId
  readonly conversationId: ConversationId
  readonly attempt: number
  readonly verdict: SendVerdict
  /** Where the send failed: the event that tells of it. */
  readonly failure: { readonly eventId: EventId; readonly body: Uint8Array } | null
}

export interface CampaignSendStore {
  /** The campaigns of a number that are RUNNING. */
  running(
    numberId: NumberId,
  ): Promise<{ readonly sendable: readonly RunningCampaign[]; readonly stuck: readonly StuckCampaign[] }>
  /**
   * Takes up to `limit` recipients that are due, in one transaction: it holds the campaign's epoch, checks the
   * opt-outs, and commits a message row for each before anybody may ask the provider. Undefined where the campaign is
   * no longer RUNNING in that epoch.
   */
  claim(
    campaign: RunningCampaign,
    limit: number,
    judge: (recipient: PickedRecipient) => Claim,
  ): Promise<{ readonly picked: number; readonly claimed: readonly ClaimedRecipient[] } | undefined>
  finish(outcome: SendOutcome): Promise<readonly WrittenDelivery[]>
  /**
   * Completes the campaign where nobody waits and nothing is on its way; else says when the next is due, in ms, where
   * anybody waits at all.
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

/** The budget of a workspace's number, shared by all processes. */
export interface Pace {
  take(ask: PaceRequest): Promise<PaceGrant>
  /** The provider said that the number is over its rate. */
  slowDown(phoneNumberId: string, blockMs: number): Promise<void>
  /** A newer epoch: nothing more is granted to older ones. Best effort; Postgres decides. */
  fence(campaignId: CampaignId, epoch: number): Promise<void>
  /** Forgets the epoch, and what the campaign's own pace has gathered. */
  unfence(campaignId: CampaignId): Promise<void>
}

export interface PaceRequest {
  readonly phoneNumberId: string
  readonly numberRate: number
  readonly campaignId: CampaignId
  readonly epoch: number
  readonly campaignRate: number | null
  readonly want: number
}

export interface PaceGrant {
  readonly granted: number
  /** Until at least one could be granted. */
  readonly waitMs: number
  /** Whose budget is empty: another campaign of the number may still have some. */
  readonly limitedBy: 'number' | 'campaign' | 'epoch' | null
}

/** What templates know; another domain, so it comes through the wiring. */
export interface CampaignRendering {
  render(
    template: SendableTemplate,
    variables: Variables,
  ): { readonly text: string; readonly missing: readonly string[]; readonly unexpected: readonly string[] }
  providerComponents(template: SendableTemplate, variables: Variables): readonly unknown[]
}
