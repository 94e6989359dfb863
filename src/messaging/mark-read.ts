// Marks messages as read. The provider marks all earlier ones of the thread too, so the rows follow.
import { AppError, notFound } from '../contract/errors.ts'
import type { Provider, ProviderAccount } from '../contract/provider.ts'
import { noProviderToken, providerError } from '../contract/provider-refusal.ts'
import type { Direction, MessageRecord } from '../contract/records/message.ts'
import type { Clock } from '../shared/clock.ts'
import { type ConversationId, encodeId, type MessageId, type WorkspaceId } from '../shared/ids.ts'

/** The fields of a message that read marks need. */
export interface ReadTarget {
  readonly id: MessageId
  readonly conversationId: ConversationId
  readonly direction: Direction
  /** It, or an earlier one of its conversation. */
  readonly isUnread: boolean
  readonly providerMessageId: string | null
  readonly createdAt: Date
  /** Null where the workspace has no token of the provider. */
  readonly account: ProviderAccount | null
}

export interface ReadMarkStore {
  message(workspaceId: WorkspaceId, id: MessageId): Promise<ReadTarget | undefined>
  /** Undefined: no such conversation. `target`: the newest inbound message, or the newest unread one. */
  newestInbound(
    workspaceId: WorkspaceId,
    id: ConversationId,
    which: 'any' | 'unread',
  ): Promise<{ readonly target: ReadTarget | undefined } | undefined>
  /** Marks the target and every earlier inbound message of its conversation. Returns how many were unread. */
  markUpTo(target: ReadTarget): Promise<number>
}

export interface MarkReadPorts {
  readonly store: ReadMarkStore
  readonly provider: Pick<Provider, 'markRead'>
  readonly find: (workspaceId: WorkspaceId, id: MessageId) => Promise<MessageRecord | undefined>
  readonly clock: Pick<Clock, 'now'>
}

export interface Marked {
  readonly conversationId: string
  readonly markedRead: number
}

export interface ReadMarks {
  /** POST /messages/chat/:id/read */
  markMessageRead(workspaceId: WorkspaceId, id: MessageId): Promise<MessageRecord>
  /** POST /conversations/:id/read */
  markConversationRead(workspaceId: WorkspaceId, id: ConversationId): Promise<Marked>
  /** POST /conversations/:id/typing. The provider always marks the message above the typing sign as read. */
  showTyping(workspaceId: WorkspaceId, id: ConversationId): Promise<Marked>
}

/** The provider takes neither read marks nor typing for messages older than this. */
const askableMs = 30 * 24 * 3_600_000

export function createReadMarks(ports: MarkReadPorts): ReadMarks {
  const { store, clock } = ports
  const isAskable = ({ createdAt }: ReadTarget): boolean => clock.now() - createdAt.getTime() <= askableMs

  // Older messages stay unread on the customer's phone, but they are still marked as read here.
  async function mark(target: ReadTarget): Promise<number> {
    if (isAskable(target)) await tellProvider(ports.provider, target)
    return store.markUpTo(target)
  }

  return {
    async markMessageRead(workspaceId, id) {
      const target = await store.message(workspaceId, id)
      if (!target) throw noMessage()
      if (target.direction === 'OUTBOUND')
        throw new AppError(
          'INVALID_STATE',
          'the message is OUTBOUND; only inbound messages can be marked read',
        )
      if (target.isUnread) await mark(target)
      const record = await ports.find(workspaceId, id)
      if (!record) throw noMessage()
      return record
    },

    async markConversationRead(workspaceId, id) {
      const found = await store.newestInbound(workspaceId, id, 'unread')
      if (!found) throw noConversation()
      return marked(id, found.target ? await mark(found.target) : 0)
    },

    async showTyping(workspaceId, id) {
      const found = await store.newestInbound(workspaceId, id, 'any')
      if (!found) throw noConversation()
      const { target } = found
      if (!target || !isAskable(target))
        throw new AppError(
          'INVALID_STATE',
          'the customer has not written within 30 days; typing can only be shown below a message of theirs',
        )
      await tellProvider(ports.provider, target, { typing: true })
      return marked(id, await store.markUpTo(target))
    },
  }
}

const noMessage = () => notFound('message')
const noConversation = () => notFound('conversation')

const marked = (id: ConversationId, markedRead: number): Marked => ({
  conversationId: encodeId('conversation', id),
  markedRead,
})

/** An unknown outcome counts as success: the request can be repeated safely, and most likely it arrived. */
async function tellProvider(
  provider: MarkReadPorts['provider'],
  { account, providerMessageId }: ReadTarget,
  options?: { readonly typing: boolean },
): Promise<void> {
  if (providerMessageId === null) return
  if (!account) throw refused(noProviderToken)
  const result = await provider.markRead(account, providerMessageId, options)
  if (result.type === 'refused' || result.type === 'notSent') throw refused(result.error)
}

const refused = (error: Parameters<typeof providerError>[1]): AppError =>
  providerError('the provider refused', error)
