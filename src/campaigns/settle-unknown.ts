// Lets an operator decide about UNKNOWN recipients: their message may have been sent, and the provider has
// reported nothing since.

import type { Author } from '../contract/administration.ts'
import type { Dispatch, WrittenDelivery } from '../contract/dispatch.ts'
import { queuedBody } from '../contract/events.ts'
import type { CampaignStatus } from '../contract/records/campaign.ts'
import type { Clock } from '../shared/clock.ts'
import {
  type CampaignId,
  type ConversationId,
  type EventId,
  encodeId,
  type MessageId,
  newId,
  type RecipientId,
  type WorkspaceId,
} from '../shared/ids.ts'
import type { TemplateName, Variables } from './ports.ts'
import { noCampaign, otherVariables, refuseTemplate } from './refusals.ts'
import type { CampaignRendering, SendableTemplate } from './send-ports.ts'

/** Which UNKNOWN recipients; `all` takes the first 1,000. */
export type UnknownChoice = { readonly ids: readonly RecipientId[] } | { readonly all: true }

export interface UnknownMessage {
  readonly messageId: MessageId
  readonly recipientId: RecipientId
  readonly conversationId: ConversationId
  /** Of the campaign and the recipient: the message may have lost its own, because contents are removed in time. */
  readonly variables: Variables
}

export interface ResentCampaign {
  readonly status: CampaignStatus
  readonly template: TemplateName
  /** Null when the workspace has no such template. */
  readonly definition: SendableTemplate | null
}

export type Resend = UnknownMessage & {
  readonly newMessageId: MessageId
  /** Null where the variables are not those of the template: only a claim may decide about the recipient then. */
  readonly text: string | null
}

export interface UnknownStore {
  unknown(
    workspaceId: WorkspaceId,
    id: CampaignId,
    choice: UnknownChoice,
    limit: number,
  ): Promise<UnknownMessage[]>
  campaign(workspaceId: WorkspaceId, id: CampaignId): Promise<ResentCampaign | undefined>
  /**
   * Sends again to each recipient that is still UNKNOWN and not opted out. Returns how many. `by`: the operator who
   * decides it, for the audit.
   */
  resend(id: CampaignId, messages: readonly Resend[], by?: Author): Promise<number>
  /** Marks the messages SENT whose recipients are still UNKNOWN. Returns how many. */
  assumeSent(
    id: CampaignId,
    messages: readonly (UnknownMessage & {
      readonly at: Date
      readonly eventId: EventId
      readonly body: Uint8Array
    })[],
    by?: Author,
  ): Promise<{ readonly count: number; readonly deliveries: readonly WrittenDelivery[] }>
}

export interface UnknownPorts {
  readonly store: UnknownStore
  readonly rendering: Pick<CampaignRendering, 'render'>
  readonly dispatch: Dispatch
  readonly clock: Clock
}

const settledAtOnce = 1_000

/**
 * In a campaign that is not over the next claim looks at template and variables. In a completed one nothing comes after
 * this, so it is looked at here, as for a single message.
 */
export const resendUnknown = ({ store, rendering }: UnknownPorts) =>
  async function resendUnknown(workspaceId: WorkspaceId, id: CampaignId, choice: UnknownChoice, by?: Author) {
    const [campaign, messages] = await Promise.all([
      store.campaign(workspaceId, id),
      store.unknown(workspaceId, id, choice, settledAtOnce),
    ])
    if (!campaign) throw noCampaign()
    const resent = messages.map((message) => ({
      ...message,
      newMessageId: newId('message'),
      text: textOf(rendering, campaign, message),
    }))
    if (campaign.status === 'COMPLETED') refuseAll(campaign, resent)
    return { count: await store.resend(id, resent, by) }
  }

function textOf(
  rendering: UnknownPorts['rendering'],
  { definition }: ResentCampaign,
  { variables }: UnknownMessage,
): string | null {
  const rendered = definition && rendering.render(definition, variables)
  return rendered?.faults.length === 0 ? rendered.text : null
}

function refuseAll({ template, definition }: ResentCampaign, resent: readonly Resend[]): void {
  refuseTemplate(template, definition?.status ?? null)
  if (resent.length > 0 && resent.every(({ text }) => text === null)) throw otherVariables(template)
}

export const assumeSent = ({ store, dispatch, clock }: Omit<UnknownPorts, 'rendering'>) =>
  async function assumeSent(workspaceId: WorkspaceId, id: CampaignId, choice: UnknownChoice, by?: Author) {
    const messages = await store.unknown(workspaceId, id, choice, settledAtOnce)
    const at = new Date(clock.now())
    const sent = messages.map((message) => ({ ...message, at, ...sentEvent(message, at) }))
    const { count, deliveries } = await store.assumeSent(id, sent, by)
    dispatch(deliveries)
    return { count }
  }

function sentEvent({ messageId, conversationId }: UnknownMessage, at: Date) {
  const body = queuedBody('message.status', at, {
    messageId: encodeId('message', messageId),
    conversationId: encodeId('conversation', conversationId),
    // The provider never returned its message id.
    providerMessageId: '',
    status: 'SENT',
    occurredAt: at.toISOString(),
  })
  return { eventId: newId('event'), body }
}
