// The conversation record (decisions 2): one per workspace number and contact.
import type { CallPermissionDetails } from '../events.ts'
import type { Direction, MessageType } from './message.ts'

export interface ConversationRecord {
  id: string
  numberId: string
  number: string
  contact: { waId: string; number: string; name: string | null; optedOut: boolean }
  lastMessage: { id: string; direction: Direction; type: MessageType; text: string; at: string } | null
  unreadCount: number
  lastInboundAt: string | null
  /** Until when the customer's last message allows free replies. */
  windowExpiresAt: string | null
  callPermission: CallPermissionDetails | null
  createdAt: string
  updatedAt: string
}
