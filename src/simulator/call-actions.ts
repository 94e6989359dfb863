import * as v from 'valibot'
import { type CalledBehaviour, calledBehaviour, mediaOf } from './behaviour.ts'
import { callContact, connectUpdate, endCall, markAccepted, note, openCall } from './call.ts'
import { unixSeconds } from './ids.ts'
import type { BusinessNumber, Call, Handset } from './model.ts'
import { callsToday } from './permission.ts'
import { idFields, personOf } from './person.ts'
import { ProviderError } from './provider-error.ts'
import { answeringPeer } from './real-peer.ts'
import { recipientOf } from './recipient.ts'
import { type SdpType, sdpProblem, stampAnswer } from './sdp.ts'
import { callStatusUpdate } from './webhook-payloads.ts'
import { readWire } from './wire.ts'
import { permissionOf, timeOf, type World } from './world.ts'

const CONCURRENT_CALLS = 1000
const CONNECT_AFTER_MS = 100
const RINGING_AFTER_MS = 150
const DECIDES_AFTER_MS = 1000

const callbackData = v.optional(v.pipe(v.string(), v.maxLength(512)))
const session = v.looseObject({ sdp_type: v.string(), sdp: v.string() })
const product = v.literal('whatsapp')

const CallBody = v.variant('action', [
  v.looseObject({
    messaging_product: product,
    action: v.literal('connect'),
    to: v.optional(v.pipe(v.string(), v.regex(/^\+?\d{5,20}$/, 'must be a phone number'))),
    recipient: v.optional(v.string()),
    session,
    biz_opaque_callback_data: callbackData,
  }),
  v.looseObject({
    messaging_product: product,
    action: v.literal('pre_accept'),
    call_id: v.string(),
    session,
  }),
  v.looseObject({
    messaging_product: product,
    action: v.literal('accept'),
    call_id: v.string(),
    session,
    biz_opaque_callback_data: callbackData,
  }),
  v.looseObject({ messaging_product: product, action: v.literal('reject'), call_id: v.string() }),
  v.looseObject({ messaging_product: product, action: v.literal('terminate'), call_id: v.string() }),
])
type CallBody = v.InferOutput<typeof CallBody>
type Session = v.InferOutput<typeof session>

const SUCCESS = { messaging_product: 'whatsapp', success: true }

/** `POST /<number>/calls`. */
export async function postCall(world: World, number: BusinessNumber, body: unknown): Promise<unknown> {
  checkCallingEnabled(number)
  const request = readWire(CallBody, body)
  if (request.action === 'connect') return connect(world, number, request)
  const call = world.calls.get(request.call_id)
  if (call === undefined || call.number.id !== number.id) {
    throw new ProviderError(100, `Invalid call_id: ${request.call_id}`)
  }
  if (call.state === 'ended') throw new ProviderError(100, `Call has already ended (${call.endReason})`)
  note(call, `business asked: ${request.action}`)
  switch (request.action) {
    case 'pre_accept':
      await preAccept(call, request.session)
      break
    case 'accept':
      await accept(world, call, request.session, request.biz_opaque_callback_data)
      break
    case 'reject':
      reject(world, call)
      break
    case 'terminate':
      void endCall(world, call, 'terminated-by-business')
      break
  }
  return SUCCESS
}

function checkCallingEnabled(number: BusinessNumber): void {
  if (number.calling['status'] !== 'ENABLED') throw new ProviderError(138000)
  const sip = number.calling['sip']
  if (typeof sip === 'object' && sip !== null && Reflect.get(sip, 'status') === 'ENABLED') {
    throw new ProviderError(131055, 'Calling over the Graph API is not allowed on a number with SIP enabled')
  }
}

function checkSession(given: Session, type: SdpType): void {
  if (given.sdp_type !== type) throw new ProviderError(100, `sdp_type must be ${type}`)
  const problem = sdpProblem(given.sdp, type)
  if (problem !== undefined) throw new ProviderError(100, `SDP Validation error: ${problem}`)
}

function checkAnswerable(call: Call): void {
  if (call.direction !== 'USER_INITIATED')
    throw new ProviderError(100, 'Only calls from users can be answered')
  if (call.state === 'accepted') throw new ProviderError(100, 'Call is already in progress')
}

async function preAccept(call: Call, given: Session): Promise<void> {
  checkAnswerable(call)
  checkSession(given, 'answer')
  if (call.preAcceptedSdp !== undefined && call.preAcceptedSdp !== given.sdp) {
    throw new ProviderError(100, 'SDP differs from the one in the former pre_accept')
  }
  if (call.preAcceptedSdp !== undefined) return
  call.preAcceptedSdp = given.sdp
  await applyAnswer(call, given.sdp)
}

async function accept(world: World, call: Call, given: Session, data: string | undefined): Promise<void> {
  checkAnswerable(call)
  checkSession(given, 'answer')
  if (call.preAcceptedSdp !== undefined && call.preAcceptedSdp !== given.sdp) {
    throw new ProviderError(100, 'SDP differs from the one in pre_accept')
  }
  if (data !== undefined) call.callbackData = data
  // Mark the call before the peer applies the answer: of two simultaneous accepts, the second one is refused.
  markAccepted(world, call)
  if (call.preAcceptedSdp === undefined) await applyAnswer(call, given.sdp)
}

async function applyAnswer(call: Call, sdp: string): Promise<void> {
  call.remoteSdp = sdp
  try {
    await call.peer?.acceptAnswer(sdp)
  } catch (error) {
    note(call, `media failed: ${error instanceof Error ? error.message : 'unknown'}`)
  }
}

function reject(world: World, call: Call): void {
  if (call.direction !== 'USER_INITIATED')
    throw new ProviderError(100, 'Only calls from users can be rejected')
  if (call.state === 'accepted') throw new ProviderError(100, 'Call is already in progress')
  void endCall(world, call, 'rejected-by-business')
}

async function connect(
  world: World,
  number: BusinessNumber,
  request: Extract<CallBody, { action: 'connect' }>,
): Promise<unknown> {
  checkSession(request.session, 'offer')
  const { handset, by } = recipientOf(world, number, request)
  checkMayCall(world, number, handset)
  const media = handset.media ?? mediaOf(handset.waId)
  const call = openCall(world, { direction: 'BUSINESS_INITIATED', number, handset, media, calledBy: by })
  call.remoteSdp = request.session.sdp
  call.callbackData = request.biz_opaque_callback_data
  playCall(world, call)
  return { messaging_product: 'whatsapp', calls: [{ id: call.wacid }] }
}

function checkMayCall(world: World, number: BusinessNumber, handset: Handset): void {
  const nowMs = timeOf(world)
  const permission = permissionOf(handset, number.id, nowMs)
  if (permission.status === 'no_permission') throw new ProviderError(138006)
  if (liveCall(world, handset, number.id) !== undefined) throw new ProviderError(138003)
  if (number.liveCalls >= CONCURRENT_CALLS) throw new ProviderError(138002)
  if (callsToday(permission, nowMs) >= world.config.callsPerDay) throw new ProviderError(138012)
}

export function liveCall(world: World, handset: Handset, phoneNumberId?: string): Call | undefined {
  for (const wacid of handset.calls) {
    const call = world.calls.get(wacid)
    if (call === undefined || call.state === 'ended') continue
    if (phoneNumberId === undefined || call.number.id === phoneNumberId) return call
  }
  return undefined
}

/** Plays the handset's reaction to a call from the business. Calls to an offline handset only ring out. */
function playCall(world: World, call: Call): void {
  world.timers.later(CONNECT_AFTER_MS, () => void sendAnswer(world, call))
  if (!call.handset.online) return
  world.timers.later(RINGING_AFTER_MS, () => sendStatus(world, call, 'RINGING'))
  const decide = DECISIONS[calledBehaviour(call.handset.waId)]
  if (decide !== undefined) world.timers.later(DECIDES_AFTER_MS, () => decide(world, call))
}

const DECISIONS: Partial<Record<CalledBehaviour, (world: World, call: Call) => void>> = {
  answers: answerAtHandset,
  declines: declineAtHandset,
}

/** Sends the provider's SDP answer, so that media can be set up while the handset still rings. */
async function sendAnswer(world: World, call: Call): Promise<void> {
  if (call.state === 'ended') return
  try {
    await makeAnswer(world, call)
  } catch (error) {
    note(call, `media failed: ${error instanceof Error ? error.message : 'unknown'}`)
    return endCall(world, call, 'setup-failed')
  }
  void world.webhooks.send(connectUpdate(call))
}

async function makeAnswer(world: World, call: Call): Promise<void> {
  const offer = call.remoteSdp ?? ''
  if (call.media === 'template') {
    call.localSdp = stampAnswer(world.offerText, offer)
    return
  }
  const peer = await answeringPeer(offer, { toneHz: call.handset.toneHz })
  call.peer = peer
  call.localSdp = peer.sdp
  // The call may have been answered or have ended while the peer was created.
  if (call.state === 'accepted') peer.startTalking()
  if (call.state === 'ended') peer.close()
}

function sendStatus(world: World, call: Call, status: 'RINGING' | 'ACCEPTED' | 'REJECTED'): void {
  if (call.state === 'ended') return
  note(call, `status: ${status}`)
  const nowMs = timeOf(world)
  void world.webhooks.send(
    callStatusUpdate(call.number, callContact(call, nowMs), {
      id: call.wacid,
      status,
      timestamp: unixSeconds(nowMs),
      ...(call.calledBy === 'phone' ? { recipient_id: call.handset.waId } : {}),
      ...idFields('recipient', personOf(call.handset, call.number.id, nowMs)),
      ...(call.callbackData === undefined ? {} : { biz_opaque_callback_data: call.callbackData }),
    }),
  )
}

/** The user picks up. */
export function answerAtHandset(world: World, call: Call): void {
  if (call.state !== 'ringing') return
  markAccepted(world, call)
  sendStatus(world, call, 'ACCEPTED')
}

/** The user declines. The provider reports the rejection and then the end. */
export function declineAtHandset(world: World, call: Call): void {
  if (call.state !== 'ringing') return
  sendStatus(world, call, 'REJECTED')
  void endCall(world, call, 'declined-by-handset')
}
