// Parses webhooks about the start, the status and the end of calls.
import * as v from 'valibot'
import type { SessionDescription } from '../../contract/events.ts'
import { limits } from '../../contract/limits.ts'
import type { Person } from '../../contract/person.ts'
import type { CallTerminateUpdate, ReportedError } from '../../contract/provider-updates.ts'
import type { Direction } from '../../contract/records/message.ts'
import { type Element, type NumberContext, skipped } from './element.ts'
import { errorsIn, id, instant, list, opaque, optional, record, unnamedError } from './fields.ts'
import { readStatus } from './statuses.ts'

const Call = v.object({
  id,
  event: v.string(),
  timestamp: optional(instant),
  direction: optional(v.string()),
  from: optional(v.string()),
  from_user_id: optional(v.string()),
  from_parent_user_id: optional(v.string()),
  to: optional(v.string()),
  to_user_id: optional(v.string()),
  to_parent_user_id: optional(v.string()),
  session: optional(v.object({ sdp_type: v.picklist(['offer', 'answer']), sdp: v.string() })),
  biz_opaque_callback_data: optional(opaque),
  status: optional(v.string()),
  start_time: optional(instant),
  end_time: optional(instant),
  duration: optional(
    v.pipe(v.union([v.number(), v.string()]), v.transform(Number), v.integer(), v.minValue(0)),
  ),
})
type Call = v.InferOutput<typeof Call>

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
  const parsed = v.safeParse(Call, given)
  if (!parsed.success) return skipped('malformed')
  const call = parsed.output
  const direction = directionOf(call, context)
  const person = personOf(call, direction, context)
  switch (call.event) {
    case 'connect':
      if (direction === 'INBOUND' && person === null) return skipped('noSender')
      return { type: 'callConnect', ...shared(call, direction, context), person, session: sessionOf(call) }
    case 'terminate':
      return { type: 'callTerminate', ...shared(call, direction, context), person, ...endOf(call), error }
    default:
      return skipped('unknown')
  }
}

function directionOf(call: Call, context: NumberContext): Direction {
  if (call.direction === 'USER_INITIATED') return 'INBOUND'
  if (call.direction === 'BUSINESS_INITIATED') return 'OUTBOUND'
  // Early samples of the provider have no direction.
  return call.from !== null && call.from === context.displayDigits ? 'OUTBOUND' : 'INBOUND'
}

const personOf = (call: Call, direction: Direction, context: NumberContext): Person | null =>
  direction === 'INBOUND'
    ? context.personOf({
        phone: call.from,
        userId: call.from_user_id,
        parentUserId: call.from_parent_user_id,
      })
    : context.personOf({ phone: call.to, userId: call.to_user_id, parentUserId: call.to_parent_user_id })

const shared = (call: Call, direction: Direction, context: NumberContext) => ({
  wacid: call.id,
  phoneNumberId: context.phoneNumberId,
  direction,
  at: call.timestamp ?? context.receivedAt,
  opaque: call.biz_opaque_callback_data,
})

function sessionOf({ session }: Call): SessionDescription | null {
  if (session === null || Buffer.byteLength(session.sdp) > limits.sdpBytes) return null
  return { sdpType: session.sdp_type, sdp: session.sdp }
}

const outcomes = new Map<string, 'COMPLETED' | 'FAILED'>([
  ['completed', 'COMPLETED'],
  ['failed', 'FAILED'],
])

const endOf = (
  call: Call,
): Pick<CallTerminateUpdate, 'outcome' | 'durationSeconds' | 'startedAt' | 'endedAt'> => ({
  outcome: outcomes.get(call.status?.toLowerCase() ?? '') ?? null,
  durationSeconds: call.duration,
  startedAt: call.start_time,
  endedAt: call.end_time,
})
