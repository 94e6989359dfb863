// What an operator decides of recipients whose outcome nobody knows: their message may have gone out, and the provider
// has said nothing since.

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

/** Which UNKNOWN recipients; `all` takes the first so many. */
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
  /** A new message for each that is still UNKNOWN and not opted out, to be sent at once; gives how many. */
  resend(
    id: CampaignId,
    messages: readonly (UnknownMessage & { readonly newMessageId: MessageId })[],
  ): Promise<number>
  /** Their messages are SENT, where the provider has said nothing yet. */
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
    // The provider never told its id.
    providerMessageId: '',
    status: 'SENT',
    occurredAt: at.toISOString(),
  })
  return { eventId: newId('event'), body }
}
