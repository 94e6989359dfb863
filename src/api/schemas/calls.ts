// Calls: what a request may say and what a record looks like (decisions 3).
import * as v from 'valibot'
import type { IceView } from '../../calls/ice-servers.ts'
import { limits } from '../../contract/limits.ts'
import { type CallRecord, callStatuses } from '../../contract/records/call.ts'
import { directions } from '../../contract/records/message.ts'
import { pageQuery } from '../../http/paging.ts'
import { contact, flag, id, period, timestamp } from './fields.ts'

/** Only its size is judged here; whether it is an audio session is the calls' to say. */
const sdp = v.pipe(
  v.string(),
  v.minLength(1, 'must not be empty'),
  v.check(
    (text) => Buffer.byteLength(text) <= limits.sdpBytes,
    `must not be larger than ${limits.sdpBytes} bytes`,
  ),
)

const session = <Type extends 'offer' | 'answer'>(sdpType: Type) =>
  v.strictObject({ sdpType: v.literal(sdpType), sdp })

export const answerBody = v.strictObject({ session: session('answer') })

export const placeBody = v.strictObject({ session: session('offer') })

export const callAction = v.variant('action', [
  v.strictObject({ action: v.literal('PRE_ACCEPT'), session: session('answer') }),
  v.strictObject({ action: v.literal('DECLINE') }),
  v.strictObject({ action: v.literal('HANG_UP') }),
])

export const callQuery = v.strictObject({
  direction: v.optional(v.picklist(directions)),
  status: v.optional(v.picklist(callStatuses)),
  live: v.optional(flag),
  conversationId: v.optional(id('conversation')),
  contact: v.optional(contact),
  numberId: v.optional(id('number')),
  ...period,
  ...pageQuery,
})

export const callView = v.object({
  id: v.string(),
  wacid: v.nullable(v.string()),
  direction: v.picklist(directions),
  status: v.picklist(callStatuses),
  from: v.string(),
  fromName: v.nullable(v.string()),
  to: v.string(),
  numberId: v.string(),
  phoneNumberId: v.string(),
  conversationId: v.string(),
  contactWaId: v.string(),
  ringingAt: v.nullable(timestamp),
  acceptedAt: v.nullable(timestamp),
  endedAt: v.nullable(timestamp),
  durationSeconds: v.nullable(v.number()),
  endReason: v.nullable(v.string()),
  lastForwardError: v.nullable(
    v.object({ code: v.string(), message: v.string(), endpointId: v.nullable(v.string()), at: timestamp }),
  ),
  createdAt: timestamp,
}) satisfies v.GenericSchema<unknown, CallRecord>

export const offerView = v.object({
  callId: v.string(),
  session: v.object({ sdpType: v.picklist(['offer', 'answer']), sdp: v.string() }),
  fetchedAt: timestamp,
})

export const iceView = v.object({
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
}) satisfies v.GenericSchema<unknown, IceView>
