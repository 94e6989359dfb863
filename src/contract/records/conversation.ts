// The conversation record: one per workspace number and contact, or group.
import type { CallPermissionDetails } from '../events.ts'
import type { Direction, MessageType } from './message.ts'

export interface ConversationRecord {
  id: string
  numberId: string
  number: string
  contact: {
    /** Empty where the number is not known, as `number` is, and in a group. */
    waId: string
    number: string
    userId: string | null
    username: string | null
    name: string | null
    optedOut: boolean
  }
  /** The provider's id of the group; null where the conversation is with one contact. */
  group: { id: string } | null
  lastMessage: { id: string; direction: Direction; type: MessageType; text: string; at: string } | null
  unreadCount: number
  lastInboundAt: string | null
  /** The customer's last message or call allows free-form messages until this time. */
  windowExpiresAt: string | null
  callPermission: CallPermissionDetails | null
  createdAt: string
  updatedAt: string
}
