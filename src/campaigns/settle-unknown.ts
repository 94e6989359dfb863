// Lets an operator decide about UNKNOWN recipients: their message may have been sent, and the provider has
// reported nothing since.

import type { Dispatch, WrittenDelivery } from '../contract/dispatch.ts'
import { queuedBody } from '../contract/events.ts'
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

/** Which UNKNOWN recipients; `all` takes the first 1,000. */
export type UnknownChoice = { readonly ids: readonly RecipientId[] } | { readonly all: true }

export interface UnknownMessage {
  readonly messageId: MessageId
  readonly recipientId: RecipientId
  readonly conversationId: ConversationId
}

export interface UnknownStore {
  unknown(
    workspaceId: WorkspaceId,
    id: CampaignId,
    choice: UnknownChoice,
    limit: number,
  ): Promise<UnknownMessage[]>
  /** Sends again to each recipient that is still UNKNOWN and not opted out. Returns how many. */
  resend(
    id: CampaignId,
    messages: readonly (UnknownMessage & { readonly newMessageId: MessageId })[],
  ): Promise<number>
  /** Marks the messages SENT, unless the provider has reported a status. */
  assumeSent(
    messages: readonly (UnknownMessage & {
      readonly at: Date
      readonly eventId: EventId
      readonly body: Uint8Array
    })[],
  ): Promise<readonly WrittenDelivery[]>
}

export interface UnknownPorts {
  readonly store: UnknownStore
  readonly dispatch: Dispatch
  readonly clock: Clock
}

const settledAtOnce = 1_000

export const resendUnknown = ({ store }: UnknownPorts) =>
  async function resendUnknown(workspaceId: WorkspaceId, id: CampaignId, choice: UnknownChoice) {
    const messages = await store.unknown(workspaceId, id, choice, settledAtOnce)
    const count = await store.resend(
      id,
      messages.map((each) => ({ ...each, newMessageId: newId('message') })),
    )
    return { count }
  }

export const assumeSent = ({ store, dispatch, clock }: UnknownPorts) =>
  async function assumeSent(workspaceId: WorkspaceId, id: CampaignId, choice: UnknownChoice) {
    const messages = await store.unknown(workspaceId, id, choice, settledAtOnce)
    const at = new Date(clock.now())
    dispatch(
      await store.assumeSent(messages.map((message) => ({ ...message, at, ...sentEvent(message, at) }))),
    )
    return { count: messages.length }
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
