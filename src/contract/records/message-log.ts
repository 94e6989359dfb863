// What the console shows of a message besides its record.
import type { ErrorHelp } from '../provider-error-help.ts'
import type { DeliveryRecord } from './console.ts'
import type { MessageRecord } from './message.ts'

export interface LoggedMessage extends MessageRecord {
  /** The name of the customer, as the provider or the workspace knows it. */
  contactName: string | null
}

export interface MessageDetail extends LoggedMessage {
  /** When the provider took it; null for what customers wrote, and for messages of before it was recorded. */
  handedAt: string | null
  /** How often it was tried. */
  attempts: number
  /** Null for what customers wrote, and where nobody is known any more. */
  sentBy: { kind: 'OPERATOR' | 'CAMPAIGN' | 'KEY'; id: string; name: string } | null
  /** What the error means and what to do; null without an error, or for one that is not known. */
  help: ErrorHelp | null
  /** Of its events, oldest first. */
  deliveries: MessageDelivery[]
}

export interface MessageDelivery extends Pick<DeliveryRecord, 'id' | 'event' | 'state' | 'createdAt'> {
  endpoint: { id: string; name: string }
}
