// Words of the message log.
import type { MessageRecord, MessageStatus } from '../../../../contract/records/message.ts'
import type { LoggedMessage, MessageDetail } from '../../../../contract/records/message-log.ts'
import { phone, sentence } from '../../core/format.ts'
import type { Tone } from '../../parts/badge.tsx'
import type { Moment } from '../../parts/timeline.tsx'

export const tones: Readonly<Record<MessageStatus, Tone>> = {
  QUEUED: 'info',
  SENT: 'neutral',
  DELIVERED: 'good',
  READ: 'good',
  FAILED: 'bad',
  RECEIVED: 'info',
}

const isInbound = ({ direction }: Pick<MessageRecord, 'direction'>): boolean => direction === 'INBOUND'

/** The customer: the name, and the number or what else there is of them. */
export function customerOf(message: LoggedMessage): { readonly name: string; readonly address: string } {
  const number = isInbound(message) ? message.from : message.to
  const address = number === '' ? (message.username ?? message.userId ?? 'Unknown') : phone(number)
  return { name: message.contactName ?? address, address }
}

export const ourNumber = (message: MessageRecord): string =>
  phone(isInbound(message) ? message.to : message.from)

/** What it says, in one line. */
export const contentOf = ({ type, text, media }: MessageRecord): string =>
  text === '' ? (media?.fileName ?? sentence(type)) : text

export const kindOf = ({ template, type }: MessageRecord): string =>
  template ? `Template ${template.name}` : sentence(type)

/** What happened to it, in the order of the times. The provider's clock may be behind ours. */
export function momentsOf(message: MessageDetail): Moment[] {
  const { createdAt, handedAt, sentAt, deliveredAt, readAt, failedAt } = message
  const steps: readonly (readonly [string, string | null, Tone?])[] = isInbound(message)
    ? [
        ['Received', createdAt, 'info'],
        ['Marked as read', readAt],
      ]
    : [
        ['Accepted', createdAt, 'info'],
        ['Handed to the provider', handedAt],
        ['Sent', sentAt],
        ['Delivered', deliveredAt, 'good'],
        ['Read', readAt, 'good'],
        ['Failed', failedAt, 'bad'],
      ]
  return steps
    .flatMap(([title, at, tone = 'neutral']) => (at === null ? [] : [{ title, at, tone }]))
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at))
}
