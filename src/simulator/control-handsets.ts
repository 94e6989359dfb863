// Shows and changes handsets for the control API.
import * as v from 'valibot'
import { ControlError, readBody } from './control-error.ts'
import { changeIdentity, identityFields } from './control-identity.ts'
import { isUserId } from './identity.ts'
import { digitsOf } from './ids.ts'
import { report } from './message-statuses.ts'
import type { Call, Handset } from './model.ts'
import type { CallRow, HandsetView, InboxItem } from './views.ts'
import { findNumber, handsetOf, handsetOfId, type World } from './world.ts'

const HANDSETS_LISTED = 500

/** Hertz. A telephone call transmits tones in this range well. */
export const toneHz = v.optional(v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(3000)))

const ReadBody = v.optional(
  v.strictObject({
    id: v.optional(v.string()),
    /** Selects every delivered message from this business number. */
    allFrom: v.optional(v.string()),
  }),
  {},
)

const HandsetChange = v.strictObject({
  online: v.optional(v.boolean()),
  name: v.optional(v.string()),
  media: v.optional(v.picklist(['real', 'template'])),
  toneHz,
  ...identityFields,
})

/** The handset at a phone number or a user id. */
export function handsetAt(world: World, address: string): Handset {
  if (isUserId(address)) return handsetOfId(world, address)
  const waId = digitsOf(address)
  if (waId.length < 5 || waId.length > 20) throw new ControlError(400, `${address} is not a phone number`)
  return handsetOf(world, waId)
}

/** Throws a 409 when the handset is offline, because it can do nothing then. */
export function onlineHandset(world: World, waId: string): Handset {
  const handset = handsetAt(world, waId)
  if (!handset.online) throw new ControlError(409, 'the handset is offline')
  return handset
}

/** The latest handsets, in the order of their creation. */
export const listHandsets = (world: World): unknown => ({
  data: [...world.handsets.values()]
    .slice(-HANDSETS_LISTED)
    .map(({ waId, userId, username, name, online }) => ({
      ...{ waId, userId: userId ?? null, username: username ?? null },
      ...{ name, online },
    })),
})

/** Marks the last unread message as read, or the message with this id, or all messages from one number. */
export function markMessagesRead(world: World, handset: Handset, body: unknown): unknown {
  const { id, allFrom } = readBody(ReadBody, body)
  const unread = handset.inbox.filter((item) => item.status !== 'read' && item.status !== 'failed')
  if (allFrom !== undefined) {
    const from = findNumber(world, allFrom)
    const read = unread.filter((item) => item.status === 'delivered' && item.phoneNumberId === from?.id)
    for (const item of read) markRead(world, handset, item)
    return { ids: read.map((item) => item.id) }
  }
  const item = id === undefined ? unread.at(-1) : unread.find((one) => one.id === id)
  if (item === undefined) throw new ControlError(404, 'the handset has no such unread message')
  markRead(world, handset, item)
  return { id: item.id }
}

function markRead(world: World, handset: Handset, item: InboxItem): void {
  const number = world.numbers.get(item.phoneNumberId)
  if (number === undefined) throw new ControlError(404, `there is no business number ${item.phoneNumberId}`)
  report(world, { number, handset, item }, { status: 'read' })
}

export function changeHandset(world: World, handset: Handset, body: unknown): HandsetView {
  const { name, online, media, toneHz: tone, ...identity } = readBody(HandsetChange, body)
  changeIdentity(world, handset, identity)
  handset.name = name ?? handset.name
  handset.media = media ?? handset.media
  handset.toneHz = tone ?? handset.toneHz
  handset.online = online ?? handset.online
  if (handset.online) for (const action of handset.whenOnline.splice(0)) action()
  return handsetView(world, handset)
}

/** `latest`: maximum number of messages in each direction. */
export function handsetView(world: World, handset: Handset, latest = Number.POSITIVE_INFINITY): HandsetView {
  const { waId, name, online, media, inbox, outbox, permissions } = handset
  return {
    ...{ waId, name, online },
    userId: handset.userId ?? null,
    parentUserId: handset.parentUserId ?? null,
    username: handset.username ?? null,
    showsNumber: handset.showsNumber,
    dialledAs: handset.dialledAs,
    stoppedMarketing: handset.stoppedMarketing,
    media: media ?? null,
    inbox: inbox.slice(-latest),
    outbox: outbox.slice(-latest),
    calls: handset.calls.flatMap((wacid) => world.calls.get(wacid) ?? []).map(callRow),
    permissions: Object.fromEntries(permissions),
  }
}

function callRow(call: Call): CallRow {
  const { wacid, direction, state, media, number, createdAtMs, acceptedAtMs, endedAtMs, endReason } = call
  const at = (ms: number | undefined) => (ms === undefined ? null : new Date(ms).toISOString())
  return {
    ...{ wacid, direction, state, media },
    phoneNumberId: number.id,
    at: new Date(createdAtMs).toISOString(),
    acceptedAt: at(acceptedAtMs),
    endedAt: at(endedAtMs),
    endReason: endReason ?? null,
  }
}
