// Parses webhooks about the start, the status and the end of calls.
import type { SessionDescription } from '../../contract/events.ts'
import { limits } from '../../contract/limits.ts'
import type { Person } from '../../contract/person.ts'
import type { CallTerminateUpdate, ReportedError } from '../../contract/provider-updates.ts'
import type { Direction } from '../../contract/records/message.ts'
import { type Element, type NumberContext, skipped } from './element.ts'
import {
  errorsIn,
  list,
  readCount,
  readId,
  readInstant,
  readOpaque,
  readString,
  record,
  unnamedError,
} from './fields.ts'
import { readStatus } from './statuses.ts'

type Given = Readonly<Record<string, unknown>>

export function readCalls(value: unknown, context: NumberContext): Element[] {
  const { calls, statuses, errors } = record(value)
  const ended = list(calls).filter(hasFailed)
  const reasons = errorsIn(errors)
  return [
    ...list(calls).map((given) => readCall(given, context, reasonOf(given, ended, reasons))),
    ...list(statuses).map((given) => readStatus(given, context, 'calls')),
  ]
}

function hasFailed(given: unknown): boolean {
  const { status } = record(given)
  return typeof status === 'string' && status.toLowerCase() === 'failed'
}

// The provider lists errors beside the calls, not inside them. If the counts differ, an error cannot be
// matched to its call.
function reasonOf(
  given: unknown,
  ended: readonly unknown[],
  reasons: readonly ReportedError[],
): ReportedError | null {
  const own = errorsIn(record(given)['errors'])[0]
  if (own !== undefined) return own
  const position = ended.indexOf(given)
  if (position === -1) return null
  if (ended.length === 1) return reasons[0] ?? null
  return ended.length === reasons.length ? (reasons[position] ?? unnamedError) : null
}

function readCall(given: unknown, context: NumberContext, error: ReportedError | null): Element {
  const call = record(given)
  const wacid = readId(call['id'])
  const event = readString(call['event'])
  if (wacid === null || event === null) return skipped('malformed')
  const direction = directionOf(call, context)
  const person = personOf(call, direction, context)
  const shared = {
    wacid,
    phoneNumberId: context.phoneNumberId,
    direction,
    at: readInstant(call['timestamp']) ?? context.receivedAt,
    opaque: readOpaque(call['biz_opaque_callback_data']),
  }
  switch (event) {
    case 'connect':
      if (direction === 'INBOUND' && person === null) return skipped('noSender')
      return { type: 'callConnect', ...shared, person, session: sessionOf(call['session']) }
    case 'terminate':
      return { type: 'callTerminate', ...shared, person, ...endOf(call), error }
    default:
      return skipped('unknown')
  }
}

function directionOf({ direction, from }: Given, context: NumberContext): Direction {
  if (direction === 'USER_INITIATED') return 'INBOUND'
  if (direction === 'BUSINESS_INITIATED') return 'OUTBOUND'
  // Early samples of the provider have no direction.
  return typeof from === 'string' && from === context.displayDigits ? 'OUTBOUND' : 'INBOUND'
}

const personOf = (call: Given, direction: Direction, context: NumberContext): Person | null =>
  direction === 'INBOUND'
    ? context.personOf({
        phone: call['from'],
        userId: call['from_user_id'],
        parentUserId: call['from_parent_user_id'],
      })
    : context.personOf({
        phone: call['to'],
        userId: call['to_user_id'],
        parentUserId: call['to_parent_user_id'],
      })

function sessionOf(given: unknown): SessionDescription | null {
  const { sdp_type: sdpType, sdp } = record(given)
  if ((sdpType !== 'offer' && sdpType !== 'answer') || typeof sdp !== 'string') return null
  return Buffer.byteLength(sdp) > limits.sdpBytes ? null : { sdpType, sdp }
}

const outcomes = new Map<string, 'COMPLETED' | 'FAILED'>([
  ['completed', 'COMPLETED'],
  ['failed', 'FAILED'],
])

const endOf = (
  call: Given,
): Pick<CallTerminateUpdate, 'outcome' | 'durationSeconds' | 'startedAt' | 'endedAt'> => ({
  outcome: outcomes.get(readString(call['status'])?.toLowerCase() ?? '') ?? null,
  durationSeconds: readCount(call['duration']),
  startedAt: readInstant(call['start_time']),
  endedAt: readInstant(call['end_time']),
})
