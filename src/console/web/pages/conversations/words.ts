// What the inbox says of a contact and of the latest message.
import type { CallRecord } from '../../../../contract/records/call.ts'
import type { ConversationRecord } from '../../../../contract/records/conversation.ts'
import type { MessageType } from '../../../../contract/records/message.ts'
import { callLength, phone, sentence } from '../../core/format.ts'
import type { IconName } from '../../parts/icon.tsx'

/** The contact, or the group. */
export function nameOf({ contact, group }: Pick<ConversationRecord, 'contact' | 'group'>): string {
  if (group) return `Group ${group.id}`
  return contact.name ?? addressOf(contact)
}

/** The number, or what is known of a contact who hides it. */
export function addressOf({ number, username, userId }: ConversationRecord['contact']): string {
  if (number !== '') return phone(number)
  return username === null ? (userId ?? 'Unknown contact') : `@${username}`
}

/** What a request takes to address the contact. */
export const recipientOf = ({ number, userId }: ConversationRecord['contact']): string =>
  number === '' ? (userId ?? '') : number

/** Of what a message is, where that is not its text. */
export const kindIcons: Readonly<Partial<Record<MessageType, IconName>>> = {
  IMAGE: 'image',
  STICKER: 'image',
  VIDEO: 'video',
  AUDIO: 'sound',
  DOCUMENT: 'document',
  LOCATION: 'pin',
  CONTACTS: 'account',
  TEMPLATE: 'templates',
  CALL_PERMISSION_REPLY: 'calls',
}

const kindNames: Readonly<Partial<Record<MessageType, string>>> = {
  IMAGE: 'Photo',
  AUDIO: 'Audio',
  CONTACTS: 'Contact card',
  REACTION: 'Reacted to a message',
  INTERACTIVE: 'Chose an answer',
  BUTTON: 'Tapped a button',
  REVOKE: 'Took a message back',
  EDIT: 'Edited a message',
  SYSTEM: 'Notice of the provider',
  CALL_PERMISSION_REPLY: 'Answered whether you may call',
  UNSUPPORTED: 'A message that cannot be shown here',
}

export const kindName = (type: MessageType): string => kindNames[type] ?? sentence(type)

export interface Excerpt {
  readonly icon: IconName | undefined
  readonly text: string
}

export const excerptOf = ({
  direction,
  type,
  text,
}: NonNullable<ConversationRecord['lastMessage']>): Excerpt => ({
  icon: kindIcons[type],
  text: `${direction === 'OUTBOUND' ? 'You: ' : ''}${text || kindName(type)}`,
})

const outcomes: Readonly<Partial<Record<CallRecord['status'], string>>> = {
  INITIATED: 'calling',
  RINGING: 'ringing',
  ACCEPTED: 'on the line',
  MISSED: 'missed',
  DECLINED: 'declined',
  REJECTED: 'rejected',
  NO_ANSWER: 'no answer',
  CANCELLED: 'cancelled',
  FAILED: 'failed',
}

/** Incoming call, missed; Outgoing call, 3:12. */
export function callTitle({ direction, status, durationSeconds }: CallRecord): string {
  const kind = direction === 'INBOUND' ? 'Incoming call' : 'Outgoing call'
  const ended = durationSeconds === null ? 'ended' : callLength(durationSeconds * 1_000)
  return `${kind}, ${outcomes[status] ?? ended}`
}

/** Whether the customer and we never talked although somebody wanted to. */
export const isUnanswered = ({ status }: CallRecord): boolean =>
  status === 'MISSED' || status === 'NO_ANSWER' || status === 'FAILED' || status === 'REJECTED'
