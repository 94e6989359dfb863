// The state tables of messages: the status, as the provider reports it, and the state of a send. Code checks
// transitions in these tables, and SQL gets its permitted source states from them.
import type { MessageStatus } from '../contract/records/message.ts'
import type { Machine } from '../shared/machine.ts'

export type OutboundStatus = Exclude<MessageStatus, 'RECEIVED'>

/** Forward only: a status may skip steps, and a late status is ignored. */
export const outboundMachine: Machine<OutboundStatus> = {
  QUEUED: ['SENT', 'DELIVERED', 'READ', 'FAILED'],
  SENT: ['DELIVERED', 'READ', 'FAILED'],
  DELIVERED: ['READ'],
  READ: [],
  FAILED: [],
}

export const inboundMachine: Machine<'RECEIVED' | 'READ'> = {
  RECEIVED: ['READ'],
  READ: [],
}

/**
 * - `PENDING`: nothing was sent, and it may be sent
 * - `SENDING`: a request may be with the provider; `send_due_at` is when the sending process counts as dead
 * - `UNKNOWN`: a request may have reached the provider, and its answer is lost
 * - `ACCEPTED`, `HELD`: the provider has the message; HELD means that the provider keeps it back for quality
 * - `REFUSED`: the provider refused it for good, or the retries are used up
 */
export type SendState = 'PENDING' | 'SENDING' | 'UNKNOWN' | 'ACCEPTED' | 'HELD' | 'REFUSED'

export const sendMachine: Machine<SendState> = {
  // To ACCEPTED: a status of an earlier attempt shows that the provider has the message after all.
  // To UNKNOWN: Postgres was restored, and the message may have been sent in the time that is missing.
  PENDING: ['SENDING', 'ACCEPTED', 'UNKNOWN'],
  // To PENDING: the provider certainly did not take it, and it is sent again.
  SENDING: ['PENDING', 'ACCEPTED', 'HELD', 'REFUSED', 'UNKNOWN'],
  // The answer can still arrive after the process counted as dead.
  UNKNOWN: ['PENDING', 'ACCEPTED', 'HELD', 'REFUSED'],
  HELD: ['ACCEPTED'],
  ACCEPTED: [],
  REFUSED: [],
}
