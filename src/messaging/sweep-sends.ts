// Sweeps sends that no process handles any more: not started, or without a known outcome.
import type { Dispatch } from '../contract/dispatch.ts'
import type { Clock } from '../shared/clock.ts'
import { failureEvent } from './attempt-send.ts'
import type { MessageStore } from './ports.ts'
import type { Transmitter } from './transmit-message.ts'

const maxSends = 500

const outcomeUnknown = {
  code: 'OUTCOME_UNKNOWN',
  title: 'The answer of the provider was lost; the message may have been delivered',
} as const

export interface SendSweepPorts {
  readonly store: Pick<MessageStore, 'overdueSends' | 'lostSends' | 'changeStatuses'>
  readonly transmitter: Transmitter
  readonly dispatch: Dispatch
  readonly clock: Clock
}

/** Returns how many sends it started or gave up. */
export async function sweepSends({ store, transmitter, dispatch, clock }: SendSweepPorts): Promise<number> {
  const overdue = await store.overdueSends(maxSends)
  for (const outgoing of overdue) transmitter.start(outgoing)
  const lost = await store.lostSends(maxSends)
  if (lost.length === 0) return overdue.length
  const at = new Date(clock.now())
  const changes = lost.map((message) => ({
    messageId: message.id,
    recipientId: null,
    providerMessageId: null,
    status: 'FAILED' as const,
    at,
    error: outcomeUnknown,
    ...failureEvent(message, outcomeUnknown, clock.now()),
  }))
  dispatch(await store.changeStatuses(changes))
  return overdue.length + lost.length
}
