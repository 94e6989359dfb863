// Sweeps sends that no process handles any more: not started, or without a known outcome.
import type { Dispatch } from '../contract/dispatch.ts'
import type { Failure } from '../contract/records/failure.ts'
import type { Clock } from '../shared/clock.ts'
import { failureEvent } from './attempt-send.ts'
import type { LostSend, MessageStore, StatusChange } from './ports.ts'
import type { Transmitter } from './transmit-message.ts'

const maxSends = 500

const outcomeUnknown = {
  code: 'OUTCOME_UNKNOWN',
  title: 'The answer of the provider was lost; the message may have been delivered',
} as const

const optedOut = {
  code: 'RECIPIENT_OPTED_OUT',
  title: 'Not sent: the contact has opted out',
} as const

export interface SendSweepPorts {
  readonly store: Pick<MessageStore, 'overdueSends' | 'optedOutSends' | 'lostSends' | 'changeStatuses'>
  readonly transmitter: Pick<Transmitter, 'start' | 'freePlaces'>
  readonly dispatch: Dispatch
  readonly clock: Clock
}

/** Returns how many sends it started or gave up. */
export async function sweepSends({ store, transmitter, dispatch, clock }: SendSweepPorts): Promise<number> {
  const started = await startOverdue({ store, transmitter })
  const lost = await store.lostSends(maxSends)
  const stopped = await store.optedOutSends(maxSends)
  const changes = [
    ...lost.map((message) => failed(message, { recipientId: null, error: outcomeUnknown }, clock)),
    ...stopped.map((message) =>
      failed(message, { recipientId: message.recipientId, error: optedOut }, clock),
    ),
  ]
  if (changes.length > 0) dispatch(await store.changeStatuses(changes))
  return started + changes.length
}

/**
 * Takes no more than find a place: what is taken is written, and hidden for seconds from workers that have places. Counts
 * what was started, because a retry may have taken a place meanwhile and a full round is repeated at once.
 */
async function startOverdue({
  store,
  transmitter,
}: Pick<SendSweepPorts, 'store' | 'transmitter'>): Promise<number> {
  const places = Math.min(maxSends, transmitter.freePlaces())
  if (places <= 0) return 0
  const overdue = await store.overdueSends(places)
  return overdue.filter((outgoing) => transmitter.start(outgoing) !== 'refused').length
}

function failed(
  message: LostSend,
  { recipientId, error }: Pick<StatusChange, 'recipientId'> & { readonly error: Failure },
  clock: Pick<Clock, 'now'>,
): StatusChange {
  return {
    ...{ messageId: message.id, recipientId, providerMessageId: null, status: 'FAILED', error },
    at: new Date(clock.now()),
    ...failureEvent(message, error, clock.now()),
  }
}
