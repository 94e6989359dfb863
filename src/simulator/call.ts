import { hangsUpEarly, mediaOf } from './behaviour.ts'
import { pushBounded } from './bounded.ts'
import { newWacid, unixSeconds } from './ids.ts'
import type { BusinessNumber, Call, Handset } from './model.ts'
import { replyToPermission } from './permission.ts'
import { contactEntry, idFields, personOf } from './person.ts'
import { webhookError } from './provider-error.ts'
import { offeringPeer } from './real-peer.ts'
import { stampSdp } from './sdp.ts'
import { callUpdate, type Update } from './webhook-payloads.ts'
import { permissionOf, timeOf, type World } from './world.ts'

const CALLS_KEPT = 50

type NewCall = Pick<Call, 'direction' | 'number' | 'handset' | 'media' | 'calledBy'>

export function openCall(world: World, facts: NewCall): Call {
  const call: Call = {
    ...facts,
    wacid: newWacid(),
    createdAtMs: timeOf(world),
    timeline: [],
    state: 'ringing',
    acceptedAtMs: undefined,
    endedAtMs: undefined,
    endReason: undefined,
    localSdp: '',
    remoteSdp: undefined,
    preAcceptedSdp: undefined,
    callbackData: undefined,
    peer: undefined,
    ringTimer: undefined,
  }
  world.calls.set(call.wacid, call)
  pushBounded(call.handset.calls, call.wacid, CALLS_KEPT)
  call.number.liveCalls += 1
  call.ringTimer = world.timers.later(world.config.ringTimeoutMs, () => void endCall(world, call, 'rang-out'))
  note(call, 'created')
  return call
}

export function note(call: Call, event: string): void {
  pushBounded(call.timeline, { at: new Date().toISOString(), event }, 100)
}

const withCallbackData = (call: Call) =>
  call.callbackData === undefined ? {} : { biz_opaque_callback_data: call.callbackData }

/** The fields that connect and terminate share. */
function callFields(call: Call, event: 'connect' | 'terminate', atMs: number) {
  const person = personOf(call.handset, call.number.id, atMs)
  const [user, business] =
    call.direction === 'USER_INITIATED' ? (['from', 'to'] as const) : (['to', 'from'] as const)
  const waId = call.calledBy === 'phone' ? call.handset.waId : person.waId
  return {
    id: call.wacid,
    [business]: call.number.digits,
    ...(waId === undefined ? {} : { [user]: waId }),
    ...idFields(user, person),
    event,
    timestamp: unixSeconds(atMs),
    direction: call.direction,
    ...withCallbackData(call),
  }
}

/** A call of the business has no profile name. */
export function callContact(call: Call, atMs: number): Record<string, unknown> {
  const person = personOf(call.handset, call.number.id, atMs)
  return call.direction === 'USER_INITIATED'
    ? contactEntry(person, 'name', 'username')
    : contactEntry(person, 'username')
}

export function connectUpdate(call: Call, scheduledNs?: bigint): Update {
  const type = call.direction === 'USER_INITIATED' ? 'offer' : 'answer'
  const update = callUpdate(call.number, callContact(call, call.createdAtMs), {
    ...callFields(call, 'connect', call.createdAtMs),
    session: { sdp_type: type, sdp: call.localSdp },
  })
  return scheduledNs === undefined ? update : { ...update, scheduledNs }
}

export type EndReason =
  | 'hung-up-by-handset'
  | 'declined-by-handset'
  | 'terminated-by-business'
  | 'rejected-by-business'
  | 'rang-out'
  | 'setup-failed'

/** Ends a live call. Resolves when its terminate webhook was delivered, given up or dropped. */
export function endCall(world: World, call: Call, reason: EndReason): Promise<void> {
  if (call.state === 'ended') return Promise.resolve()
  const endedAtMs = timeOf(world)
  call.state = 'ended'
  call.endedAtMs = endedAtMs
  call.endReason = reason
  call.number.liveCalls -= 1
  if (call.ringTimer !== undefined) world.timers.cancel(call.ringTimer)
  call.peer?.close()
  note(call, `ended: ${reason}`)
  const failed = reason === 'setup-failed'
  return world.webhooks.send(
    callUpdate(
      call.number,
      callContact(call, endedAtMs),
      {
        ...callFields(call, 'terminate', endedAtMs),
        // The provider does not specify the status of an unanswered call, so receivers must not depend on it.
        status: failed || reason === 'rang-out' ? 'FAILED' : 'COMPLETED',
        ...talked(call, endedAtMs),
      },
      failed ? [webhookError(138019, 'call')] : undefined,
    ),
  )
}

/** Only answered calls have times. */
function talked(call: Call, endedAtMs: number): Record<string, unknown> {
  if (call.acceptedAtMs === undefined) return {}
  return {
    start_time: unixSeconds(call.acceptedAtMs),
    end_time: unixSeconds(endedAtMs),
    duration: Math.floor(endedAtMs / 1000) - Math.floor(call.acceptedAtMs / 1000),
  }
}

export function markAccepted(world: World, call: Call): void {
  call.state = 'accepted'
  call.acceptedAtMs = timeOf(world)
  if (call.ringTimer !== undefined) world.timers.cancel(call.ringTimer)
  call.peer?.startTalking()
  const permission = permissionOf(call.handset, call.number.id, call.acceptedAtMs)
  // Every connected call resets the counter of permission requests.
  permission.requestedAt = []
  if (call.direction === 'BUSINESS_INITIATED') {
    pushBounded(permission.connectedAt, call.acceptedAtMs, 1000)
    // A user who takes the call opens the window, like one who calls.
    call.handset.lastWroteAt.set(call.number.id, call.acceptedAtMs)
  }
  note(call, 'accepted')
}

type CallIn = Readonly<{
  number: BusinessNumber
  handset: Handset
  media?: 'real' | 'template' | undefined
  toneHz?: number | undefined
  scheduledNs?: bigint
}>

/** The handset calls the business. The connect webhook contains the handset's offer. */
export async function callFromHandset(
  world: World,
  { number, handset, media, toneHz = handset.toneHz, scheduledNs }: CallIn,
): Promise<Call> {
  const kind = media ?? handset.media ?? mediaOf(handset.waId)
  const peer = kind === 'real' ? await offeringPeer({ toneHz }) : undefined
  const call = openCall(world, { direction: 'USER_INITIATED', number, handset, media: kind })
  call.peer = peer
  call.localSdp = peer?.sdp ?? stampSdp(world.offerText)
  handset.lastWroteAt.set(number.id, call.createdAtMs)
  // A load run measures calls of one kind, so it ignores the endings of numbers.
  if (scheduledNs === undefined && hangsUpEarly(handset.waId)) {
    world.timers.later(1000, () => void hangUpBeforeConnect(world, call))
    return call
  }
  void world.webhooks.send(connectUpdate(call, scheduledNs))
  if (number.calling['callback_permission_status'] === 'ENABLED') allowCallback(world, call)
  return call
}

/** The connect webhook goes out only after the terminate webhook was delivered. */
async function hangUpBeforeConnect(world: World, call: Call): Promise<void> {
  await endCall(world, call, 'hung-up-by-handset')
  await world.webhooks.send(connectUpdate(call))
}

/** When the callback setting is enabled, a call from the user allows the business to call back for a week. */
function allowCallback(world: World, call: Call): void {
  const permission = permissionOf(call.handset, call.number.id, timeOf(world))
  if (permission.status === 'permanent') return
  replyToPermission(world, call.number, call.handset, {
    response: 'accept',
    isPermanent: false,
    source: 'automatic',
    contextId: call.wacid,
  })
}
