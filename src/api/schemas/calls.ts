// Schemas of calls: request bodies, filters and records.
import * as v from 'valibot'
import type { IceView } from '../../calls/ice-servers.ts'
import { limits } from '../../contract/limits.ts'
import { type CallRecord, callStatuses } from '../../contract/records/call.ts'
import { directions } from '../../contract/records/message.ts'
import { pageQuery } from '../../platform/http/paging.ts'
import { about } from '../../platform/http/shown.ts'
import { changed, choiceOf, contacts, flag, idsOf, idView, period, timestamp, whoView } from './fields.ts'

/** Checks only the size. `src/calls` checks that the text describes an audio session. */
const sdp = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  v.check(
    (text) => Buffer.byteLength(text) <= limits.sdpBytes,
    `must not be larger than ${limits.sdpBytes} bytes`,
  ),
)

const session = <Type extends 'offer' | 'answer'>(sdpType: Type) =>
  v.strictObject({
    sdpType: v.literal(sdpType),
    sdp: about(sdp, 'SDP text of at most 64 KiB, with an audio section.'),
  })

export const answerBody = v.strictObject({ session: session('answer') })

export const placeBody = v.strictObject({ session: session('offer') })

export const callAction = v.variant('action', [
  v.strictObject({ action: v.literal('PRE_ACCEPT'), session: session('answer') }),
  v.strictObject({ action: v.literal('DECLINE') }),
  v.strictObject({ action: v.literal('HANG_UP') }),
])

export const callQuery = v.strictObject({
  direction: v.optional(v.picklist(directions)),
  status: v.optional(choiceOf(callStatuses)),
  live: about(v.optional(flag), 'Only calls that have not ended, or only those that have.'),
  conversationId: v.optional(idsOf('conversation')),
  contact: v.optional(contacts),
  numberId: v.optional(idsOf('number')),
  ...period,
  ...changed,
  ...pageQuery,
})

const at = (text: string) => about(v.nullable(timestamp), text)

const forwardError = v.object({
  code: v.string(),
  message: v.string(),
  endpointId: v.nullable(idView('endpoint')),
  at: timestamp,
})

export const callView = v.pipe(
  v.object({
    id: idView('call'),
    wacid: about(v.nullable(v.string()), "The provider's id; null until it has taken an outbound call."),
    direction: v.picklist(directions),
    status: v.picklist(callStatuses),
    from: about(v.string(), "The customer's number as digits, whoever called."),
    fromName: about(v.nullable(v.string()), "The customer's profile name."),
    to: about(v.string(), "The workspace's number with its plus, whoever called."),
    numberId: about(idView('number'), 'The number of the workspace.'),
    phoneNumberId: about(v.string(), "The provider's id of that number."),
    conversationId: idView('conversation'),
    contactWaId: about(v.string(), "The customer's number as digits."),
    ...whoView,
    ringingAt: at('When it rang.'),
    acceptedAt: at('When it was answered.'),
    endedAt: at('When it ended.'),
    durationSeconds: about(
      v.nullable(v.pipe(v.number(), v.integer())),
      'Of a COMPLETED call; null while it has none.',
    ),
    endReason: about(
      v.nullable(v.string()),
      'Why it ended, such as HUNG_UP or DECLINED; of a MISSED call CALLER_GAVE_UP, TIMEOUT or FORWARD_FAILED. Null before.',
    ),
    lastForwardError: about(
      v.nullable(forwardError),
      'Why `call.ringing` or `call.accepted` last failed to reach its endpoint.',
    ),
    createdAt: timestamp,
  }),
  v.title('Call'),
  v.description('A voice call; it keeps one id however often the provider repeats itself.'),
) satisfies v.GenericSchema<unknown, CallRecord>

export const sessionView = v.object({
  sdpType: v.picklist(['offer', 'answer']),
  sdp: about(v.string(), 'SDP text.'),
})

export const offerView = v.pipe(
  v.object({ callId: idView('call'), session: sessionView, fetchedAt: timestamp }),
  v.title('CallOffer'),
  v.description('An SDP offer to answer a live call with.'),
)

export const iceView = v.pipe(
  v.object({
    iceServers: v.pipe(
      v.array(
        v.object({
          urls: v.pipe(v.array(v.string()), v.readonly()),
          username: v.exactOptional(v.string()),
          credential: v.exactOptional(v.string()),
        }),
      ),
      v.readonly(),
    ),
    ttlSeconds: v.number(),
    expiresAt: timestamp,
  }),
  v.title('IceServers'),
  v.description('What an RTCPeerConnection takes as its configuration, and how long the credentials hold.'),
) satisfies v.GenericSchema<unknown, IceView>
